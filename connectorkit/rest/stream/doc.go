// Package stream holds the stream definitions of the REST connector.
//
// # Purpose
//
// A Definition is a stream as users write it in the setting streams. Config.ReadStreams checks all of them at once and
// compiles each into a Stream: JSONPath expressions, paging style, error rules, parent and children. The error names
// every mistake with its place, so that a user mends the setting in one go.
//
// # States
//
// A Config and its Streams are made for one call and are not changed after that.
//
// # Callers
//
// connectorkit/rest reads the settings; answer, paging, extract, read and write go by the compiled streams.
//
// # Example
//
// This definition reads the members of each group, several groups at a time. The key of the group fills {id}:
//
//	{"name": "members", "object": "grant", "request": {"path": "groups/{id}/members"},
//	 "record_selector": "$[*]", "parent": {"stream": "groups"}}
package stream
