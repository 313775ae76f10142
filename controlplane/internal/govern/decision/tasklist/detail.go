package tasklist

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// DecisionTaskDetail is a task with what happened to it, and who decides it.
type DecisionTaskDetail struct {
	decision.DecisionTask
	// Whether the caller may decide it now.
	You DecisionPermission `json:"you"`
	// All who can decide it, those with a role by name.
	Candidates []DecisionCandidate `json:"candidates" nullable:"false"`
	// The first event first; of many the last 500.
	History []DecisionEvent `json:"history" nullable:"false"`
	// Comments in the history, oldest first.
	Comments []DecisionComment `json:"comments" nullable:"false"`
}

// DecisionPermission reports whether the caller can decide the task, and if not, the reason.
type DecisionPermission struct {
	// Whether the caller can decide the task now.
	MayDecide bool `json:"may_decide"`
	// The code with which a decision would be refused.
	Code string `json:"code,omitempty"`
	// Reason why the caller cannot decide, in words. Absent if they can.
	Detail string `json:"detail,omitempty"`
}

// DecisionCandidate is a person who can decide a task.
type DecisionCandidate struct {
	// ID of the identity. Absent for a user without a linked identity.
	IdentityID string `json:"identity_id,omitempty" db:"identity_id"`
	// Of those who are asked by a role.
	UserID string `json:"user_id,omitempty" db:"user_id"`
	// Display name of the person.
	Display string `json:"display" db:"display"`
	// How the person can decide: direct, delegate, fallback, escalation, reassigned or role.
	Via string `json:"via" db:"via"`
	// Role through which the user can decide. Absent for assignees.
	Role string `json:"role,omitempty" db:"role"`
}

// Read returns a task that the transaction's viewer can see, with its history and candidates; otherwise a fault of
// kind NotFound.
func Read(ctx context.Context, tx *pg.Tx, id string) (d DecisionTaskDetail, err error) {
	t, err := decision.Find(ctx, tx, id)
	if err == nil && !t.VisibleTo(tx.Viewer) {
		err = decision.NotFound(id)
	}
	if err != nil {
		return d, err
	}
	return Detail(ctx, tx, t)
}

// Detail is a task with its candidates, its history and comments.
func Detail(ctx context.Context, tx *pg.Tx, t decision.DecisionTask) (d DecisionTaskDetail, err error) {
	d.DecisionTask = t
	d.You = permission(t, tx.Viewer)
	if d.Candidates, err = candidates(ctx, tx, t.ID); err != nil {
		return d, err
	}
	if d.History, err = events(ctx, tx, t.ID); err != nil {
		return d, err
	}
	d.Comments = []DecisionComment{}
	for _, e := range d.History {
		if e.Event == "commented" {
			d.Comments = append(d.Comments, DecisionComment{At: e.At, By: e.By, Text: e.Detail})
		}
	}
	return d, nil
}

// permission checks whether the viewer can decide the task.
func permission(t decision.DecisionTask, v viewer.Viewer) DecisionPermission {
	for _, err := range []error{t.CheckOpen(), t.CheckDecider(v), t.CheckClaim(v)} {
		var f *fault.Fault
		if errors.As(err, &f) {
			return DecisionPermission{Code: f.Code, Detail: f.Message}
		}
	}
	return DecisionPermission{MayDecide: true}
}

// candidates are all who can decide a task: its assignees, and those who have a role that it asks for, without those
// whom it is not for.
func candidates(ctx context.Context, tx *pg.Tx, id string) ([]DecisionCandidate, error) {
	const sql = `
		select a.identity_id::text as identity_id, '' as user_id, i.display_name as display, a.via, '' as role
		  from decision_assignee a
		  join identity i on i.tenant_id = a.tenant_id and i.id = a.identity_id
		 where a.tenant_id = current_tenant()
		   and a.task_id = @id
		   and a.dropped_at is null
		   and unable_to_decide(i.id) not in ('left', 'user_disabled')
		 union all
		(select coalesce(u.identity_id::text, ''), u.id::text,
		    coalesce(nullif(u.display_name, ''), nullif(i.display_name, ''), u.email), 'role', r.role
		   from decision_task t
		  cross join lateral unnest(t.roles) r (role)
		   join app_user u on u.tenant_id = t.tenant_id and r.role = any(u.roles)
		   left join identity i on i.tenant_id = u.tenant_id and i.id = u.identity_id
		  where t.tenant_id = current_tenant()
		    and t.id = @id
		    and u.status = 'active'
		    and u.deleted_at is null
		    and u.id <> all(t.not_for)
		    and (u.identity_id is null or u.identity_id <> all(t.not_for)
		        and i.status not in ('deactivated', 'archived'))
		  order by 3, 2
		  limit 200)`
	return pg.All[DecisionCandidate](ctx, tx, "find who can decide", sql, pgx.NamedArgs{"id": id})
}

// events are what happened to a task.
func events(ctx context.Context, tx *pg.Tx, id string) ([]DecisionEvent, error) {
	const sql = `
		select e.at, e.event, e.by, e.detail
		  from (select *
		          from decision_event
		         where tenant_id = current_tenant()
		           and task_id = @id
		         order by id desc
		         limit 500) e
		 order by e.id`
	return pg.All[DecisionEvent](ctx, tx, "read history of task", sql, pgx.NamedArgs{"id": id})
}

// DecisionEvent is something that happened to a task.
type DecisionEvent struct {
	// Time of the event.
	At time.Time `json:"at" db:"at"`
	// Kind of event. While the task is open: asked, refreshed, assigned, delegated, returned, reassigned, escalated,
	// fallback, claimed, released, reminded, commented, left. At its end: decided, deferred, applied, refused, undone,
	// expired, cancelled, superseded. More may come.
	Event string `json:"event" db:"event"`
	// User, service token or system that caused the event.
	By decision.Actor `json:"by" db:"by"`
	// In words.
	Detail string `json:"detail" db:"detail"`
}

// DecisionComment is a comment about a task.
type DecisionComment struct {
	// Time of the comment.
	At time.Time `json:"at"`
	// User or service token that wrote the comment.
	By decision.Actor `json:"by"`
	// Text of the comment.
	Text string `json:"text"`
}
