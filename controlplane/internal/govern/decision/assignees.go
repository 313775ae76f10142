package decision

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// assign makes those whom questions name their tasks' assignees, and those who are not named any more are dropped.
// Tasks that were handed on keep theirs.
func (p *asking) assign(ctx context.Context, tx *pg.Tx) error {
	const drop = `
		update decision_assignee a
		   set dropped_at = now()
		  from decision_task t
		 where a.tenant_id = current_tenant()
		   and a.task_id = any(@asked_before::text[]::uuid[])
		   and a.dropped_at is null
		   and t.id = a.task_id
		   and (a.identity_id = any(t.not_for) or a.acting_for = any(t.not_for)
		        or not t.handed_on
		           and a.via <> 'escalation'
		           and a.path = '{}'
		           and (a.task_id, a.identity_id) not in (select w.task_id, w.identity_id
		                                                    from unnest(@tasks::text[]::uuid[],
		                                                        @people::text[]::uuid[]) w (task_id, identity_id)))
		returning a.task_id::text`
	w := Assignees{}
	var before []string
	for _, q := range p.asked {
		for _, a := range q.people {
			w.Add(q.ID, a)
		}
		if !q.fresh {
			before = append(before, q.ID)
		}
	}
	var changed []string
	if len(before) > 0 {
		args := pgx.NamedArgs{"asked_before": before, "tasks": w.tasks, "people": w.people}
		var err error
		if changed, err = pg.All[string](ctx, tx, "drop assignees", drop, args); err != nil {
			return err
		}
	}
	added, err := w.enter(ctx, tx, true)
	if err != nil {
		return err
	}
	return p.noteAssigned(ctx, tx, append(changed, added...))
}

// noteAssigned gives tasks whose assignees changed a new version, and an entry in their history, unless they are new
// or were brought up to date anyway.
func (p *asking) noteAssigned(ctx context.Context, tx *pg.Tx, changed []string) error {
	noted := map[string]bool{}
	for _, e := range p.events {
		noted[e.TaskID] = true
	}
	changed = slices.DeleteFunc(changed, func(id string) bool {
		was := noted[id]
		noted[id] = true
		return was
	})
	if len(changed) == 0 {
		return nil
	}
	p.events = append(p.events, EntriesFor("assigned", "the people who are responsible changed", changed)...)
	return Touch(ctx, tx, changed)
}

// Assignees are people who are to decide tasks: Add them, then Enter them into the tables. The zero value is empty.
type Assignees struct{ tasks, people, vias, for_ []string }

// Add adds a person to those who are to decide a task. Without an identity it does nothing.
func (w *Assignees) Add(task string, a Assignee) {
	if a.IdentityID == "" {
		return
	}
	if a.Via == "" {
		a.Via = Direct
	}
	actingFor := ""
	if a.ActingFor != nil {
		actingFor = *a.ActingFor
	}
	w.tasks, w.people, w.vias, w.for_ = append(
		w.tasks,
		task,
	), append(
		w.people,
		a.IdentityID,
	), append(
		w.vias,
		a.Via,
	), append(
		w.for_,
		actingFor,
	)
}

// Enter makes them assignees: no one who may not decide, is gone, or is one already. With keep, tasks that a person
// has handed on stay as they are.
func (w *Assignees) Enter(ctx context.Context, tx *pg.Tx, keep bool) error {
	_, err := w.enter(ctx, tx, keep)
	return err
}

// enter is Enter, and returns the tasks that have new assignees.
func (w *Assignees) enter(ctx context.Context, tx *pg.Tx, keep bool) ([]string, error) {
	const sql = `
		insert into decision_assignee as a (tenant_id, task_id, identity_id, via, acting_for, open)
		select distinct on (w.task_id, w.identity_id) current_tenant(), w.task_id, w.identity_id, w.via, w.acting_for,
		    t.state in ('open', 'claimed')
		  from unnest(@tasks::text[]::uuid[], @people::text[]::uuid[], @vias::text[],
		      @acting_for::text[]) with ordinality u (task_id, identity_id, via, acting_for_text, n)
		 cross join lateral (select u.task_id, u.identity_id, u.via,
		     nullif(u.acting_for_text, '')::uuid as acting_for) w
		  join decision_task t on t.id = w.task_id
		  join identity i on i.id = w.identity_id
		 where t.tenant_id = current_tenant()
		   and i.tenant_id = current_tenant()
		   and unable_to_decide(i.id) not in ('left', 'user_disabled')
		   and not (@keep and t.handed_on)
		   and w.identity_id <> all(t.not_for)
		   and (w.acting_for is null or w.acting_for <> all(t.not_for))
		 order by w.task_id, w.identity_id, u.n
		    on conflict (tenant_id, task_id, identity_id)
		    do update
		   set via = excluded.via, acting_for = excluded.acting_for, open = excluded.open, path = '{}',
		       added_at = now(), dropped_at = null
		 where a.dropped_at is not null or a.path <> '{}'
		returning a.task_id::text`
	if len(w.tasks) == 0 {
		return nil, nil
	}
	args := pgx.NamedArgs{"tasks": w.tasks, "people": w.people, "vias": w.vias, "acting_for": w.for_, "keep": keep}
	return pg.All[string](ctx, tx, "add assignees", sql, args)
}

