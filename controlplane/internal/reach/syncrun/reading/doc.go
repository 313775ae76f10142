// Package reading keeps what the pages of a connector say about a reading as a whole: its checkpoint and cursor,
// whether changes or everything is read, what was read to its end, estimates and warnings.
//
// It is pure. A State is restored from the run's row when a worker takes over, and each page is noted before it is
// committed:
//
//	moved := state.Note(page.Page) // a page with checkpoint "page 3": the run has moved on
//
// Package worker embeds a State in each of its attempts.
package reading
