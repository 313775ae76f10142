// Package read has the state that all strategies for reading a directory share: the current page, counts and scopes,
// warnings, the cursor and the checkpoint.
//
// A Run emits a page when it holds 500 records or 1,000 grants. A kind of record is complete until something marks
// it incomplete: an entry without a key, a search without pages, a range of members that was not given. The last
// page carries the scopes, and the position from which the next sync can read changes.
//
//	Position   content of a cursor: where changes count from
//	Checkpoint how far a read has come, emitted with a page
//	Containers set of containers, to notice that one was renamed
//
// Packages records, full and changes embed a Run:
//
//	if err := r.FlushIfFull(); err != nil {
//		return err // the receiver ended the sync
//	}
//	return r.Finish(r.Scopes(v1.Accounts), position)
package read
