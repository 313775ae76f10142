package inbox

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/tasklist"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Claim takes a task for oneself, so that no one else decides it meanwhile.
func (s *Service) Claim(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
) (tasklist.DecisionTaskDetail, error) {
	return s.change(ctx, v, id, match, func(tx *pg.Tx, t decision.DecisionTask) error {
		const sql = `
			update decision_task
			   set state = 'claimed', claimed_by = @by, claimed_at = @at, updated_at = now(), version = version + 1
			 where tenant_id = current_tenant()
			   and id = @id`
		for _, err := range []error{t.CheckOpen(), t.CheckDecider(v), t.CheckClaim(v)} {
			if err != nil {
				return err
			}
		}
		if t.State == decision.Claimed { // by the caller
			return nil
		}
		if err := pg.Exec(
			ctx,
			tx,
			"claim task",
			sql,
			pgx.NamedArgs{"id": id, "by": decision.ActorOf(v), "at": s.Now()},
		); err != nil {
			return err
		}
		return record(ctx, tx, t, "claimed", "", t.AuditEntry("decision_task.claimed"))
	})
}

// Release gives a claimed task back to all who decide it.
func (s *Service) Release(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
) (tasklist.DecisionTaskDetail, error) {
	return s.change(ctx, v, id, match, func(tx *pg.Tx, t decision.DecisionTask) error {
		const sql = `
			update decision_task
			   set state = 'open', claimed_by = null, claimed_at = null, updated_at = now(), version = version + 1
			 where tenant_id = current_tenant()
			   and id = @id`
		if err := t.CheckOpen(); err != nil {
			return err
		}
		if t.State != decision.Claimed {
			return fault.Coded(fault.Conflict, "invalid_transition", "the task is not claimed").
				Also("state", t.State).
				Also("allowed", []string{"claim", "decide"})
		}
		if err := t.CheckClaim(v); err != nil && !v.Has(viewer.Admin) {
			return err
		}
		if err := pg.Exec(ctx, tx, "release task", sql, pgx.NamedArgs{"id": id}); err != nil {
			return err
		}
		return record(
			ctx,
			tx,
			t,
			"released",
			"it was claimed by "+t.ClaimedBy.Display,
			t.AuditEntry("decision_task.released"),
		)
	})
}
