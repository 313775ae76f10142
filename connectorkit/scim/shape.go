package scim

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// shape is the kind of value that an attribute has.
type shape string

const (
	aText    shape = "text"
	aNumber  shape = "number"
	aTruth   shape = "truth value"
	anObject shape = "object"
	aList    shape = "list"
)

func shapeOf(v any) shape {
	switch v := v.(type) {
	case json.Number:
		return aNumber
	case bool:
		return aTruth
	case string:
		if strings.EqualFold(v, "true") || strings.EqualFold(v, "false") {
			return aTruth // some targets send truth values as text
		}
		return aText
	case map[string]any:
		return anObject
	case []any:
		return aList
	}
	return ""
}

// lenient are attributes that are read whatever their shape: keys, and those that targets send as one value or as a
// list.
var lenient = []string{
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

const maxShapeNames = 500

// settle leaves out values that are of another kind than the same attribute's were so far in this read: the record is
// kept, and what cannot be right is told. It happens when a target changes its schema while it is read.
func (r *reading) settle(kind string, rec record, id string) {
	for name, v := range rec {
		lower := strings.ToLower(name)
		if slices.Contains(lenient, lower) {
			continue
		}
		if !r.steady(kind+" "+lower, v, id) {
			delete(rec, name)
			continue
		}
		if inner, ok := v.(map[string]any); ok {
			for part, w := range inner {
				if !r.steady(kind+" "+lower+"."+strings.ToLower(part), w, id) {
					delete(inner, part)
				}
			}
		}
	}
}

// steady says whether the value is of the kind that the attribute had before.
func (r *reading) steady(path string, v any, id string) bool {
	is := shapeOf(v)
	if is == "" {
		return true // null goes with everything
	}
	if r.at.Shapes == nil {
		r.at.Shapes = map[string]shape{}
	}
	was, known := r.at.Shapes[path]
	switch {
	case !known && len(r.at.Shapes) < maxShapeNames:
		r.at.Shapes[path] = is
		return true
	case !known, was == is:
		return true
	case was == aText && is == aTruth: // a text that happens to be one of two words
		if _, text := v.(string); text {
			return true
		}
	case was == aTruth && is == aText:
		r.at.Shapes[path] = aText // the words before were texts, or so they are to be taken from now on
		return true
	}
	if !r.told["type_changed "+path] {
		r.told["type_changed "+path] = true
		_, attribute, _ := strings.Cut(path, " ")
		r.warn(
			"type_changed",
			fmt.Sprintf("the attribute %s was a %s and is now a %s; such values are omitted", attribute, was, is),
			id,
		)
	} else {
		r.at.Stats.Warnings++
	}
	return false
}
