// Package diagnostic describes what is wrong with a sector pack: Problems with a severity, a stable code, the place in
// the files, a message, and how to correct it. A List collects them and finds the place of a JSON pointer.
//
// All packages of the format report problems with it; Fault converts them to an API error.
//
// Example: {error, unknown_member, pack.yaml:12, #/roles/0/names, "names" is not known here, did you mean name?}.
package diagnostic
