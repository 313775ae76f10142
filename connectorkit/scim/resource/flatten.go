package resource

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Bounds of one record (CON-3).
const (
	maxText       = 64 << 10
	maxValues     = 10_000
	maxAttributes = 500
)

// structural are parts of a resource that are read in their own right, or say nothing.
var structural = []string{"schemas", "members", "groups"}

// Flatten gives a resource as attributes: complex ones by dotted paths (name.givenName), extensions by urn:…:attribute,
// multi-valued ones as arrays, and beside an array of {value, …} the bare values under path.value, the primary one
// first, because readers that take one of several take the first. Secrets are left out.
func Flatten(rec Record) (out map[string]any, shortened []string) {
	f := flattener{out: make(map[string]any, 2*len(rec))}
	for name, v := range rec {
		if !slices.ContainsFunc(structural, func(s string) bool { return strings.EqualFold(s, name) }) {
			sep := "."
			if len(name) > 4 && strings.EqualFold(name[:4], "urn:") {
				sep = ":" // an extension (RFC 7644 section 3.10)
			}
			f.put(name, sep, v)
		}
	}
	slices.Sort(f.shortened)
	return f.out, f.shortened
}

// flattener collects the attributes of one record, and the paths of those that had to be cut.
type flattener struct {
	out       map[string]any
	shortened []string
}

// put takes a value at a path. The parts of an object follow after sep, which is ":" behind the URN
// of an extension and "." everywhere else.
func (f *flattener) put(path, sep string, v any) {
	switch v := v.(type) {
	case nil:
		f.set(path, nil)
	case map[string]any:
		for name, inner := range v {
			f.put(path+sep+name, ".", inner)
		}
	case []any:
		f.list(path, v)
	default:
		f.set(path, f.simple(path, v))
	}
}

// set keeps a value, unless its path is that of a secret, or the record has too many attributes.
func (f *flattener) set(path string, v any) {
	if IsSecret(path) {
		return
	}
	if len(f.out) >= maxAttributes {
		f.shortened = append(f.shortened, path)
		return
	}
	f.out[path] = v
}

// list takes a list as a whole, and beside it the bare values of its elements, the primary ones
// first: a mapping that wants one e-mail address takes the first of "emails.value".
func (f *flattener) list(path string, list []any) {
	if len(list) > maxValues {
		f.shortened = append(f.shortened, path)
		list = list[:maxValues]
	}
	all := make([]any, 0, len(list))
	var byStanding [3][]any
	bare := false
	for _, v := range list {
		all = append(all, f.clean(path, v))
		if m, ok := v.(map[string]any); ok {
			if value, ok := m["value"]; ok {
				n := len(byStanding) - precedence(m)
				byStanding[n], bare = append(byStanding[n], f.clean(path, value)), true
			}
		}
	}
	f.set(path, all)
	if bare {
		f.set(path+".value", slices.Concat(byStanding[:]...))
	}
}

// WithoutSecrets returns a value as Flatten would: without secrets, and with numbers that every JSON reader keeps.
func WithoutSecrets(path string, v any) any {
	f := flattener{out: map[string]any{}}
	return f.clean(path, v)
}

// clean gives a nested value without secrets and without numbers that JSON readers would bend.
func (f *flattener) clean(path string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, inner := range v {
			if !IsSecret(name) {
				out[name] = f.clean(path, inner)
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, inner := range v {
			out = append(out, f.clean(path, inner))
		}
		return out
	}
	return f.simple(path, v)
}

// simple is a text, number or truth value as it is handed on. A text that is too long is replaced
// by an object that says how long it was, so that it is not mistaken for a value.
func (f *flattener) simple(path string, v any) any {
	switch v := v.(type) {
	case string:
		if len(v) > maxText {
			f.shortened = append(f.shortened, path)
			return map[string]any{"$truncated": len(v)}
		}
	case json.Number:
		return number(v)
	}
	return v
}

// number keeps what a float64 holds exactly as a number and everything else as text.
func number(n json.Number) any {
	if i, err := n.Int64(); err == nil {
		if i > -(1<<53) && i < 1<<53 {
			return i
		}
		return n.String()
	}
	if f, err := n.Float64(); err == nil && math.Abs(f) < 1<<53 {
		return f
	}
	return n.String()
}

// Allowed returns the attributes named by list; with an empty list all.
func Allowed(attributes map[string]any, list []string) map[string]any {
	if len(list) == 0 {
		return attributes
	}
	out := make(map[string]any, len(list))
	for _, name := range list {
		if v, ok := attributes[name]; ok {
			out[name] = v
		}
	}
	return out
}

// TruncationMessage is the warning for attributes that Flatten shortened.
func TruncationMessage(paths []string) string {
	return fmt.Sprintf("too large and shortened: %s", strings.Join(paths[:min(len(paths), 10)], ", "))
}

// IsStructural reports whether an attribute is no attribute of a record: schemas, members and groups.
func IsStructural(name string) bool {
	return slices.ContainsFunc(structural, func(s string) bool { return strings.EqualFold(s, name) })
}
