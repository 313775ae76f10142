package audit

import (
	"maps"
	"reflect"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/mergepatch"
)

// Diff lists the members in which two resources of a type differ, by name.
func Diff[T any](before, after T) ([]Change, error) {
	a, err := mergepatch.Members(before)
	if err != nil {
		return nil, err
	}
	b, err := mergepatch.Members(after)
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
	var changes []Change
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !reflect.DeepEqual(a[name], b[name]) {
			changes = append(changes, Change{Field: name, From: a[name], To: b[name]})
		}
	}
	return changes, nil
}

// Initial lists the members that a new resource has, by name. An empty text, list or object is as good as none.
func Initial[T any](made T) ([]Change, error) {
	var nothing T
	changes, err := Diff(nothing, made)
	return slices.DeleteFunc(changes, func(c Change) bool { return empty(c.From) && empty(c.To) }), err
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
