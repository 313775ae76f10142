package decision

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// mayHand is a fault where the viewer does not say who decides a task: those who decide it may, and administrators.
func (t DecisionTask) mayHand(v viewer.Viewer) error {
	if err := t.waits(); err != nil {
		return err
	}
	err := t.decidable(v)
	switch {
	case fault.IsCode(err, "own_request"):
		return err // nor do they choose who decides
	case v.Has(viewer.Admin):
		return nil
	case err != nil:
		return err
	}
	return t.free(v)
}

// Reassign gives a task to other people, who alone decide it from then on.
func (s *Service) Reassign(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	to []string,
	reason string,
) (DecisionTaskDetail, error) {
	return s.on(ctx, v, id, match, func(tx *pg.Tx, t DecisionTask) error {
		const sql = `
			with dropped as (
			    update decision_assignee
			       set dropped_at = now()
			     where tenant_id = current_tenant()
			       and task_id = @id
			       and dropped_at is null
			)
			update decision_task
			   set roles = '{}', stranded = false, handed_on = true, state = 'open', claimed_by = null,
			       claimed_at = null, updated_at = now(), version = version + 1
			 where tenant_id = current_tenant()
			   and id = @id`
		if err := t.mayHand(v); err != nil {
			return err
		}
		names, err := t.receivers(ctx, tx, to)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, sql, pgx.NamedArgs{"id": id}); err != nil {
			return fmt.Errorf("reassign task: %w", err)
		}
		var w wanted
		for _, person := range to {
			w.add(id, Assignee{IdentityID: person, Via: Reassigned})
		}
		if err := w.enter(ctx, tx, false); err != nil {
			return err
		}
		if err := t.handed(ctx, tx, t.entry("decision_task.reassigned"), "reassigned", names, reason); err != nil {
			return err
		}
		return settlePeople(ctx, tx, []string{id})
	})
}

// handed keeps to whom a task was given.
func (t DecisionTask) handed(
	ctx context.Context,
	tx *pg.Tx,
	e audit.Entry,
	event string,
	names []string,
	reason string,
) error {
	e.Reason, e.Context["to"] = reason, names
	return told(ctx, tx, t, event, "to "+strings.Join(names, ", ")+": "+reason, e)
}

// mayGo is a fault where a task stays with those who are asked.
func (t DecisionTask) mayGo() error {
	if !t.Reassignable {
		return fault.Coded(
			fault.Conflict,
			"not_reassignable",
			"who asks this does not allow that it is reassigned; it can be escalated",
		)
	}
	return nil
}

// receivers are the names of the people to whom a task is to be given. It is a fault where one of them cannot decide
// it. People whom the viewer neither sees nor finds among colleagues who can decide are answered as if there were none.
func (t DecisionTask) receivers(ctx context.Context, tx *pg.Tx, to []string) ([]string, error) {
	if err := t.mayGo(); err != nil {
		return nil, err
	}
	const sql = `
		select i.id::text, i.display_name, i.status
		  from identity i
		 where i.tenant_id = current_tenant()
		   and i.id = any(@ids::text[]::uuid[])
		   and ((select sees_all()) or i.id = any(@named::text[]::uuid[]) or unable_to_decide(i.id) = ''
		     or exists (select from readable_identity(true) r where r.id = i.id))`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"ids": onlyIDs(to...), "named": onlyIDs(t.ReassignTo...)})
	if err != nil {
		return nil, fmt.Errorf("find people: %w", err)
	}
	people := map[string][2]string{}
	var id, name, status string
	if _, err := pgx.ForEachRow(
		rows,
		[]any{&id, &name, &status},
		func() error { people[id] = [2]string{name, status}; return nil },
	); err != nil {
		return nil, fmt.Errorf("find people: %w", err)
	}
	var names []string
	var wrong []fault.Field
	for i, id := range to {
		p, there := people[id]
		code, detail := "", ""
		switch {
		case !there:
			code, detail = "unknown_identity", "no identity has this id"
		case p[1] == "deactivated" || p[1] == "archived":
			code, detail = "inactive_identity", p[0]+" is "+p[1]
		case slices.Contains(t.NotFor, id):
			code, detail = "own_request", "this is about the access of "+p[0]+", or they have asked for it: they "+
				"never decide it"
		case len(t.ReassignTo) > 0 && !slices.Contains(t.ReassignTo, id):
			code, detail = "not_allowed", "it can be reassigned to the people in reassign_to alone"
		}
		if code != "" {
			wrong = append(wrong, fault.Field{Pointer: fmt.Sprintf("#/to/%d", i), Code: code, Detail: detail})
		}
		names = append(names, p[0])
	}
	if len(wrong) > 0 {
		return nil, fault.Coded(fault.Invalid, wrong[0].Code, "it cannot be reassigned so: %s", wrong[0].Detail).
			With(wrong...)
	}
	return names, nil
}

// Escalate asks the managers of those who decide a task beside them; where there are none, or when it is said, the
// administrators.
func (s *Service) Escalate(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	to, reason string,
) (DecisionTaskDetail, error) {
	return s.on(ctx, v, id, match, func(tx *pg.Tx, t DecisionTask) error {
		if err := t.mayHand(v); err != nil {
			return err
		}
		var above []Assignee
		var names []string
		var err error
		if to != "admin" && t.Reassignable && len(t.ReassignTo) == 0 {
			if above, names, err = t.managers(ctx, tx); err != nil {
				return err
			}
		}
		if len(above) == 0 {
			if names, err = t.toAdmins(to); err != nil {
				return err
			}
		}
		if err := t.escalate(ctx, tx, above); err != nil {
			return err
		}
		if err := t.handed(ctx, tx, t.entry("decision_task.escalated"), "escalated", names, reason); err != nil {
			return err
		}
		return settlePeople(ctx, tx, []string{id})
	})
}

// toAdmins are administrators as whom a task is escalated to. It is a fault where they are asked already, or managers
// were wanted.
func (t DecisionTask) toAdmins(to string) ([]string, error) {
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
func (t DecisionTask) escalate(ctx context.Context, tx *pg.Tx, above []Assignee) error {
	const sql = `
		update decision_task
		   set roles = case when @admins then array_append(roles, 'admin') else roles end, handed_on = true,
		       updated_at = now(), version = version + 1
		 where tenant_id = current_tenant()
		   and id = @id`
	if _, err := tx.Exec(ctx, sql, pgx.NamedArgs{"id": t.ID, "admins": len(above) == 0}); err != nil {
		return fmt.Errorf("escalate task: %w", err)
	}
	var w wanted
	for _, a := range above {
		w.add(t.ID, a)
	}
	return w.enter(ctx, tx, false)
}

// managers are the managers of those who decide a task, as far as they can decide it and do not already.
func (t DecisionTask) managers(ctx context.Context, tx *pg.Tx) (above []Assignee, names []string, err error) {
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
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"id": t.ID, "not_for": t.NotFor})
	if err != nil {
		return nil, nil, fmt.Errorf("find managers: %w", err)
	}
	var id, name string
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
		above, names = append(above, Assignee{IdentityID: id, Via: Escalation}), append(names, name)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("find managers: %w", err)
	}
	return above, names, nil
}
