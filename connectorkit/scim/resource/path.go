package resource

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Path names an attribute as Flatten does: title, name.givenName, emails.value, urn:…:User:department.
type Path struct{ URN, Attribute, SubAttribute string }

var (
	attributeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_$-]{0,127}$`)
	SchemaURN     = regexp.MustCompile(`^[Uu][Rr][Nn]:[A-Za-z0-9][A-Za-z0-9._:-]{0,511}$`)
)

// ParsePath reads the name of an attribute. It refuses everything that could be more than a name in a PATCH.
func ParsePath(name string) (Path, error) {
	var p Path
	rest := name
	if len(name) > 4 && strings.EqualFold(name[:4], "urn:") {
		i := strings.LastIndexByte(name, ':')
		p.URN, rest = name[:i], name[i+1:]
		if !SchemaURN.MatchString(p.URN) {
			return Path{}, fmt.Errorf("%q is not the name of an attribute", name)
		}
	}
	p.Attribute, p.SubAttribute, _ = strings.Cut(rest, ".")
	if !attributeName.MatchString(p.Attribute) || p.SubAttribute != "" && !attributeName.MatchString(p.SubAttribute) ||
		strings.HasSuffix(rest, ".") {
		return Path{}, fmt.Errorf("%q is not the name of an attribute", name)
	}
	if p.URN == "" {
		for _, known := range enterpriseAttributes {
			if strings.EqualFold(known, p.Attribute) {
				p.URN, p.Attribute = EnterpriseUser, known
			}
		}
	}
	if strings.EqualFold(p.URN, UserSchema) {
		p.URN = ""
	}
	if p.URN == EnterpriseUser && p.Attribute == "manager" && p.SubAttribute == "" {
		p.SubAttribute = "value"
	}
	return p, nil
}

// String is the path as RFC 7644 section 3.10 writes it.
func (p Path) String() string {
	out := p.Attribute
	if p.URN != "" {
		out = p.URN + ":" + out
	}
	if p.SubAttribute != "" {
		out += "." + p.SubAttribute
	}
	return out
}

// Key returns the path in lower case, to compare paths by.
func (p Path) Key() string { return strings.ToLower(p.String()) }

// Whole returns the attribute that a sub-attribute belongs to.
func (p Path) Whole() Path { return Path{URN: p.URN, Attribute: p.Attribute} }

// Value returns the value of a record at the path; nil if there is none.
func (p Path) Value(rec Record) any {
	if p.URN != "" {
		rec = rec.Object(p.URN)
	}
	v := rec.Get(p.Attribute)
	if p.SubAttribute == "" {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		return Record(v).Get(p.SubAttribute)
	case []any:
		return nil
	}
	if p.SubAttribute == "value" {
		return v // some send the bare value
	}
	return nil
}

// Set writes a value into a record; nil removes the attribute.
func (p Path) Set(rec Record, v any) {
	if p.URN != "" {
		rec = rec.object(p.URN, v != nil)
	}
	name := p.Attribute
	if p.SubAttribute != "" {
		rec, name = rec.object(p.Attribute, v != nil), p.SubAttribute
	}
	if rec == nil {
		return
	}
	maps.DeleteFunc(rec, func(k string, _ any) bool { return strings.EqualFold(k, name) })
	if v != nil {
		rec[name] = v
	}
}

// multiValued are attributes of a User with several values (RFC 7643 section 4.1.2).
var multiValued = []string{
	"emails",
	"phonenumbers",
	"ims",
	"photos",
	"addresses",
	"entitlements",
	"roles",
	"x509certificates",
}

// IsMultiValued reports whether the attribute of a User has several values.
func (p Path) IsMultiValued() bool {
	return p.URN == "" && slices.Contains(multiValued, strings.ToLower(p.Attribute))
}

// List returns the whole attribute of a record as a list; nil if there is none.
func (p Path) List(rec Record) any {
	switch v := rec.Get(p.Attribute).(type) {
	case []any:
		return v
	case map[string]any:
		return []any{v}
	}
	return nil
}
