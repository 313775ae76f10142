// Package cursor seals and opens the cursors of lists. A cursor is opaque to clients: it is encrypted, lives a day and
// opens only with the scope it was sealed with. Its caller is package httpapi, whose scope is a hash of the tenant, the
// viewer, the list and its filters.
//
// Example: Seal(["Berg", "0198…"], scope) gives a text for next_cursor. Open gives the sort key and the ID back for the
// same scope; for another scope, or after a changed character, it gives the fault invalid_cursor.
package cursor
