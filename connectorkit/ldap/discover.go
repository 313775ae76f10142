package ldap

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const (
	defaultSample = 10
	maxSample     = 50
)

// Discover joins the declared schema of the object classes of people and groups with what a few entries really hold.
func (c *connector) Discover(ctx context.Context, req v1.DiscoverRequest, report connectorkit.Report) (v1.DiscoverResponse, error) {
	s, err := c.read(req.AuthConfig)
	if err != nil {
		return v1.DiscoverResponse{}, err
	}
	report.Tell(v1.Progress{Phase: "connect", Message: "signing in"})
	se, err := c.open(ctx, s)
	if err != nil {
		return v1.DiscoverResponse{}, err
	}
	defer se.conn.Close()
	if err := se.settleClasses(ctx); err != nil {
		return v1.DiscoverResponse{}, err
	}
	if err := se.settleKeys(ctx); err != nil {
		return v1.DiscoverResponse{}, err
	}
	why, err := se.cannotDisable(ctx)
	if err != nil {
		return v1.DiscoverResponse{}, err
	}
	if why != "" {
		se.warnings = append(se.warnings, disableUnavailable(why))
	}
	report.Tell(v1.Progress{Phase: "schema", Message: "reading the declared schema"})
	sc, err := se.readSchema(ctx)
	if err != nil {
		return v1.DiscoverResponse{}, err
	}
	d := &discovery{session: se, schema: sc, mask: req.MaskSamples, size: defaultSample}
	if req.SampleSize > 0 {
		d.size = min(req.SampleSize, maxSample)
	}
	return d.discover(ctx, wanted(&v1.SyncOptions{Objects: req.Objects}), report)
}

type discovery struct {
	*session
	schema schema
	mask   bool
	size   int
}

func (d *discovery) discover(ctx context.Context, want map[v1.ObjectKind]bool, report connectorkit.Report) (v1.DiscoverResponse, error) {
	out := v1.DiscoverResponse{Success: true, Objects: []v1.DiscoveredObject{}, Warnings: d.warnings}
	userFilter, groupFilter := filters(d.settings, d.flavor)
	if want[v1.Identities] || want[v1.Accounts] {
		report.Tell(v1.Progress{Phase: "users", Message: "sampling people"})
		object, seen, err := d.object(ctx, "users", d.users(userFilter, nil), classesOr(d.userClasses, d.flavor.userClasses))
		if err != nil {
			return v1.DiscoverResponse{}, err
		}
		for _, k := range []struct {
			kind v1.ObjectKind
			name string
		}{{v1.Identities, "identity"}, {v1.Accounts, "account"}} {
			if want[k.kind] {
				object.Kind = k.name
				out.Objects = append(out.Objects, object)
			}
		}
		if seen == 0 {
			out.Warnings = append(out.Warnings, d.noEntries())
		}
	}
	if want[v1.Entitlements] || want[v1.Grants] {
		report.Tell(v1.Progress{Phase: "groups", Message: "sampling groups"})
		object, seen, err := d.object(ctx, "groups", d.groups(groupFilter, nil), classesOr(d.groupClasses, d.flavor.groupClasses))
		if err != nil {
			return v1.DiscoverResponse{}, err
		}
		object.Kind = "entitlement"
		out.Objects = append(out.Objects, object)
		if seen == 0 {
			out.Warnings = append(out.Warnings, noGroups(d.groupBase))
		}
	}
	out.SchemaDigest = digest(out.Objects)
	return out, nil
}

func classesOr(configured, def []string) []string {
	if len(configured) > 0 {
		return configured
	}
	return def
}

// object describes one native type by schema and samples.
func (d *discovery) object(ctx context.Context, phase string, req wire.Request, classes []string) (v1.DiscoveredObject, int, error) {
	dict := newDictionary(d.session, nil)
	dict.wanted = nil // what may be chosen is shown whole, whatever is read today
	req.Attributes = dict.request()
	s := sample{fields: map[string]*fieldSample{}}
	seen, _, err := d.first(req, d.size, func(e *wire.Entry) { s.add(dict, e) })
	if err != nil {
		return v1.DiscoveredObject{}, 0, d.searchError(ctx, phase, err)
	}
	object := v1.DiscoveredObject{
		NativeType: d.nativeType(classes, s.classes), SuggestedKey: d.idAttribute,
		Fields: d.fields(dict, s, d.schema.collect(append(slices.Clone(classes), s.classes...))),
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

func (d *discovery) fields(dict *dictionary, s sample, declared map[string]bool) []v1.DiscoveredField {
	names := map[string]bool{}
	for n := range declared {
		names[n] = true
	}
	for n := range s.fields {
		names[n] = true
	}
	out := make([]v1.DiscoveredField, 0, len(names))
	for n := range names {
		a := dict.lookup([]byte(n))
		if a.member || strings.EqualFold(n, "memberOf") || known[strings.ToLower(a.base)].drop {
			continue // told as grants, or never read
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
func (d *discovery) declared(name string, a *attribute, inSchema, required bool) v1.DiscoveredField {
	f := v1.DiscoveredField{Name: name, Path: name, Type: "string", Required: required, NullRatio: 1, Source: "sample"}
	if inSchema {
		f.Source = "schema"
	}
	f.Secret = isSecret(strings.ToLower(a.base))
	if t := d.schema.attributes[strings.ToLower(a.base)]; t != nil {
		f.Type, f.Format = typeOfSyntax(d.schema.syntaxOf(a.base))
		f.Multi, f.Writable, f.Description = !t.single, !t.readOnly, t.description
	}
	switch a.format {
	case asFiletime:
		f.Type, f.Format = "datetime", "filetime"
	case asTime:
		f.Type, f.Format = "datetime", "generalizedtime"
	case asGUID:
		f.Type, f.Format = "string", "uuid"
	case asSID:
		f.Type, f.Format = "string", ""
	case asBinary:
		f.Type, f.Format = "binary", ""
	}
	if strings.EqualFold(a.base, "mail") {
		f.Format = "email"
	}
	return f
}

// digest changes when names or types change, and not with the entries that happened to be sampled: fields known from
// samples alone count only where no schema could be read.
func digest(objects []v1.DiscoveredObject) string {
	h := sha256.New()
	for _, o := range objects {
		fmt.Fprintf(h, "%s\n", o.Kind)
		schemaKnown := slices.ContainsFunc(o.Fields, func(f v1.DiscoveredField) bool { return f.Source != "sample" })
		for _, f := range o.Fields {
			if !schemaKnown || f.Source != "sample" {
				fmt.Fprintf(h, "%s %s %s\n", f.Name, f.Type, f.Format)
			}
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
