package decision

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Close ends the open tasks of a kind with these keys, which need no decision any more, and says how many. state is
// Expired, Cancelled or Superseded. A decision that could still be undone is dropped.
func Close(ctx context.Context, tx *pg.Tx, kind string, keys []string, state, why string) (int, error) {
	const sql = `
		update decision_task
		   set state = @state, closed_reason = @why, claimed_by = null, claimed_at = null, decision = null,
		       decided_at = null, apply_at = null,
		       updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and kind = @kind
		   and key = any(@keys)
		   and (state in ('open', 'claimed') or apply_at is not null)
		returning id::text`
	if len(keys) == 0 {
		return 0, nil
	}
	ids, err := pg.All[string](
		ctx,
		tx,
		"close tasks",
		sql,
		pgx.NamedArgs{"state": state, "why": why, "kind": kind, "keys": keys},
	)
	if err != nil {
		return 0, err
	}
	if err := SyncOpen(ctx, tx, ids); err != nil {
		return 0, err
	}
	return len(ids), AddHistory(ctx, tx, EntriesFor(state, why, ids))
}

// SyncOpen brings the open flags of assignees in line with the states of their tasks: inboxes are listed by them.
func SyncOpen(ctx context.Context, tx *pg.Tx, ids []string) error {
	const sql = `
		update decision_assignee a
		   set open = not a.open
		  from decision_task t
		 where a.tenant_id = current_tenant()
		   and a.task_id = any(@ids::text[]::uuid[])
		   and t.tenant_id = current_tenant()
		   and t.id = a.task_id
		   and a.open <> (t.state in ('open', 'claimed'))`
	if len(ids) == 0 {
		return nil
	}
	return pg.Exec(ctx, tx, "follow tasks", sql, pgx.NamedArgs{"ids": ids})
}
