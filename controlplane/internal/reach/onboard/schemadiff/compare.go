package schemadiff

import (
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/proposal"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Compare gives an open diff of two discoveries: what the change means for the mappings in use, and what the proposals
// would do about it. The caller sets the ids of the connector and its snapshots.
func Compare(before, after []v1.DiscoveredObject, rules, proposals []mapping.Mapping) SchemaDiff {
	found := proposal.Diff(before, after)
	out := SchemaDiff{
		State:       stateOpen,
		Added:       []AddedField{},
		Removed:     []RemovedField{},
		TypeChanged: []RetypedField{},
		Decisions:   []SchemaDecision{},
	}
	gone := map[FieldKey]bool{}
	for _, f := range found.Removed {
		gone[FieldKey{f.Object, f.Path}] = true
		out.Removed = append(out.Removed, RemovedField{f, using(rules, f)})
	}
	kept := slices.DeleteFunc(
		slices.Clone(rules),
		func(r mapping.Mapping) bool { return gone[FieldKey{r.Object, r.Source}] },
	)
	all, added := proposal.Complete(kept, proposals)
	possible := all[len(all)-added:]
	for _, f := range found.Added {
		out.Added = append(out.Added, AddedField{f, ruleFor(possible, f.Object, f.Path)})
	}
	for _, f := range found.TypeChanged {
		out.TypeChanged = append(out.TypeChanged, RetypedField{f, ruleFor(rules, f.Object, f.Path)})
	}
	return out
}

func ruleFor(rules []mapping.Mapping, object, path string) *mapping.Mapping {
	at := indexOf(rules, FieldKey{object, path})
	if at < 0 {
		return nil
	}
	return &rules[at]
}

func indexOf(rules []mapping.Mapping, k FieldKey) int {
	return slices.IndexFunc(rules, func(r mapping.Mapping) bool { return r.Object == k[0] && r.Source == k[1] })
}

// using are the rules that use a field: its own, and those whose transforms have its name in quotes.
func using(rules []mapping.Mapping, f proposal.FieldRef) []mapping.Mapping {
	out := []mapping.Mapping{}
	for _, r := range rules {
		own := r.Source == f.Path
		named := strings.Contains(r.Transform, "'"+f.Path+"'") || strings.Contains(r.Transform, `"`+f.Path+`"`)
		if r.Object == f.Object && r.Action == mapping.ActionMap && (own || named) {
			out = append(out, r)
		}
	}
	return out
}

// Merge gives the objects that the mappings are about once some fields of a diff are decided: the later look, but for
// what waits. whole says whether nothing of the earlier look is left in it.
func Merge(before, after []v1.DiscoveredObject, waiting []FieldKey) (objects []v1.DiscoveredObject, whole bool) {
	old, left := map[FieldKey]v1.DiscoveredField{}, map[FieldKey]bool{}
	gone := map[FieldKey]bool{}
	for _, o := range before {
		for _, f := range o.Fields {
			old[FieldKey{o.Kind, f.Name}] = f
		}
	}
	for _, f := range proposal.Diff(before, after).Removed {
		gone[FieldKey{f.Object, f.Path}] = true
	}
	whole = true
	for _, o := range after {
		fields := o.Fields
		o.Fields = nil
		for _, f := range fields {
			k := FieldKey{o.Kind, f.Name}
			was, known := old[k]
			left[k] = true
			switch {
			case !slices.Contains(waiting, k):
				o.Fields = append(o.Fields, f)
			case known:
				o.Fields, whole = append(o.Fields, was), false
			default:
				whole = false
			}
		}
		objects = append(objects, o)
	}
	for _, o := range before {
		fields := o.Fields
		o.Fields = nil
		for _, f := range fields {
			// What was seen in samples alone may come again; see mapping.Diff.
			if k := (FieldKey{o.Kind, f.Name}); !left[k] && (!gone[k] || slices.Contains(waiting, k)) {
				o.Fields, whole = append(o.Fields, f), false
			}
		}
		if len(o.Fields) > 0 {
			objects = appended(objects, o)
		}
	}
	return objects, whole
}

// appended puts an object's fields to those of the same type, or the object to the others.
func appended(objects []v1.DiscoveredObject, o v1.DiscoveredObject) []v1.DiscoveredObject {
	for i := range objects {
		if objects[i].Kind == o.Kind && objects[i].NativeType == o.NativeType {
			objects[i].Fields = append(objects[i].Fields, o.Fields...)
			return objects
		}
	}
	return append(objects, o)
}
