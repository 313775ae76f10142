// Package read runs one sync of the REST connector.
//
// # Purpose
//
// Run reads the streams in the order of the settings. After each page come the streams whose parents are its records,
// several at a time, with their rows in the order of the parents. Every page that is emitted carries a checkpoint, so
// that a run that is taken over reads no more than one page again.
//
// # States
//
// An incremental sync asks each stream with incremental settings for changes, after one request has proven that the
// target respects the parameter; other streams are read in full. A list is attested complete only if it was read to its
// end, no record without a key was skipped, and the target announced no more records than came.
//
// # Callers
//
// connectorkit/rest.
//
// # Example
//
// For a stream groups with the child stream members, Run emits: groups of page 1, members of each of these groups,
// checkpoint, groups of page 2, and so on; at the end one scope for each kind, the cursor and the watermark.
package read
