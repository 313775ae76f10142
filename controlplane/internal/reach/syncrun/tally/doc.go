// Package tally counts what sync runs do.
//
// Counters and Report are what the API shows of a run. A Tally is the part of them that one chunk, or one merged part,
// adds: it is stored with the chunk (sync_chunk.counters) or the part (sync_merge.counters), and the tallies of a run
// add up to the run's own, however often its worker died.
//
//	var t Tally
//	t.Report.Accounts = Counts{Created: 2, Unchanged: 7}
//	t.Add(Tally{Report: Report{Accounts: Counts{Updated: 1}}})
//	t.Totals() // created 2, updated 1, unchanged 7
//
// It is pure, and used by all packages of syncrun.
package tally
