package account

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/desired"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// name gives the entry its name, and the attributes that follow from it.
func (w *Writer) name(d *draft) error {
	d.values = map[string][]desired.Value{}
	put := func(name string, values ...[]byte) {
		if len(values) > 0 && len(d.values[strings.ToLower(name)]) == 0 {
			d.values[strings.ToLower(name)] = []desired.Value{{Attribute: name, Raw: values}}
		}
	}
	for _, x := range d.desired {
		put(x.Attribute, x.Raw...)
	}
	put(w.loginAttribute(), []byte(d.username))
	d.rdn = w.rdnAttribute()
	if given := d.values[strings.ToLower(d.rdn)]; len(given) > 0 {
		d.rdnValue = desired.Text(given[0])
	} else {
		d.rdnValue = strings.TrimSpace(w.expand(w.Write.RDNTemplate, d.username, d.values))
	}
	if d.rdnValue == "" {
		return ldaperr.NotSent(
			v1.ClassData, "name_missing",
			fmt.Sprintf(
				"the name of the entry (%s) would be empty: create_rdn_value is %q", d.rdn, w.Write.RDNTemplate,
			),
			"Give the account what the template asks for, or change create_rdn_value.",
		)
	}
	if err := checkName("name of an entry", d.rdnValue); err != nil {
		return err
	}
	put(d.rdn, []byte(d.rdnValue))
	d.dn = d.rdn + "=" + goldap.EscapeDN(d.rdnValue) + "," + d.container
	for _, name := range slices.Sorted(maps.Keys(w.Write.CreateDefaults)) {
		if err := w.fill(name, d, put); err != nil {
			return err
		}
	}
	w.fillRequired(d, put)
	return nil
}

// fill gives an attribute of a new entry its default from the settings (create_defaults). Texts are
// templates and are expanded; other values are taken as they are. put receives the raw values, none
// where the template expands to nothing. The error is a *v1.ErrorDetail for an attribute that
// cannot be written.
func (w *Writer) fill(name string, d *draft, put func(string, ...[]byte)) error {
	if err := w.CheckWritable(name); err != nil {
		return err
	}
	v := w.Write.CreateDefaults[name]
	if s, ok := v.(string); ok {
		v = strings.TrimSpace(w.expand(s, d.username, d.values))
	}
	values, err := w.Encode(name, v)
	if err != nil {
		return err
	}
	put(name, values...)
	return nil
}

// fillRequired fills what the usual classes demand.
func (w *Writer) fillRequired(d *draft, put func(string, ...[]byte)) {
	classes := w.Write.CreateClasses
	if w.Flavor.ActiveDirectory {
		if len(classes) == 0 {
			classes = []string{"top", "person", "organizationalPerson", "user"}
		}
		if domain := ldapdn.Domain(w.BaseDN); domain != "" && w.Flavor.Name == settings.FlavorAD &&
			!strings.Contains(d.username, "@") {
			put("userPrincipalName", []byte(d.username+"@"+domain))
		}
		if w.Flavor.Name == settings.FlavorAD {
			local, _, _ := strings.Cut(d.username, "@") // where the user name is a userPrincipalName
			put("sAMAccountName", []byte(local))
		}
	} else {
		if len(classes) == 0 {
			classes = []string{"top", "person", "organizationalPerson", "inetOrgPerson"}
		}
		whole := strings.TrimSpace(w.expand("{givenName} {sn}", d.username, d.values))
		put("cn", []byte(firstOf(w.expand("{displayName}", d.username, d.values), whole, d.username)))
		put("sn", []byte(firstOf(w.expand("{displayName}", d.username, d.values), d.username)))
	}
	put("objectClass", wire.Values(classes)...)
}

// firstOf is the first text that is not empty. One of them must be: without any it panics.
func firstOf(list ...string) string {
	i := slices.IndexFunc(list, func(s string) bool { return s != "" })
	return list[i]
}

// loginAttribute holds the user name.
func (w *Writer) loginAttribute() string {
	if w.UsernameAttribute != "" {
		return w.UsernameAttribute
	}
	return "uid"
}

// rdnAttribute names entries.
func (w *Writer) rdnAttribute() string {
	switch {
	case w.Write.RDNAttribute != "":
		return w.Write.RDNAttribute
	case w.Flavor.ActiveDirectory:
		return "cn"
	}
	return w.loginAttribute()
}

// placeholder matches {name} in a template. The name is a field of the account or an attribute.
var placeholder = regexp.MustCompile(`\{([A-Za-z0-9_.;-]+)\}`)

// templateFields are the names of an account's fields in a template.
var templateFields = map[string]string{
	"email": "mail", "display_name": "displayname", "first_name": "givenname", "last_name": "sn",
}

// expand fills a template. What is not known is empty.
func (w *Writer) expand(template, username string, values map[string][]desired.Value) string {
	return placeholder.ReplaceAllStringFunc(template, func(p string) string {
		name := strings.ToLower(p[1 : len(p)-1])
		if name == "username" {
			return username
		}
		if attribute, ok := templateFields[name]; ok {
			name = attribute
		}
		if name == "employee_number" {
			name = strings.ToLower(w.NumberAttribute())
		}
		if x := values[name]; len(x) > 0 {
			return desired.Text(x[0])
		}
		return ""
	})
}
