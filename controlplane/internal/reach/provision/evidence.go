package provision

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grantstatus"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// verify looks, for changes that could not be read back, what a reading has shown that began after they were made and
// read everything. Where a later change was made to the same record, there is nothing to look for any more.
func verify(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		with run as (
		    select distinct on (r.connector_id) r.connector_id, r.id, r.started_at
		      from sync_run r
		     where r.purpose = 'apply'
		       and r.status = 'succeeded'
		       and not r.effective_incremental
		       and r.connector_id in (select connector_id from provisioning_task where state = 'verifying')
		     order by r.connector_id, r.started_at desc
		), seen as (
		    select t.id, r.id as run_id,
		           case when exists (select from provisioning_task o
		                              where o.account_id = t.account_id and o.grant_id is not distinct from t.grant_id and o.id > t.id and o.state in ('done', 'verifying')) then 'none'
		                when case t.operation
		                          when 'grant' then g.status in ('active', 'ending')
		                          when 'revoke' then g.status = 'revoked'
		                          when 'disable' then a.is_disabled or a.status in ('deleted', 'missing')
		                          when 'enable' then a.is_disabled is not true
		                          when 'unlock' then a.is_locked is not true
		                          when 'delete_account' then a.status in ('deleted', 'missing')
		                          when 'create_account' then a.status in ('active', 'disabled', 'locked')
		                          else true end then 'yes'
		                else 'no' end as verdict
		      from provisioning_task t
		      join run r on r.connector_id = t.connector_id and r.started_at > t.finished_at
		      left join account a on a.tenant_id = t.tenant_id and a.id = t.account_id
		      left join access_grant g on g.tenant_id = t.tenant_id and g.id = t.grant_id
		     where t.state = 'verifying'
		       and (coalesce(t.error ->> 'code', '') not like '%\_not\_visible' or a.status in ('active', 'disabled', 'locked'))
		), written as (
		    update provisioning_task t
		       set state = case when s.verdict = 'no' then 'failed' else 'done' end, verified = s.verdict,
		           unsure = false, verified_by = case when s.verdict <> 'none' then 'sync' end, verified_at = now(), verified_run_id = s.run_id,
		           error = case when s.verdict = 'no' then '{"class": "conflict", "code": "not_shown", "message": "the target said that it was done, and a later reading does not show it", "retryable": false}'::jsonb end,
		           error_class = case when s.verdict = 'no' then 'conflict' end,
		           advice = case when s.verdict = 'no' then 'Look at the record in the target: something there may undo the change. Then retry, or cancel this task.' end,
		           updated_at = now(), version = t.version + 1
		      from seen s
		     where t.id = s.id
		    returning t.id::text, t.operation, coalesce(t.account_id::text, ''), t.connector_id::text, t.state
		)
		select * from written`
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return fmt.Errorf("verify changes: %w", err)
	}
	var id, operation, account, connector, state string
	var done, failed []string
	var entries []audit.Entry
	_, err = pgx.ForEachRow(rows, []any{&id, &operation, &account, &connector, &state}, func() error {
		if state == task.Done {
			done = append(done, id)
			return nil
		}
		failed = append(failed, id)
		entries = append(
			entries,
			ended(
				"provisioning.failed",
				audit.Failure,
				id,
				operation,
				account,
				connector,
				map[string]any{"error_code": "not_shown"},
			),
		)
		return nil
	})
	if err != nil {
		return fmt.Errorf("verify changes: %w", err)
	}
	if err := release(ctx, tx, done); err != nil {
		return err
	}
	if err := explain(ctx, tx, failed); err != nil {
		return err
	}
	return audit.RecordAll(ctx, tx, entries)
}

// appeared finds accounts that were created without our learning their key, or that a person has created although the
// task failed or is still to be done by hand: a sync has brought one that belongs to the same person, or one of the
// same name without an owner.
func appeared(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select distinct on (a.id) a.id::text, o.id::text
		  from provisioning_task t
		  join account a on a.tenant_id = t.tenant_id and a.id = t.account_id and a.status in ('provisioning', 'failed')
		  join account o
		    on o.tenant_id = a.tenant_id
		   and o.connector_id = a.connector_id
		   and o.id <> a.id
		   and o.status in ('active', 'disabled', 'locked')
		   and (o.identity_id = a.identity_id and o.account_type in ('person', 'unknown')
		     or o.identity_id is null and o.username_lc = a.username_lc and o.first_seen_at >= t.created_at)
		 where t.operation = 'create_account'
		   and t.mode <> 'simulate'
		   and t.state in ('verifying', 'manual', 'failed')
		 order by a.id, (o.username_lc = a.username_lc) desc nulls last, o.id`
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return fmt.Errorf("find accounts that have appeared: %w", err)
	}
	pairs, err := pgx.CollectRows(
		rows,
		func(row pgx.CollectableRow) (p [2]string, err error) { err = row.Scan(&p[0], &p[1]); return p, err },
	)
	if err != nil {
		return fmt.Errorf("find accounts that have appeared: %w", err)
	}
	for _, p := range pairs {
		if err := adopt(ctx, tx, p[0], p[1]); err != nil {
			return err
		}
		ids, err := created(ctx, tx, p[0], "sync")
		if err != nil {
			return err
		}
		if err := release(ctx, tx, ids); err != nil {
			return err
		}
	}
	return nil
}

