package taskview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	directoryaccount "github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Task is one change of a target system, as it is shown.
type Task struct {
	// ID of the provisioning task, a UUID.
	ID string `json:"id" db:"id"`
	// Change that the task makes in the target system.
	Operation string `json:"operation" db:"operation" enum:"create_account,update_account,rename_account,enable,disable,delete_account,unlock,set_password,grant,revoke"`
	// State of the provisioning task. blocked: another task has to be done first, or a policy holds it since held_at.
	// verifying: the target reports success, and a reading has yet to confirm it. manual: a person has to do it.
	State string `json:"state" db:"state" enum:"queued,blocked,running,verifying,retrying,done,failed,manual,cancelled,simulated"`
	// How the task is carried out. auto: it is sent. manual: a person does it. simulate: it is planned only.
	Mode string `json:"mode" db:"mode" enum:"auto,manual,simulate"`
	// Lane of the task. Urgent tasks are sent before all others of the connector.
	Lane string `json:"lane" db:"lane" enum:"normal,urgent"`
	// ID of the connector of the target system.
	ConnectorID string `json:"connector_id" db:"connector_id"`
	// ID and display name of the connector.
	Connector *identity.Reference `json:"connector" db:"connector"`
	// ID of the identity that the task is about; null if there is none.
	IdentityID *string `json:"identity_id" db:"identity_id"`
	// ID and display name of the identity; null if there is none.
	Identity *identity.Reference `json:"identity" db:"identity"`
	// ID of the account that the task is about; null if there is none.
	AccountID *string `json:"account_id" db:"account_id"`
	// ID and display name of the account; null if there is none.
	Account *identity.Reference `json:"account" db:"account"`
	// Time since which a separation-of-duties policy holds the task, which error explains; null if it is not held.
	HeldAt *time.Time `json:"held_at" db:"held_at"`
	// ID of the grant that the task grants or revokes; null if there is none.
	GrantID *string `json:"grant_id" db:"grant_id"`
	// ID of the entitlement that the task grants or revokes; null if there is none.
	EntitlementID *string `json:"entitlement_id" db:"entitlement_id"`
	// ID and display name of the entitlement; null if there is none.
	Entitlement *identity.Reference `json:"entitlement" db:"entitlement"`
	// Why the task was created: a reason of this kind, a change of the person (lifecycle), the drift rule (drift) or an
	// order (manual).
	CreatedFrom string `json:"created_from" db:"created_from" enum:"birthright,policy,role,request,certification,violation,lifecycle,drift,manual"`
	// What it is for.
	ReasonRefs []task.Ref `json:"reason_refs" db:"reason_refs" nullable:"false"`
	// The tasks that have to be done first.
	DependsOn []string `json:"depends_on" db:"depends_on" nullable:"false"`
	// Number of attempts to carry out the task so far.
	AttemptCount int `json:"attempt_count" db:"attempt_count"`
	// When it is sent, at the earliest; null when it is not going to be.
	NextAttemptAt *time.Time `json:"next_attempt_at" db:"next_attempt_at"`
	// What keeps everything from being sent through the connector; null when nothing does, or the task has ended.
	Waiting *ability.Waiting `json:"waiting" db:"waiting"`
	// Of the last attempt: applied, already, noop, pending, manual_required, planned, unknown, refused, not_sent;
	// cancelled; completed by hand.
	Outcome *string `json:"outcome" db:"outcome"`
	// The message of the target.
	Error *v1.ErrorDetail `json:"error" db:"error"`
	// Class of the error; null if there is none. throttled: the target limits the rate of requests. invalid: the target
	// refuses the change. unsupported: the connector or its target cannot make such a change.
	ErrorClass *string `json:"error_class" db:"error_class" enum:"transient,throttled,auth,config,conflict,invalid,not_found,unsupported"`
	// What to do about it.
	Advice *string `json:"advice" db:"advice"`
	// Whether the change was confirmed in the target system.
	Verified TaskVerified `json:"verified" db:"verified"`
	// Notes of the order and of later changes of the task, separated by semicolons; null if there are none.
	Note *string `json:"note" db:"note"`
	// Actor that created the task, with type, display and, if it has one, id.
	CreatedBy json.RawMessage `json:"created_by" db:"created_by"`
	// Time the task was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// When the escalation began, because the account of a leaver can still be used.
	EscalatedAt *time.Time `json:"escalated_at" db:"escalated_at"`
	// Time the task was last changed.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Time the task reached the state verifying, done, failed, cancelled or simulated; null before that.
	FinishedAt *time.Time `json:"finished_at" db:"finished_at"`
	// Version number of the task, for the If-Match header.
	Version int `json:"version" db:"version"`
}

