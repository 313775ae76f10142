// Package session is a signed-in connection to a directory, with its rootDSE, its flavor, and the bases and keys
// that searches use.
//
// A session goes through these states: New (settings only), connected, protected (ldaps or StartTLS), bound,
// identified (flavor known), and closed. Open passes through all of them. The connection test takes the same steps
// one by one, to report each.
//
// Searches come in two forms: SearchAll reads all pages (RFC 2696), and SearchFirst reads a few entries. A directory
// that does not page is read all the same, and the outcome says that its end proves nothing.
//
//	se, err := session.Open(ctx, env, s)
//	defer se.Conn.Close()
//	outcome, err := se.SearchAll(ctx, "users", se.UserSearch(filter, attributes), each, nil)
package session
