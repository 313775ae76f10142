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
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grantstatus"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// Keep looks, in every tenant, after what comes with time or with settings: reasons that begin and end, grants that are
// ending, accounts whose time to be deleted has come, connectors that write in another way now, and changes that a
// reading of the target has shown.
func (s *Service) Keep(ctx context.Context) error {
	s.init()
	tenants, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], `select id::text from tenant where status = 'active'`)
	if err != nil {
		return fmt.Errorf("list tenants: %w", err)
	}
	rand.Shuffle(len(tenants), func(i, j int) { tenants[i], tenants[j] = tenants[j], tenants[i] })
	var failed error
	for _, tenant := range tenants {
		failed = errors.Join(
			failed,
			s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error { return s.keep(ctx, tx) }),
		)
	}
	return failed
}

func (s *Service) keep(ctx context.Context, tx *pg.Tx) error {
	const alone = `select pg_try_advisory_xact_lock(hashtextextended('provisioning upkeep|' || current_tenant()::text,
		0))`
	var mine bool
	if err := tx.QueryRow(ctx, alone).Scan(&mine); err != nil || !mine {
		return err
	}
	now := s.Now()
	if _, _, err := ledger.Settle(ctx, tx, now); err != nil {
		return err
	}
	if err := grantstatus.ApplyNearing(ctx, tx, now.Add(notice)); err != nil {
		return err
	}
	for _, step := range []func(context.Context, *pg.Tx) error{s.refresh, heed, overdueAccounts, appeared, fulfilled,
		visible, verify, expire, outdated, unblock, escalate, round} {
		if err := step(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

// refresh finds out what can be changed through connectors that are new, whose settings have changed, or that were
// tested since.
func (s *Service) refresh(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select c.id::text, c.version, c.last_test ->> 'at'
		  from connector c
		  left join provisioning_lane l on l.tenant_id = c.tenant_id and l.connector_id = c.id
		 where c.deleted_at is null
		   and c.status <> 'draft'
		   and (l.ops_version is distinct from c.version or l.ops_test is distinct from c.last_test ->> 'at')`
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return fmt.Errorf("find changed connectors: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[changedConnector])
	if err != nil {
		return fmt.Errorf("find changed connectors: %w", err)
	}
	for _, c := range all {
		if err := s.look(ctx, tx, c); err != nil {
			return err
		}
	}
	return nil
}

// changedConnector is one of which it has to be found out what can be changed through it.
type changedConnector struct {
	ID      string
	Version int
	Test    *string // when it was last tested
}

// look notes which operations a connector's settings allow and its target was not seen to lack, and which it lacks.
func (s *Service) look(ctx context.Context, tx *pg.Tx, c changedConnector) error {
	names, missing, why := []string{}, []string{}, "its settings cannot be opened"
	if opened, err := s.Connectors.Open(ctx, tx, c.ID); err == nil {
		allowed := s.Dispatch.Writes(opened.Target.Type, opened.Auth)
		can := opened.Able(allowed)
		why = can.Why
		for _, op := range allowed.Ops {
			if slices.Contains(can.Ops, op) {
				names = append(names, string(op))
			} else {
				missing = append(missing, string(op))
			}
		}
	}
	const note = `
		insert into provisioning_lane as l (tenant_id, connector_id, ops, ops_missing, ops_why, ops_version, ops_test)
		values (current_tenant(), $1, $2, $3, $4, $5, $6)
		    on conflict (tenant_id, connector_id) do update
		   set ops = excluded.ops, ops_missing = excluded.ops_missing, ops_why = excluded.ops_why,
		       ops_version = excluded.ops_version, ops_test = excluded.ops_test,
		       planned_mode = case when l.ops is distinct from excluded.ops
		                             or l.ops_missing is distinct from excluded.ops_missing then null
		                                 else l.planned_mode end`
	if _, err := tx.Exec(ctx, note, c.ID, names, missing, why, c.Version, c.Test); err != nil {
		return fmt.Errorf("note what a connector can change: %w", err)
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
	if _, err := pgx.ForEachRow(
		rows,
		[]any{&id, &mode},
		func() error { before[id] = mode; ids = append(ids, id); return nil },
	); err != nil {
		return fmt.Errorf("list lanes: %w", err)
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	can, err := ability.Read(ctx, tx, ids)
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
		if a.Mode == task.ModeOff {
			continue
		}
		if err := changeMode(ctx, tx, a); err != nil {
			return err
		}
		const people = `
			insert into work_item (tenant_id, kind, subject)
			select current_tenant(), 'provisioning', identity_id from access_reason where connector_id = $1
			    and state = 'active'
			 union
			select current_tenant(), 'provisioning', a.identity_id
			  from account a
			  join identity i on i.tenant_id = a.tenant_id and i.id = a.identity_id
			 where a.connector_id = $1
			   and (a.status in ('active', 'locked', 'disabled', 'missing') or a.status = 'deleted'
			       and a.missing_since is not null)
			   and i.status in ('deactivated', 'archived', 'on_leave')`
		if _, err := tx.Exec(ctx, people, id); err != nil {
			return fmt.Errorf("have people looked at again: %w", err)
		}
	}
	return nil
}

// changeMode lets what waits be done in the way that the connector writes now: what a person was to do is sent, or the
// other way round. One operation may be left to people alone, because the target does not offer it.
func changeMode(ctx context.Context, tx *pg.Tx, a ability.Ability) error {
	if a.Mode == task.ModeSimulate {
		return nil
	}
	const sql = `
		update provisioning_task t
		   set mode = m.mode, updated_at = now(), version = t.version + 1, advice = nullif(m.advice, ''),
		       state = case when t.state = 'blocked' then 'blocked' when m.mode = 'manual' then 'manual'
		           else 'queued' end
		  from unnest($2::text[], $3::text[], $4::text[]) m (operation, mode, advice)
		 where t.connector_id = $1
		   and t.operation = m.operation
		   and t.mode <> m.mode
		   and t.mode <> 'simulate'
		   and not t.unsure
		   and t.state in ('queued', 'blocked', 'retrying', 'manual')
		   and t.outcome is distinct from 'manual_required'`
	var operations, modes, advice []string
	for operation := range task.ConnectorOps {
		why := a.WhyByHand(operation)
		if why != "" {
			why = "Make the change in the target, then complete this task with a note. " + why
		}
		operations, modes, advice = append(
			operations,
			operation,
		), append(
			modes,
			a.ModeOf(operation),
		), append(
			advice,
			why,
		)
	}
	if _, err := tx.Exec(ctx, sql, a.ID, operations, modes, advice); err != nil {
		return fmt.Errorf("change how tasks are done: %w", err)
	}
	return nil
}

// overdueAccounts has people looked at whose accounts may be due to be deleted. Whether they are the plan says.
func overdueAccounts(ctx context.Context, tx *pg.Tx) error {
	life, err := lifecycle.Find(ctx, tx)
	if err != nil {
		return err
	}
	const sql = `
		insert into work_item (tenant_id, kind, subject)
		select distinct a.tenant_id, 'provisioning', a.identity_id
		  from account a
		  join identity i on i.tenant_id = a.tenant_id and i.id = a.identity_id and i.status in ('deactivated',
		      'archived')
		  left join lifecycle_policy y on y.tenant_id = a.tenant_id
		  left join connector_provisioning p on p.tenant_id = a.tenant_id and p.connector_id = a.connector_id
		 where a.status = 'disabled'
		   and (a.disabled_for is not null or a.wanted_at is not null
		       or ` + known + ` and a.created_at <= i.status_changed_at)
		   and a.managed in ('managed', 'discovered')
		   and a.account_type in ('person', 'unknown')
		   and coalesce((p.deprovision ->> 'delete_after')::interval, y.delete_after) is not null
		   and (greatest(i.status_changed_at, coalesce(a.disabled_at, i.status_changed_at)) at time zone $1
		         + coalesce((p.deprovision ->> 'delete_after')::interval, y.delete_after)) at time zone $1 <= now()
		   and not exists (
		        select from provisioning_task t
		         where t.account_id = a.id
		           and t.operation = 'delete_account'
		           and t.state in ('queued', 'blocked', 'running', 'retrying', 'failed', 'manual'))
		 limit 10000`
	if _, err := tx.Exec(ctx, sql, life.Zone().String()); err != nil {
		return fmt.Errorf("find accounts to delete: %w", err)
	}
	return nil
}
