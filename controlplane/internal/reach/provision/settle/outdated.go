package settle

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grantstatus"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Outdated cancels the tasks of what a sync has found removed: of entitlements, and of accounts that are deleted.
func Outdated(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select t.id::text, t.operation, t.state, t.unsure, e.removed_at is not null, a.missing_since is null
		  from provisioning_task t
		  left join account a on a.tenant_id = t.tenant_id and a.id = t.account_id
		  left join entitlement e on e.tenant_id = t.tenant_id and e.id = t.entitlement_id
		 where t.state in ('queued', 'retrying', 'failed', 'manual', 'blocked')
		   and t.mode <> 'simulate'
		   and (e.removed_at is not null or a.status = 'deleted' and t.operation <> all($1))
		   for update of t skip locked`
	var found []task.Cancellation
	var t task.Open
	var removed, gone bool
	if err := pg.Each(
		ctx,
		tx,
		"find tasks of what is gone",
		[]any{&t.ID, &t.Operation, &t.State, &t.Unsure, &removed, &gone},
		func() error {
			switch {
			case removed:
				found = append(found, task.Cancellation{ID: t.ID, Why: "the entitlement was removed in the target"})
			case t.Pointless(gone):
				found = append(found, task.Cancellation{ID: t.ID, Why: "the account was deleted in the target"})
			}
			return nil
		},
		sql,
		task.Lasting,
	); err != nil {
		return err
	}
	return abandon(ctx, tx, found)
}

// Unblock lets go on what waits for tasks that have ended without saying so, and cancels what waits for one that was
// cancelled.
func Unblock(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select t.id::text, bool_or(d.state = 'cancelled')
		  from provisioning_task t
		  join provisioning_task d on d.tenant_id = t.tenant_id and d.id = any(t.depends_on)
		 where t.state = 'blocked'
		 group by t.id, t.held_at
		having bool_or(d.state = 'cancelled')
		    or t.held_at is null and bool_and(d.state in ('done', 'simulated')
		        or d.state = 'verifying' and d.operation <> 'create_account')`
	var id string
	var over bool
	var gone []task.Cancellation
	var ready []string
	if err := pg.Each(ctx, tx, "find what waits", []any{&id, &over}, func() error {
		if over {
			gone = append(gone, task.Cancellation{ID: id, Why: "the task that had to be done first was cancelled"})
		} else {
			ready = append(ready, id)
		}
		return nil
	}, sql); err != nil {
		return err
	}
	if err := abandon(ctx, tx, gone); err != nil || len(ready) == 0 {
		return err
	}
	const deps = `select array_agg(distinct d::text) from provisioning_task t cross join unnest(t.depends_on) d
		where t.id = any($1::text[]::uuid[])`
	if err := tx.QueryRow(ctx, deps, ready).Scan(&ready); err != nil {
		return fmt.Errorf("find what waits: %w", err)
	}
	return taskstore.Release(ctx, tx, ready)
}

// abandon cancels tasks that nothing can come of, says so of the grants they were to give, and has their people looked
// at again.
func abandon(ctx context.Context, tx *pg.Tx, tasks []task.Cancellation) error {
	cancelled, _, err := taskstore.CancelUnsent(ctx, tx, tasks, true)
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
	ids, err := pg.All[string](ctx, tx, "end grants", sql, cancelled)
	if err != nil {
		return err
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

// Expire ends the wait for what is not shown: people decide about a record that is not found, and what the target has
// confirmed is done without proof.
func Expire(ctx context.Context, tx *pg.Tx) error {
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
	var id, operation, account, connector, state, code string
	var done []string
	var entries []audit.Entry
	if err := pg.Each(
		ctx,
		tx,
		"end the wait for tasks",
		[]any{&id, &operation, &account, &connector, &state, &code},
		func() error {
			if state == task.Done {
				done = append(done, id)
				return nil
			}
			entries = append(
				entries,
				taskstore.AuditEntry(
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
		},
		sql,
		unseenFor.String(),
		unprovenFor.String(),
	); err != nil {
		return err
	}
	if err := taskstore.Release(ctx, tx, done); err != nil {
		return err
	}
	return audit.RecordAll(ctx, tx, entries)
}
