package jsonvalue

import (
	"encoding/json"
	"strings"
)

// MaxExact is the largest whole number that every JSON reader keeps exactly.
const MaxExact = 1 << 53

// Flatten lays a record out as attributes with dotted names. Lists stay lists. Numbers become what survives JSON on its
// way through any reader: whole numbers up to 2^53, other numbers as float64, larger ones as text.
func Flatten(record any) map[string]any {
	out := map[string]any{}
	object, ok := record.(map[string]any)
	if !ok {
		out["value"] = Portable(record)
		return out
	}
	spread(out, "", object, 0)
	return out
}

// MaxNesting bounds how deep members get names of their own; what lies deeper stays an object.
const MaxNesting = 16

// spread puts the members of nested objects into out, under names with dots, down to a depth.
func spread(out map[string]any, prefix string, object map[string]any, depth int) {
	for _, name := range SortedKeys(object) {
		if nested, ok := object[name].(map[string]any); ok && len(nested) > 0 && depth < MaxNesting {
			spread(out, prefix+name+".", nested, depth+1)
			continue
		}
		out[prefix+name] = Portable(object[name])
	}
}

// Portable gives a value whose numbers survive JSON in any reader: whole numbers up to 2^53 as int64, other numbers as
// float64, larger ones as text. Lists and objects are copied.
func Portable(v any) any {
	switch v := v.(type) {
	case json.Number:
		return portableNumber(v)
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = Portable(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			out[name] = Portable(e)
		}
		return out
	}
	return v
}

// portableNumber is a whole number as int64 where every JSON reader keeps it exactly, a fraction as
// float64, and any other as text.
func portableNumber(n json.Number) any {
	if i, err := n.Int64(); err == nil && i <= MaxExact && i >= -MaxExact {
		return i
	}
	f, err := n.Float64()
	if err != nil || !strings.ContainsAny(n.String(), ".eE") {
		return n.String()
	}
	return f
}
