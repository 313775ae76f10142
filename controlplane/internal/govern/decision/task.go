package decision

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// AuditEntry is an entry of the audit log about the task and what it is about.
func (t DecisionTask) AuditEntry(action string) audit.Entry {
	e := audit.Entry{Action: action, Subject: audit.Subject(t.ref()), Context: map[string]any{"kind": t.Kind}}
	for _, r := range []Ref{t.Subject, t.Source} {
		if r.ID != "" {
			e.Objects = append(e.Objects, audit.Subject(r))
		}
	}
	return e
}

// DecisionTask is one thing that people have to decide.
type DecisionTask struct {
	// ID of the decision task.
	ID string `json:"id" db:"id"`
	// What is to be decided: request_approval, sync_hold, account_correlation and others. More may come.
	Kind string `json:"kind" db:"kind"`
	Key  string `json:"-" db:"key"`
	// Whom or what it is about.
	Subject Ref `json:"subject" db:"subject"`
	// What asks.
	Source Ref `json:"source" db:"source"`
	// Title of the decision task, for lists.
	Title string `json:"title" db:"title"`
	// What is to be decided and its consequences, in a few sentences.
	Summary string `json:"summary" db:"summary"`
	// What one needs to know to decide, by kind.
	Context map[string]any `json:"context" db:"context"`
	// The answers that it takes.
	Actions []Action `json:"actions" db:"actions" nullable:"false"`
	// State of the decision task. Open and claimed tasks wait for a decision. All others have ended.
	State string `json:"state" db:"state" enum:"open,claimed,decided,expired,cancelled,superseded"`
	// The person who claimed the task. Only this person can decide it until it is released.
	ClaimedBy *Actor `json:"claimed_by" db:"claimed_by"`
	// Time the task was claimed. Null: it is not claimed.
	ClaimedAt *time.Time `json:"claimed_at" db:"claimed_at"`
	// People who can decide the task. Empty if only users with one of the roles can.
	Assignees []DecisionAssignee `json:"assignees" db:"assignees" nullable:"false"`
	// Everyone with one of these roles can decide too.
	Roles []string `json:"roles" db:"roles" nullable:"false" example:"[\"admin\"]"`
	// For whom the caller decides it, by delegation.
	ActingFor *Ref     `json:"acting_for" db:"-"`
	NotFor    []string `json:"-" db:"not_for"`
	Delegable bool     `json:"-" db:"delegable"`
	// Whether the task can be reassigned. If false, it can still be escalated.
	Reassignable bool `json:"reassignable" db:"reassignable"`
	// When not empty: it can only be reassigned to these people.
	ReassignTo []string `json:"reassign_to" db:"reassign_to" nullable:"false"`
	// Priority of the task. The default is normal.
	Priority string `json:"priority" db:"priority" enum:"low,normal,high,urgent"`
	// Risk level: low, medium, high or critical. Null: unknown.
	RiskLevel *string `json:"risk_level" db:"risk_level"`
	// Time by which a decision is expected. Null: no due time.
	DueAt *time.Time `json:"due_at" db:"due_at"`
	// Whether the decision is or was overdue.
	SLA DecisionSLA `json:"sla" db:"sla"`
	// The same decision fits all tasks with this key; see bulk-decide.
	GroupKey *string `json:"group_key" db:"group_key"`
	// Related objects, such as the access request that needs the decision.
	Links []Ref `json:"links" db:"links" nullable:"false"`
	// Decision that was made. Null: none yet.
	Decision *Decision `json:"decision" db:"decision"`
	// Until then the decision can be undone, and nothing has come of it yet.
	ApplyAt *time.Time `json:"apply_at" db:"apply_at"`
	// Why no decision is needed any more.
	ClosedReason *string `json:"closed_reason" db:"closed_reason"`
	// Time the decision task was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time of the last change to the decision task.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Time of the decision. Null: not decided.
	DecidedAt *time.Time `json:"decided_at" db:"decided_at"`
	// When those who decide it were last reminded.
	RemindedAt *time.Time `json:"reminded_at" db:"reminded_at"`
	// Version number, for If-Match.
	Version int `json:"version" db:"version"`
}

// DecisionAssignee is a person who may decide a task.
type DecisionAssignee struct {
	// ID of the identity that can decide the task.
	IdentityID string `json:"identity_id"`
	// Display name of the assignee.
	Display string `json:"display"`
	// How the assignee got the task. direct: at its creation. delegate: by a delegation. fallback: in place of missing
	// approvers. escalation: after an escalation. reassigned: from another person.
	Via string `json:"via" enum:"direct,delegate,fallback,escalation,reassigned"`
	// Of a delegate: for whom.
	ActingFor *Ref `json:"acting_for"`
}

// DecisionSLA says whether a task is late.
type DecisionSLA struct {
	// It was not decided when it was due, be it decided now or not.
	Breached bool `json:"breached"`
}

