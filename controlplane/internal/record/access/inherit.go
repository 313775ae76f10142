package access

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Inherited says what ExpandInherited changed.
type Inherited struct {
	Added   int // pairs that now follow from nesting
	Removed int // pairs that no longer do
}

// ExpandInherited brings the inherited grants of one connector up to date with its direct grants and its nesting, for the end
// of a sync. A pair that is held directly stays direct; one that was removed directly and still follows becomes inherited.
// Without nesting it does nothing. Cycles in the nesting end.
func ExpandInherited(ctx context.Context, tx *pg.Tx, connectorID string) (Inherited, error) {
	var n Inherited
	var needed bool
	const ask = `
		select exists (select from entitlement_edge n where n.connector_id = @connector)
		    or exists (select from access_grant g where g.connector_id = @connector and g.directness = 'inherited')`
	args := pgx.NamedArgs{"connector": connectorID}
	if err := tx.QueryRow(ctx, ask, args).Scan(&needed); err != nil || !needed {
		return n, wrap(err)
	}
	var planner string
	// After a first load statistics still say that the tables are empty, and nested loops over 100,000 grants take minutes.
	const noLoops = `select current_setting('enable_nestloop'), set_config('enable_nestloop', 'off', true)`
	if err := tx.QueryRow(ctx, noLoops).Scan(&planner, nil); err != nil {
		return n, wrap(err)
	}
	if err := tx.QueryRow(ctx, expand, args).Scan(&n.Added, &n.Removed); err != nil {
		return n, wrap(err)
	}
	_, err := tx.Exec(ctx, `select set_config('enable_nestloop', $1, true)`, planner)
	return n, wrap(err)
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("expand inherited grants: %w", err)
}

// expand computes which pairs of account and entitlement follow from nesting, and makes the rows agree. union, not union all,
// so that a cycle ends.
const expand = `
	with recursive above (member_id, parent_id) as (
		select n.member_id, n.parent_id
		  from entitlement_edge n
		 where n.connector_id = @connector
		 union
		select a.member_id, n.parent_id
		  from above a
		  join entitlement_edge n on n.connector_id = @connector and n.member_id = a.parent_id
	),
	following as materialized (
		select distinct g.account_id, a.parent_id as entitlement_id
		  from access_grant g
		  join above a on a.member_id = g.entitlement_id
		 where g.connector_id = @connector
		   and g.directness = 'direct'
		   and ` + held + `
	),
	removed as (
		delete from access_grant g
		 where g.connector_id = @connector
		   and g.directness = 'inherited'
		   and not exists (select from following f where f.account_id = g.account_id and f.entitlement_id = g.entitlement_id)
		returning 1
	),
	added as (
		insert into access_grant as g (tenant_id, id, connector_id, account_id, entitlement_id, directness)
		select current_tenant(), gen_random_uuid(), @connector::uuid, f.account_id, f.entitlement_id, 'inherited'
		  from following f
		 where not exists (
			select from access_grant h
			 where h.tenant_id = current_tenant() and h.account_id = f.account_id and h.entitlement_id = f.entitlement_id
			   and h.status not in ('revoked', 'failed'))
		    on conflict (tenant_id, account_id, entitlement_id) do update
		   set directness = 'inherited', status = 'active', missing_since = null, missing_runs = 0, revoked_at = null, updated_at = now(), version = g.version + 1
		 where g.status in ('revoked', 'failed')
		returning 1
	)
	select (select count(*) from added), (select count(*) from removed)`
