package delegation

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// begin lets a delegation hold: its delegate decides the open tasks too, where it says so.
func begin(ctx context.Context, tx *pg.Tx, d DecisionDelegation) error {
	if err := d.move(ctx, tx, active); err != nil {
		return err
	}
	const sql = `
		select t.id::text
		  from decision_assignee a
		  join decision_task t on t.tenant_id = a.tenant_id and t.id = a.task_id
		 where a.tenant_id = current_tenant()
		   and a.identity_id = @delegator
		   and a.dropped_at is null
		   and a.open
		   and t.delegable
		   and (@kinds::text[] = '{}' or t.kind = any(@kinds::text[]))`
	tasks, err := pg.All[string](
		ctx,
		tx,
		"find tasks to delegate",
		sql,
		pgx.NamedArgs{"delegator": d.DelegatorID, "kinds": d.Kinds},
	)
	if err != nil {
		return err
	}
	if len(tasks) == 0 {
		return nil
	}
	return decision.ApplyDelegations(ctx, tx, tasks)
}

// end lets a delegation hold no more: open tasks return to whose they were, with why in their history.
func end(ctx context.Context, tx *pg.Tx, d DecisionDelegation, state, why string) error {
	if err := d.move(ctx, tx, state); err != nil {
		return err
	}
	// A package that has resolved the delegation by itself has asked the delegate alone; then the delegator is asked
	// now.
	const sql = `
		with dropped as (
		    update decision_assignee a
		       set dropped_at = now()
		     where a.tenant_id = current_tenant()
		       and a.dropped_at is null
		       and a.open
		       and (a.path <> '{}' and @id::uuid = any(a.path)
		            or a.via = 'delegate' and a.path = '{}' and a.identity_id = @delegate and a.acting_for = @delegator
		               and (@kinds::text[] = '{}'
		                    or exists (select from decision_task t where t.tenant_id = a.tenant_id and t.id = a.task_id
		                        and t.kind = any(@kinds::text[]))))
		    returning a.task_id, a.path = '{}' as alone
		)
		select task_id::text, bool_or(alone) from dropped group by task_id`
	var tasks []string
	var back decision.Assignees
	var task string
	var alone bool
	args := pgx.NamedArgs{"id": d.ID, "delegate": d.DelegateID, "delegator": d.DelegatorID, "kinds": d.Kinds}
	if err := pg.Each(ctx, tx, "return tasks", []any{&task, &alone}, func() error {
		tasks = append(tasks, task)
		if alone {
			back.Add(task, decision.Assignee{IdentityID: d.DelegatorID})
		}
		return nil
	}, sql, args); err != nil {
		return err
	}
	if err := back.Enter(ctx, tx, false); err != nil {
		return err
	}
	if err := decision.AddHistory(
		ctx,
		tx,
		decision.EntriesFor(
			"returned",
			"the delegation of "+d.DelegatorDisplay+" to "+d.DelegateDisplay+" "+why,
			tasks,
		),
	); err != nil {
		return err
	}
	return decision.UpdateAssignees(ctx, tx, tasks)
}

// move brings a delegation into a state.
func (d DecisionDelegation) move(ctx context.Context, tx *pg.Tx, state string) error {
	const sql = `
		update decision_delegation
		   set state = @state, updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = @id`
	return pg.Exec(ctx, tx, "move delegation to "+state, sql, pgx.NamedArgs{"id": d.ID, "state": state})
}

// Turn begins and ends the delegations of a tenant whose time has come, and says how many.
func (s *Service) Turn(ctx context.Context, tenant string) (n int, err error) {
	const sql = `select ` + columns + ` from ` + tables + `
		 where d.tenant_id = current_tenant()
		   and (d.state = 'scheduled' and d.starts_at <= @now or d.state = 'active' and d.ends_at <= @now)
		 order by d.starts_at, d.id
		   for update of d skip locked`
	err = s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		now := s.Now()
		due, err := pg.All[DecisionDelegation](ctx, tx, "find delegations that are due", sql, pgx.NamedArgs{"now": now})
		if err != nil {
			return err
		}
		n = len(due)
		for _, d := range due {
			if d.EndsAt != nil && !d.EndsAt.After(now) {
				err = end(ctx, tx, d, ended, "has ended")
			} else {
				err = begin(ctx, tx, d)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// EndOf ends the delegations from and to people who have left.
func EndOf(ctx context.Context, tx *pg.Tx, gone []string) error {
	const sql = `select ` + columns + ` from ` + tables + `
		 where d.tenant_id = current_tenant()
		   and d.state in ('scheduled', 'active')
		   and (d.delegator_id = any(@gone::text[]::uuid[]) or d.delegate_id = any(@gone::text[]::uuid[]))
		 order by d.id
		   for update of d`
	over, err := pg.All[DecisionDelegation](
		ctx,
		tx,
		"find delegations of who has left",
		sql,
		pgx.NamedArgs{"gone": gone},
	)
	if err != nil {
		return err
	}
	for _, d := range over {
		if err := end(ctx, tx, d, ended, "has ended, since one of them has left"); err != nil {
			return err
		}
	}
	return nil
}
