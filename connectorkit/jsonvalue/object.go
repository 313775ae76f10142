package jsonvalue

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
)

// SetPath writes a value under a dotted name.
func SetPath(object map[string]any, name []string, v any) {
	for ; len(name) > 1; name = name[1:] {
		inner, _ := object[name[0]].(map[string]any)
		if inner == nil {
			inner = map[string]any{}
			object[name[0]] = inner
		}
		object = inner
	}
	object[name[0]] = v
}

// Encode is a value as JSON, to compare by.
func Encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// Member finds a member by its name, or by its name in another case. Of several such names the first in order counts.
func Member(object map[string]any, name string) any {
	if v, ok := object[name]; ok {
		return v
	}
	found := ""
	for other := range object {
		if strings.EqualFold(other, name) && (found == "" || other < found) {
			found = other
		}
	}
	if found == "" {
		return nil
	}
	return object[found]
}

// Expand gives the elements of lists among values.
func Expand(values []any) []any {
	var out []any
	for _, v := range values {
		if list, ok := v.([]any); ok {
			out = append(out, list...)
		} else {
			out = append(out, v)
		}
	}
	return out
}

// SortedKeys gives the keys of an object in their order, so that results do not depend on the order of a map.
func SortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// AllTexts gives every text of a JSON value.
func AllTexts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, e := range v {
			out = append(out, AllTexts(e)...)
		}
		return out
	case map[string]any:
		var out []string
		for _, name := range SortedKeys(v) {
			out = append(out, AllTexts(v[name])...)
		}
		return out
	}
	return nil
}
