package removal

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/authority"
)

// people draws what follows for the people whose records of a source went or came back.
func people(ctx context.Context, tx *pg.Tx, r reconcile.Run) (map[string]reconcile.Counts, error) {
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
	gone, err := reconcile.IDs(ctx, tx, "people whose record was deleted", changed, r.ID, "remove")
	if err != nil {
		return nil, err
	}
	back, err := reconcile.IDs(ctx, tx, "people whose record is back", changed, r.ID, "reappear")
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
		if err := publishPeople(
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
		still, err := reconcile.IDs(ctx, tx, "people whose source calls them inactive", inactive, r.ID)
		if err != nil {
			return nil, err
		}
		returned, err := authority.ReactivateReturned(ctx, tx, back, still)
		if err != nil {
			return nil, err
		}
		if err := publishPeople(ctx, tx, "identity.updated", "i.status <> 'deactivated'", back); err != nil {
			return nil, err
		}
		return nil, auditPeople(ctx, tx, r, "identity.updated", returned)
	}
	return nil, nil
}

// publishPeople publishes whose state this transaction has changed, in one statement. now() is the transaction's own
// instant.
func publishPeople(ctx context.Context, tx *pg.Tx, kind event.Kind, condition string, ids []string) error {
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

// auditPeople records how many people an action changed: one entry per run, and none for zero.
func auditPeople(ctx context.Context, tx *pg.Tx, r reconcile.Run, action string, n int64) error {
	if n == 0 {
		return nil
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action: action, Subject: audit.Subject{Type: "sync_run", ID: r.ID},
		Context: map[string]any{"run_id": r.ID, "connector_id": r.Connector, "count": n, "reason": "source_removed"},
	})
}
