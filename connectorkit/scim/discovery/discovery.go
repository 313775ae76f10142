package discovery

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/scim/provider"
	"github.com/grantwright/grantwright/connectorkit/scim/resource"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Bounds of a discovery.
const (
	defaultSample = 10
	maxSample     = 50
)

// Run reads the declared schemas and a few users and groups, and merges their fields. It reports its progress to
// report.
func Run(
	ctx context.Context, s *provider.Session, req v1.DiscoverRequest, report connectorkit.Report,
) (v1.DiscoverResponse, error) {
	report.Send(v1.Progress{Phase: "connect", Message: "reading the declared schema"})
	declared, warnings, err := s.Schemas(ctx)
	if err != nil {
		return Failed(err)
	}
	d := &run{Session: s, declared: declared, warnings: append(s.Client.Warnings(), warnings...), req: req}
	d.n = min(cmp.Or(max(req.SampleSize, 0), defaultSample), maxSample)
	if err := d.users(ctx, report); err != nil {
		return Failed(err)
	}
	if err := d.groups(ctx, report); err != nil {
		return Failed(err)
	}
	return v1.DiscoverResponse{
		Success:      true,
		Objects:      d.objects,
		SchemaDigest: digest(d.objects),
		Warnings:     d.warnings,
	}, nil
}

// Failed turns an error detail into the response of a failed discovery; any other error is returned unchanged.
func Failed(err error) (v1.DiscoverResponse, error) {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) {
		return v1.DiscoverResponse{}, err
	}
	return v1.DiscoverResponse{Objects: []v1.DiscoveredObject{}, Error: d}, nil
}

// run is one discovery under way. Its results are collected while the samples are read, since a
// warning must not cost the objects that were found before it.
type run struct {
	*provider.Session
	// declared are the schemas of the target; empty where it does not answer /Schemas.
	declared provider.Schemas
	req      v1.DiscoverRequest
	// n is how many records are sampled of each resource.
	n        int
	objects  []v1.DiscoveredObject
	warnings []v1.Warning
}

// wants says whether one of the kinds was asked for. No kinds in the request means all of them.
func (d *run) wants(kinds ...v1.ObjectKind) bool {
	return len(d.req.Objects) == 0 ||
		slices.ContainsFunc(kinds, func(k v1.ObjectKind) bool { return slices.Contains(d.req.Objects, k) })
}

// users samples users once for identities and accounts both: SCIM has one resource for the person
// and the account, so that the fields are the same.
func (d *run) users(ctx context.Context, report connectorkit.Report) error {
	if !d.wants(v1.Identities, v1.Accounts) {
		return nil
	}
	report.Send(v1.Progress{Phase: resource.PhaseUsers, Message: "sampling users"})
	recs, total, err := d.Sample(ctx, d.UsersPath, resource.PhaseUsers, d.n)
	if err != nil {
		return err
	}
	if len(recs) == 0 {
		d.warnings = append(d.warnings, v1.Warning{Code: "no_samples", Message: "the target shows no users"})
	}
	for _, as := range []struct {
		kind string
		of   v1.ObjectKind
	}{{"identity", v1.Identities}, {"account", v1.Accounts}} {
		if d.wants(as.of) {
			d.add(as.kind, "User", resource.UserSchema, recs, total)
		}
	}
	return nil
}

// groups samples groups for entitlements and grants. A target that refuses to list groups may have
// none: that is a warning, and the users that were found stay. Any other error, such as a lost
// connection, ends the discovery.
func (d *run) groups(ctx context.Context, report connectorkit.Report) error {
	if !d.wants(v1.Entitlements, v1.Grants) {
		return nil
	}
	report.Send(v1.Progress{Phase: resource.PhaseGroups, Message: "sampling groups"})
	recs, total, err := d.Sample(ctx, d.GroupsPath, resource.PhaseGroups, d.n)
	var detail *v1.ErrorDetail
	switch {
	case errors.As(err, &detail) && detail.Target != nil && detail.Target.HTTP != nil:
		d.warnings = append(
			d.warnings,
			v1.Warning{Code: "no_groups", Message: "groups cannot be read: " + detail.Message},
		)
	case err != nil:
		return err
	default:
		d.add("entitlement", "Group", resource.GroupSchema, recs, total)
	}
	return nil
}

// add makes an object of what the schema declares and the samples show together. total is how many
// records the target says to have; below 0 it did not say.
func (d *run) add(kind, native, core string, recs []resource.Record, total int) {
	object := v1.DiscoveredObject{Kind: kind, NativeType: native, SuggestedKey: "id"}
	if total >= 0 {
		object.CountHint = &total
	}
	object.Fields = mergeFields(d.declared.Fields(native, core), recs, d.req.MaskSamples)
	d.objects = append(d.objects, object)
}

// digest is the same for the same objects, names and types, in whatever order the target lists them.
func digest(objects []v1.DiscoveredObject) string {
	var lines []string
	for _, o := range objects {
		for _, f := range o.Fields {
			lines = append(lines, fmt.Sprintf("%s/%s/%s:%s:%t", o.Kind, o.NativeType, f.Name, f.Type, f.Multi))
		}
	}
	slices.Sort(lines)
	h := sha256.New()
	for _, line := range lines {
		fmt.Fprintln(h, line)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
