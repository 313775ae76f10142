package reconcile

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/authority"
)

// revokeAlong revokes the grants of what this transaction removed, and closes the changes that would have done so, also
// those that are held: they have come true with it. %[1]s is the object, %[2]s the grant's column.
const revokeAlong = `
	with removed as materialized (
	    select object_id
	      from sync_change
	     where tenant_id = current_tenant() and run_id = $1 and object = '%[1]s' and change = 'remove'
	         and state = 'applied' and at = now()
	), revoked as (
	    update access_grant g
	       set status = 'revoked', revoked_at = now(), missing_since = coalesce(g.missing_since, now()),
	           changed_run_id = $1, updated_at = now(), version = g.version + 1
	      from removed r
	     where g.tenant_id = current_tenant()
	       and g.%[2]s = r.object_id
	       and g.status <> 'revoked'
	    returning g.id, g.directness
	), noted as (
	    update sync_change c
	       set state = 'applied', at = now(), reason = 'its %[1]s goes'
	      from revoked v
	     where c.tenant_id = current_tenant()
	       and c.run_id = $1
	       and c.object = 'grant'
	       and c.object_id = v.id
	       and c.change in ('missing', 'remove')
	       and c.state in ('pending', 'held')
	)
	select count(*) filter (where directness = 'direct') from revoked`

func grantsOfAccounts(ctx context.Context, tx *pg.Tx, r Run) (map[string]Counts, error) {
	n, err := along(ctx, tx, r, fmt.Sprintf(revokeAlong, "account", "account_id"))
	return map[string]Counts{"grant": {Removed: n}}, err
}

// returnedGrants counts those that this transaction found again after we had revoked them.
func returnedGrants(ctx context.Context, tx *pg.Tx, r Run) (map[string]Counts, error) {
	const sql = `
		select count(*)
		  from access_grant g
		 where g.tenant_id = current_tenant()
		   and g.connector_id = (select connector_id from sync_run where tenant_id = current_tenant() and id = $1)
		   and g.reappeared
		   and g.changed_run_id = $1
		   and g.updated_at = now()`
	n, err := along(ctx, tx, r, sql)
	return map[string]Counts{"grant": {Returned: n}}, err
}

// grantsOfEntitlements takes the nesting of what is removed away too: through it nobody holds anything any more.
func grantsOfEntitlements(ctx context.Context, tx *pg.Tx, r Run) (map[string]Counts, error) {
	const nesting = `
		with removed as materialized (
		    select object_id
		      from sync_change
		     where tenant_id = current_tenant() and run_id = $1 and object = 'entitlement' and change = 'remove'
		         and state = 'applied' and at = now()
		), edges as (
		    delete from entitlement_edge x
		     where x.tenant_id = current_tenant()
		       and (x.member_id in (select object_id from removed) or x.parent_id in (select object_id from removed))
		    returning x.member_id, x.parent_id
		), noted as (
		    update sync_change c
		       set state = 'applied', at = now(), reason = 'its entitlement goes'
		      from edges x
		     where c.tenant_id = current_tenant()
		       and c.run_id = $1
		       and c.object = 'nesting'
		       and c.object_id = x.member_id
		       and c.parent_id = x.parent_id
		       and c.change in ('missing', 'remove')
		       and c.state in ('pending', 'held')
		)
		select count(*) from edges`
	grants, err := along(ctx, tx, r, fmt.Sprintf(revokeAlong, "entitlement", "entitlement_id"))
	if err != nil {
		return nil, err
	}
	edges, err := along(ctx, tx, r, nesting)
	return map[string]Counts{"grant": {Removed: grants}, "nesting": {Removed: edges}}, err
}

func along(ctx context.Context, tx *pg.Tx, r Run, sql string) (n int64, err error) {
	if err := tx.QueryRow(ctx, sql, r.ID).Scan(&n); err != nil {
		return 0, fmt.Errorf("take along what belongs to what is removed: %w", err)
	}
	return n, nil
}

// people draws what follows for the people whose records of a source went or came back.
func people(ctx context.Context, tx *pg.Tx, r Run) (map[string]Counts, error) {
	const changed = `
		select distinct object_id::text
		  from sync_change
		 where tenant_id = current_tenant() and run_id = $1 and object = 'identity' and change = $2
		     and state = 'applied' and at = now()`
	const inactive = `
		select distinct c.object_id::text
		  from sync_change c
		  join stage_identity s
		    on s.tenant_id = current_tenant() and s.run_id = $1 and s.seq = c.stage_seq and s.ord = c.stage_ord
		 where c.tenant_id = current_tenant() and c.run_id = $1 and c.object = 'identity' and c.change = 'reappear'
		     and c.at = now()
		   and s.source_status = 'deactivated'`
	gone, err := ids(ctx, tx, "people whose record was deleted", changed, r.ID, "remove")
	if err != nil {
		return nil, err
	}
	back, err := ids(ctx, tx, "people whose record is back", changed, r.ID, "reappear")
	if err != nil {
		return nil, err
	}
	const both = `select unnest(@ids::text[]::uuid[])`
	if _, err := authority.Reapply(ctx, tx, both, pgx.NamedArgs{"ids": slices.Concat(gone, back)}); err != nil {
		return nil, err
	}
	if len(gone) > 0 {
		left, err := authority.DeactivateRemoved(ctx, tx, gone)
		if err != nil {
			return nil, err
		}
		if err := tellPeople(
			ctx,
			tx,
			"identity.deactivated",
			"i.status = 'deactivated' and i.status_reason = 'source_removed'",
			gone,
		); err != nil {
			return nil, err
		}
		if err := auditPeople(ctx, tx, r, "identity.deactivated", left); err != nil {
			return nil, err
		}
	}
	if len(back) > 0 {
		still, err := ids(ctx, tx, "people whose source calls them inactive", inactive, r.ID)
		if err != nil {
			return nil, err
		}
		returned, err := authority.ReactivateReturned(ctx, tx, back, still)
		if err != nil {
			return nil, err
		}
		if err := tellPeople(ctx, tx, "identity.updated", "i.status <> 'deactivated'", back); err != nil {
			return nil, err
		}
		return nil, auditPeople(ctx, tx, r, "identity.updated", returned)
	}
	return nil, nil
}

// tellPeople publishes whose state this transaction has changed, in one statement. now() is the transaction's own
// instant.
func tellPeople(ctx context.Context, tx *pg.Tx, kind event.Kind, condition string, ids []string) error {
	sql := `
		select @kind::text, i.id, i.version, '{status,status_reason}'::text[],
		       jsonb_build_object('external_id', i.external_id, 'kind', i.kind, 'status', i.status)
		  from identity i
		 where i.tenant_id = current_tenant()
		   and i.id = any(@ids::text[]::uuid[])
		   and i.status_changed_at = now()
		   and ` + condition
	wanted, err := event.Wanted(ctx, tx, kind)
	if err != nil || !wanted {
		return err
	}
	_, err = event.PublishEach(ctx, tx, "identity", sql, pgx.NamedArgs{"kind": string(kind), "ids": ids})
	return err
}

func auditPeople(ctx context.Context, tx *pg.Tx, r Run, action string, n int64) error {
	if n == 0 {
		return nil
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action: action, Subject: audit.Subject{Type: "sync_run", ID: r.ID},
		Context: map[string]any{"run_id": r.ID, "connector_id": r.Connector, "count": n, "reason": "source_removed"},
	})
}