// TaskVerified says whether the target was seen to be as asked.
type TaskVerified struct {
	// Result of the verification. none: not verified. pending: a reading has yet to confirm the change. yes: confirmed.
	// no: a reading did not show the change.
	State string `json:"state" enum:"none,pending,yes,no"`
	// How the change was verified. readback: the record was read again. sync: a sync run read it. human: a person
	// reported the change. Null if it was not.
	By *string `json:"by" enum:"readback,sync,human"`
	// Time of the last verification or report; null if there was none.
	At *time.Time `json:"at"`
	// ID of the sync run that verified the change; null if no sync run is recorded.
	RunID *string `json:"run_id"`
}

// TaskDetail is a task with everything that was done about it.
type TaskDetail struct {
	Task
	// Attempts to carry out the task, the oldest first.
	Attempts []TaskAttempt `json:"attempts" nullable:"false"`
	// What is written; no secrets.
	Payload TaskPayload `json:"payload"`
	// What was or would be sent, with secrets masked.
	Plan []v1.PlannedRequest `json:"plan" nullable:"false"`
	// What became different, as the target showed it.
	Changes []v1.ChangedField `json:"changes" nullable:"false"`
	// Where the change was carried out: hosted in the control plane, or in an agent; null if no result was received.
	ExecutedBy *v1.ExecutedBy `json:"executed_by"`
}

// TaskPayload is what a task writes of an account.
type TaskPayload struct {
	// Attributes that the task writes to the account; null if it writes none.
	Account *v1.ProvisionAccount `json:"account"`
	// How the task sets the password; null if it does not.
	Credential *TaskCredential `json:"credential"`
}

// shownPayload leaves out what must not be read.
func shownPayload(p task.Payload) TaskPayload {
	out := TaskPayload{Account: p.Account}
	if p.Credential != nil {
		out.Credential = &TaskCredential{p.Credential.Mode, p.Credential.ForceChange}
	}
	return out
}

// TaskCredential says what becomes of a password, never which it is.
type TaskCredential struct {
	// Kind of password. none: no password. random: an unknown random password. password: a given password, which is
	// never shown.
	Mode string `json:"mode" enum:"none,random,password"`
	// True if the password must be changed at the first sign-in.
	ForceChange bool `json:"force_change"`
}

// TaskAttempt is one time that a task was sent.
type TaskAttempt struct {
	// Number of the attempt, counted from 1.
	N int `json:"n" db:"n"`
	// Time the attempt began.
	At time.Time `json:"at" db:"at"`
	// ID of the attempt, a UUID. The connector receives it with the change.
	RequestID string `json:"request_id" db:"request_id"`
	// Null while it is in progress, or if the end is unknown.
	Outcome *string `json:"outcome" db:"outcome"`
	// Class of the error of the attempt, as in the task; null if there is none.
	ErrorClass *string `json:"error_class" db:"error_class"`
	// Error of the attempt, as the connector returned it; null if there is none.
	Upstream *v1.ErrorDetail `json:"upstream" db:"upstream"`
	// Where the attempt was carried out: hosted in the control plane, or in an agent; null if no result was received.
	ExecutedBy *v1.ExecutedBy `json:"executed_by" db:"executed_by"`
	// Duration of the attempt in milliseconds; null while it is in progress, or if the end is unknown.
	LatencyMS *int `json:"latency_ms" db:"latency_ms"`
}

