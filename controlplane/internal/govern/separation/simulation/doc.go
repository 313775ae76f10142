// Package simulation reports what a change of a duty or of a separation-of-duties policy would change in the violations
// of all people. It owns no table and writes nothing.
//
// Both states are compiled as books, see package rulebook: the policies as they are stored and evaluated, and as they
// would be after the change. A changed duty is stored for that in a transaction that is rolled back. One pass over all
// access finds the people who may violate a policy of either book; those are loaded and evaluated exactly, by both.
//
// Example: the draft "Vendors and payments" is simulated. The stored state has no violations, as drafts are not
// evaluated. The other state has three: the impact is three new violations of three people.
package simulation
