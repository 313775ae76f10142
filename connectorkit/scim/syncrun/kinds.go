package syncrun

import (
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/resource"
)

// anyKind are attributes that are read whatever their shape: keys, and those that targets send as one value or as a
// list.
var anyKind = []string{
	"id",
	"externalid",
	"schemas",
	"meta",
	"active",
	"members",
	"groups",
	"emails",
	"phonenumbers",
	"addresses",
	"photos",
	"ims",
	"roles",
	"entitlements",
	"x509certificates",
}

const maxKindNames = 500

// DropChangedKinds removes values of another kind than the same attribute had so far in this run, with a warning. It
// happens when a target changes its schema during a sync.
func (r *Run) DropChangedKinds(kind string, rec resource.Record, id string) {
	for name, v := range rec {
		lower := strings.ToLower(name)
		if slices.Contains(anyKind, lower) {
			continue
		}
		if !r.sameKind(kind+" "+lower, v, id) {
			delete(rec, name)
			continue
		}
		if inner, ok := v.(map[string]any); ok {
			for part, w := range inner {
				if !r.sameKind(kind+" "+lower+"."+strings.ToLower(part), w, id) {
					delete(inner, part)
				}
			}
		}
	}
}

// sameKind says whether the value is of the kind that the attribute had before.
func (r *Run) sameKind(path string, v any, id string) bool {
	is := resource.KindOf(v)
	if is == "" {
		return true // null goes with everything
	}
	if r.State.Shapes == nil {
		r.State.Shapes = map[string]resource.Kind{}
	}
	was, known := r.State.Shapes[path]
	switch {
	case !known && len(r.State.Shapes) < maxKindNames:
		r.State.Shapes[path] = is
		return true
	case !known, was == is:
		return true
	case was == resource.KindText && is == resource.KindBool: // a text that happens to be one of two words
		if _, text := v.(string); text {
			return true
		}
	case was == resource.KindBool && is == resource.KindText:
		r.State.Shapes[path] = resource.KindText // the words before were texts, or so they are to be taken from now on
		return true
	}
	if !r.warned["type_changed "+path] {
		r.warned["type_changed "+path] = true
		_, attribute, _ := strings.Cut(path, " ")
		r.Warn(
			"type_changed",
			fmt.Sprintf("the attribute %s was a %s and is now a %s; such values are omitted", attribute, was, is),
			id,
		)
	} else {
		r.State.Stats.Warnings++
	}
	return false
}
