package provision

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/failure"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grantstatus"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	directoryaccount "github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// settled is an outcome as the statement reads it.
type settled struct {
	ID       string              `json:"id"`
	N        int                 `json:"n"`
	State    string              `json:"state"`
	Outcome  string              `json:"outcome"`
	Counts   int                 `json:"counts"`
	Pause    float64             `json:"pause"` // seconds
	Unsure   bool                `json:"unsure"`
	Class    *string             `json:"class"`
	Error    *v1.ErrorDetail     `json:"error"`
	Advice   *string             `json:"advice"`
	Plan     []v1.PlannedRequest `json:"plan"`
	Changes  []v1.ChangedField   `json:"changes"`
	By       *v1.ExecutedBy      `json:"executed_by"`
	Verified string              `json:"verified"`
	Upstream *v1.ErrorDetail     `json:"upstream"`
	Latency  int64               `json:"latency"`
	Over     bool                `json:"over"`
}

func (o outcome) row() settled {
	r := settled{
		ID:       o.job.ID,
		N:        o.job.N,
		State:    o.state,
		Outcome:  string(o.result),
		Pause:    o.pause.Seconds(),
		Unsure:   o.unsure,
		Class:    optional(o.class),
		Error:    o.detail,
		Advice:   optional(o.advice),
		Plan:     o.plan,
		Changes:  o.changes,
		By:       o.by,
		Verified: "none",
		Upstream: o.detail,
		Latency:  o.at.Milliseconds(),
	}
	if o.counts {
		r.Counts = 1
	}
	if r.Outcome == "" && o.detail != nil {
		r.Outcome = "refused"
	}
	switch o.state {
	case task.Done:
		r.Verified, r.Over = "yes", true
	case task.Verifying:
		r.Verified, r.Over = "pending", true
	case task.Failed, task.Simulated:
		r.Over = true
	}
	return r
}

// settle writes what became of attempts: of the tasks, of the accounts and grants they are about, and of the tasks that
// wait for them. What another process has taken over meanwhile is its to tell. It says true when nothing else is to be
// sent now.
func (l *lane) settle(ctx context.Context, tx *pg.Tx, ended []outcome) (stop bool, err error) {
	if len(ended) == 0 {
		return false, nil
	}
	if ended, err = l.twins(ctx, tx, ended); err != nil {
		return false, err
	}
	ours, err := l.write(ctx, tx, ended)
	if err != nil || len(ours) == 0 {
		return false, err
	}
	if err := l.apply(ctx, tx, ours); err != nil {
		return false, err
	}
	if err := follow(ctx, tx, ours); err != nil {
		return false, err
	}
	if err := audit.RecordAll(ctx, tx, l.entries(ours)); err != nil {
		return false, err
	}
	return l.mood(ctx, tx, ours)
}

