package provision

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/failure"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

func (s *Service) retry(ctx context.Context, v viewer.Viewer, in *changeIn) (*taskOut, error) {
	return s.changed(ctx, v, in.ID, func(tx *pg.Tx) error { return Retry(ctx, tx, in.ID, in.IfMatch) })
}

// Retry has a task sent again within a transaction.
func Retry(ctx context.Context, tx *pg.Tx, id string, match httpapi.IfMatch) error {
	return change(ctx, tx, id, "retry", match, audit.Entry{Action: "provisioning.retried"}, func(t stored) error {
		_, err := again(ctx, tx, []string{t.ID})
		return err
	})
}

// again has tasks sent anew that failed, or whose record was not found, with all their tries. It gives those that can
// be.
func again(ctx context.Context, tx *pg.Tx, ids []string) ([]string, error) {
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
	rows, err := tx.Query(ctx, sql, ids)
	if err != nil {
		return nil, fmt.Errorf("retry tasks: %w", err)
	}
	retried, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("retry tasks: %w", err)
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
		  where t.state = 'blocked' and t.depends_on && $1::text[]::uuid[]`,
	} {
		if _, err := tx.Exec(ctx, more, retried); err != nil {
			return nil, fmt.Errorf("retry tasks: %w", err)
		}
	}
	return retried, pg.Notify(ctx, tx, channel, tx.Viewer.Tenant)
}

// remake makes the accounts of failed tasks anew of their templates, where nothing can have been made of them yet.
func remake(ctx context.Context, tx *pg.Tx, ids []string) error {
	const sql = `
		select t.id::text, t.connector_id::text, t.account_id::text, t.identity_id::text
		  from provisioning_task t
		 where t.id = any($1::text[]::uuid[])
		   and t.operation = 'create_account'
		   and t.state = 'failed'
		   and not t.unsure
		   and t.account_id is not null
		   and t.identity_id is not null
		   and coalesce(t.payload ->> 'given', '') = ''`
	rows, err := tx.Query(ctx, sql, ids)
	if err != nil {
		return fmt.Errorf("find accounts to compute again: %w", err)
	}
	type unmade struct{ ID, Connector, Account, Identity string }
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[unmade])
	if err != nil || len(all) == 0 {
		return err
	}
	var connectors, tasks, accounts []string
	p := &plan{creates: map[string]string{}}
	for _, u := range all {
		connectors, tasks, accounts = append(connectors, u.Connector), append(tasks, u.ID), append(accounts, u.Account)
		p.tasks = append(
			p.tasks,
			task.Draft{
				ID:          u.ID,
				ConnectorID: u.Connector,
				Operation:   task.CreateAccount,
				IdentityID:  u.Identity,
				AccountID:   u.Account,
			},
		)
		p.accounts = append(
			p.accounts,
			newAccount{
				ID:          u.Account,
				ConnectorID: u.Connector,
				IdentityID:  u.Identity,
				Status:      "provisioning",
				task:        len(p.tasks) - 1,
			},
		)
	}
	if p.can, err = ability.Read(ctx, tx, connectors); err != nil {
		return err
	}
	// Their old names are free for themselves.
	for _, free := range []struct {
		sql string
		ids []string
	}{{`update account set username = null
		where id = any($1::text[]::uuid[])`, accounts}, {`update provisioning_task set payload = payload - 'account'
			where id = any($1::text[]::uuid[])`, tasks}} {
		if _, err := tx.Exec(ctx, free.sql, free.ids); err != nil {
			return fmt.Errorf("free names: %w", err)
		}
	}
	if err := p.render(ctx, tx); err != nil {
		return err
	}
	for i, a := range p.accounts {
		d := p.tasks[a.task]
		if d.Failed != nil {
			return fault.Coded(fault.Conflict, "account_not_makeable", "%s", d.Failed.Message).
				Also("task_id", all[i].ID).
				Also("advice", failure.AdviceOfDraft(d.Failed))
		}
		const task = `update provisioning_task set payload = $2 where id = $1`
		if _, err := tx.Exec(ctx, task, d.ID, d.Payload); err != nil {
			return fmt.Errorf("compute account again: %w", err)
		}
		const account = `update account set username = $2, email = nullif($3, ''),
			display_name = nullif($4, '') where id = $1`
		if _, err := tx.Exec(ctx, account, a.ID, a.Username, a.Email, a.DisplayName); err != nil {
			return fmt.Errorf("compute account again: %w", err)
		}
	}
	return nil
}

type retryAllIn struct{ Body RetryFailed }

// RetryFailed says whose failed tasks are sent again.
type RetryFailed struct {
	ConnectorID string `json:"connector_id" format:"uuid"`
	Cause       string `json:"cause,omitempty" maxLength:"200" doc:"Only those with this error code, as GET /accounts/provisioning-tasks/groups names it."`
	Operation   string `json:"operation,omitempty" enum:"create_account,update_account,rename_account,enable,disable,delete_account,unlock,set_password,grant,revoke"`
}

// Retried says what is sent again.
type Retried struct {
	Retried   int      `json:"retried" doc:"Tasks that are sent again."`
	Skipped   int      `json:"skipped" doc:"Accounts whose template still cannot be filled."`
	Remaining int      `json:"remaining" doc:"Failed tasks of the group that are left, with those that were skipped: ask again for the next ones."`
	TaskIDs   []string `json:"task_ids" nullable:"false" doc:"The first 1000 of them."`
}

type retriedOut struct{ Body Retried }

// mostRetried bounds how many tasks one request sends again; the rest by the next one.
const mostRetried = 10_000

// chosen is the SQL of which failed tasks t are sent again, by their cause and their operation.
const chosen = `($2 = '' or ` + cause + ` = $2) and ($3 = '' or t.operation = $3)`

func (s *Service) retryAll(ctx context.Context, v viewer.Viewer, in *retryAllIn) (*retriedOut, error) {
	out := &retriedOut{Body: Retried{TaskIDs: []string{}}}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		out.Body = Retried{TaskIDs: []string{}}
		name, err := connectorName(ctx, tx, in.Body.ConnectorID)
		if err != nil {
			return err
		}
		const sql = `select id::text, operation = 'create_account' 
			  from provisioning_task t
			 where t.connector_id = $1 and t.state = 'failed' and ` + chosen + `
			 order by t.id limit $4 for update skip locked`
		rows, err := tx.Query(ctx, sql, in.Body.ConnectorID, in.Body.Cause, in.Body.Operation, mostRetried)
		if err != nil {
			return fmt.Errorf("find failed tasks: %w", err)
		}
		var id string
		var creates bool
		var plain, made []string
		if _, err := pgx.ForEachRow(rows, []any{&id, &creates}, func() error {
			if creates {
				made = append(made, id)
			} else {
				plain = append(plain, id)
			}
			return nil
		}); err != nil {
			return fmt.Errorf("find failed tasks: %w", err)
		}
		all, err := again(ctx, tx, plain)
		if err != nil {
			return err
		}
		for _, id := range made {
			one, err := s.remadeAlone(ctx, tx, id)
			if err != nil {
				return err
			}
			all = append(all, one...)
		}
		out.Body.Retried, out.Body.Skipped = len(all), len(plain)+len(made)-len(all)
		const left = `select count(*) from provisioning_task t where t.connector_id = $1 and t.state = 'failed'
			and ` + chosen
		if err := tx.QueryRow(ctx, left, in.Body.ConnectorID, in.Body.Cause, in.Body.Operation).
			Scan(&out.Body.Remaining); err != nil {
			return fmt.Errorf("count failed tasks: %w", err)
		}
		out.Body.TaskIDs = append(out.Body.TaskIDs, all[:min(len(all), 1000)]...)
		return audit.Record(
			ctx,
			tx,
			audit.Entry{
				Action:  "provisioning.retried",
				Subject: audit.Subject{Type: "connector", ID: in.Body.ConnectorID, Display: name},
				Context: map[string]any{"tasks": len(all), "cause": in.Body.Cause},
			},
		)
	})
	return out, err
}

// remadeAlone retries the making of one account, and leaves it failed where its template still cannot be filled.
func (s *Service) remadeAlone(ctx context.Context, tx *pg.Tx, id string) ([]string, error) {
	inner, err := tx.Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("retry task: %w", err)
	}
	one, err := again(ctx, &pg.Tx{Tx: inner, Viewer: tx.Viewer}, []string{id})
	if fault.IsCode(err, "account_not_makeable") {
		return nil, inner.Rollback(ctx)
	}
	if err != nil {
		return nil, err
	}
	return one, inner.Commit(ctx)
}
