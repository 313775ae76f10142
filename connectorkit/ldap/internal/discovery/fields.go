package discovery

import (
	"context"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/schema"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// object describes one native type by schema and samples.
func (d *discovery) object(
	ctx context.Context, phase string, req wire.Request, classes []string,
) (v1.DiscoveredObject, int, error) {
	dict := entry.NewDictionary(d.Session, nil)
	dict.Wanted = nil // what may be chosen is shown whole, whatever is read today
	req.Attributes = dict.Request()
	s := sample{fields: map[string]*fieldSample{}}
	seen, _, err := d.SearchFirst(req, d.size, func(e *wire.Entry) { s.add(dict, e) })
	if err != nil {
		return v1.DiscoveredObject{}, 0, d.SearchError(ctx, phase, err)
	}
	object := v1.DiscoveredObject{
		NativeType: d.nativeType(classes, s.classes), SuggestedKey: d.IdAttribute,
		Fields: d.fields(dict, s, d.schema.AttributesOf(append(slices.Clone(classes), s.classes...))),
	}
	return object, seen, nil
}

// nativeType is the first of the classes asked for that the sampled entries have.
func (d *discovery) nativeType(classes, sampled []string) string {
	for _, c := range classes {
		if slices.ContainsFunc(sampled, func(s string) bool { return strings.EqualFold(c, s) }) {
			return c
		}
	}
	return classes[0]
}

// fields lists the attributes that are declared or were met, in alphabetical order, with what the
// schema and the sample say of each. Memberships are left out: they are grants, and no fields of a
// group or person.
func (d *discovery) fields(dict *entry.Dictionary, s sample, declared map[string]bool) []v1.DiscoveredField {
	names := map[string]bool{}
	for n := range declared {
		names[n] = true
	}
	for n := range s.fields {
		names[n] = true
	}
	out := make([]v1.DiscoveredField, 0, len(names))
	for n := range names {
		a := dict.Lookup([]byte(n))
		if a.Member || strings.EqualFold(n, "memberOf") || entry.KnownAttributes[strings.ToLower(a.Base)].Omit {
			continue // read as grants, or never read
		}
		required, inSchema := declared[n]
		f := d.declared(n, a, inSchema, required)
		s.describe(&f, d.mask)
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b v1.DiscoveredField) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return out
}

// declared is what schema and general knowledge say about a field.
func (d *discovery) declared(name string, a *entry.Attribute, inSchema, required bool) v1.DiscoveredField {
	f := v1.DiscoveredField{Name: name, Path: name, Type: "string", Required: required, NullRatio: 1, Source: "sample"}
	if inSchema {
		f.Source = "schema"
	}
	f.Secret = entry.IsSecret(strings.ToLower(a.Base))
	if t := d.schema.Attributes[strings.ToLower(a.Base)]; t != nil {
		f.Type, f.Format = schema.FieldType(d.schema.SyntaxOf(a.Base))
		f.Multi, f.Writable, f.Description = !t.Single, !t.ReadOnly, t.Description
	}
	switch a.Format {
	case entry.AsFiletime:
		f.Type, f.Format = "datetime", "filetime"
	case entry.AsTime:
		f.Type, f.Format = "datetime", "generalizedtime"
	case entry.AsGUID:
		f.Type, f.Format = "string", "uuid"
	case entry.AsSID:
		f.Type, f.Format = "string", ""
	case entry.AsBinary:
		f.Type, f.Format = "binary", ""
	}
	if strings.EqualFold(a.Base, "mail") {
		f.Format = "email"
	}
	return f
}
