package resource

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Requestable reads all roles and entitlements that can be requested, by Item.Key.
func Requestable(ctx context.Context, tx *pg.Tx) (map[string]Item, error) {
	const sql = `
		select 'role', r.id::text from role r where r.requestable and r.lifecycle = 'active'
		 union all
		select 'entitlement', e.id::text from entitlement e where e.requestable and e.lifecycle = 'active'
		    and e.removed_at is null`
	of := map[string][]string{}
	var kind, id string
	if err := pg.Each(
		ctx,
		tx,
		"find what can be asked for",
		[]any{&kind, &id},
		func() error { of[kind] = append(of[kind], id); return nil },
		sql,
	); err != nil {
		return nil, err
	}
	return Load(ctx, tx, of["role"], of["entitlement"])
}

// KeyOf is Item.Key of the resource of a subject; empty: it has none.
func KeyOf(s approval.Subject) string {
	switch {
	case s.RoleID != nil:
		return "role " + *s.RoleID
	case s.EntitlementID != nil:
		return "entitlement " + *s.EntitlementID
	}
	return ""
}

// OfSubjects reads the resources of subjects, by Item.Key. What does not exist is missing.
func OfSubjects(ctx context.Context, tx *pg.Tx, subjects []approval.Subject) (map[string]Item, error) {
	var roles, entitlements []string
	for _, s := range subjects {
		if s.RoleID != nil {
			roles = append(roles, *s.RoleID)
		}
		if s.EntitlementID != nil {
			entitlements = append(entitlements, *s.EntitlementID)
		}
	}
	return Load(ctx, tx, approval.SortedSet(roles), approval.SortedSet(entitlements))
}

// Load reads roles and entitlements by their ids. What does not exist is missing.
func Load(ctx context.Context, tx *pg.Tx, roles, entitlements []string) (map[string]Item, error) {
	const sql = `
		select 'role' as type, r.id::text, r.name, r.role_type as kind, coalesce(r.risk_level, '') as risk,
		       false as privileged, r.owner_ids::text[] as owners, r.backup_owner_ids::text[] as backups,
		       array[]::text[] as inner_owners, r.compliance_tags || r.duty_tags as tags, array[]::text[] as connectors,
		       array[]::text[] as places, coalesce(r.approval_rule_id::text, '') as rule_id,
		       coalesce(r.max_duration, '') as max_duration, coalesce(r.default_duration, '') as usual, '' as longer
		  from role r
		 where r.id = any(@roles::text[]::uuid[])
		 union all
		select 'entitlement', e.id::text, coalesce(nullif(e.display_name, ''), nullif(e.name, ''), e.external_id),
		       e.kind, e.risk_level, e.privileged, e.owner_ids::text[], e.backup_owner_ids::text[], e.owner_ids::text[],
		       e.compliance_tags || e.duty_tags, array_remove(array[e.connector_id::text], null),
		       array_remove(array[c.environment], null), coalesce(e.approval_rule_id::text, ''),
		           coalesce(e.max_duration, ''), coalesce(e.default_duration, ''), coalesce(e.extension_max, '')
		  from entitlement e
		  left join connector c on c.id = e.connector_id
		 where e.id = any(@entitlements::text[]::uuid[])`
	list, err := pg.AllBy(
		ctx,
		tx,
		"read the requested resource",
		pgx.RowToStructByNameLax[Item],
		sql,
		pgx.NamedArgs{"roles": roles, "entitlements": entitlements},
	)
	if err != nil {
		return nil, err
	}
	found := make(map[string]Item, len(list))
	for _, i := range list {
		found[i.Key()] = i
	}
	return found, lookInside(ctx, tx, found, roles)
}

// lookInside gives roles what they have from what they hold: their systems, tags, privilege, and the highest risk where
// they say none.
func lookInside(ctx context.Context, tx *pg.Tx, found map[string]Item, roles []string) error {
	const sql = `
		with recursive tree (root, id) as (
		    select r.id, r.id
		      from role r
		     where r.id = any(@roles::text[]::uuid[])
		     union
		    select t.root, c.child_id
		      from tree t
		      join role_child c on c.role_id = t.id
		)
		select t.root::text, e.risk_level, e.privileged, e.owner_ids::text[], e.compliance_tags || e.duty_tags,
		       coalesce(e.connector_id::text, ''), coalesce(c.environment, '')
		  from tree t
		  join role_entitlement x on x.role_id = t.id
		  join entitlement e on e.id = x.entitlement_id
		  left join connector c on c.id = e.connector_id
		 order by 1, e.id`
	if len(roles) == 0 {
		return nil
	}
	var root, risk, connector, place string
	var privileged bool
	var owners, tags []string
	highest := map[string]string{}
	if err := pg.Each(
		ctx,
		tx,
		"look into roles",
		[]any{&root, &risk, &privileged, &owners, &tags, &connector, &place},
		func() error {
			i := found["role "+root]
			i.Privileged = i.Privileged || privileged
			i.InnerOwners = approval.AppendNew(i.InnerOwners, owners...)
			i.Tags, i.Connectors, i.Places = approval.AppendNew(
				i.Tags,
				tags...), approval.AppendNew(
				i.Connectors,
				connector,
			), approval.AppendNew(
				i.Places,
				place,
			)
			if slices.Index(RiskLevels, risk) > slices.Index(RiskLevels, highest[root]) {
				highest[root] = risk
			}
			found[i.Key()] = i
			return nil
		},
		sql,
		pgx.NamedArgs{"roles": roles},
	); err != nil {
		return err
	}
	for key, i := range found {
		if i.Type == "role" && i.Risk == "" {
			i.Risk = highest[i.ID]
		}
		if i.Risk == "" {
			i.Risk = RiskLevels[0]
		}
		found[key] = i
	}
	return nil
}
