package settle

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Verify looks, for changes that could not be read back, what a reading has shown that began after they were made and
// read everything. Where a later change was made to the same record, there is nothing to look for any more.
func Verify(ctx context.Context, tx *pg.Tx) error {
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
		                              where o.account_id = t.account_id and o.grant_id is not distinct from t.grant_id
		                                and o.id > t.id and o.state in ('done', 'verifying')) then 'none'
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
		       and (coalesce(t.error ->> 'code', '') not like '%\_not\_visible' or a.status in ('active', 'disabled',
		         'locked'))
		), written as (
		    update provisioning_task t
		       set state = case when s.verdict = 'no' then 'failed' else 'done' end, verified = s.verdict,
		           unsure = false, verified_by = case when s.verdict <> 'none' then 'sync' end, verified_at = now(),
		             verified_run_id = s.run_id,
		           error = case when s.verdict = 'no'
		             then '{"class": "conflict", "code": "not_shown", "retryable": false, "message":
		                 "the target said that it was done, and a later reading does not show it"}'::jsonb end,
		           error_class = case when s.verdict = 'no' then 'conflict' end,
		           advice = case when s.verdict = 'no'
		             then 'Look at the record in the target: something there may undo the change. ' ||
		                'Then retry, or cancel this task.' end,
		           updated_at = now(), version = t.version + 1
		      from seen s
		     where t.id = s.id
		    returning t.id::text, t.operation, coalesce(t.account_id::text, ''), t.connector_id::text, t.state
		)
		select * from written`
	var id, operation, account, connector, state string
	var done, failed []string
	var entries []audit.Entry
	if err := pg.Each(ctx, tx, "verify changes", []any{&id, &operation, &account, &connector, &state}, func() error {
		if state == task.Done {
			done = append(done, id)
			return nil
		}
		failed = append(failed, id)
		entries = append(
			entries,
			taskstore.AuditEntry(
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
	}, sql); err != nil {
		return err
	}
	if err := taskstore.Release(ctx, tx, done); err != nil {
		return err
	}
	if err := taskstore.ExplainFailed(ctx, tx, failed); err != nil {
		return err
	}
	return audit.RecordAll(ctx, tx, entries)
}

// Appeared finds accounts that were created without our learning their key, or that a person has created although the
// task failed or is still to be done by hand: a sync has brought one that belongs to the same person, or one of the
// same name without an owner.
func Appeared(ctx context.Context, tx *pg.Tx) error {
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
	pairs, err := pg.AllBy(
		ctx,
		tx,
		"find accounts that have appeared",
		func(row pgx.CollectableRow) (p [2]string, err error) { err = row.Scan(&p[0], &p[1]); return p, err },
		sql,
	)
	if err != nil {
		return err
	}
	for _, p := range pairs {
		if err := adopt(ctx, tx, p[0], p[1]); err != nil {
			return err
		}
		ids, err := created(ctx, tx, p[0], "sync")
		if err != nil {
			return err
		}
		if err := taskstore.Release(ctx, tx, ids); err != nil {
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
	return pg.All[string](ctx, tx, "note that an account was created", sql, account, by)
}

// Fulfilled closes the tasks whose end a sync has shown, whoever made the change: one that failed, or that a person was
// to make and has not completed, would hold up what is to follow. What is being sent says itself how it ended. That a
// sync does not show an account is no proof that its access has ended: what takes access away from such an account is
// still sent, and its connector looks for it.
func Fulfilled(ctx context.Context, tx *pg.Tx) error {
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
	ids, err := pg.All[string](ctx, tx, "find tasks that are fulfilled", sql)
	if err != nil {
		return err
	}
	return taskstore.Complete(ctx, tx, ids)
}
