// Package jsonvalue reads decoded JSON values the way that mappings need them.
//
// # Purpose
//
// Targets write the same fact in many ways: a truth value as true, "yes" or 1, a time as RFC 3339 text or as seconds
// since 1970, a number as text. Each function takes a value as encoding/json decodes it (numbers as json.Number) and
// reports by a second result whether it can be read. Nothing here changes its argument but SetPath.
//
// # States
//
// The package keeps none.
//
// # Callers
//
// connectorkit/rest fills rows and templates with it, connectorkit/sampling infers the types of fields.
//
// # Example
//
//	record := map[string]any{"name": map[string]any{"first": "Jane"}, "level": json.Number("3")}
//	jsonvalue.Flatten(record)          // {"name.first": "Jane", "level": 3}
//	jsonvalue.Bool("yes", "is_locked") // true, true
package jsonvalue
