package scim

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Bounds of one record (CON-3).
const (
	maxText       = 64 << 10
	maxValues     = 10_000
	maxAttributes = 500
)

// secretName finds attributes that must never leave the target: RFC 7643 has password, vendors have more.
var secretName = regexp.MustCompile(
	`(?i)(password|passwd|passphrase|secret|private[_-]?key|api[_-]?key|credential|access[_-]?token|refresh[_-]?token|otp[_-]?seed)`,
)

// judged remembers which names are secret: a run asks for the same few dozen names for every record, and the expression
// costs more than the rest of the record. The names come from the target, so there is an end to how many are kept.
var judged struct {
	names sync.Map // name -> bool
	count atomic.Int32
}

const maxJudged = 4096

func isSecret(name string) bool {
	if known, ok := judged.names.Load(name); ok {
		return known.(bool)
	}
	is := secretName.MatchString(name)
	if judged.count.Load() < maxJudged {
		judged.count.Add(1)
		judged.names.Store(name, is)
	}
	return is
}

// notAttributes are parts of a resource that are read in their own right, or say nothing.
var notAttributes = []string{"schemas", "members", "groups"}

// flatten gives a resource as attributes: complex ones by dotted paths (name.givenName), extensions by urn:…:attribute,
// multi-valued ones as arrays, and beside an array of {value, …} the bare values under path.value, the primary one
// first, for whoever takes one of several takes the first. Secrets are left out.
func flatten(rec record) (out map[string]any, shortened []string) {
	f := flattener{out: make(map[string]any, 2*len(rec))}
	for name, v := range rec {
		if !slices.ContainsFunc(notAttributes, func(s string) bool { return strings.EqualFold(s, name) }) {
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

type flattener struct {
	out       map[string]any
	shortened []string
}

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

func (f *flattener) set(path string, v any) {
	if isSecret(path) {
		return
	}
	if len(f.out) >= maxAttributes {
		f.shortened = append(f.shortened, path)
		return
	}
	f.out[path] = v
}

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
				n := len(byStanding) - standing(m)
				byStanding[n], bare = append(byStanding[n], f.clean(path, value)), true
			}
		}
	}
	f.set(path, all)
	if bare {
		f.set(path+".value", slices.Concat(byStanding[:]...))
	}
}

// standing is how much one of several values counts: the primary one most, then one for work (RFC 7643 section 2.4).
func standing(item record) int {
	if isPrimary(item) {
		return 3
	}
	if strings.EqualFold(item.text("type"), "work") {
		return 2
	}
	return 1
}

// clean gives a nested value without secrets and without numbers that JSON readers would bend.
func (f *flattener) clean(path string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, inner := range v {
			if !isSecret(name) {
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

// allowed keeps the attributes that the caller wants; with an empty list all.
func allowed(attributes map[string]any, list []string) map[string]any {
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

func shortenedMessage(paths []string) string {
	return fmt.Sprintf("too large and shortened: %s", strings.Join(paths[:min(len(paths), 10)], ", "))
}
