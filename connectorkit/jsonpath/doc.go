// Package jsonpath selects values in JSON documents by the query language of RFC 9535: child names, indexes,
// wildcards, slices, descendants, unions and filters with comparisons and existence tests. Function extensions are not
// part of it.
//
// A Path is compiled once and is safe for many goroutines. A Plan reads a document of any length while holding one
// selected record in memory. Every evaluation is charged to a Budget, since the document decides how much work a query
// is. A record that is JSON but cannot be passed on as it is becomes a Flaw.
//
// The REST connector and the control plane's field mappings call it:
//
//	p, err := jsonpath.Compile("$.items[?@.active == true].id")
//	ids := p.Select(jsonpath.NewBudget(ctx, jsonpath.DefaultSteps), document)
package jsonpath
