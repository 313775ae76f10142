package settle

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/attempt"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Confirm writes that a change was seen, unless a user has said so meanwhile.
func Confirm(ctx context.Context, tx *pg.Tx, connectorID string, now time.Time, o attempt.Outcome) error {
	both, err := twins(ctx, tx, connectorID, []attempt.Outcome{o})
	if err != nil {
		return err
	}
	o = both[0]
	const sql = `
		update provisioning_task
		   set state = $2, verified = case when $2 = 'done' then 'yes' else 'no' end, verified_by = 'readback',
		       verified_at = now(), unsure = false, error = nullif($3::jsonb, 'null'), error_class = nullif($4, ''),
		           advice = nullif($5, ''), updated_at = now(), version = version + 1
		 where id = $1
		   and state = 'verifying'`
	tag, err := tx.Exec(ctx, sql, o.Job.ID, o.State, o.Detail, o.Class, o.Advice)
	if err != nil {
		return fmt.Errorf("confirm task: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return nil
	}
	if err := Apply(ctx, tx, now, both); err != nil {
		return err
	}
	if err := Follow(ctx, tx, both); err != nil {
		return err
	}
	if o.Job.Operation == task.CreateAccount && o.State == task.Done && o.Job.IdentityID != nil {
		const turn = `insert into work_item (tenant_id, kind, subject) values (current_tenant(), 'provisioning', $1)`
		if err := pg.Exec(ctx, tx, "have the person looked at again", turn, *o.Job.IdentityID); err != nil {
			return err
		}
	}
	return audit.RecordAll(ctx, tx, entries(connectorID, both))
}
