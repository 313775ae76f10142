package planner

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/failure"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/plan"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// RetryTasks has tasks sent anew that failed, or whose record was not found, with all their tries. It gives those that
// can be.
func RetryTasks(ctx context.Context, tx *pg.Tx, ids []string) ([]string, error) {
	if err := remake(ctx, tx, ids); err != nil {
		return nil, err
	}
	const sql = `
		update provisioning_task t
		   set state = case when exists (select from provisioning_task d where d.id = any(t.depends_on)
		       and d.state not in ('done', 'simulated')
		                                                                   and not (d.state = 'verifying'
		                                                                       and d.operation <> 'create_account'))
		                                                                       then 'blocked'
		                    when t.mode = 'manual' then 'manual'
		                    else 'queued' end,
		       tries = 0, next_attempt_at = now(), finished_at = null, error = null, error_class = null, advice = null,
		       verified = 'none', verified_by = null, verified_at = null, updated_at = now(), version = t.version + 1
		 where t.id = any($1::text[]::uuid[])
		   and t.state in ('failed', 'retrying', 'verifying')
		returning t.id::text`
	retried, err := pg.All[string](ctx, tx, "retry tasks", sql, ids)
	if err != nil {
		return nil, err
	}
	// The account, or the grant, is on its way again; and so is what waits for it.
	for _, more := range []string{
		`update account a set status = case when t.operation = 'create_account' then 'provisioning'
		       else 'deprovisioning' end, updated_at = now(), version = a.version + 1
		   from provisioning_task t where t.id = any($1::text[]::uuid[]) and a.id = t.account_id
		       and t.operation in ('create_account', 'delete_account')`,
		`update access_grant g set status = case when t.operation = 'grant' then 'pending' else 'revoking' end,
		       updated_at = now(), version = g.version + 1
		   from provisioning_task t where t.id = any($1::text[]::uuid[]) and g.id = t.grant_id
		       and t.operation in ('grant', 'revoke')`,
		`update provisioning_task t set error = null, error_class = null, advice = null, updated_at = now(),
		      version = t.version + 1
		  where t.state = 'blocked' and t.held_at is null and t.depends_on && $1::text[]::uuid[]`,
	} {
		if err := pg.Exec(ctx, tx, "retry tasks", more, retried); err != nil {
			return nil, err
		}
	}
	return retried, pg.Notify(ctx, tx, taskstore.Channel, tx.Viewer.Tenant)
}

// remake makes the accounts of failed tasks anew of their templates, where nothing can have been made of them yet. What
// a user ordered of an account stays.
func remake(ctx context.Context, tx *pg.Tx, ids []string) error {
	const sql = `
		select t.id::text, t.connector_id::text, t.account_id::text, t.identity_id::text, t.payload -> 'given'
		  from provisioning_task t
		 where t.id = any($1::text[]::uuid[])
		   and t.operation = 'create_account'
		   and t.state = 'failed'
		   and not t.unsure
		   and t.account_id is not null
		   and t.identity_id is not null`
	rows, err := tx.Query(ctx, sql, ids)
	if err != nil {
		return fmt.Errorf("find accounts to compute again: %w", err)
	}
	type unmade struct {
		ID, Connector, Account, Identity string
		Given                            *v1.ProvisionAccount
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[unmade])
	if err != nil || len(all) == 0 {
		return err
	}
	var connectors, tasks, accounts []string
	p := &plan.Plan{Creates: map[string]string{}}
	for _, u := range all {
		connectors, tasks, accounts = append(connectors, u.Connector), append(tasks, u.ID), append(accounts, u.Account)
		p.Tasks = append(
			p.Tasks,
			task.Draft{
				ID:          u.ID,
				ConnectorID: u.Connector,
				Operation:   task.CreateAccount,
				IdentityID:  u.Identity,
				AccountID:   u.Account,
			},
		)
		p.Accounts = append(
			p.Accounts,
			plan.NewAccount{
				ID:          u.Account,
				ConnectorID: u.Connector,
				IdentityID:  u.Identity,
				Status:      "provisioning",
				Task:        len(p.Tasks) - 1,
				Given:       u.Given,
			},
		)
	}
	if p.Can, err = ability.Read(ctx, tx, connectors); err != nil {
		return err
	}
	// Their old names are free for themselves.
	for _, free := range []struct {
		sql string
		ids []string
	}{{`update account set username = null
		where id = any($1::text[]::uuid[])`, accounts}, {`update provisioning_task set payload = payload - 'account'
			where id = any($1::text[]::uuid[])`, tasks}} {
		if err := pg.Exec(ctx, tx, "free names", free.sql, free.ids); err != nil {
			return err
		}
	}
	if err := render(ctx, tx, p); err != nil {
		return err
	}
	for i, a := range p.Accounts {
		d := p.Tasks[a.Task]
		if d.Failed != nil {
			return fault.Coded(fault.Conflict, "account_not_makeable", "%s", d.Failed.Message).
				Also("task_id", all[i].ID).
				Also("advice", failure.AdviceOfDraft(d.Failed))
		}
		const task = `update provisioning_task set payload = $2 where id = $1`
		if err := pg.Exec(ctx, tx, "compute account again", task, d.ID, d.Payload); err != nil {
			return err
		}
		const account = `update account set username = $2, email = nullif($3, ''),
			display_name = nullif($4, '') where id = $1`
		if err := pg.Exec(
			ctx,
			tx,
			"compute account again",
			account,
			a.ID,
			a.Username,
			a.Email,
			a.DisplayName,
		); err != nil {
			return err
		}
	}
	return nil
}
