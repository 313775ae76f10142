package inbox

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/tasklist"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Escalate asks the managers of those who decide a task beside them; where there are none, or when it is said, the
// administrators.
func (s *Service) Escalate(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	to, reason string,
) (tasklist.DecisionTaskDetail, error) {
	return s.change(ctx, v, id, match, func(tx *pg.Tx, t decision.DecisionTask) error {
		if err := t.CheckReassign(v); err != nil {
			return err
		}
		var above []decision.Assignee
		var names []string
		var err error
		if to != "admin" && t.Reassignable && len(t.ReassignTo) == 0 {
			if above, names, err = managers(ctx, tx, t); err != nil {
				return err
			}
		}
		if len(above) == 0 {
			if names, err = administrators(t, to); err != nil {
				return err
			}
		}
		if err := escalate(ctx, tx, t, above); err != nil {
			return err
		}
		if err := recordReassignment(
			ctx,
			tx,
			t,
			t.AuditEntry("decision_task.escalated"),
			"escalated",
			names,
			reason,
		); err != nil {
			return err
		}
		return decision.UpdateAssignees(ctx, tx, []string{id})
	})
}

// administrators are to whom a task is escalated if no manager can decide. It returns a fault if they
// decide it already, or if managers were asked for.
func administrators(t decision.DecisionTask, to string) ([]string, error) {
	switch {
	case to == "manager":
		return nil, fault.Coded(
			fault.Conflict,
			"no_manager",
			"the approvers have no manager who can decide; escalate it to admin",
		)
	case slices.Contains(t.Roles, string(viewer.Admin)):
		return nil, fault.Coded(
			fault.Conflict,
			"already_escalated",
			"the task is already with the administrators, and cannot be escalated further",
		)
	}
	return []string{"administrators"}, nil
}

// escalate adds people, or administrators when there are none, to those who decide a task.
func escalate(ctx context.Context, tx *pg.Tx, t decision.DecisionTask, above []decision.Assignee) error {
	const sql = `
		update decision_task
		   set roles = case when @admins then array_append(roles, 'admin') else roles end, handed_on = true,
		       updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = @id`
	if err := pg.Exec(ctx, tx, "escalate task", sql, pgx.NamedArgs{"id": t.ID, "admins": len(above) == 0}); err != nil {
		return err
	}
	var w decision.Assignees
	for _, a := range above {
		w.Add(t.ID, a)
	}
	return w.Enter(ctx, tx, false)
}

// managers are the managers of those who decide a task, as far as they can decide it and do not already.
func managers(
	ctx context.Context,
	tx *pg.Tx,
	t decision.DecisionTask,
) (above []decision.Assignee, names []string, err error) {
	const sql = `
		select distinct m.id::text, m.display_name
		  from decision_assignee a
		  join identity i on i.tenant_id = a.tenant_id and i.id = a.identity_id
		  join identity m on m.tenant_id = i.tenant_id and m.id = i.manager_id
		 where a.tenant_id = current_tenant()
		   and a.task_id = @id
		   and a.dropped_at is null
		   and unable_to_decide(m.id) = ''
		   and m.id <> all(@not_for::text[]::uuid[])
		   and not exists (select from decision_assignee o where o.tenant_id = a.tenant_id and o.task_id = a.task_id
		       and o.identity_id = m.id and o.dropped_at is null)
		 order by 2, 1`
	var id, name string
	if err := pg.Each(ctx, tx, "find managers", []any{&id, &name}, func() error {
		above, names = append(above, decision.Assignee{IdentityID: id, Via: decision.Escalation}), append(names, name)
		return nil
	}, sql, pgx.NamedArgs{"id": t.ID, "not_for": t.NotFor}); err != nil {
		return nil, nil, err
	}
	return above, names, nil
}
