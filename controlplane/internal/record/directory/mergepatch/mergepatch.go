// Package mergepatch applies JSON merge patches (RFC 7396) to resources and tells the audit log what they changed.
package mergepatch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Apply gives what target becomes under the patch: null clears a member, an absent one stays, objects merge. T must be
// a struct whose members of interest are all in its JSON form; members that T does not know are left out.
func Apply[T any](target T, patch []byte) (T, error) {
	var result T
	base, err := members(target)
	if err != nil {
		return result, err
	}
	var asked map[string]any
	if err := decode(patch, &asked); err != nil {
		return result, fmt.Errorf("read merge patch: %w", err)
	}
	merged, err := json.Marshal(merge(base, asked))
	if err != nil {
		return result, fmt.Errorf("encode merged resource: %w", err)
	}
	if err := json.Unmarshal(merged, &result); err != nil {
		return result, fmt.Errorf("decode merged resource: %w", err)
	}
	return result, nil
}

// merge is MergePatch of RFC 7396 section 2 for two objects. It keeps target as it is.
func merge(target, patch map[string]any) map[string]any {
	result := maps.Clone(target)
	if result == nil {
		result = map[string]any{}
	}
	for name, value := range patch {
		inner, isObject := value.(map[string]any)
		switch {
		case value == nil:
			delete(result, name)
		case isObject:
			old, _ := result[name].(map[string]any)
			result[name] = merge(old, inner)
		default:
			result[name] = value
		}
	}
	return result
}

// Diff lists the members in which two resources of a type differ, by name.
func Diff[T any](before, after T) ([]audit.Change, error) {
	a, err := members(before)
	if err != nil {
		return nil, err
	}
	b, err := members(after)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for name := range a {
		names[name] = true
	}
	for name := range b {
		names[name] = true
	}
	var changes []audit.Change
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !reflect.DeepEqual(a[name], b[name]) {
			changes = append(changes, audit.Change{Field: name, From: a[name], To: b[name]})
		}
	}
	return changes, nil
}

// Initial lists the members that a new resource has, by name. An empty text, list or object is as good as none.
func Initial[T any](made T) ([]audit.Change, error) {
	var nothing T
	changes, err := Diff(nothing, made)
	return slices.DeleteFunc(changes, func(c audit.Change) bool { return empty(c.From) && empty(c.To) }), err
}

// empty reports whether a decoded JSON value holds nothing.
func empty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}

// members are a resource's members as JSON has them.
func members(v any) (map[string]any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode resource: %w", err)
	}
	var m map[string]any
	if err := decode(b, &m); err != nil {
		return nil, fmt.Errorf("decode resource: %w", err)
	}
	return m, nil
}

// decode keeps numbers as they are written, so that a large one does not change by passing through a float.
func decode(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(into)
}
