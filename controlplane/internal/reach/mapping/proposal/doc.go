// Package proposal suggests which source field is mapped to which of ours, from a schema snapshot, and compares
// snapshots. It is pure.
//
// A proposal has a confidence and the heuristic that made it; proposals of packs take precedence over it by Offer, and
// Complete adds what is not proposed as ignored. Fit lists which rules of one system suit another.
//
//	Suggest(objects, nil) // of a field hireDate: {Target: "hire_date", Heuristic: "exact", …}
//
// Callers: packages fieldmap and onboard.
package proposal
