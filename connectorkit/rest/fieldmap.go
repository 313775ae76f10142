package rest

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/jsonpath"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// field fills one member of a row: from a path in the record, or from the key of an ancestor.
type field struct {
	target string
	path   *jsonpath.Path
	param  string // of an ancestor, instead of a path
	negate bool   // "!path" for booleans whose meaning is the other way round
}

var paramPattern = regexp.MustCompile(`^\{([A-Za-z0-9_]+)\}$`)

// special are targets beside the members of the row types.
var special = map[string][]string{
	"manager":              {objectIdentity},
	"owner":                {objectAccount, objectEntitlement},
	"phone_numbers":        {objectIdentity},
	"addresses":            {objectIdentity},
	"principal":            {objectGrant},
	"resource_external_id": {objectEntitlement},
	"resource_name":        {objectEntitlement},
	"resource_type":        {objectEntitlement},
}

func (c *compiler) fields(st *stream) {
	for _, name := range sortedKeys(st.document.Fields) {
		text := strings.TrimSpace(st.document.Fields[name])
		if !knownTarget(st.Object, name) {
			c.wrong("fields: %q is no member of %s", name, article(st.Object))
			continue
		}
		f := field{target: name}
		f.negate = strings.HasPrefix(text, "!")
		text = strings.TrimPrefix(text, "!")
		if m := paramPattern.FindStringSubmatch(text); m != nil {
			f.param = m[1]
		} else if f.path = c.path("fields."+name, text); f.path == nil {
			if text == "" {
				c.wrong("fields.%s: a path is missing", name)
			}
			continue
		}
		st.fields = append(st.fields, f)
	}
}

func article(object string) string {
	if strings.ContainsRune("aeio", rune(object[0])) {
		return "an " + object
	}
	return "a " + object
}

// members tells by name which members a row type has. Those that the connector itself decides are left out.
var members = map[string]map[string]int{
	objectIdentity:    memberIndex(reflect.TypeFor[v1.RemoteIdentity]()),
	objectAccount:     memberIndex(reflect.TypeFor[v1.RemoteAccount]()),
	objectEntitlement: memberIndex(reflect.TypeFor[v1.RemoteEntitlement]()),
	objectGrant:       memberIndex(reflect.TypeFor[v1.RemoteGrant]()),
}

func memberIndex(t reflect.Type) map[string]int {
	out := map[string]int{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		switch name {
		case "external_id", "attributes", "manager_ref", "owner_refs", "principal_ref", "resource", "phone_numbers", "addresses":
		default:
			out[name] = i
		}
	}
	return out
}

// rowsOf are the row types that a record of an object becomes.
func rowsOf(object string) []string {
	if object == objectUser {
		return []string{objectIdentity, objectAccount}
	}
	return []string{object}
}

func knownTarget(object, target string) bool {
	if name, ok := strings.CutPrefix(target, "attributes."); ok {
		return name != ""
	}
	for _, row := range rowsOf(object) {
		if _, ok := members[row][target]; ok || slices.Contains(special[target], row) {
			return true
		}
	}
	return false
}

// set puts values into the member of a row that the target names, if the row type has it. The error says that the values
// do not fit the member.
func set(row any, kind, target string, values []any, negate bool) error {
	if person, ok := row.(*v1.RemoteIdentity); ok && setContact(person, target, texted(values)) {
		return nil
	}
	if len(values) == 0 {
		return nil
	}
	if slices.Contains(special[target], kind) {
		return setSpecial(row, target, values)
	}
	i, ok := members[kind][target]
	if !ok {
		return nil
	}
	member := reflect.ValueOf(row).Elem().Field(i)
	if member.Type() == reflect.TypeFor[[]string]() {
		member.Set(reflect.ValueOf(texted(values)))
		return nil
	}
	if values[0] == nil {
		return nil
	}
	v, err := convert(values[0], target, member.Type(), negate)
	if err != nil {
		return err
	}
	member.Set(v)
	return nil
}

func convert(value any, target string, t reflect.Type, negate bool) (reflect.Value, error) {
	pointer := t.Kind() == reflect.Pointer
	base := t
	if pointer {
		base = t.Elem()
	}
	var out reflect.Value
	switch base {
	case reflect.TypeFor[string]():
		text, ok := textOf(value)
		if !ok {
			return out, fmt.Errorf("%s needs a text", target)
		}
		if strings.HasSuffix(target, "_date") {
			text = dayOf(value, text)
		}
		out = reflect.ValueOf(text)
	case reflect.TypeFor[bool]():
		b, ok := boolOf(value, target)
		if !ok {
			return out, fmt.Errorf("%s needs a truth value", target)
		}
		out = reflect.ValueOf(b != negate)
	case reflect.TypeFor[time.Time]():
		at, ok := timeOf(value)
		if !ok {
			return out, fmt.Errorf("%s needs a time", target)
		}
		out = reflect.ValueOf(at)
	case reflect.TypeFor[int]():
		n, ok := intOf(value)
		if !ok {
			return out, fmt.Errorf("%s needs a whole number", target)
		}
		out = reflect.ValueOf(n)
	default:
		return out, fmt.Errorf("%s cannot be filled from a record", target)
	}
	if !pointer {
		return out, nil
	}
	p := reflect.New(base)
	p.Elem().Set(out)
	return p, nil
}

// setContact sets the phone numbers or addresses of a person, if the target is one of them. No values: there are none.
func setContact(person *v1.RemoteIdentity, target string, values []string) bool {
	switch target {
	case "phone_numbers":
		person.PhoneNumbers = []v1.PhoneNumber{}
		for _, v := range values {
			person.PhoneNumbers = append(person.PhoneNumbers, v1.PhoneNumber{Value: v})
		}
	case "addresses":
		person.Addresses = []v1.Address{}
		for _, v := range values {
			person.Addresses = append(person.Addresses, v1.Address{Formatted: v})
		}
	default:
		return false
	}
	return true
}

func setSpecial(row any, target string, values []any) error {
	texts := texted(values)
	if len(texts) == 0 {
		return nil
	}
	var refs []v1.Ref
	for _, text := range texts {
		refs = append(refs, v1.Ref{Kind: v1.RefAny, Value: text})
	}
	switch row := row.(type) {
	case *v1.RemoteIdentity:
		row.ManagerRef = &refs[0]
	case *v1.RemoteAccount:
		row.OwnerRefs = refs
	case *v1.RemoteGrant:
		row.PrincipalRef = &refs[0]
	case *v1.RemoteEntitlement:
		if target == "owner" {
			row.OwnerRefs = refs
			return nil
		}
		if row.Resource == nil {
			row.Resource = &v1.Resource{}
		}
		*map[string]*string{
			"resource_external_id": &row.Resource.ExternalID, "resource_name": &row.Resource.DisplayName, "resource_type": &row.Resource.Type,
		}[target] = texts[0]
	}
	return nil
}
