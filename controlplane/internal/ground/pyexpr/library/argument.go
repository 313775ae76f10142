package library

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/pyexpr/object"
)

// Omitted reports whether an argument was not given.
func Omitted(v value) bool { return v == object.Missing }

// TextArg is an argument that has to be a str; of names it in the TypeError that other values raise.
func TextArg(t *thread, v value, of string) string {
	s, ok := v.(string)
	if !ok {
		t.TypeError("%s must be str, not %s", of, object.TypeName(v))
	}
	return s
}

// TextOr is an argument that has to be a str, or otherwise where it was not given.
func TextOr(t *thread, v value, otherwise string) string {
	if Omitted(v) {
		return otherwise
	}
	return TextArg(t, v, "argument")
}

// CountOr is an argument that counts something, or otherwise where it was not given.
func CountOr(t *thread, v value, otherwise int) int {
	if Omitted(v) {
		return otherwise
	}
	return t.Count(v)
}

// OrNone is an argument, or None where it was not given.
func OrNone(v value) value {
	if Omitted(v) {
		return nil
	}
	return v
}
