package discovery

import (
	"context"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/schema"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/settings"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

const (
	// defaultSample is how many entries of each class are read unless the request says otherwise;
	// maxSample is the most that it may ask for.
	defaultSample = 10
	maxSample     = 50
)

// Discover joins the declared schema of the object classes of people and groups with what a few entries really hold.
func Discover(
	ctx context.Context, env connectorkit.Env, req v1.DiscoverRequest, report connectorkit.Report,
) (v1.DiscoverResponse, error) {
	s, err := settings.Read(req.AuthConfig, env.AllowInsecureTLS)
	if err != nil {
		return v1.DiscoverResponse{}, err
	}
	report.Send(v1.Progress{Phase: "connect", Message: "signing in"})
	se, err := session.Open(ctx, env, s)
	if err != nil {
		return v1.DiscoverResponse{}, err
	}
	defer se.Conn.Close()
	if err := schema.ResolvePersonClasses(ctx, se); err != nil {
		return v1.DiscoverResponse{}, err
	}
	if err := se.ResolveKeys(ctx); err != nil {
		return v1.DiscoverResponse{}, err
	}
	why, err := schema.WhyNoDisable(ctx, se)
	if err != nil {
		return v1.DiscoverResponse{}, err
	}
	if why != "" {
		se.Warnings = append(se.Warnings, schema.DisableUnavailable(why))
	}
	report.Send(v1.Progress{Phase: "schema", Message: "reading the declared schema"})
	sc, err := schema.Read(ctx, se)
	if err != nil {
		return v1.DiscoverResponse{}, err
	}
	d := &discovery{Session: se, schema: sc, mask: req.MaskSamples, size: defaultSample}
	if req.SampleSize > 0 {
		d.size = min(req.SampleSize, maxSample)
	}
	return d.discover(ctx, entry.WantedKinds(req.Objects), report)
}

// discovery is one call: the session, what the directory declares, and how samples are shown.
type discovery struct {
	*session.Session
	schema schema.Schema
	// mask hides sample values, which are personal data.
	mask bool
	// size is the number of entries that are read of each class.
	size int
}

// discover describes people once and names them twice, as identities and as accounts, since both
// are made of the same entries. A class without entries is described by its declaration and
// reported by a warning. It fails only if a search does.
func (d *discovery) discover(
	ctx context.Context, want map[v1.ObjectKind]bool, report connectorkit.Report,
) (v1.DiscoverResponse, error) {
	out := v1.DiscoverResponse{Success: true, Objects: []v1.DiscoveredObject{}, Warnings: d.Warnings}
	userFilter, groupFilter := settings.Filters(d.Settings, d.Flavor)
	if want[v1.Identities] || want[v1.Accounts] {
		report.Send(v1.Progress{Phase: "users", Message: "sampling people"})
		object, seen, err := d.object(
			ctx, "users", d.UserSearch(userFilter, nil), settings.ClassesOrDefault(d.UserClasses, d.Flavor.UserClasses),
		)
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
			out.Warnings = append(out.Warnings, d.NoEntries())
		}
	}
	if want[v1.Entitlements] || want[v1.Grants] {
		report.Send(v1.Progress{Phase: "groups", Message: "sampling groups"})
		object, seen, err := d.object(
			ctx,
			"groups",
			d.GroupSearch(groupFilter, nil),
			settings.ClassesOrDefault(d.GroupClasses, d.Flavor.GroupClasses),
		)
		if err != nil {
			return v1.DiscoverResponse{}, err
		}
		object.Kind = "entitlement"
		out.Objects = append(out.Objects, object)
		if seen == 0 {
			out.Warnings = append(out.Warnings, session.NoGroups(d.GroupBaseDN))
		}
	}
	out.SchemaDigest = digest(out.Objects)
	return out, nil
}