// write updates the tasks and their attempts, and gives the outcomes that were ours to tell.
func (l *lane) write(ctx context.Context, tx *pg.Tx, ended []outcome) ([]outcome, error) {
	const sql = `
		with r as (
		    select *
		      from jsonb_to_recordset($1::jsonb) r (id uuid, n int, state text, outcome text, counts int, pause float8,
		           unsure boolean, class text, error jsonb, advice text, plan jsonb, changes jsonb, executed_by jsonb,
		               verified text, upstream jsonb, latency int, over boolean)
		), t as (
		    update provisioning_task t
		       set state = r.state, tries = t.tries + r.counts,
		           next_attempt_at = now() + make_interval(secs => r.pause), lease_owner = null, lease_until = null,
		           unsure = r.unsure, outcome = r.outcome, error = nullif(r.error, 'null'), error_class = r.class,
		           advice = coalesce(r.advice, case when r.state = 'retrying' then null end),
		           plan = coalesce(nullif(r.plan, 'null'), t.plan),
		           changes = coalesce(nullif(r.changes, 'null'), t.changes),
		               executed_by = coalesce(nullif(r.executed_by, 'null'), t.executed_by), verified = r.verified,
		               verified_by = case when r.verified = 'yes' then 'readback' end,
		               verified_at = case when r.verified = 'yes' then now() end, replan = t.replan and not r.over,
		               finished_at = case when r.over then now() end, updated_at = now(), version = t.version + 1
		      from r
		     where t.id = r.id
		       and t.state = 'running'
		       and t.lease_owner = $2
		       and t.attempts = r.n
		    returning t.id, t.attempts as n, r.outcome, r.class, r.upstream, r.executed_by, r.latency
		), a as (
		    update provisioning_attempt a
		       set outcome = t.outcome, error_class = t.class, upstream = nullif(t.upstream, 'null'),
		           executed_by = nullif(t.executed_by, 'null'), latency_ms = t.latency
		      from t
		     where a.task_id = t.id
		       and a.n = t.n
		)
		select t.id::text from t`
	again := map[string]bool{}
	rows := make([]settled, len(ended))
	for i, o := range ended {
		rows[i] = o.row()
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return nil, err
	}
	if err := replanned(ctx, tx, rows); err != nil {
		return nil, err
	}
	found, err := tx.Query(ctx, sql, string(text), l.s.me)
	if err != nil {
		return nil, fmt.Errorf("write what became of tasks: %w", err)
	}
	ids, err := pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("write what became of tasks: %w", err)
	}
	for _, id := range ids {
		again[id] = true
	}
	ours := make([]outcome, 0, len(ids))
	for _, o := range ended {
		if again[o.job.ID] {
			ours = append(ours, o)
		}
	}
	return ours, nil
}

// replanned has people looked at again of whom the opposite was wanted while a change was being made.
func replanned(ctx context.Context, tx *pg.Tx, rows []settled) error {
	var over []string
	for _, r := range rows {
		if r.State != task.Running {
			over = append(over, r.ID)
		}
	}
	const sql = `
		insert into work_item (tenant_id, kind, subject, priority)
		select distinct t.tenant_id, 'provisioning', t.identity_id, i.urgent::int
		  from provisioning_task t
		  join identity i on i.tenant_id = t.tenant_id and i.id = t.identity_id
		 where t.id = any($1::text[]::uuid[])
		   and t.replan`
	if _, err := tx.Exec(ctx, sql, over); err != nil {
		return fmt.Errorf("have people looked at again: %w", err)
	}
	return nil
}

// twins finds accounts that a reading of the target has brought as others meanwhile. One without an owner, or of the
// same owner, is the same account, and its row becomes one with ours; one of somebody else is theirs, and the change
// has failed.
func (l *lane) twins(ctx context.Context, tx *pg.Tx, ended []outcome) ([]outcome, error) {
	var keys []string
	for _, o := range ended {
		if o.job.Operation == task.CreateAccount && o.made() && o.account != nil && o.job.AccountID != nil {
			keys = append(keys, o.account.ExternalID)
		}
	}
	if len(keys) == 0 {
		return ended, nil
	}
	const sql = `select external_id, id::text, identity_id::text from account where connector_id = $1
		and external_id = any($2) for update`
	rows, err := tx.Query(ctx, sql, l.id, keys)
	if err != nil {
		return nil, fmt.Errorf("look for the same accounts: %w", err)
	}
	type twin struct {
		id    string
		owner *string
	}
	there := map[string]twin{}
	var key string
	var t twin
	if _, err := pgx.ForEachRow(
		rows,
		[]any{&key, &t.id, &t.owner},
		func() error { there[key] = t; t.owner = nil; return nil },
	); err != nil {
		return nil, fmt.Errorf("look for the same accounts: %w", err)
	}
	for i, o := range ended {
		if o.job.Operation != task.CreateAccount || !o.made() || o.account == nil || o.job.AccountID == nil {
			continue
		}
		t, found := there[o.account.ExternalID]
		switch {
		case !found || t.id == *o.job.AccountID:
		case t.owner != nil && o.job.IdentityID != nil && *t.owner != *o.job.IdentityID:
			d := &v1.ErrorDetail{
				Class:   v1.ClassConflict,
				Code:    "account_of_somebody_else",
				Message: "the account with this username in the target belongs to another person here",
			}
			ended[i] = outcome{
				job:    o.job,
				state:  task.Failed,
				result: "refused",
				counts: true,
				class:  failure.ClassConflict,
				detail: d,
				at:     o.at,
				by:     o.by,
				advice: failure.Advice(task.CreateAccount, failure.ClassConflict, d),
			}
		default:
			if err := adopt(ctx, tx, *o.job.AccountID, t.id); err != nil {
				return nil, err
			}
		}
	}
	return ended, nil
}

