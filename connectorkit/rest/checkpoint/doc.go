// Package checkpoint holds what of a sync run outlives its process.
//
// # Purpose
//
// A Checkpoint lets another process go on with a sync run that was interrupted. A Cursor lets the next incremental sync
// start where the last sync ended. Both are JSON of at most 60 KiB and opaque to everybody else. A Watermark gathers
// from one list the greatest time of a record and the records that come again because of the overlap.
//
// # States
//
// A checkpoint or cursor is only used with the settings and the request that it was made for, and in its own Version;
// otherwise the run starts from the beginning.
//
// # Callers
//
// connectorkit/rest/read writes and reads them.
//
// # Example
//
// A cursor after a sync of the stream people:
//
//	{"v":1,"settings":"9f2c...","kinds":"identities accounts ","streams":{"people":{"max":"2026-05-01T12:00:00Z"}}}
package checkpoint
