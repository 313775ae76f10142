package scim

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/connectorkit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Bounds of a discovery.
const (
	defaultSample = 10
	maxSample     = 50
)

// Discover merges what the target declares with what a few of its users and groups carry. A target that declares
// nothing is known by its samples alone.
func (k *Connector) Discover(
	ctx context.Context,
	req v1.DiscoverRequest,
	report connectorkit.Report,
) (v1.DiscoverResponse, error) {
	s, err := k.open(ctx, req.AuthConfig, report)
	if err != nil {
		return notDiscovered(err)
	}
	defer s.close()
	report.Tell(v1.Progress{Phase: "connect", Message: "reading the declared schema"})
	declared, warnings, err := s.schemas(ctx)
	if err != nil {
		return notDiscovered(err)
	}
	d := &discovery{session: s, declared: declared, warnings: append(s.c.Warnings(), warnings...), req: req}
	d.n = min(cmp.Or(max(req.SampleSize, 0), defaultSample), maxSample)
	if err := d.users(ctx, report); err != nil {
		return notDiscovered(err)
	}
	if err := d.groups(ctx, report); err != nil {
		return notDiscovered(err)
	}
	return v1.DiscoverResponse{
		Success:      true,
		Objects:      d.objects,
		SchemaDigest: digest(d.objects),
		Warnings:     d.warnings,
	}, nil
}

func notDiscovered(err error) (v1.DiscoverResponse, error) {
	var d *v1.ErrorDetail
	if !errors.As(err, &d) {
		return v1.DiscoverResponse{}, err
	}
	return v1.DiscoverResponse{Objects: []v1.DiscoveredObject{}, Error: d}, nil
}

type discovery struct {
	*session
	declared schemas
	req      v1.DiscoverRequest
	n        int
	objects  []v1.DiscoveredObject
	warnings []v1.Warning
}

func (d *discovery) wants(kinds ...v1.ObjectKind) bool {
	return len(d.req.Objects) == 0 ||
		slices.ContainsFunc(kinds, func(k v1.ObjectKind) bool { return slices.Contains(d.req.Objects, k) })
}

func (d *discovery) users(ctx context.Context, report connectorkit.Report) error {
	if !d.wants(v1.Identities, v1.Accounts) {
		return nil
	}
	report.Tell(v1.Progress{Phase: phaseUsers, Message: "sampling users"})
	recs, total, err := d.sample(ctx, d.usersPath, phaseUsers, d.n)
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
			d.add(as.kind, "User", userSchema, recs, total)
		}
	}
	return nil
}

func (d *discovery) groups(ctx context.Context, report connectorkit.Report) error {
	if !d.wants(v1.Entitlements, v1.Grants) {
		return nil
	}
	report.Tell(v1.Progress{Phase: phaseGroups, Message: "sampling groups"})
	recs, total, err := d.sample(ctx, d.groupsPath, phaseGroups, d.n)
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
		d.add("entitlement", "Group", groupSchema, recs, total)
	}
	return nil
}

func (d *discovery) add(kind, native, core string, recs []record, total int) {
	object := v1.DiscoveredObject{Kind: kind, NativeType: native, SuggestedKey: "id"}
	if total >= 0 {
		object.CountHint = &total
	}
	object.Fields = merge(d.declared.fields(native, core), recs, d.req.MaskSamples)
	d.objects = append(d.objects, object)
}

// digest is the same for the same objects, names and types, in whatever order the target tells them.
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