// adopt makes one account of two rows.
func adopt(ctx context.Context, tx *pg.Tx, ours, twin string) error {
	if err := grantstatus.Move(ctx, tx, twin, ours); err != nil {
		return err
	}
	for _, sql := range []string{
		`update provisioning_task set account_id = $1 where account_id = $2 and state in ('done', 'simulated',
			'cancelled', 'verifying')`,
		`update provisioning_task set state = 'cancelled', outcome = 'cancelled',
			note = 'its account became one with another', finished_at = now(), updated_at = now(),
			version = version + 1 where account_id = $2 and account_id <> $1`,
		`update access_reason set account_id = $1 where account_id = $2`,
	} {
		if _, err := tx.Exec(ctx, sql, ours, twin); err != nil {
			return fmt.Errorf("adopt account: %w", err)
		}
	}
	return directoryaccount.MergeDiscovered(ctx, tx, ours, twin)
}

// apply writes what became of accounts and grants.
func (l *lane) apply(ctx context.Context, tx *pg.Tx, ended []outcome) error {
	var seen []directoryaccount.Observed
	var states []grantstatus.State
	var failed []string
	for _, o := range ended {
		if s, known := o.unchanged(); known {
			seen = append(seen, s)
		}
		switch {
		case o.job.Mode == task.ModeSimulate || o.job.AccountID == nil:
		case o.made() && o.job.GrantID != nil:
			states = append(
				states,
				grantstatus.State{
					ID:     *o.job.GrantID,
					Status: grantAfter(o),
					Held:   o.job.Operation == task.Grant && !o.awaited(),
				},
			)
		case o.made():
			if s, known := o.observed(l.s.Now()); known {
				seen = append(seen, s)
			}
		case o.state == task.Failed && o.job.Operation == task.Grant && o.job.GrantID != nil:
			states = append(states, grantstatus.State{ID: *o.job.GrantID, Status: "failed"})
		case o.state == task.Failed && o.job.Operation == task.CreateAccount:
			failed = append(failed, *o.job.AccountID)
		case o.state == task.Failed && o.job.Operation == task.DeleteAccount:
			if err := directoryaccount.SetStatus(ctx, tx, *o.job.AccountID, "disabled"); err != nil {
				return err
			}
		}
	}
	for _, id := range failed {
		if err := directoryaccount.SetStatus(ctx, tx, id, "failed"); err != nil {
			return err
		}
	}
	if err := directoryaccount.UpdateObserved(ctx, tx, seen); err != nil {
		return err
	}
	return grantstatus.Set(ctx, tx, states)
}

// grantAfter is how a grant stands after its change. What the target has only taken note of stays as it was until a
// reading shows it.
func grantAfter(o outcome) string {
	switch {
	case o.job.Operation == task.Grant && o.awaited():
		return "pending"
	case o.job.Operation == task.Grant:
		return "active"
	case o.awaited():
		return "revoking"
	}
	return "revoked"
}