// UpdateAssignees does what follows from a change of who decides tasks: delegations are applied, and administrators
// are asked if no one is left, or no longer if an assignee is there. People who no longer decide keep no claim.
func UpdateAssignees(ctx context.Context, tx *pg.Tx, tasks []string) error {
	if len(tasks) == 0 {
		return nil
	}
	if err := ApplyDelegations(ctx, tx, tasks); err != nil {
		return err
	}
	if err := unclaim(ctx, tx, tasks); err != nil {
		return err
	}
	const found = `
		update decision_task t
		   set roles = '{}', stranded = false, updated_at = now(), version = version + 1
		 where t.tenant_id = current_tenant()
		   and t.id = any(@tasks::text[]::uuid[])
		   and t.stranded
		   and exists (select from decision_assignee a where a.tenant_id = current_tenant() and a.task_id = t.id
		       and a.dropped_at is null)`
	if err := pg.Exec(ctx, tx, "settle who decides", found, pgx.NamedArgs{"tasks": tasks}); err != nil {
		return err
	}
	const lost = `
		update decision_task t
		   set roles = '{admin}', stranded = true, updated_at = now(), version = version + 1
		 where t.tenant_id = current_tenant()
		   and t.id = any(@tasks::text[]::uuid[])
		   and t.state in ('open', 'claimed')
		   and t.roles = '{}'
		   and not exists (select from decision_assignee a where a.tenant_id = current_tenant() and a.task_id = t.id
		       and a.dropped_at is null)
		returning t.id::text`
	left, err := pg.All[string](ctx, tx, "ask administrators", lost, pgx.NamedArgs{"tasks": tasks})
	if err != nil {
		return err
	}
	return AddHistory(ctx, tx, EntriesFor("fallback", "no other approver is left, so administrators decide", left))
}

// unclaim releases tasks whose claimant does not decide them any more.
func unclaim(ctx context.Context, tx *pg.Tx, tasks []string) error {
	const sql = `
		update decision_task t
		   set state = 'open', claimed_by = null, claimed_at = null, updated_at = now(), version = version + 1
		 where t.tenant_id = current_tenant()
		   and t.id = any(@tasks::text[]::uuid[])
		   and t.state = 'claimed'
		   and (t.claimed_by ->> 'identity_id' = any(t.not_for::text[])
		        or t.roles = '{}'
		           and not exists (select from decision_assignee a
		                            where a.tenant_id = t.tenant_id
		                              and a.task_id = t.id
		                              and a.dropped_at is null
		                              and a.identity_id::text = t.claimed_by ->> 'identity_id'))`
	return pg.Exec(ctx, tx, "release claims", sql, pgx.NamedArgs{"tasks": tasks})
}

// Assign adds people to an open task and drops others, for its history with why (escalated, re-resolved, …).
func Assign(ctx context.Context, tx *pg.Tx, taskID string, add []Assignee, drop []string, why string) error {
	const sql = `
		update decision_assignee a
		   set dropped_at = now()
		  from decision_task t
		 where a.tenant_id = current_tenant()
		   and a.task_id = @task
		   and a.dropped_at is null
		   and (a.identity_id = any(@drop::text[]::uuid[]) or a.acting_for = any(@drop::text[]::uuid[]))
		   and t.tenant_id = current_tenant()
		   and t.id = a.task_id
		   and t.state in ('open', 'claimed')`
	t, err := Find(ctx, tx, taskID)
	if err != nil || !t.IsOpen() {
		return err
	}
	if err := pg.Exec(ctx, tx, "drop assignees", sql, pgx.NamedArgs{"task": taskID, "drop": NonNil(drop)}); err != nil {
		return err
	}
	w, event := Assignees{}, "assigned"
	for _, a := range add {
		w.Add(taskID, a)
		if a.Via == Escalation {
			event = "escalated"
		}
	}
	if err := w.Enter(ctx, tx, false); err != nil {
		return err
	}
	if err := Touch(ctx, tx, []string{taskID}); err != nil {
		return err
	}
	if err := AddHistory(ctx, tx, EntriesFor(event, why, []string{taskID})); err != nil {
		return err
	}
	return UpdateAssignees(ctx, tx, []string{taskID})
}

// Touch gives tasks a new version when their history or assignees changed and their rows did not.
func Touch(ctx context.Context, tx *pg.Tx, tasks []string) error {
	const sql = `
		update decision_task
		   set updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = any(@tasks::text[]::uuid[])`
	return pg.Exec(ctx, tx, "touch tasks", sql, pgx.NamedArgs{"tasks": tasks})
}