// Columns are the columns of DecisionTask, of a table decision_task t.
const Columns = `t.id, t.kind, t.key, t.subject, t.source, t.title, t.summary, t.context, t.actions, t.state,
	t.claimed_by, t.claimed_at, (select coalesce(jsonb_agg(jsonb_build_object('identity_id', a.identity_id, 'display',
	           coalesce(i.display_name, ''), 'via', a.via, 'acting_for',
	               case when f.id is not null then jsonb_build_object('type', 'identity', 'id', f.id, 'display',
	               f.display_name) end)
	           order by a.added_at, a.identity_id), '[]')
	   from decision_assignee a
	   left join identity i on i.tenant_id = a.tenant_id and i.id = a.identity_id
	   left join identity f on f.tenant_id = a.tenant_id and f.id = a.acting_for
	  where a.tenant_id = t.tenant_id and a.task_id = t.id and a.dropped_at is null) as assignees,
	t.roles, t.not_for, t.delegable, t.reassignable, t.reassign_to, t.priority, t.risk_level, t.due_at,
	jsonb_build_object('breached', coalesce(case when t.state in ('open', 'claimed') then now()
	else coalesce(t.decided_at, t.updated_at) end > t.due_at, false)) as sla, t.group_key, t.links, t.decision,
	    t.apply_at, t.closed_reason, t.created_at, t.updated_at, t.decided_at, t.reminded_at, t.version`

// IsOpen says whether the task waits for a decision, claimed or not.
func (t DecisionTask) IsOpen() bool { return t.State == Open || t.State == Claimed }

// ref names the task for the audit log.
func (t DecisionTask) ref() Ref { return Ref{Type: "decision_task", ID: t.ID, Display: t.Title} }

// assignee is a person's place among those who decide.
func (t DecisionTask) assignee(identity string) (DecisionAssignee, bool) {
	if identity == "" {
		return DecisionAssignee{}, false
	}
	i := slices.IndexFunc(t.Assignees, func(a DecisionAssignee) bool { return a.IdentityID == identity })
	if i < 0 {
		return DecisionAssignee{}, false
	}
	return t.Assignees[i], true
}

// VisibleTo says whether a viewer can see the task: those who may decide it, those for whom delegates do, and those
// who see the whole tenant.
func (t DecisionTask) VisibleTo(v viewer.Viewer) bool {
	if v.SeesAll() || t.asksRole(v) {
		return true
	}
	return v.Identity != "" && slices.ContainsFunc(t.Assignees, func(a DecisionAssignee) bool {
		return a.IdentityID == v.Identity || a.ActingFor != nil && a.ActingFor.ID == v.Identity
	})
}

// asksRole says whether the task asks for a role that the viewer has.
func (t DecisionTask) asksRole(v viewer.Viewer) bool {
	return slices.ContainsFunc(v.Roles, func(r viewer.Role) bool { return slices.Contains(t.Roles, string(r)) })
}

// ShownTo is the task with acting_for as it concerns the viewer.
func (t DecisionTask) ShownTo(v viewer.Viewer) DecisionTask {
	if a, is := t.assignee(v.Identity); is {
		t.ActingFor = a.ActingFor
	}
	return t
}

// Find reads a task in the caller's transaction.
func Find(ctx context.Context, tx *pg.Tx, id string) (DecisionTask, error) {
	if !listing.IsID(id) {
		return DecisionTask{}, NotFound(id)
	}
	t, err := pg.One[DecisionTask](
		ctx,
		tx,
		"find task",
		`select `+Columns+` from decision_task t where t.tenant_id = current_tenant() and t.id = $1`,
		id,
	)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return t, NotFound(id)
	case err != nil:
		return t, err
	}
	return t.ShownTo(tx.Viewer), nil
}

// NotFound is the fault for a task that does not exist, or that the viewer cannot see.
func NotFound(id string) error { return fault.New(fault.NotFound, "Task %s was not found.", id) }

// Lock reads tasks and keeps others from changing them until the transaction ends. Those that are not there, or not to
// be seen, are missing from the answer.
func Lock(ctx context.Context, tx *pg.Tx, ids []string) (map[string]DecisionTask, error) {
	const locked = `
		select t.id::text
		  from decision_task t
		 where t.tenant_id = current_tenant()
		   and t.id = any(@ids::text[]::uuid[])
		 order by t.id
		   for update of t`
	const sql = `select ` + Columns + ` from decision_task t where t.tenant_id = current_tenant()
		and t.id = any(@ids::text[]::uuid[])`
	args := pgx.NamedArgs{"ids": OnlyIDs(ids...)}
	// What is read must be what was locked: a second statement sees what others have committed while the first one
	// waited.
	if err := pg.Exec(ctx, tx, "lock tasks", locked, args); err != nil {
		return nil, err
	}
	tasks, err := pg.All[DecisionTask](ctx, tx, "read tasks", sql, args)
	if err != nil {
		return nil, err
	}
	found := make(map[string]DecisionTask, len(tasks))
	for _, t := range tasks {
		if t.VisibleTo(tx.Viewer) {
			found[t.ID] = t.ShownTo(tx.Viewer)
		}
	}
	return found, nil
}

// OnlyIDs leaves out what cannot be the id of anything, so that a query does not fail on it.
func OnlyIDs(ids ...string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !listing.IsID(id) })
}
