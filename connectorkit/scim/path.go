package scim

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
)

// path names an attribute as flatten does: title, name.givenName, emails.value, urn:…:User:department.
type path struct{ urn, attribute, sub string }

var (
	attributeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_$-]{0,127}$`)
	schemaName    = regexp.MustCompile(`^[Uu][Rr][Nn]:[A-Za-z0-9][A-Za-z0-9._:-]{0,511}$`)
)

// workAttributes are those of the enterprise extension, which may be named without it.
var workAttributes = []string{"employeeNumber", "costCenter", "organization", "division", "department", "manager"}

// parsePath reads a name. What could be more than a name in a PATCH is refused.
func parsePath(name string) (path, error) {
	var p path
	rest := name
	if len(name) > 4 && strings.EqualFold(name[:4], "urn:") {
		i := strings.LastIndexByte(name, ':')
		p.urn, rest = name[:i], name[i+1:]
		if !schemaName.MatchString(p.urn) {
			return path{}, fmt.Errorf("%q is not the name of an attribute", name)
		}
	}
	p.attribute, p.sub, _ = strings.Cut(rest, ".")
	if !attributeName.MatchString(p.attribute) || p.sub != "" && !attributeName.MatchString(p.sub) ||
		strings.HasSuffix(rest, ".") {
		return path{}, fmt.Errorf("%q is not the name of an attribute", name)
	}
	if p.urn == "" {
		for _, known := range workAttributes {
			if strings.EqualFold(known, p.attribute) {
				p.urn, p.attribute = enterpriseUser, known
			}
		}
	}
	if strings.EqualFold(p.urn, userSchema) {
		p.urn = ""
	}
	if p.urn == enterpriseUser && p.attribute == "manager" && p.sub == "" {
		p.sub = "value"
	}
	return p, nil
}

// String is the path as RFC 7644 section 3.10 writes it.
func (p path) String() string {
	out := p.attribute
	if p.urn != "" {
		out = p.urn + ":" + out
	}
	if p.sub != "" {
		out += "." + p.sub
	}
	return out
}

func (p path) key() string { return strings.ToLower(p.String()) }

// whole is the attribute that a part belongs to.
func (p path) whole() path { return path{urn: p.urn, attribute: p.attribute} }

// of finds what a record has there.
func (p path) of(rec record) any {
	if p.urn != "" {
		rec = rec.sub(p.urn)
	}
	v := rec.get(p.attribute)
	if p.sub == "" {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		return record(v).get(p.sub)
	case []any:
		return nil
	}
	if p.sub == "value" {
		return v // some send the bare value
	}
	return nil
}

// put writes a value there; nil takes the attribute away.
func (p path) put(rec record, v any) {
	if p.urn != "" {
		rec = rec.inner(p.urn, v != nil)
	}
	name := p.attribute
	if p.sub != "" {
		rec, name = rec.inner(p.attribute, v != nil), p.sub
	}
	if rec == nil {
		return
	}
	maps.DeleteFunc(rec, func(k string, _ any) bool { return strings.EqualFold(k, name) })
	if v != nil {
		rec[name] = v
	}
}

// inner is a complex attribute, made where it is wanted and missing.
func (r record) inner(name string, wanted bool) record {
	if sub := r.sub(name); sub != nil || !wanted {
		return sub
	}
	sub := map[string]any{}
	maps.DeleteFunc(r, func(k string, _ any) bool { return strings.EqualFold(k, name) })
	r[name] = sub
	return sub
}

// copied is a record that may be changed without changing this one.
func (r record) copied() record { return copyOf(map[string]any(r)).(map[string]any) }

func copyOf(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			out[name] = copyOf(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = copyOf(e)
		}
		return out
	}
	return v
}
