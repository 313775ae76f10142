// Package paging requests the pages of one list, one after the other.
//
// # Purpose
//
// A pager makes the request for the next page, by page number, offset, cursor, key, Link header (RFC 8288) or next URL,
// and decides after each answer whether another page follows. It ends lists that never would: repeated pages, cursors
// and links, pages of more records than asked for, and endless empty pages are errors with a stable code.
//
// # States
//
// A State is where a pager is; it is stored in checkpoints. A list that changed while it was read, or whose cursor
// expired, gives a RestartError: it is read from its beginning once more, and a second change proves nothing complete.
//
//	first page -> next page -> ... -> end
//	     |            |
//	     +-- RestartError: once more from the first page, tolerant
//
// # Callers
//
// read, which reads several lists ahead with Prefetch, and the connection test and discovery for a first page.
//
// # Example
//
//	pg := paging.New(st, cfg)
//	request, err := pg.Request(nil) // GET people?limit=100&page=1
package paging
