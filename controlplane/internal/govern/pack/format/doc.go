// Package format reads the file format of sector packs: pack.yaml, a folder for each kind, texts in locales, tests, and
// a signature. It knows no database and no clock.
//
// A pack holds declarations alone: nothing in it can run, and none of its fields can hold a secret, a user, a token, a
// webhook or a write mode. Read checks files by the JSON Schema of package schema, and then checks what their parts say
// about one another (check.go, check_objects.go). Source.Fill puts the values of a tenant's parameters in.
//
// The parts: diagnostic (problems and where they are), archive (.gwpack files, limits and signatures), document (YAML),
// schema (the JSON Schema) and, above this package, trial (runs a pack's own tests). Packages builtin, catalog, desired
// and install, and the commands "grantwright pack", use them.
//
// Example: Read of a pack whose policy grants the role nures gives the error unknown_reference, with file, line and
// "did you mean nurse?".
package format
