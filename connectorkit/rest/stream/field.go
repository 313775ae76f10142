package stream

import (
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// field fills one member of a row: from a path in the record, or from the key of an ancestor.
type field struct {
	// Target is the member of the row.
	Target string
	Path   *jsonpath.Path
	// Of an ancestor, instead of a path.
	Param string
	// "!path" for booleans whose meaning is the other way round.
	Negate bool
}

// paramPattern matches {param}, the key of an ancestor.
var paramPattern = regexp.MustCompile(`^\{([A-Za-z0-9_]+)\}$`)

// ReferenceTargets are targets beside the members of the row types.
var ReferenceTargets = map[string][]string{
	"manager":              {ObjectIdentity},
	"owner":                {ObjectAccount, ObjectEntitlement},
	"phone_numbers":        {ObjectIdentity},
	"addresses":            {ObjectIdentity},
	"principal":            {ObjectGrant},
	"resource_external_id": {ObjectEntitlement},
	"resource_name":        {ObjectEntitlement},
	"resource_type":        {ObjectEntitlement},
}

// fields compiles the field rules, in the order of their names.
func (c *Compiler) fields(st *Stream) {
	for _, name := range jsonvalue.SortedKeys(st.Definition.Fields) {
		text := strings.TrimSpace(st.Definition.Fields[name])
		if !knownTarget(st.Object, name) {
			c.Wrong("fields: %q is no member of %s", name, withArticle(st.Object))
			continue
		}
		f := field{Target: name}
		f.Negate = strings.HasPrefix(text, "!")
		text = strings.TrimPrefix(text, "!")
		if m := paramPattern.FindStringSubmatch(text); m != nil {
			f.Param = m[1]
		} else if f.Path = c.Path("fields."+name, text); f.Path == nil {
			if text == "" {
				c.Wrong("fields.%s: a path is missing", name)
			}
			continue
		}
		st.FieldRules = append(st.FieldRules, f)
	}
}

// RowMembers returns the members of a row type by name. Those that the connector itself decides are left out.
var RowMembers = map[string]map[string]int{
	ObjectIdentity:    memberIndex(reflect.TypeFor[v1.RemoteIdentity]()),
	ObjectAccount:     memberIndex(reflect.TypeFor[v1.RemoteAccount]()),
	ObjectEntitlement: memberIndex(reflect.TypeFor[v1.RemoteEntitlement]()),
	ObjectGrant:       memberIndex(reflect.TypeFor[v1.RemoteGrant]()),
}

// memberIndex are the members of a row that a field rule can fill, by their JSON name.
func memberIndex(t reflect.Type) map[string]int {
	out := map[string]int{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		switch name {
		case "external_id", "attributes", "manager_ref", "owner_refs", "principal_ref", "resource",
			"phone_numbers", "addresses":
		default:
			out[name] = i
		}
	}
	return out
}

// knownTarget says whether a stream's rows have a member, or it is a custom attribute.
func knownTarget(object, target string) bool {
	if name, ok := strings.CutPrefix(target, "attributes."); ok {
		return name != ""
	}
	for _, row := range RowTypes(object) {
		if _, ok := RowMembers[row][target]; ok || slices.Contains(ReferenceTargets[target], row) {
			return true
		}
	}
	return false
}
