// Package response reads answers of SCIM service providers value by value.
//
// # Purpose
//
// A page may be large, and one of its records may be broken. ReadList therefore calls back at each resource and
// decodes only what is kept. Bounds for bytes, values and depth protect the memory of the process (limits.go).
//
// # States
//
// A Reader stands before a value; each call reads exactly one value. An error ends the answer.
//
// # Callers
//
// Packages provider, syncrun, group and lookup.
//
// # Example
//
// In a list of three users, the second of which is nested 200 levels deep, ReadList calls back three times. The second
// Element has the id and the Problem "is nested more than 100 levels deep".
package response
