// Package remote is the custom connector: it reads a target through a service that a customer wrote, in any
// language, and that speaks connector protocol v1 over HTTP. The least such service answers POST /v1/sync with one
// plain SyncResponse.
//
// A long read comes page by page, each asked for with the token of the one before, or as a stream of lines (NDJSON),
// each a SyncResponse. Either way at most one answer, or one line of a stream, is held in memory. What the service says
// is hostile input: it is bounded, checked member by member, and searched for secrets before anybody sees it. A record
// that does not fit the protocol is set aside with its place; whatever else does not fit ends the read with the place
// of the mistake.
package remote
