// Package change plans and sends the requests of one change, and settles its outcome.
//
// A Change goes through these states: planned (a dry run ends here), sending, applied, or unknown if an answer did not
// come or a later request was refused. A refusal of the first request changed nothing and is an error. No request is
// sent twice. Plans show each request as LDIF (RFC 2849) with secrets masked.
//
// Packages membership and account embed a Change:
//
//	c, err := change.Open(ctx, env, req)
//	err = c.Perform([]change.Request{{Op: wire.OpModify, DN: dn, Changes: changes}})
//	response, err := c.Response(err)
package change
