package settle

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/attempt"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// settled is an outcome as the statement reads it.
type settled struct {
	// ID of the task.
	ID string `json:"id"`
	// Number of the attempt. With the lease's owner it fences off a process whose lease was taken
	// over.
	N int `json:"n"`
	// New state of the task.
	State string `json:"state"`
	// Result of the attempt, as provisioning_attempt.outcome has it.
	Outcome string `json:"outcome"`
	// 1 if the attempt counts toward the limit of tries, otherwise 0.
	Counts int     `json:"counts"`
	Pause  float64 `json:"pause"` // seconds
	// Whether the target may have made the change although no answer came.
	Unsure bool `json:"unsure"`
	// Class of the error. Nil: no error.
	Class *string `json:"class"`
	// Error of the target, unchanged. Nil: no error.
	Error *v1.ErrorDetail `json:"error"`
	// Hint for the person who has to act. Nil: none.
	Advice *string `json:"advice"`
	// Requests to the target that the change consisted of. Nil keeps the earlier plan.
	Plan []v1.PlannedRequest `json:"plan"`
	// Fields that the target was seen to change. Nil keeps the earlier ones.
	Changes []v1.ChangedField `json:"changes"`
	// Process that carried the change out. Nil keeps the earlier one.
	By *v1.ExecutedBy `json:"executed_by"`
	// Whether a reading of the target confirmed the change: yes, pending or none.
	Verified string `json:"verified"`
	// Error of the target, for the row of the attempt.
	Upstream *v1.ErrorDetail `json:"upstream"`
	// Duration of the attempt in milliseconds.
	Latency int64 `json:"latency"`
	// Whether the task needs no further attempt.
	Over bool `json:"over"`
}

// rowOf is an outcome as the statement reads it.
func rowOfOutcome(o attempt.Outcome) settled {
	r := settled{
		ID:       o.Job.ID,
		N:        o.Job.N,
		State:    o.State,
		Outcome:  string(o.Result),
		Pause:    o.Pause.Seconds(),
		Unsure:   o.Unsure,
		Class:    task.OptionalText(o.Class),
		Error:    o.Detail,
		Advice:   task.OptionalText(o.Advice),
		Plan:     o.Plan,
		Changes:  o.Changes,
		By:       o.By,
		Verified: "none",
		Upstream: o.Detail,
		Latency:  o.Took.Milliseconds(),
	}
	if o.Counts {
		r.Counts = 1
	}
	if r.Outcome == "" && o.Detail != nil {
		r.Outcome = "refused"
	}
	switch o.State {
	case task.Done:
		r.Verified, r.Over = "yes", true
	case task.Verifying:
		r.Verified, r.Over = "pending", true
	case task.Failed, task.Simulated:
		r.Over = true
	}
	return r
}

// Attempts writes what became of attempts: of the tasks, of the accounts and grants they are about, and of the tasks
// that wait for them. connectorID is the connector of all of them, owner the process that holds their leases. It gives
// the outcomes that were written: what another process has taken over meanwhile is that process's to write.
func Attempts(
	ctx context.Context,
	tx *pg.Tx,
	connectorID, owner string,
	now time.Time,
	ended []attempt.Outcome,
) ([]attempt.Outcome, error) {
	ended, err := twins(ctx, tx, connectorID, ended)
	if err != nil {
		return nil, err
	}
	ours, err := write(ctx, tx, owner, ended)
	if err != nil || len(ours) == 0 {
		return nil, err
	}
	if err := Apply(ctx, tx, now, ours); err != nil {
		return nil, err
	}
	if err := Follow(ctx, tx, ours); err != nil {
		return nil, err
	}
	return ours, audit.RecordAll(ctx, tx, entries(connectorID, ours))
}

// write updates the tasks and their attempts, and gives the outcomes that were ours to tell.
func write(ctx context.Context, tx *pg.Tx, owner string, ended []attempt.Outcome) ([]attempt.Outcome, error) {
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
		rows[i] = rowOfOutcome(o)
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return nil, err
	}
	if err := replanned(ctx, tx, rows); err != nil {
		return nil, err
	}
	found, err := tx.Query(ctx, sql, string(text), owner)
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
	ours := make([]attempt.Outcome, 0, len(ids))
	for _, o := range ended {
		if again[o.Job.ID] {
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
	return pg.Exec(ctx, tx, "have people looked at again", sql, over)
}
