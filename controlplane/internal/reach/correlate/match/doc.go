// Package match compares two values: exactly, without regard to case or to spelling, by their digits, their
// beginnings, their trigrams, or the number of edits between them. It is pure.
//
// Values are brought into their normal form here alone, so that a preview, a run and an explanation cannot differ, and
// no extension of PostgreSQL is needed.
//
//	m, _ := Parse("levenshtein<=2")
//	m.Agree(m.Normal("Müller"), m.Normal("Mueler")) // true
//
// Package matching compares with it, package block finds candidates for it.
package match
