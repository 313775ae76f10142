package taskstore

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Held is a grant that must not be made now, and why.
type Held struct {
	// ID of the task.
	ID string `json:"id"`
	// Code of the reason.
	Code string `json:"code"`
	// Message is the reason, for everyone who may see the task.
	Message string `json:"message"`
	// Advice on what to do.
	Advice string `json:"advice"`
	// Policies that hold the task.
	Policies []HoldingPolicy `json:"policies"`
	// Details of the reason, for the decision about it.
	Details any `json:"details"`
}

// HoldingPolicy is one version of a policy that holds a task.
type HoldingPolicy struct {
	// ID of the policy.
	ID string `json:"id"`
	// Name of the policy.
	Name string `json:"name"`
	// Version of the policy.
	Version int `json:"version"`
}

// Hold blocks grants that have not been made, those too that were taken in this transaction, until Resume. Other
// operations are never held.
func Hold(ctx context.Context, tx *pg.Tx, tasks []Held) error {
	const sql = `
		with held as (
		    update provisioning_task t
		       set state = 'blocked', held_at = now(),
		           hold = jsonb_build_object('policies', h.policies, 'details', h.details, 'advice', t.advice),
		           error = jsonb_build_object('class', 'conflict', 'code', h.code, 'retryable', false,
		                                      'message', h.message),
		           error_class = 'conflict', advice = h.advice, unsure = false, lease_owner = null, lease_until = null,
		           updated_at = now(), version = t.version + 1
		      from jsonb_to_recordset($1::jsonb) h (id uuid, code text, message text, advice text, policies jsonb,
		           details jsonb)
		     where t.id = h.id
		       and t.operation = 'grant'
		       and (t.state = 'running' or t.state in ('queued', 'retrying', 'manual') and not t.unsure)
		    returning t.*
		), tried as (
		    update provisioning_attempt a
		       set outcome = 'not_sent', error_class = 'conflict', upstream = h.error, latency_ms = 0
		      from held h
		     where a.tenant_id = h.tenant_id
		       and a.task_id = h.id
		       and a.n = h.attempts
		       and a.outcome is null
		)
		select id::text, operation, coalesce(account_id::text, ''), connector_id::text, hold -> 'policies' from held`
	if len(tasks) == 0 {
		return nil
	}
	text, err := json.Marshal(tasks)
	if err != nil {
		return fmt.Errorf("hold tasks: %w", err)
	}
	return auditEach(ctx, tx, "hold tasks", "provisioning.held", "", sql, string(text))
}

// Resume lets held tasks go on.
func Resume(ctx context.Context, tx *pg.Tx, ids []string) error {
	const sql = `
		update provisioning_task t
		   set state = case when t.mode = 'manual' then 'manual' else 'queued' end, held_at = null, hold = null,
		       advice = t.hold ->> 'advice', error = null, error_class = null, next_attempt_at = now(),
		       updated_at = now(), version = t.version + 1
		 where t.id = any($1::text[]::uuid[])
		   and t.state = 'blocked'
		   and t.held_at is not null
		returning t.id::text, t.operation, coalesce(t.account_id::text, ''), t.connector_id::text, null::jsonb`
	if len(ids) == 0 {
		return nil
	}
	if err := auditEach(ctx, tx, "resume tasks", "provisioning.resumed", "", sql, ids); err != nil {
		return err
	}
	return pg.Notify(ctx, tx, Channel, tx.Viewer.Tenant)
}

// Override lets a held task go on, and keeps the versions of the policies that it was held by from holding it again.
func Override(ctx context.Context, tx *pg.Tx, id, reason string) error {
	const sql = `
		update provisioning_task t
		   set hold_override = jsonb_build_object('by', $2::jsonb, 'reason', $3::text, 'at', now(),
		                                          'policies', t.hold -> 'policies')
		 where t.id = $1
		   and t.state = 'blocked'
		   and t.held_at is not null
		returning t.id::text, t.operation, coalesce(t.account_id::text, ''), t.connector_id::text,
		          t.hold -> 'policies'`
	if err := auditEach(ctx, tx, "override the hold of a task", "provisioning.hold_overridden", reason, sql,
		id, tx.Viewer.Actor(), reason); err != nil {
		return err
	}
	return Resume(ctx, tx, []string{id})
}

// auditEach runs a statement that returns tasks with policies, and audits each task.
func auditEach(ctx context.Context, tx *pg.Tx, what, action, reason, sql string, args ...any) error {
	var t task.Open
	var account string
	var policies []HoldingPolicy
	var entries []audit.Entry
	if err := pg.Each(ctx, tx, what, []any{&t.ID, &t.Operation, &account, &t.ConnectorID, &policies}, func() error {
		e := AuditEntry(action, audit.Success, t.ID, t.Operation, account, t.ConnectorID, nil)
		e.Reason = reason
		for _, p := range policies {
			e.Objects = append(e.Objects, audit.Subject{Type: "separation_policy", ID: p.ID, Display: p.Name})
		}
		entries, policies = append(entries, e), nil
		return nil
	}, sql, args...); err != nil {
		return err
	}
	return audit.RecordAll(ctx, tx, entries)
}
