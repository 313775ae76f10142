package accesspolicy

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// longestTag is how many bytes a tag of a policy can have.
const longestTag = 200

// empty reports whether the resources name nothing.
func (r PolicyResources) empty() bool {
	return len(r.RoleIDs)+len(r.EntitlementIDs)+len(r.ConnectorIDs)+len(r.Tags) == 0
}

// Named reports whether the resources name something, even if there is nothing of it now, such as no entitlement with a
// tag.
func (r PolicyResources) Named() bool { return !r.empty() }

// AddTagged adds to the resources of policies the entitlements with their tags, for all of them in one statement. What
// people cannot be granted is left out where a policy assigns it or lets people request it. The resources are then
// those of an evaluation, and not written back.
func AddTagged(ctx context.Context, tx *pg.Tx, policies []AccessPolicy) error {
	var wanted []string
	for _, p := range policies {
		wanted = append(wanted, p.Resources.Tags...)
	}
	if len(wanted) == 0 {
		return nil
	}
	const sql = `
		select e.id::text, e.grantable and e.lifecycle = 'active',
		       array(select unnest(e.compliance_tags) union select unnest(e.duty_tags))
		  from entitlement e
		 where (e.compliance_tags && @tags::text[] or e.duty_tags && @tags::text[])
		   and e.lifecycle <> 'retired'
		   and e.removed_at is null
		   and e.connector_id is not null
		 order by e.id`
	type entitlement struct {
		id        string
		grantable bool
	}
	by := map[string][]entitlement{}
	var e entitlement
	var tags []string
	into := []any{&e.id, &e.grantable, &tags}
	if err := pg.Each(ctx, tx, "find entitlements by tag", into, func() error {
		for _, tag := range tags {
			by[tag] = append(by[tag], e)
		}
		return nil
	}, sql, pgx.NamedArgs{"tags": Distinct(wanted)}); err != nil {
		return err
	}
	for i := range policies {
		p := &policies[i]
		ids := slices.Clone(p.Resources.EntitlementIDs)
		for _, tag := range p.Resources.Tags {
			for _, e := range by[tag] {
				if e.grantable || p.Effect == Deny || p.Effect == Require {
					ids = append(ids, e.id)
				}
			}
		}
		if len(p.Resources.Tags) > 0 {
			p.Resources.EntitlementIDs = Distinct(ids)
		}
	}
	return nil
}
