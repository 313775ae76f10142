package taskstore

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Release lets tasks go on all of whose conditions are met.
func Release(ctx context.Context, tx *pg.Tx, done []string) error {
	if len(done) == 0 {
		return nil
	}
	const sql = `
		update provisioning_task t
		   set state = case when t.mode = 'manual' then 'manual' else 'queued' end, next_attempt_at = now(),
		       error = null, error_class = null, advice = case when t.mode = 'manual' then t.advice end,
		           updated_at = now(), version = t.version + 1
		 where t.state = 'blocked'
		   and t.held_at is null
		   and t.depends_on && $1::text[]::uuid[]
		   and not exists (
		        select from provisioning_task d
		         where d.id = any(t.depends_on)
		           and d.state not in ('done', 'simulated')
		           and not (d.state = 'verifying' and d.operation <> 'create_account'))`
	return pg.Exec(ctx, tx, "let tasks go on", sql, done)
}

// ExplainFailed says at tasks that wait for failed ones why they do not go on.
func ExplainFailed(ctx context.Context, tx *pg.Tx, failed []string) error {
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
		   and t.held_at is null
		   and d.id = any(t.depends_on)`
	return pg.Exec(ctx, tx, "explain what tasks wait for", sql, failed)
}

// Complete closes tasks whose end was shown, and lets go on what waited for them.
func Complete(ctx context.Context, tx *pg.Tx, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	const sql = `
		with done as (
		    update provisioning_task
		       set state = 'done', outcome = 'already', verified = 'yes', verified_by = 'sync', verified_at = now(),
		           unsure = false, error = null, error_class = null, advice = null, finished_at = now(),
		               updated_at = now(), version = version + 1
		     where id = any($1::text[]::uuid[])
		       and state in ('queued', 'retrying', 'failed', 'manual', 'blocked')
		    returning *
		), disabled as (
		    update account a
		       set disabled_for = d.payload ->> 'disabled_for', disabled_at = now()
		      from done d
		     where a.tenant_id = d.tenant_id
		       and a.id = d.account_id
		       and d.operation = 'disable'
		       and a.status = 'disabled'
		       and a.disabled_for is null
		), enabled as (
		    update account a
		       set disabled_for = null, disabled_at = null
		      from done d
		     where a.tenant_id = d.tenant_id
		       and a.id = d.account_id
		       and d.operation = 'enable'
		)
		select id::text, operation, coalesce(account_id::text, ''), connector_id::text from done`
	var id, operation, account, connector string
	var done []string
	var entries []audit.Entry
	if err := pg.Each(ctx, tx, "close tasks", []any{&id, &operation, &account, &connector}, func() error {
		done = append(done, id)
		entries = append(
			entries,
			AuditEntry(
				"provisioning.done",
				audit.Success,
				id,
				operation,
				account,
				connector,
				map[string]any{"outcome": "already", "verified_by": "sync"},
			),
		)
		return nil
	}, sql, ids); err != nil {
		return err
	}
	if err := Release(ctx, tx, done); err != nil {
		return err
	}
	return audit.RecordAll(ctx, tx, entries)
}
