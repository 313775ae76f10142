package desired

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Attribute is one attribute as it should be. A nil value means that it should be absent.
type Attribute struct {
	// Path is where the attribute is in the record of a user, by RFC 7644 section 3.10.
	Path resource.Path
	// Value is what json.Unmarshal makes of the desired value: texts, truth values, numbers, lists
	// and objects.
	Value any
	// Secret keeps the value out of messages and of what is compared with the record: a password is
	// never sent back by a service.
	Secret     bool
	IgnoreCase bool // compared whatever the case of letters
}

// unwritable are attributes that only the target writes, or that are written in another way.
var unwritable = map[string]string{
	"id":       "only the target gives ids",
	"meta":     "only the target writes it",
	"schemas":  "it follows from the attributes",
	"groups":   "memberships are granted and revoked",
	"members":  "memberships are granted and revoked",
	"password": "a password is a credential, not an attribute",
}

// Attributes returns the attributes that a change requests for an account. An attribute that cannot be written is an
// error.
func Attributes(a *v1.ProvisionAccount) ([]Attribute, error) {
	if a == nil {
		return nil, nil
	}
	var out []Attribute
	add := func(w Attribute) {
		// The members of the account come before attributes of the same name.
		if !slices.ContainsFunc(out, func(o Attribute) bool { return o.Path.Key() == w.Path.Key() }) {
			out = append(out, w)
		}
	}
	text := func(name string, v *string, loose bool) {
		if v == nil {
			return
		}
		p, _ := resource.ParsePath(name) // names of ours
		w := Attribute{Path: p, Value: *v, IgnoreCase: loose}
		if *v == "" {
			w.Value = nil
		}
		add(w)
	}
	text("userName", a.Username, true)
	text("displayName", a.DisplayName, false)
	text("name.givenName", a.FirstName, false)
	text("name.familyName", a.LastName, false)
	text("emails.value", a.Email, true)
	text(resource.EnterpriseUser+":employeeNumber", a.EmployeeNumber, false)
	if a.Enabled != nil {
		add(Attribute{Path: resource.Path{Attribute: "active"}, Value: *a.Enabled})
	}
	if a.Container != nil && *a.Container != "" {
		return nil, resource.InvalidRequest(
			"container_unsupported",
			"SCIM users have no containers",
			"Take the container out of the account's template.",
		)
	}
	for _, name := range slices.Sorted(maps.Keys(a.Attributes)) {
		more, err := attributesOf(name, a.Attributes[name])
		if err != nil {
			return nil, err
		}
		for _, w := range more {
			add(w)
		}
	}
	return out, nil
}

// attributesOf reads one attribute. An object is taken apart, so that what it does not name stays.
func attributesOf(name string, v any) ([]Attribute, error) {
	if object, ok := v.(map[string]any); ok {
		sep := "."
		if strings.EqualFold(name, resource.EnterpriseUser) ||
			resource.SchemaURN.MatchString(name) && strings.HasSuffix(strings.ToLower(name), ":user") {
			sep = ":"
		}
		var out []Attribute
		for _, part := range slices.Sorted(maps.Keys(object)) {
			more, err := attributesOf(name+sep+part, object[part])
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
		return out, nil
	}
	p, err := resource.ParsePath(name)
	if err != nil {
		return nil, resource.InvalidRequest(
			"invalid_attribute",
			err.Error()+" of a user",
			"Name attributes as discovery does, such as title, name.givenName or "+
				resource.EnterpriseUser+":department.",
		)
	}
	if why := unwritable[strings.ToLower(p.Attribute)]; why != "" && p.URN == "" {
		return nil, resource.InvalidRequest(
			"unwritable_attribute",
			"the attribute "+p.Attribute+" cannot be written: "+why,
			"",
		)
	}
	if p.IsMultiValued() && p.SubAttribute == "" {
		if _, list := v.([]any); !list && v != nil {
			p.SubAttribute = "value"
		}
	}
	if text, ok := v.(string); ok && text == "" {
		v = nil
	}
	w := Attribute{
		Path:       p,
		Value:      plainJSON(v),
		IgnoreCase: strings.EqualFold(p.Attribute, "userName") || strings.EqualFold(p.Attribute, "emails"),
	}
	return []Attribute{w}, nil
}

// plainJSON gives a value the types that a decoded record has.
func plainJSON(v any) any {
	switch v.(type) {
	case nil, string, bool, json.Number:
		return v
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	dec := json.NewDecoder(strings.NewReader(string(b)))
	dec.UseNumber()
	var out any
	if dec.Decode(&out) != nil {
		return fmt.Sprint(v)
	}
	return out
}
