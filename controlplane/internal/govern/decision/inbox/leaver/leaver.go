package leaver

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/delegation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
)

// FollowLeavers takes people off their open tasks who are gone or can no longer sign in, and ends the delegations of
// those who are gone. A person whose record was merged into another goes on as that one; those for whom they decided
// decide themselves.
func FollowLeavers(ctx context.Context, tx *pg.Tx, items []queue.Item) error {
	const sql = `
		select p.id::text, unable_to_decide(p.id)
		  from unnest(@people::text[]::uuid[]) p (id)
		 where unable_to_decide(p.id) in ('left', 'user_disabled', 'user_not_linked', 'no_user')`
	var gone, left []string
	var id, why string
	err := pg.Each(ctx, tx, "find who has left", []any{&id, &why}, func() error {
		if gone = append(gone, id); why == "left" {
			left = append(left, id)
		}
		return nil
	}, sql, pgx.NamedArgs{"people": queue.Subjects(items)})
	if err != nil {
		return err
	}
	if len(gone) == 0 {
		return nil
	}
	if err := delegation.EndOf(ctx, tx, left); err != nil {
		return err
	}
	return dropLeavers(ctx, tx, gone)
}

// dropLeavers takes people off their open tasks.
func dropLeavers(ctx context.Context, tx *pg.Tx, gone []string) error {
	const sql = `
		with dropped as (
		    update decision_assignee a
		       set dropped_at = now()
		     where a.tenant_id = current_tenant()
		       and a.identity_id = any(@gone::text[]::uuid[])
		       and a.dropped_at is null
		       and a.open
		    returning a.task_id, a.identity_id, a.via, a.acting_for, a.path
		)
		select d.task_id::text, i.display_name, case when i.status in ('deactivated', 'archived') then i.status
		    else 'unable to sign in' end, d.via, coalesce(d.acting_for::text, '') as acting_for, d.path = '{}' as alone,
		    coalesce(i.merged_into_id::text, '') as heir
		  from dropped d
		  join identity i on i.tenant_id = current_tenant() and i.id = d.identity_id`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"gone": gone})
	if err != nil {
		return fmt.Errorf("take people off their tasks: %w", err)
	}
	type dropped struct {
		Task, Name, Status, Via, ActingFor string
		Alone                              bool
		Heir                               string
	}
	places, err := pgx.CollectRows(rows, pgx.RowToStructByPos[dropped])
	if err != nil {
		return fmt.Errorf("take people off their tasks: %w", err)
	}
	var tasks []string
	var events []decision.HistoryEntry
	var back decision.Assignees
	for _, p := range places {
		tasks = append(tasks, p.Task)
		left := decision.HistoryEntry{TaskID: p.Task, Event: "left", Detail: p.Name + " is " + p.Status}
		events = append(events, left)
		switch {
		case p.Heir != "":
			a := decision.Assignee{IdentityID: p.Heir, Via: p.Via}
			if p.ActingFor != "" {
				a.ActingFor = &p.ActingFor
			}
			back.Add(p.Task, a)
		case p.Via == decision.Delegate && p.Alone:
			back.Add(p.Task, decision.Assignee{IdentityID: p.ActingFor})
		}
	}
	if err := back.Enter(ctx, tx, false); err != nil {
		return err
	}
	if err := decision.AddHistory(ctx, tx, events); err != nil {
		return err
	}
	return decision.UpdateAssignees(ctx, tx, tasks)
}
