// Package v1 holds the envelopes of connector protocol v1: what the control plane asks of a connector and what it
// answers.
//
// SyncRequest and SyncResponse carry exactly the members the interface specification names. Everything the product adds
// sits in one optional object each (SyncRequest.Options, SyncResponse.Page, SyncResponse.ErrorDetail), so that a custom
// connector which answers one plain SyncResponse is valid, and one that ignores the extras keeps working.
//
// The structs are the source of the JSON Schemas in protocol/schema/v1. Members are only ever added, never removed or
// retyped. All names are snake_case, all timestamps RFC 3339 in UTC, and no number exceeds 2^53.
package v1
