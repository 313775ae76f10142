package proposal

import (
	"slices"
	"strings"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// FieldRef names a field of a source.
type FieldRef struct {
	// Kind of record that has the field: identity, account, entitlement or grant.
	Object string `json:"object"`
	// Path of the field in the record.
	Path string `json:"path"`
	// Type of the field, such as string, or string[] for many values.
	Type string `json:"type"`
	// Sample values of the field, masked where they are personal.
	Samples []string `json:"samples" nullable:"false"`
}

// TypeChange is a field that has another type or format than before, or has become one of many values, or of one.
type TypeChange struct {
	// Kind of record that has the field: identity, account, entitlement or grant.
	Object string `json:"object"`
	// Path of the field in the record.
	Path string `json:"path"`
	// Such as string, or string[] for many values, with the format where there is one: string(email).
	From string `json:"from"`
	// Type and format that the field has now.
	To string `json:"to"`
	// Sample values of the field as it is now.
	Samples []string `json:"samples" nullable:"false"`
}

// Difference is what has changed between two looks at a source.
type Difference struct {
	// Fields that the earlier snapshot did not have.
	Added []FieldRef `json:"added" nullable:"false"`
	// Fields that the later snapshot does not have.
	Removed []FieldRef `json:"removed" nullable:"false"`
	// Fields with another type or format, or another multiplicity.
	TypeChanged []TypeChange `json:"type_changed" nullable:"false"`
}

// Empty reports whether nothing has changed.
func (d Difference) Empty() bool {
	return len(d.Added) == 0 && len(d.Removed) == 0 && len(d.TypeChanged) == 0
}

// Diff compares two looks at a source, field by field within each kind of object. Samples do not count, nor does a
// field that was seen in samples alone before and that no sampled record happens to hold now, while the source declares
// its schema: it is not gone.
func Diff(before, after []v1.DiscoveredObject) Difference {
	out := Difference{Added: []FieldRef{}, Removed: []FieldRef{}, TypeChanged: []TypeChange{}}
	old, now := index(before), index(after)
	declared := map[string]bool{}
	for _, o := range after {
		declared[o.Kind] = slices.ContainsFunc(
			o.Fields,
			func(f v1.DiscoveredField) bool { return f.Source != "sample" },
		)
	}
	for key, f := range now {
		was, known := old[key]
		switch {
		case !known:
			out.Added = append(out.Added, FieldRef{key[0], f.Name, typeOf(f), some(f.Samples)})
		case typeOf(was) != typeOf(f) && sampled(was) && sampled(f):
			out.TypeChanged = append(
				out.TypeChanged,
				TypeChange{key[0], f.Name, typeOf(was), typeOf(f), some(f.Samples)},
			)
		}
	}
	for key, f := range old {
		if _, there := now[key]; !there && (f.Source != "sample" || !declared[key[0]]) {
			out.Removed = append(out.Removed, FieldRef{key[0], f.Name, typeOf(f), some(f.Samples)})
		}
	}
	byPath := func(a, b FieldRef) int { return strings.Compare(a.Object+"\x00"+a.Path, b.Object+"\x00"+b.Path) }
	slices.SortFunc(out.Added, byPath)
	slices.SortFunc(out.Removed, byPath)
	slices.SortFunc(
		out.TypeChanged,
		func(a, b TypeChange) int { return strings.Compare(a.Object+"\x00"+a.Path, b.Object+"\x00"+b.Path) },
	)
	return out
}

// index finds fields by kind of object and name.
func index(objects []v1.DiscoveredObject) map[[2]string]v1.DiscoveredField {
	out := map[[2]string]v1.DiscoveredField{}
	for _, o := range objects {
		for _, f := range o.Fields {
			out[[2]string{o.Kind, f.Name}] = f
		}
	}
	return out
}

// sampled reports whether the type of a field is known: declared, or seen in a value.
func sampled(f v1.DiscoveredField) bool { return f.Source != "sample" || f.NullRatio < 1 }

// typeOf writes a field's type as people read it: string, string(email), string[].
func typeOf(f v1.DiscoveredField) string {
	t := f.Type
	if f.Format != "" {
		t += "(" + f.Format + ")"
	}
	if f.Multi {
		t += "[]"
	}
	return t
}

// some is the list, or an empty one for nil, so that JSON has [].
func some(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