// created notes that the account of a task is in the target, and has its person looked at again: they may not be meant
// to have it by now. It gives the tasks.
func created(ctx context.Context, tx *pg.Tx, account, by string) ([]string, error) {
	const sql = `
		with done as (
		    update provisioning_task
		       set state = 'done', verified = 'yes', verified_by = $2, verified_at = now(), unsure = false,
		           outcome = case when state = 'verifying' then outcome else 'already' end, error = null,
		           error_class = null, advice = null, finished_at = coalesce(finished_at, now()), updated_at = now(),
		               version = version + 1
		     where account_id = $1
		       and operation = 'create_account'
		       and mode <> 'simulate'
		       and state in ('verifying', 'manual', 'failed', 'queued', 'retrying', 'blocked')
		    returning id, tenant_id, identity_id
		), turn as (
		    insert into work_item (tenant_id, kind, subject) select tenant_id, 'provisioning',
		        identity_id from done where identity_id is not null
		)
		select id::text from done`
	rows, err := tx.Query(ctx, sql, account, by)
	if err != nil {
		return nil, fmt.Errorf("note that an account was created: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("note that an account was created: %w", err)
	}
	return ids, nil
}

// fulfilled closes the tasks whose end a sync has shown, whoever made the change: one that failed, or that a person was
// to make and has not completed, would hold up what is to follow. What is being sent says itself how it ended. That a
// sync does not show an account is no proof that its access has ended: what takes access away from such an account is
// still sent, and its connector looks for it.
func fulfilled(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select t.id::text
		  from provisioning_task t
		  left join account a on a.tenant_id = t.tenant_id and a.id = t.account_id
		  left join access_grant g on g.tenant_id = t.tenant_id and g.id = t.grant_id
		 where t.state in ('queued', 'retrying', 'failed', 'manual', 'blocked')
		   and t.mode <> 'simulate'
		   and not (t.unsure and t.mode = 'auto' and t.state in ('queued', 'retrying')
		       and t.operation in ('disable', 'enable'))
		   and case t.operation
		            when 'grant' then g.status in ('active', 'ending')
		            when 'revoke' then g.status = 'revoked' and a.status in ('active', 'locked', 'disabled')
		            when 'disable' then a.status = 'disabled'
		            when 'enable' then a.is_disabled is not true and a.status in ('active', 'locked')
		            when 'unlock' then a.is_locked is not true and a.status = 'active'
		            else false end`
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return fmt.Errorf("find tasks that are fulfilled: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("find tasks that are fulfilled: %w", err)
	}
	return fulfil(ctx, tx, ids)
}

// fulfil closes tasks whose end was shown, and lets go on what waited for them.
func fulfil(ctx context.Context, tx *pg.Tx, ids []string) error {
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
	rows, err := tx.Query(ctx, sql, ids)
	if err != nil {
		return fmt.Errorf("close tasks: %w", err)
	}
	var id, operation, account, connector string
	var done []string
	var entries []audit.Entry
	_, err = pgx.ForEachRow(rows, []any{&id, &operation, &account, &connector}, func() error {
		done = append(done, id)
		entries = append(
			entries,
			ended(
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
	})
	if err != nil {
		return fmt.Errorf("close tasks: %w", err)
	}
	if err := release(ctx, tx, done); err != nil {
		return err
	}
	return audit.RecordAll(ctx, tx, entries)
}

// outdated cancels the tasks of what a sync has found removed: of entitlements, and of accounts that are deleted.
func outdated(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select t.id::text, t.operation, t.state, t.unsure, e.removed_at is not null, a.missing_since is null
		  from provisioning_task t
		  left join account a on a.tenant_id = t.tenant_id and a.id = t.account_id
		  left join entitlement e on e.tenant_id = t.tenant_id and e.id = t.entitlement_id
		 where t.state in ('queued', 'retrying', 'failed', 'manual', 'blocked')
		   and t.mode <> 'simulate'
		   and (e.removed_at is not null or a.status = 'deleted' and t.operation <> all($1))
		   for update of t skip locked`
	rows, err := tx.Query(ctx, sql, task.Lasting)
	if err != nil {
		return fmt.Errorf("find tasks of what is gone: %w", err)
	}
	var found []ending
	var t task.Open
	var removed, gone bool
	_, err = pgx.ForEachRow(rows, []any{&t.ID, &t.Operation, &t.State, &t.Unsure, &removed, &gone}, func() error {
		switch {
		case removed:
			found = append(found, ending{t.ID, "the entitlement was removed in the target"})
		case t.Pointless(gone):
			found = append(found, ending{t.ID, "the account was deleted in the target"})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("find tasks of what is gone: %w", err)
	}
	return abandon(ctx, tx, found)
}

// unblock lets go on what waits for tasks that have ended without saying so, and cancels what waits for one that was
// cancelled.
func unblock(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select t.id::text, bool_or(d.state = 'cancelled')
		  from provisioning_task t
		  join provisioning_task d on d.tenant_id = t.tenant_id and d.id = any(t.depends_on)
		 where t.state = 'blocked'
		 group by t.id
		having bool_or(d.state = 'cancelled') or bool_and(d.state in ('done', 'simulated') or d.state = 'verifying'
		    and d.operation <> 'create_account')`
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return fmt.Errorf("find what waits: %w", err)
	}
	var id string
	var over bool
	var gone []ending
	var ready []string
	_, err = pgx.ForEachRow(rows, []any{&id, &over}, func() error {
		if over {
			gone = append(gone, ending{id, "the task that had to be done first was cancelled"})
		} else {
			ready = append(ready, id)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("find what waits: %w", err)
	}
	if err := abandon(ctx, tx, gone); err != nil || len(ready) == 0 {
		return err
	}
	const deps = `select array_agg(distinct d::text) from provisioning_task t cross join unnest(t.depends_on) d
		where t.id = any($1::text[]::uuid[])`
	if err := tx.QueryRow(ctx, deps, ready).Scan(&ready); err != nil {
		return fmt.Errorf("find what waits: %w", err)
	}
	return release(ctx, tx, ready)
}

// abandon cancels tasks that nothing can come of, says so of the grants they were to give, and has their people looked
// at again.
func abandon(ctx context.Context, tx *pg.Tx, tasks []ending) error {
	cancelled, _, err := cancelTasks(ctx, tx, tasks, true)
	if err != nil || len(cancelled) == 0 {
		return err
	}
	const sql = `
		with task as (
		    select tenant_id, identity_id, grant_id, operation from provisioning_task where id = any($1::text[]::uuid[])
		), turn as (
		    insert into work_item (tenant_id, kind, subject) select distinct tenant_id, 'provisioning',
		        identity_id from task where identity_id is not null
		)
		select g.id::text
		  from task t
		  join access_grant g on g.tenant_id = t.tenant_id and g.id = t.grant_id
		 where t.operation = 'grant'
		   and g.status in ('pending', 'requested', 'failed')`
	rows, err := tx.Query(ctx, sql, cancelled)
	if err != nil {
		return fmt.Errorf("end grants: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("end grants: %w", err)
	}
	states := make([]grantstatus.State, len(ids))
	for i, id := range ids {
		states[i] = grantstatus.State{ID: id, Status: "revoked"}
	}
	return grantstatus.Set(ctx, tx, states)
}

// Of a change that nothing has shown: when the wait for it ends.
const (
	unseenFor   = 24 * time.Hour     // its record was neither seen nor proven to be gone
	unprovenFor = 7 * 24 * time.Hour // the target said that it was made, and no full sync has ended since
)

// expire ends the wait for what is not shown: people decide about a record that is not found, and what the target has
// confirmed is done without proof.
func expire(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		with late as (
		    select id, coalesce(error ->> 'code', '') like '%\_not\_visible' as unseen
		      from provisioning_task
		     where state = 'verifying'
		       and finished_at < now() - $1::interval
		)
		update provisioning_task t
		   set state = case when l.unseen then 'failed' else 'done' end, verified = 'none',
		       error_class = case when l.unseen then 'not_found' end,
		       updated_at = now(), version = t.version + 1
		  from late l
		 where t.id = l.id
		   and (l.unseen or t.finished_at < now() - $2::interval)
		returning t.id::text, t.operation, coalesce(t.account_id::text, ''), t.connector_id::text, t.state,
		    coalesce(t.error ->> 'code', '')`
	rows, err := tx.Query(ctx, sql, unseenFor.String(), unprovenFor.String())
	if err != nil {
		return fmt.Errorf("end the wait for tasks: %w", err)
	}
	var id, operation, account, connector, state, code string
	var done []string
	var entries []audit.Entry
	_, err = pgx.ForEachRow(rows, []any{&id, &operation, &account, &connector, &state, &code}, func() error {
		if state == task.Done {
			done = append(done, id)
			return nil
		}
		entries = append(
			entries,
			ended(
				"provisioning.failed",
				audit.Failure,
				id,
				operation,
				account,
				connector,
				map[string]any{"error_code": code},
			),
		)
		return nil
	})
	if err != nil {
		return fmt.Errorf("end the wait for tasks: %w", err)
	}
	if err := release(ctx, tx, done); err != nil {
		return err
	}
	return audit.RecordAll(ctx, tx, entries)
}
