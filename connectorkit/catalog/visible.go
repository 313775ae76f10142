package catalog

import (
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/connectorkit"
)

// Visible are the fields of an entry that apply under the settings given so far, in the entry's order: those that hang
// on no other field, those whose other field has a value, by default or given, that calls for them, and those that are
// given anyway. given are the settings by the fields' own keys. It gives nothing for an unknown key.
func Visible(key string, settings map[string]any) (fields []connectorkit.Field, given map[string]any) {
	k, ok := find(key)
	if !ok {
		return nil, nil
	}
	given = map[string]any{}
	for name, value := range settings {
		if f, known := k.known(name); known && value != nil {
			given[f.Key] = value
		}
	}
	for _, f := range k.entry.Fields {
		if _, there := given[f.Key]; there || k.calledFor(f, given, len(k.entry.Fields)) {
			fields = append(fields, f)
		}
	}
	return fields, given
}

// calledFor reports whether the field that f hangs on applies itself and calls for f. depth bounds fields that hang on
// each other.
func (k kind) calledFor(f connectorkit.Field, given map[string]any, depth int) bool {
	if f.DependsOn == "" {
		return true
	}
	on, ok := k.field(f.DependsOn)
	if !ok || depth == 0 || !k.calledFor(on, given, depth-1) {
		return false
	}
	value, there := given[on.Key]
	if !there {
		value = on.Default
	}
	return value != nil && slices.Contains(f.DependsVals, fmt.Sprint(value))
}
