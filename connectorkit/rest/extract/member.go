package extract

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/connectorkit/jsonvalue"
	"github.com/grantwright/grantwright/connectorkit/rest/stream"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// setMember puts values into the member of a row that the target names, if the row type has it. The error says that the
// values do not fit the member.
func setMember(row any, kind, target string, values []any, negate bool) error {
	person, identity := row.(*v1.RemoteIdentity)
	if identity && setContact(person, target, jsonvalue.Texts(values)) {
		return nil
	}
	if len(values) == 0 {
		return nil
	}
	if slices.Contains(stream.ReferenceTargets[target], kind) {
		return setReference(row, target, values)
	}
	i, ok := stream.RowMembers[kind][target]
	if !ok {
		return nil
	}
	member := reflect.ValueOf(row).Elem().Field(i)
	if member.Type() == reflect.TypeFor[[]string]() {
		member.Set(reflect.ValueOf(jsonvalue.Texts(values)))
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

// convert makes a value of a record one of a row's member, whose type is t. target is the member's
// name, for the error. negate turns a truth value round.
func convert(value any, target string, t reflect.Type, negate bool) (reflect.Value, error) {
	pointer := t.Kind() == reflect.Pointer
	base := t
	if pointer {
		base = t.Elem()
	}
	var out reflect.Value
	switch base {
	case reflect.TypeFor[string]():
		text, ok := jsonvalue.Text(value)
		if !ok {
			return out, fmt.Errorf("%s needs a text", target)
		}
		if strings.HasSuffix(target, "_date") {
			text = jsonvalue.Date(value, text)
		}
		out = reflect.ValueOf(text)
	case reflect.TypeFor[bool]():
		b, ok := jsonvalue.Bool(value, target)
		if !ok {
			return out, fmt.Errorf("%s needs a truth value", target)
		}
		out = reflect.ValueOf(b != negate)
	case reflect.TypeFor[time.Time]():
		at, ok := jsonvalue.Time(value)
		if !ok {
			return out, fmt.Errorf("%s needs a time", target)
		}
		out = reflect.ValueOf(at)
	case reflect.TypeFor[int]():
		n, ok := jsonvalue.Int(value)
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

// setContact sets the phone numbers or addresses of a person, if target is one of them. Without values it sets an empty
// list: the record says that there are none.
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

// setReference fills the members that point to other records.
func setReference(row any, target string, values []any) error {
	texts := jsonvalue.Texts(values)
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
			"resource_external_id": &row.Resource.ExternalID,
			"resource_name":        &row.Resource.DisplayName,
			"resource_type":        &row.Resource.Type,
		}[target] = texts[0]
	}
	return nil
}
