package ldap

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// name gives the entry its name, and the attributes that follow from it.
func (w *writer) name(d *draft) error {
	d.values = map[string][]wish{}
	put := func(name string, values ...[]byte) {
		if len(values) > 0 && len(d.values[strings.ToLower(name)]) == 0 {
			d.values[strings.ToLower(name)] = []wish{{name, values}}
		}
	}
	for _, x := range d.asked {
		put(x.name, x.values...)
	}
	put(w.loginAttribute(), []byte(d.username))
	d.rdn = w.rdnAttribute()
	if given := d.values[strings.ToLower(d.rdn)]; len(given) > 0 {
		d.rdnValue = text(given[0])
	} else {
		d.rdnValue = strings.TrimSpace(w.expand(w.writing.rdnTemplate, d.username, d.values))
	}
	if d.rdnValue == "" {
		return complaint(v1.ClassData, "name_missing", fmt.Sprintf("the name of the entry (%s) would be empty: create_rdn_value is %q", d.rdn, w.writing.rdnTemplate), "Give the account what the template asks for, or change create_rdn_value.")
	}
	if err := sensible("name of an entry", d.rdnValue); err != nil {
		return err
	}
	put(d.rdn, []byte(d.rdnValue))
	d.dn = d.rdn + "=" + goldap.EscapeDN(d.rdnValue) + "," + d.container
	for _, name := range sortedKeys(w.writing.defaults) {
		if err := w.fill(name, d, put); err != nil {
			return err
		}
	}
	w.obvious(d, put)
	return nil
}

func (w *writer) fill(name string, d *draft, put func(string, ...[]byte)) error {
	if err := w.writable(name); err != nil {
		return err
	}
	v := w.writing.defaults[name]
	if s, ok := v.(string); ok {
		v = strings.TrimSpace(w.expand(s, d.username, d.values))
	}
	values, err := w.encode(name, v)
	if err != nil {
		return err
	}
	put(name, values...)
	return nil
}

// obvious fills what the usual classes demand.
func (w *writer) obvious(d *draft, put func(string, ...[]byte)) {
	classes := w.writing.classes
	if w.flavor.activeDir {
		if len(classes) == 0 {
			classes = []string{"top", "person", "organizationalPerson", "user"}
		}
		if domain := domainOf(w.base); domain != "" && w.flavor.name == flavorAD && !strings.Contains(d.username, "@") {
			put("userPrincipalName", []byte(d.username+"@"+domain))
		}
		if w.flavor.name == flavorAD {
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
	put("objectClass", rawAll(classes)...)
}

func firstOf(list ...string) string {
	i := slices.IndexFunc(list, func(s string) bool { return s != "" })
	return list[i]
}

// domainOf is the DNS name behind the last parts of a DN.
func domainOf(base string) string {
	dn, err := goldap.ParseDN(base)
	if err != nil {
		return ""
	}
	var labels []string
	for _, rdn := range dn.RDNs {
		if a := rdn.Attributes[0]; strings.EqualFold(a.Type, "dc") {
			labels = append(labels, strings.ToLower(a.Value))
		}
	}
	return strings.Join(labels, ".")
}

// loginAttribute holds the user name.
func (w *writer) loginAttribute() string {
	if w.usernameAttribute != "" {
		return w.usernameAttribute
	}
	return "uid"
}

// rdnAttribute names entries.
func (w *writer) rdnAttribute() string {
	switch {
	case w.writing.rdn != "":
		return w.writing.rdn
	case w.flavor.activeDir:
		return "cn"
	}
	return w.loginAttribute()
}

var placeholder = regexp.MustCompile(`\{([A-Za-z0-9_.;-]+)\}`)

// templateFields are the names of an account's fields in a template.
var templateFields = map[string]string{"email": "mail", "display_name": "displayname", "first_name": "givenname", "last_name": "sn"}

// expand fills a template. What is not known is empty.
func (w *writer) expand(template, username string, values map[string][]wish) string {
	return placeholder.ReplaceAllStringFunc(template, func(p string) string {
		name := strings.ToLower(p[1 : len(p)-1])
		if name == "username" {
			return username
		}
		if attribute, ok := templateFields[name]; ok {
			name = attribute
		}
		if name == "employee_number" {
			name = strings.ToLower(w.numberAttribute())
		}
		if x := values[name]; len(x) > 0 {
			return text(x[0])
		}
		return ""
	})
}
