package desired

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Text is the first raw value; empty where there is none.
func Text(x Value) string {
	if len(x.Raw) == 0 {
		return ""
	}
	return string(x.Raw[0])
}

// Encoder makes raw values of what a request carries.
type Encoder struct{ Finder *lookup.Finder }

// Value is what an attribute is to hold; no values: nothing.
type Value struct {
	// Attribute is the attribute's name as the request or the settings spell it.
	Attribute string
	Raw       [][]byte
}

// memberAttributes are the attributes behind the named members of an account, but for the user name.
func (w *Encoder) memberAttributes(a *v1.ProvisionAccount) []struct {
	attribute string
	value     *string
} {
	return []struct {
		attribute string
		value     *string
	}{
		{"mail", a.Email}, {"displayName", a.DisplayName}, {"givenName", a.FirstName}, {"sn", a.LastName},
		{w.NumberAttribute(), a.EmployeeNumber},
	}
}

// NumberAttribute holds the employee number.
func (w *Encoder) NumberAttribute() string {
	if w.Finder.Flavor.Name == settings.FlavorAD {
		return "employeeID"
	}
	return "employeeNumber"
}

// Values reads what is to be written, by attribute and in order. An attribute that is given by its own name
// wins over a member that stands for it.
func (w *Encoder) Values(a *v1.ProvisionAccount) ([]Value, error) {
	if a == nil {
		return nil, nil
	}
	byName := map[string]Value{}
	for _, m := range w.memberAttributes(a) {
		if m.value != nil {
			values, err := w.Encode(m.attribute, *m.value)
			if err != nil {
				return nil, err
			}
			byName[strings.ToLower(m.attribute)] = Value{Attribute: m.attribute, Raw: values}
		}
	}
	for name, v := range a.Attributes {
		if err := w.CheckWritable(name); err != nil {
			return nil, err
		}
		values, err := w.Encode(name, v)
		if err != nil {
			return nil, err
		}
		byName[strings.ToLower(name)] = Value{Attribute: name, Raw: values}
	}
	out := make([]Value, 0, len(byName))
	for _, key := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[key])
	}
	return out, nil
}

// CheckWritable keeps off attributes that are no part of an update.
func (w *Encoder) CheckWritable(name string) error {
	lower := strings.ToLower(name)
	switch {
	case !isAttributeName(name):
		return ldaperr.NotSent(
			v1.ClassData, "invalid_attribute", fmt.Sprintf("%q cannot be the name of an attribute", name),
			"Names have only letters, digits and -._;",
		)
	case entry.IsSecret(lower):
		return ldaperr.NotSent(
			v1.ClassPolicy, "secret_attribute", name+" holds a secret and is not written as an attribute",
			"Set passwords by account.reset_password, or by the credential of a new account.",
		)
	case strings.EqualFold(name, w.Finder.IdAttribute), entry.IsBackLink(lower, w.Finder.Flavor.ActiveDirectory),
		lower == "dn", lower == "distinguishedname":
		return ldaperr.NotSent(
			v1.ClassData, "read_only_attribute", name+" is kept by the directory itself",
			"Take it out of what is written; memberships change by grants.",
		)
	}
	return nil
}

// isAttributeName says whether a name can be that of an attribute: letters, digits, and the
// characters of options and object identifiers. It keeps a template from smuggling other text into
// LDIF or a filter.
func isAttributeName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("-._;", r)
	})
}
