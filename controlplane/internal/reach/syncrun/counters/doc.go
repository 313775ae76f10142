// Package counters counts what sync runs do.
//
// Counters and Report are the counts of a run, as the API shows them. A PartCount holds the counts of one chunk or one
// merged part. It is stored with the chunk (sync_chunk.counters) or the part (sync_merge.counters). The counts of a run
// are the sum of its parts, also after a worker was replaced.
//
//	var t PartCount
//	t.Report.Accounts = Counts{Created: 2, Unchanged: 7}
//	t.Add(PartCount{Report: Report{Accounts: Counts{Updated: 1}}})
//	t.Totals() // created 2, updated 1, unchanged 7
//
// It is pure, and used by all packages of syncrun.
package counters
