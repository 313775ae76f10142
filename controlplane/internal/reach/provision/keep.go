package provision

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/access"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// Keep looks, in every tenant, after what comes with time or with settings: reasons that begin and end, grants that are ending,
// accounts whose time to be deleted has come, connectors that write in another way now, and changes that a reading of the target has
// shown.
func (s *Service) Keep(ctx context.Context) error {
	s.init()
	tenants, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], `select id::text from tenant where status = 'active'`)
	if err != nil {
		return fmt.Errorf("list tenants: %w", err)
	}
	rand.Shuffle(len(tenants), func(i, j int) { tenants[i], tenants[j] = tenants[j], tenants[i] })
	var failed error
	for _, tenant := range tenants {
		failed = errors.Join(failed, s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error { return s.keep(ctx, tx) }))
	}
	return failed
}

func (s *Service) keep(ctx context.Context, tx *pg.Tx) error {
	const alone = `select pg_try_advisory_xact_lock(hashtextextended('provisioning upkeep|' || current_tenant()::text, 0))`
	var mine bool
	if err := tx.QueryRow(ctx, alone).Scan(&mine); err != nil || !mine {
		return err
	}
	now := s.Now()
	if _, _, err := ledger.Settle(ctx, tx, now); err != nil {
		return err
	}
	if err := access.Nearing(ctx, tx, now.Add(notice)); err != nil {
		return err
	}
	for _, step := range []func(context.Context, *pg.Tx) error{s.refresh, heed, overdueAccounts, verify, appeared} {
		if err := step(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// refresh finds out what can be changed through connectors that are new, or whose settings have changed.
func (s *Service) refresh(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select c.id::text, c.version
		  from connector c
		  left join provisioning_lane l on l.tenant_id = c.tenant_id and l.connector_id = c.id
		 where c.deleted_at is null
		   and c.status <> 'draft'
		   and l.ops_version is distinct from c.version`
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return fmt.Errorf("find changed connectors: %w", err)
	}
	type changed struct {
		ID      string
		Version int
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[changed])
	if err != nil {
		return fmt.Errorf("find changed connectors: %w", err)
	}
	for _, c := range all {
		names, why := []string{}, ""
		opened, err := s.Connectors.Open(ctx, tx, c.ID)
		if err != nil {
			why = "its settings cannot be opened"
		} else {
			can := s.Dispatch.Writes(opened.Target.Type, opened.Auth)
			why = can.Why
			for _, op := range can.Ops {
				names = append(names, string(op))
			}
		}
		const note = `
			insert into provisioning_lane (tenant_id, connector_id, ops, ops_why, ops_version)
			values (current_tenant(), $1, $2, $3, $4)
			    on conflict (tenant_id, connector_id) do update
			   set ops = excluded.ops, ops_why = excluded.ops_why, ops_version = excluded.ops_version,
			       planned_mode = case when provisioning_lane.ops is distinct from excluded.ops then null else provisioning_lane.planned_mode end`
		if _, err := tx.Exec(ctx, note, c.ID, names, why, c.Version); err != nil {
			return fmt.Errorf("note what a connector can change: %w", err)
		}
	}
	return nil
}

// heed has people looked at again whose connectors write in another way than when they were planned for.
func heed(ctx context.Context, tx *pg.Tx) error {
	const lanes = `select connector_id::text, coalesce(planned_mode, '') from provisioning_lane`
	rows, err := tx.Query(ctx, lanes)
	if err != nil {
		return fmt.Errorf("list lanes: %w", err)
	}
	before := map[string]string{}
	var ids []string
	var id, mode string
	if _, err := pgx.ForEachRow(rows, []any{&id, &mode}, func() error { before[id] = mode; ids = append(ids, id); return nil }); err != nil {
		return fmt.Errorf("list lanes: %w", err)
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	can, err := abilities(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		a, known := can[id]
		if !known || a.Mode == before[id] {
			continue
		}
		const note = `update provisioning_lane set planned_mode = $2 where connector_id = $1`
		if _, err := tx.Exec(ctx, note, id, a.Mode); err != nil {
			return fmt.Errorf("note how a connector writes: %w", err)
		}
		if a.Mode == ModeOff {
			continue
		}
		if err := changeMode(ctx, tx, id, a.Mode); err != nil {
			return err
		}
		const people = `
			insert into access_turn (tenant_id, identity_id)
			select current_tenant(), identity_id from access_reason where connector_id = $1 and state = 'active'
			 union
			select current_tenant(), a.identity_id
			  from account a
			  join identity i on i.tenant_id = a.tenant_id and i.id = a.identity_id
			 where a.connector_id = $1
			   and a.status in ('active', 'locked', 'disabled')
			   and i.status in ('deactivated', 'archived', 'on_leave')`
		if _, err := tx.Exec(ctx, people, id); err != nil {
			return fmt.Errorf("have people looked at again: %w", err)
		}
	}
	return nil
}

// changeMode lets what waits be done in the way that the connector writes now: what a person was to do is sent, or the other way round.
func changeMode(ctx context.Context, tx *pg.Tx, connectorID, mode string) error {
	if mode == ModeSimulate {
		return nil
	}
	const sql = `
		update provisioning_task t
		   set mode = $2, updated_at = now(), version = t.version + 1, advice = null,
		       state = case when t.state = 'blocked' then 'blocked' when $2 = 'manual' then 'manual' else 'queued' end
		 where t.connector_id = $1
		   and t.mode <> $2
		   and t.mode <> 'simulate'
		   and not t.unsure
		   and t.state in ('queued', 'blocked', 'retrying', 'manual')
		   and t.outcome is distinct from 'manual_required'`
	if _, err := tx.Exec(ctx, sql, connectorID, mode); err != nil {
		return fmt.Errorf("change how tasks are done: %w", err)
	}
	return nil
}

// overdueAccounts has people looked at whose accounts may be due to be deleted. Whether they are the plan says.
func overdueAccounts(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		insert into access_turn (tenant_id, identity_id)
		select distinct a.tenant_id, a.identity_id
		  from account a
		  join identity i on i.tenant_id = a.tenant_id and i.id = a.identity_id and i.status in ('deactivated', 'archived')
		  left join lifecycle_policy y on y.tenant_id = a.tenant_id
		  left join connector_provisioning p on p.tenant_id = a.tenant_id and p.connector_id = a.connector_id
		 where a.status = 'disabled'
		   and (a.disabled_for is not null or a.wanted_at is not null or ` + known + ` and a.created_at <= i.status_changed_at)
		   and a.managed not in ('protected', 'unmanaged')
		   and a.account_type in ('person', 'unknown')
		   and coalesce((p.deprovision ->> 'delete_after')::interval, y.delete_after) is not null
		   and greatest(i.status_changed_at, coalesce(a.disabled_at, i.status_changed_at)) + coalesce((p.deprovision ->> 'delete_after')::interval, y.delete_after) <= now()
		   and not exists (
		        select from provisioning_task t
		         where t.account_id = a.id
		           and t.operation = 'delete_account'
		           and t.state in ('queued', 'blocked', 'running', 'retrying', 'failed', 'manual'))
		 limit 10000`
	if _, err := tx.Exec(ctx, sql); err != nil {
		return fmt.Errorf("find accounts to delete: %w", err)
	}
	return nil
}

// verify looks, for changes that could not be read back, what a reading has shown that began after they were made and read everything.
// Where a later change was made to the same record, there is nothing to look for any more.
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
		), written as (
		    update provisioning_task t
		       set state = case when s.verdict = 'no' then 'failed' else 'done' end, verified = s.verdict,
		           verified_by = case when s.verdict <> 'none' then 'sync' end, verified_at = now(), verified_run_id = s.run_id,
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
		if state == Done {
			done = append(done, id)
			return nil
		}
		failed = append(failed, id)
		entries = append(entries, ended("provisioning.failed", audit.Failure, id, operation, account, connector, map[string]any{"error_code": "not_shown"}))
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

// appeared finds accounts that were made without our learning their key: a reading has brought one of the same name that belongs to the
// same person, or to nobody yet.
func appeared(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select distinct on (a.id) a.id::text, o.id::text
		  from provisioning_task t
		  join account a on a.tenant_id = t.tenant_id and a.id = t.account_id and a.status = 'provisioning'
		  join account o
		    on o.tenant_id = a.tenant_id
		   and o.connector_id = a.connector_id
		   and o.id <> a.id
		   and o.status in ('active', 'disabled', 'locked')
		   and (o.identity_id = a.identity_id or o.identity_id is null and o.username_lc = a.username_lc)
		 where t.operation = 'create_account'
		   and t.state = 'verifying'
		   and o.first_seen_at >= t.created_at
		 order by a.id, (o.username_lc = a.username_lc) desc nulls last, o.id`
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return fmt.Errorf("find accounts that have appeared: %w", err)
	}
	pairs, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p [2]string, err error) { err = row.Scan(&p[0], &p[1]); return p, err })
	if err != nil {
		return fmt.Errorf("find accounts that have appeared: %w", err)
	}
	for _, p := range pairs {
		if err := adopt(ctx, tx, p[0], p[1]); err != nil {
			return err
		}
		const done = `
			update provisioning_task
			   set state = 'done', verified = 'yes', verified_by = 'sync', verified_at = now(), updated_at = now(), version = version + 1
			 where account_id = $1
			   and operation = 'create_account'
			   and state = 'verifying'
			returning id::text`
		rows, err := tx.Query(ctx, done, p[0])
		if err != nil {
			return fmt.Errorf("note that an account has appeared: %w", err)
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return fmt.Errorf("note that an account has appeared: %w", err)
		}
		if err := release(ctx, tx, ids); err != nil {
			return err
		}
	}
	return nil
}
