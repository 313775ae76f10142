// Package format is the file format of sector packs: pack.yaml, a folder for each kind, texts in locales, tests, and a
// signature.
//
// A pack holds declarations alone: nothing in it can run, and none of its fields can hold a secret, a user, a token, a
// webhook or a write mode. What it holds is checked by the JSON Schema that is published with it (schema.json), then by
// what the parts say about one another, and is tried on the pack's own tests. Archives are read within limits and
// written so that the same content gives the same bytes. The package knows no database and no clock.
package format
