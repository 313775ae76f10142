// Package mergepatch applies JSON merge patches (RFC 7396) to resources.
package mergepatch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
)

// Apply gives what target becomes under the patch: null clears a member, an absent one stays, objects merge. T must be
// a struct whose members of interest are all in its JSON form; members that T does not know are left out.
func Apply[T any](target T, patch []byte) (T, error) {
	var result T
	base, err := Members(target)
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

// Members are a resource's members as JSON has them.
func Members(v any) (map[string]any, error) {
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
