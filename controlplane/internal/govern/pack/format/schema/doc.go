// Package schema checks sector packs by the JSON Schema of the format, schema.json, which is published with the
// service.
//
// It implements the part of JSON Schema that schema.json uses; a keyword that it does not implement ends the process at
// the first use, so that no rule of the published schema is left unchecked. Package format calls Check; "grantwright
// pack schema" prints JSON.
//
// Example: a policy with the mode watch gives the problem wrong_value: write one of shadow, enforce.
package schema