// observed is what is known of an account after a change. What the target has only taken note of is not known yet.
func (o outcome) observed(now time.Time) (directoryaccount.Observed, bool) {
	s := directoryaccount.Observed{ID: *o.job.AccountID}
	if o.awaited() || o.job.Operation == task.CreateAccount && o.account == nil {
		return s, false
	}
	if a := o.account; a != nil {
		s.ExternalID, s.NativeRef, s.NativeIdentity = a.ExternalID, a.NativeRef, a.NativeIdentity
		s.Username, s.Email, s.DisplayName, s.FirstName, s.LastName, s.EmployeeNumber = a.Username, a.Email,
			a.DisplayName, a.FirstName, a.LastName, a.EmployeeNumber
		s.IsDisabled, s.IsLocked = a.IsDisabled, a.IsLocked
	}
	no, yes := false, true
	if o.vanished {
		s.Deleted = true
		return s, true
	}
	switch o.job.Operation {
	case task.CreateAccount:
		if s.IsDisabled == nil {
			s.IsDisabled = &no
		}
	case task.Disable:
		s.IsDisabled, s.DisabledFor = &yes, o.job.Payload.DisabledFor
	case task.Enable:
		s.IsDisabled, s.Enabled = &no, true
	case task.Unlock:
		s.IsLocked = &no
	case task.SetPassword:
		s.PasswordSetAt = &now
	case task.DeleteAccount:
		s.Deleted = true
	case task.UpdateAccount, task.RenameAccount:
		if p := o.job.Payload.Account; p != nil && o.account == nil {
			s.Username, s.Email, s.DisplayName, s.FirstName, s.LastName, s.EmployeeNumber = p.Username, p.Email,
				p.DisplayName, p.FirstName, p.LastName, p.EmployeeNumber
		}
	}
	return s, true
}

// unchanged is what is known of an account that a refused change was to enable or disable, and that was read before
// because an earlier change of unknown outcome may have done so: as it is stored, it may not be.
func (o outcome) unchanged() (directoryaccount.Observed, bool) {
	a, op := o.before, o.job.Operation
	if a == nil || a.Deleted || a.IsDisabled == nil || o.state != task.Failed || o.job.AccountID == nil ||
		op != task.Enable && op != task.Disable {
		return directoryaccount.Observed{}, false
	}
	return directoryaccount.Observed{ID: *o.job.AccountID, IsDisabled: a.IsDisabled, IsLocked: a.IsLocked}, true
}

// follow lets go on what waited for tasks that are done, and says at what waits for a failed one why it does. A deleted
// account's grants are gone with it.
func follow(ctx context.Context, tx *pg.Tx, ended []outcome) error {
	var done, failed, deleted []string
	for _, o := range ended {
		switch {
		case o.state == task.Done || o.state == task.Simulated || o.state == task.Verifying && o.job.Operation != task.CreateAccount:
			done = append(done, o.job.ID)
		case o.state == task.Failed:
			failed = append(failed, o.job.ID)
		}
		if o.state == task.Done && (o.job.Operation == task.DeleteAccount || o.vanished) && o.job.AccountID != nil &&
			o.job.Mode != task.ModeSimulate {
			deleted = append(deleted, *o.job.AccountID)
		}
	}
	if err := release(ctx, tx, done); err != nil {
		return err
	}
	if err := explain(ctx, tx, failed); err != nil || len(deleted) == 0 {
		return err
	}
	const gone = `
		update access_grant
		   set status = 'revoked', revoked_at = now(), updated_at = now(), version = version + 1
		 where account_id = any($1::text[]::uuid[])
		   and status <> 'revoked'`
	if _, err := tx.Exec(ctx, gone, deleted); err != nil {
		return fmt.Errorf("end grants of deleted accounts: %w", err)
	}
	return nil
}

// release lets tasks go on all of whose conditions are met.
func release(ctx context.Context, tx *pg.Tx, done []string) error {
	if len(done) == 0 {
		return nil
	}
	const sql = `
		update provisioning_task t
		   set state = case when t.mode = 'manual' then 'manual' else 'queued' end, next_attempt_at = now(),
		       error = null, error_class = null, advice = case when t.mode = 'manual' then t.advice end,
		           updated_at = now(), version = t.version + 1
		 where t.state = 'blocked'
		   and t.depends_on && $1::text[]::uuid[]
		   and not exists (
		        select from provisioning_task d
		         where d.id = any(t.depends_on)
		           and d.state not in ('done', 'simulated')
		           and not (d.state = 'verifying' and d.operation <> 'create_account'))`
	if _, err := tx.Exec(ctx, sql, done); err != nil {
		return fmt.Errorf("let tasks go on: %w", err)
	}
	return nil
}