// shown are the tasks t that a viewer may see: of the people they manage, and about what they own.
func shown(tx *pg.Tx, own bool) string {
	if tx.Viewer.SeesAll() {
		return `(select * from provisioning_task where (select sees_all())) t`
	}
	mine := ""
	if own {
		mine = ` or k.identity_id = viewer_identity()`
	}
	return `(select k.* from provisioning_task k
	          where k.identity_id in (select id from managed_identity()) or k.entitlement_id in (select id
	              from owned_entitlement())` + mine + `) t`
}

// aroundTask joins what a task is shown with. All are left joins: tasks outlive what they were
// about.
const aroundTask = `
	left join connector c on c.tenant_id = t.tenant_id and c.id = t.connector_id` + ability.AroundConnectorSQL + `
	left join identity i on i.tenant_id = t.tenant_id and i.id = t.identity_id
	left join account a on a.tenant_id = t.tenant_id and a.id = t.account_id
	left join entitlement e on e.tenant_id = t.tenant_id and e.id = t.entitlement_id`

const taskColumns = `t.id, t.operation, t.state, t.mode, t.lane, t.connector_id,
	case when c.id is not null then jsonb_build_object('id', c.id, 'display', c.name) end as connector, t.identity_id,
	case when i.id is not null then jsonb_build_object('id', i.id, 'display', i.display_name) end as identity,
	t.account_id, case when a.id is not null then jsonb_build_object('id', a.id, 'display', ` +
	directoryaccount.Display + `) end as account, t.grant_id, t.entitlement_id,
	case when t.state = 'blocked' then t.held_at end as held_at,
	case when e.id is not null then jsonb_build_object('id', e.id, 'display',
	coalesce(nullif(e.display_name, ''), nullif(e.name, ''), e.external_id)) end as entitlement, t.created_from,
	t.reason_refs, t.depends_on::text[] as depends_on, t.attempts as attempt_count,
	case when t.state in ('queued', 'retrying') then t.next_attempt_at end as next_attempt_at,
	    case when t.state in ('queued', 'retrying', 'running') then ` + ability.WaitingSQL + ` end as waiting,
	t.outcome, t.error, t.error_class, t.advice,
	jsonb_build_object('state', t.verified, 'by', t.verified_by, 'at', t.verified_at, 'run_id',
	t.verified_run_id) as verified, t.note, t.created_by, t.created_at, t.escalated_at, t.updated_at,
	    t.finished_at, t.version`

// Find reads a task with its attempts if the transaction's viewer may see it; else, and when there is none, it is a
// fault of kind NotFound.
func Find(ctx context.Context, tx *pg.Tx, id string) (TaskDetail, error) {
	var d TaskDetail
	missing := fault.New(fault.NotFound, "Provisioning task %s was not found.", id)
	if !listing.IsID(id) {
		return d, missing
	}
	rows, err := tx.Query(
		ctx,
		`select `+taskColumns+` from `+shown(tx, true)+aroundTask+` where t.id = @id`,
		pgx.NamedArgs{"id": id},
	)
	if err != nil {
		return d, fmt.Errorf("find task: %w", err)
	}
	d.Task, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Task])
	if errors.Is(err, pgx.ErrNoRows) {
		return d, missing
	}
	if err != nil {
		return d, fmt.Errorf("find task: %w", err)
	}
	var p task.Payload
	const more = `select payload, coalesce(plan, '[]'), coalesce(changes, '[]'),
		executed_by from provisioning_task where id = $1`
	if err := tx.QueryRow(ctx, more, id).Scan(&p, &d.Plan, &d.Changes, &d.ExecutedBy); err != nil {
		return d, fmt.Errorf("find task: %w", err)
	}
	d.Payload = shownPayload(p)
	if d.Attempts, err = pg.All[TaskAttempt](
		ctx,
		tx,
		"read attempts",
		`select n, at, request_id, outcome, error_class, upstream, executed_by,
			latency_ms from provisioning_attempt where task_id = $1 order by n`,
		id,
	); err != nil {
		return d, err
	}
	return d, nil
}
