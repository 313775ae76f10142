// Package rest is the connector of the type rest: it reads and changes any HTTP API that answers JSON.
//
// # Purpose
//
// The setting streams describes what is read: each stream names the request that lists records, where the records are
// in the answer, how one page leads to the next, and which rows a record becomes. Without streams the connector detects
// the list of people in the answer of base_url and follows its links. The setting writes describes changes: one request
// template for each operation, and reads to compare before and after.
//
// This package composes the connector from the packages below it, the lowest first:
//
//	stream      stream definitions: settings, checks, keys, kinds
//	answer      one answer of a list: decoding within bounds, duplicates, errors in the body
//	paging      requests and pages of one list, read ahead
//	checkpoint  positions that survive the process: checkpoints, cursors, watermarks
//	extract     records become rows
//	read        one sync run over all streams
//	template    request templates of changes
//	write       one change, or a read of single accounts
//
// # States
//
// A connector keeps nothing between calls but the OAuth2 tokens, rate budgets and circuit breakers of the process; see
// target.Process.
//
// # Callers
//
// connectorkit/catalog opens it for the agent and the control plane.
//
// # Example
//
// The setting streams for an API that lists people in pages of 100:
//
//	[{"name": "people", "object": "user", "request": {"path": "people"}, "record_selector": "$.items[*]",
//	  "key_path": "id", "fields": {"email": "mail"}, "pagination": {"style": "page", "size_param": "limit"}}]
package rest
