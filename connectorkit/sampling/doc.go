// Package sampling infers the fields of records from a few of them, for targets that have no schema to ask for.
//
// # Purpose
//
// Discovery needs names, types, formats and examples of the fields that a target has. Where the target declares
// nothing, the records themselves are the only source. A Sample takes in records and describes their fields in the
// terms of v1.DiscoveredField. Values that look like secrets never leave it; others can be masked.
//
// # States
//
// A Sample grows with each Add and is used by one goroutine. It keeps at most 500 fields and five examples of each.
//
// # Callers
//
// The connectors rest and remote during discovery, and the mapping preview of the control plane, which hides values by
// the same rules.
//
// # Example
//
//	var s sampling.Sample
//	s.Add(map[string]any{"id": json.Number("7"), "mail": "jane@example.com"})
//	s.Fields(true) // id integer, mail string with format email and the example j***@e***.c***
package sampling
