package deletion

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// affectedAtMost bounds how many of each kind an impact names; its totals count all.
const affectedAtMost = 100

// ConnectorImpact is what the deletion of a connector takes out of use.
type ConnectorImpact struct {
	Disconnected
	// Those who lose an account.
	People int64 `json:"people"`
	// People whose record comes from it. They stay, and nothing updates them any more.
	Source int64 `json:"source_of"`
	// Open changes of the target that can no longer be made.
	Tasks int64 `json:"provisioning_tasks"`
	// Roles, policies, approval rules and sector packs that name the connector or its entitlements; 100 of each kind at
	// most.
	Affected []AffectedPlace `json:"affected" nullable:"false"`
	// How many there are, by kind.
	AffectedTotal map[string]int64 `json:"affected_total"`
}

// AffectedPlace is a role, policy, approval rule or sector pack that names a connector or what was read of it.
type AffectedPlace struct {
	// Kind of the object that names the connector or one of its entitlements.
	Kind string `json:"kind" enum:"role,policy,approval_rule,sector_pack"`
	// ID of the role, policy, approval rule or installed sector pack.
	ID string `json:"id"`
	// Name of the role, policy or approval rule, or the key of the sector pack.
	Display string `json:"display"`
}

// FindImpact is what the deletion of a connector would take out of use. The caller knows that the connector is there.
func FindImpact(ctx context.Context, tx *pg.Tx, id string) (ConnectorImpact, error) {
	x := ConnectorImpact{Affected: []AffectedPlace{}, AffectedTotal: map[string]int64{}}
	if err := countImpact(ctx, tx, id, &x); err != nil {
		return x, err
	}
	return x, nameImpact(ctx, tx, id, &x)
}

func countImpact(ctx context.Context, tx *pg.Tx, id string, x *ConnectorImpact) error {
	const sql = `
		select (select count(*) from account where connector_id = $1 and status not in ('deleted', 'disconnected')),
		       (select count(*) from entitlement where connector_id = $1 and removed_at is null),
		       (select count(*) from access_grant where connector_id = $1
		       and status not in ('revoked', 'disconnected')),
		       (select count(distinct identity_id) from account where connector_id = $1
		       and status not in ('deleted', 'disconnected')),
		           (select count(*) from identity where source_connector_id = $1 and status <> 'archived'),
		           (select count(*) from provisioning_task where connector_id = $1
		           and state not in ('done', 'cancelled', 'simulated'))`
	err := tx.QueryRow(ctx, sql, id).Scan(&x.Accounts, &x.Entitlements, &x.Grants, &x.People, &x.Source, &x.Tasks)
	if err != nil {
		return fmt.Errorf("count what a deletion affects: %w", err)
	}
	return nil
}

func nameImpact(ctx context.Context, tx *pg.Tx, id string, x *ConnectorImpact) error {
	const sql = `
		with named_role as (
		    select r.id, r.name
		      from role r
		     where r.lifecycle <> 'retired'
		       and exists (select from role_entitlement x join entitlement e on e.id = x.entitlement_id
		                    where x.role_id = r.id and e.connector_id = $1)
		), named_policy as (
		    select p.id, p.name
		      from access_policy p
		     where p.deleted_at is null
		       and (p.resources -> 'connector_ids' ? $1::uuid::text
		         or exists (select from jsonb_array_elements_text(coalesce(p.resources -> 'role_ids', '[]')) v
		             join named_role r on r.id::text = v)
		         or exists (select from jsonb_array_elements_text(coalesce(p.resources -> 'entitlement_ids', '[]')) v
		                      join entitlement e on e.id::text = v where e.connector_id = $1))
		), named as (
		    select 'role' as kind, id, name from named_role
		     union all
		    select 'policy', id, name from named_policy
		     union all
		    select 'approval_rule', a.id, a.name
		      from approval_rule a
		     where position($1::uuid::text in a.applies_to::text || a.branches::text) > 0
		     union all
		    select 'sector_pack', i.id, i.pack_key
		      from sector_pack_installation i
		     where i.state = 'installed'
		       and exists (select from sector_pack_object o
		                    where o.installation_id = i.id
		                      and o.object_id in (select id from named_role union select id from named_policy))
		), ranked as (
		    select kind, id, name, count(*) over (partition by kind) as total,
		        row_number() over (partition by kind order by name, id) as n
		      from named
		)
		select kind, id::text, name, total from ranked where n <= $2 order by kind, n`
	var p AffectedPlace
	var total int64
	return pg.Each(ctx, tx, "find what names a connector", []any{&p.Kind, &p.ID, &p.Display, &total}, func() error {
		x.Affected, x.AffectedTotal[p.Kind] = append(x.Affected, p), total
		return nil
	}, sql, id, affectedAtMost)
}