// explain says at tasks that wait for failed ones why they do not go on.
func explain(ctx context.Context, tx *pg.Tx, failed []string) error {
	if len(failed) == 0 {
		return nil
	}
	const sql = `
		update provisioning_task t
		   set error = jsonb_build_object('class', 'conflict', 'code', 'dependency_failed', 'retryable', false,
		                   'message', 'a task that has to be done first has failed: ' || d.operation || coalesce(', '
		       || (d.error ->> 'message'), '')),
		           advice = 'Mend task ' || d.id ||
		           ' and retry it; this one goes on by itself then. Nothing of it has been sent.',
		       updated_at = now(), version = t.version + 1
		  from provisioning_task d
		 where d.id = any($1::text[]::uuid[])
		   and t.state = 'blocked'
		   and d.id = any(t.depends_on)`
	if _, err := tx.Exec(ctx, sql, failed); err != nil {
		return fmt.Errorf("explain what tasks wait for: %w", err)
	}
	return nil
}

// entries tell the audit log of tasks that have ended.
func (l *lane) entries(ended []outcome) []audit.Entry {
	var entries []audit.Entry
	for _, o := range ended {
		account := orEmpty(o.job.AccountID)
		more := map[string]any{"operation": o.job.Operation, "attempts": o.job.N, "created_from": o.job.CreatedFrom}
		if o.job.IdentityID != nil {
			more["identity_id"] = *o.job.IdentityID
		}
		if o.job.GrantID != nil {
			more["grant_id"] = *o.job.GrantID
		}
		switch o.state {
		case task.Done, task.Verifying:
			more["outcome"], more["verified"] = string(o.result), o.verified
			entries = append(entries, entryOf("provisioning.done", audit.Success, o, account, l.id, more))
		case task.Failed:
			more["error_class"], more["error_code"] = o.class, o.detail.Code
			entries = append(entries, entryOf("provisioning.failed", audit.Failure, o, account, l.id, more))
		case task.Simulated:
			entries = append(entries, entryOf("provisioning.simulated", audit.Success, o, account, l.id, more))
		}
	}
	return entries
}

func entryOf(
	action string,
	result audit.Outcome,
	o outcome,
	account, connector string,
	more map[string]any,
) audit.Entry {
	return ended(action, result, o.job.ID, o.job.Operation, account, connector, more)
}

// mood is what the outcomes say about the connector as a whole: that it cannot be worked with now, that it can again,
// or that too much fails.
func (l *lane) mood(ctx context.Context, tx *pg.Tx, ended []outcome) (stop bool, err error) {
	var halt string
	var longest time.Duration
	worked, failed := false, false
	for _, o := range ended {
		if o.halt != "" && o.pause >= longest {
			halt, longest = o.halt, o.pause
		}
		worked = worked || o.made() || o.state == task.Simulated
		failed = failed || o.state == task.Failed
	}
	if failed {
		if err := l.failing(ctx, tx); err != nil {
			return false, err
		}
	}
	if halt != "" {
		l.halted.Store(true)
		return true, l.pauseFor(ctx, tx, longest, halt)
	}
	if worked && l.failed > 0 {
		l.failed = 0
		const sql = `update provisioning_lane set failures = 0, wait_until = null, wait_code = null, wait_reason = null,
			wait_since = null where connector_id = $1`
		if _, err := tx.Exec(ctx, sql, l.id); err != nil {
			return false, fmt.Errorf("note that the target works: %w", err)
		}
	}
	return l.halted.Load(), nil
}

// pauseFor has everything wait that goes through the connector, but keeps the lease until what is being sent has ended.
func (l *lane) pauseFor(ctx context.Context, tx *pg.Tx, pause time.Duration, why string) error {
	const sql = `
		update provisioning_lane
		   set wait_until = greatest(wait_until, now() + $2::interval), wait_code = 'target_unavailable',
		       wait_reason = $3, wait_since = coalesce(wait_since, now()), failures = failures + $4
		 where connector_id = $1`
	more := 1
	if l.paused {
		more = 0 // the changes that were being sent together fail together
	}
	if _, err := tx.Exec(ctx, sql, l.id, pause.String(), why, more); err != nil {
		return fmt.Errorf("let tasks wait: %w", err)
	}
	l.paused = true
	return nil
}
