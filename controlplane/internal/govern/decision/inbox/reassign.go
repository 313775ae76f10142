package inbox

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/colleague"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/tasklist"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// TaskColleagues finds people whom a task may be reassigned to, for who may reassign it; everybody else is answered as
// there.
func (s *Service) TaskColleagues(
	ctx context.Context,
	v viewer.Viewer,
	id, q string,
) (found colleague.DecisionColleagues, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		t, err := decision.Find(ctx, tx, id)
		if err == nil && !t.VisibleTo(v) {
			err = decision.NotFound(id)
		}
		if err != nil {
			return err
		}
		for _, err := range []error{colleague.CheckWriter(v), t.CheckReassign(v), t.CheckReassignable()} {
			if err != nil {
				return err
			}
		}
		found, err = receivable(t, q).Find(ctx, tx)
		return err
	})
	return found, err
}

// receivable are those to whom a task can be given and who do not decide it already.
func receivable(t decision.DecisionTask, q string) colleague.Query {
	a := colleague.Query{Q: q, Only: t.ReassignTo, Not: append([]string{}, t.NotFor...)}
	for _, decides := range t.Assignees {
		a.Not = append(a.Not, decides.IdentityID)
	}
	return a
}

// Reassign gives a task to other people, who alone decide it from then on.
func (s *Service) Reassign(
	ctx context.Context,
	v viewer.Viewer,
	id string,
	match httpapi.IfMatch,
	to []string,
	reason string,
) (tasklist.DecisionTaskDetail, error) {
	return s.change(ctx, v, id, match, func(tx *pg.Tx, t decision.DecisionTask) error {
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
		if err := t.CheckReassign(v); err != nil {
			return err
		}
		names, err := receivers(ctx, tx, t, to)
		if err != nil {
			return err
		}
		if err := pg.Exec(ctx, tx, "reassign task", sql, pgx.NamedArgs{"id": id}); err != nil {
			return err
		}
		var w decision.Assignees
		for _, person := range to {
			w.Add(id, decision.Assignee{IdentityID: person, Via: decision.Reassigned})
		}
		if err := w.Enter(ctx, tx, false); err != nil {
			return err
		}
		if err := recordReassignment(
			ctx,
			tx,
			t,
			t.AuditEntry("decision_task.reassigned"),
			"reassigned",
			names,
			reason,
		); err != nil {
			return err
		}
		return decision.UpdateAssignees(ctx, tx, []string{id})
	})
}

// recordReassignment keeps to whom a task was given.
func recordReassignment(
	ctx context.Context,
	tx *pg.Tx,
	t decision.DecisionTask,
	e audit.Entry,
	event string,
	names []string,
	reason string,
) error {
	e.Reason, e.Context["to"] = reason, names
	return record(ctx, tx, t, event, "to "+strings.Join(names, ", ")+": "+reason, e)
}

// receivers are the names of the people to whom a task is to be given. It returns a fault if one of them cannot decide
// it. People whom the viewer neither sees nor finds among colleagues who can decide are answered as if there were none.
func receivers(ctx context.Context, tx *pg.Tx, t decision.DecisionTask, to []string) ([]string, error) {
	if err := t.CheckReassignable(); err != nil {
		return nil, err
	}
	const sql = `
		select i.id::text, i.display_name, i.status
		  from identity i
		 where i.tenant_id = current_tenant()
		   and i.id = any(@ids::text[]::uuid[])
		   and ((select sees_all()) or i.id = any(@named::text[]::uuid[]) or unable_to_decide(i.id) = ''
		     or exists (select from readable_identity(true) r where r.id = i.id))`
	people := map[string][2]string{}
	var id, name, status string
	if err := pg.Each(
		ctx,
		tx,
		"find people",
		[]any{&id, &name, &status},
		func() error { people[id] = [2]string{name, status}; return nil },
		sql,
		pgx.NamedArgs{"ids": decision.OnlyIDs(to...), "named": decision.OnlyIDs(t.ReassignTo...)},
	); err != nil {
		return nil, err
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
