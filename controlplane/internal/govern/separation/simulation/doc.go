// Package simulation reports what a change of a duty or of a separation-of-duties policy would change in the violations
// of all people. It writes no violations, policies and duties.
//
// Both states are compiled as books, see package rulebook: the policies as they are stored and evaluated, and as they
// would be after the change. A changed duty is stored for that in a transaction that is rolled back. One pass over all
// access finds the people who may violate a policy of either book; those are loaded and evaluated exactly, by both.
//
// A simulation answers at once, or is stored and run by the queue. Tables: separation_simulation has the stored ones
// with their progress, and separation_simulation_result a row for each violation. A stored simulation goes through all
// identities in the order of their IDs, a piece in each transaction, as scans do: a crash repeats one piece. It is
// deleted seven days after its end.
//
//	waiting -> running -> completed
//	        |          -> failed: it took too long, or a duty is gone
//	        -----------> cancelled
//
// Callers: the API, the queue, and packs, whose plans compare the policies before and after an installation.
//
// Example: the draft "Vendors and payments" is simulated. The stored state has no violations, as drafts are not
// evaluated. The other state has three: the impact is three new violations of three people.
package simulation
