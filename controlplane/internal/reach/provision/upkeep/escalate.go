package upkeep

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// patience is how long the disabling of a leaver's account may take before people are notified. Tries go on meanwhile.
const patience = 4 * time.Hour

// escalate reports leavers whose accounts are still usable because the change does not get through: it flags
// the tasks, which makes them decision tasks and a figure of the dashboard.
func escalate(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		update provisioning_task
		   set escalated_at = now(), updated_at = now(), version = version + 1
		 where operation = 'disable'
		   and payload ->> 'disabled_for' = 'left'
		   and mode <> 'simulate'
		   and state in ('queued', 'blocked', 'running', 'retrying', 'failed', 'manual')
		   and created_at < now() - $1::interval
		   and escalated_at is null
		returning id::text, operation, coalesce(account_id::text, ''), connector_id::text, state`
	var id, operation, account, connector, state string
	var entries []audit.Entry
	if err := pg.Each(ctx, tx, "escalate tasks", []any{&id, &operation, &account, &connector, &state}, func() error {
		entries = append(
			entries,
			taskstore.AuditEntry(
				"provisioning.escalated",
				audit.Failure,
				id,
				operation,
				account,
				connector,
				map[string]any{"state": state},
			),
		)
		return nil
	}, sql, patience.String()); err != nil {
		return err
	}
	return audit.RecordAll(ctx, tx, entries)
}
