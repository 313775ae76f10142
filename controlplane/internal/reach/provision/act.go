package provision

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/record/access"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func lacking(field, detail string) error {
	return fault.New(fault.Invalid, "%s", detail).With(fault.Field{Pointer: "#/" + field, Code: "required", Detail: detail})
}

// accept places an order and answers with its task, or tells what would be sent.
func (s *Service) accept(ctx context.Context, v viewer.Viewer, o Order, dryRun bool) (*acceptedOut, error) {
	if dryRun {
		return s.dryRun(ctx, v, o)
	}
	var out *acceptedOut
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		d, err := s.Accept(ctx, tx, o)
		if err != nil {
			return err
		}
		self := httpapi.Prefix + "/accounts/provisioning-tasks/" + d.ID
		out = &acceptedOut{Status: http.StatusAccepted, Location: self, Body: Accepted{TaskID: &d.ID, State: d.State, Mode: d.Mode, Links: map[string]string{"self": self}, Plan: []v1.PlannedRequest{}}}
		return nil
	})
	return out, err
}

// Accept places somebody's order within a transaction, and gives its task.
func (s *Service) Accept(ctx context.Context, tx *pg.Tx, o Order) (TaskDetail, error) {
	if err := s.refresh(ctx, tx); err != nil {
		return TaskDetail{}, err
	}
	id, err := Place(ctx, tx, o)
	if err != nil {
		return TaskDetail{}, err
	}
	d, err := Find(ctx, tx, id)
	if err != nil {
		return d, err
	}
	e := ended("provisioning.ordered", audit.Success, id, o.Operation, orEmpty(d.AccountID), d.ConnectorID, nil)
	e.Reason = o.Note
	return d, audit.Record(ctx, tx, e)
}

// dryRun does all that an order does, undoes it, and asks the connector what it would send.
func (s *Service) dryRun(ctx context.Context, v viewer.Viewer, o Order) (*acceptedOut, error) {
	l := &lane{s: s, v: viewer.System(v.Tenant)}
	var j job
	refused := false
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := s.refresh(ctx, tx); err != nil {
			return err
		}
		// What is placed within is undone alone: the dry run may share its transaction with the answer that is kept of it.
		inner, err := tx.Begin(ctx)
		if err != nil {
			return fmt.Errorf("rehearse: %w", err)
		}
		j, err = rehearse(ctx, &pg.Tx{Tx: inner, Viewer: tx.Viewer}, o)
		if back := inner.Rollback(ctx); back != nil {
			return fmt.Errorf("rehearse: %w", back)
		}
		if err != nil {
			return err
		}
		if j.failed != nil {
			refused = true
			return nil
		}
		l.id = j.connector
		l.target, err = s.Connectors.Open(ctx, tx, j.connector)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := &acceptedOut{Status: http.StatusOK, Body: Accepted{State: "planned", Mode: ModeSimulate, Links: map[string]string{}, Plan: []v1.PlannedRequest{}}}
	if refused {
		out.Body.Error = j.failed
		return out, nil
	}
	s.init()
	ctx, cancel := context.WithTimeout(ctx, s.CallLimit)
	defer cancel()
	j.Mode = ModeSimulate
	res, err := s.Dispatch.Provision(ctx, l.target.Target, j.request(l))
	switch {
	case err != nil:
		out.Body.Error = dispatch.Detail(err)
	case !res.Success:
		out.Body.Error = res.ErrorDetail
	}
	if res.Plan != nil {
		out.Body.Plan = res.Plan
	}
	return out, nil
}

// rehearse places an order in a transaction that is undone, and gives the first change that would be sent.
func rehearse(ctx context.Context, tx *pg.Tx, o Order) (j job, err error) {
	id, err := Place(ctx, tx, o)
	if err != nil {
		return j, err
	}
	const sql = `
		select t.id, t.operation, t.mode, t.lane, t.idempotency_key, t.payload, t.created_from, t.identity_id, t.account_id, t.grant_id,
		       case when a.status in ('provisioning', 'failed') then '' else coalesce(a.external_id, '') end as remote_id, coalesce(a.native_ref, a.native_identity, '') as native_ref,
		       coalesce(a.username, '') as username, t.connector_id::text, t.error
		  from provisioning_task t
		  left join account a on a.tenant_id = t.tenant_id and a.id = t.account_id
		 where t.id = $1`
	err = tx.QueryRow(ctx, sql, id).Scan(&j.ID, &j.Operation, &j.Mode, &j.Lane, &j.Key, &j.Payload, &j.CreatedFrom, &j.IdentityID, &j.AccountID, &j.GrantID,
		&j.RemoteID, &j.NativeRef, &j.Username, &j.connector, &j.failed)
	if err != nil {
		return j, fmt.Errorf("rehearse: %w", err)
	}
	return j, nil
}

type changeIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
}

type completeIn struct {
	ID string `path:"id"`
	httpapi.IfMatch
	Body Completed
}

// Completed is what somebody says who has made a change by hand.
type Completed struct {
	Note string `json:"note" minLength:"1" maxLength:"2000" doc:"What was done. It is kept with the task, and goes into the audit log."`
}

// stored is a task that somebody acts upon.
type stored struct {
	ID, Operation, State, Mode, ConnectorID string
	AccountID, GrantID                      *string
	Unsure                                  bool
	Version                                 int
	Payload                                 payload
}

// lock reads a task for a change, which the viewer must be able to see and which its state must allow.
func lock(ctx context.Context, tx *pg.Tx, id, action string, match httpapi.IfMatch) (t stored, err error) {
	if _, err := Find(ctx, tx, id); err != nil {
		return t, err
	}
	const sql = `
		select id::text, operation, state, mode, connector_id::text, account_id::text, grant_id::text, unsure, version, payload
		  from provisioning_task where id = $1 for update`
	if err := tx.QueryRow(ctx, sql, id).Scan(&t.ID, &t.Operation, &t.State, &t.Mode, &t.ConnectorID, &t.AccountID, &t.GrantID, &t.Unsure, &t.Version, &t.Payload); err != nil {
		return t, fmt.Errorf("find task: %w", err)
	}
	if err := match.Check(t.Version); err != nil {
		return t, err
	}
	if !may(t.State, action) {
		names := append([]string{}, transitions[t.State]...)
		return t, fault.Coded(fault.Conflict, "invalid_transition", "the task is %s", t.State).Also("allowed", names)
	}
	return t, nil
}

// change acts upon a task.
func change(ctx context.Context, tx *pg.Tx, id, action string, match httpapi.IfMatch, audited audit.Entry, do func(t stored) error) error {
	t, err := lock(ctx, tx, id, action, match)
	if err != nil {
		return err
	}
	if err := do(t); err != nil {
		return err
	}
	if audited.Action == "" {
		return nil
	}
	e := ended(audited.Action, audit.Success, t.ID, t.Operation, orEmpty(t.AccountID), t.ConnectorID, nil)
	e.Reason = audited.Reason
	return audit.Record(ctx, tx, e)
}

// changed does something with a task in a transaction, and shows the task.
func (s *Service) changed(ctx context.Context, v viewer.Viewer, id string, do func(tx *pg.Tx) error) (out *taskOut, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := do(tx); err != nil {
			return err
		}
		out, err = shownTask(ctx, tx, id)
		return err
	})
	return out, err
}

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

// again has failed tasks sent anew, with all their tries. It gives those that can be.
func again(ctx context.Context, tx *pg.Tx, ids []string) ([]string, error) {
	if err := remake(ctx, tx, ids); err != nil {
		return nil, err
	}
	const sql = `
		update provisioning_task t
		   set state = case when exists (select from provisioning_task d where d.id = any(t.depends_on) and d.state not in ('done', 'simulated')
		                                                                   and not (d.state = 'verifying' and d.operation <> 'create_account')) then 'blocked'
		                    when t.mode = 'manual' then 'manual'
		                    else 'queued' end,
		       tries = 0, next_attempt_at = now(), finished_at = null, error = null, error_class = null, advice = null, verified = 'none', verified_by = null,
		       verified_at = null, updated_at = now(), version = t.version + 1
		 where t.id = any($1::text[]::uuid[])
		   and t.state in ('failed', 'retrying')
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
		`update account a set status = case when t.operation = 'create_account' then 'provisioning' else 'deprovisioning' end, updated_at = now(), version = a.version + 1
		   from provisioning_task t where t.id = any($1::text[]::uuid[]) and a.id = t.account_id and t.operation in ('create_account', 'delete_account')`,
		`update access_grant g set status = case when t.operation = 'grant' then 'pending' else 'revoking' end, updated_at = now(), version = g.version + 1
		   from provisioning_task t where t.id = any($1::text[]::uuid[]) and g.id = t.grant_id and t.operation in ('grant', 'revoke')`,
		`update provisioning_task t set error = null, error_class = null, advice = null, updated_at = now(), version = t.version + 1
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
		return fmt.Errorf("find accounts to make anew: %w", err)
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
		p.tasks = append(p.tasks, draft{ID: u.ID, ConnectorID: u.Connector, Operation: CreateAccount, IdentityID: u.Identity, AccountID: u.Account})
		p.accounts = append(p.accounts, newAccount{ID: u.Account, ConnectorID: u.Connector, IdentityID: u.Identity, Status: "provisioning", task: len(p.tasks) - 1})
	}
	if p.can, err = abilities(ctx, tx, connectors); err != nil {
		return err
	}
	// Their old names are free for themselves.
	for _, free := range []struct {
		sql string
		ids []string
	}{{`update account set username = null where id = any($1::text[]::uuid[])`, accounts}, {`update provisioning_task set payload = payload - 'account' where id = any($1::text[]::uuid[])`, tasks}} {
		if _, err := tx.Exec(ctx, free.sql, free.ids); err != nil {
			return fmt.Errorf("free names: %w", err)
		}
	}
	if err := p.render(ctx, tx); err != nil {
		return err
	}
	for i, a := range p.accounts {
		d := p.tasks[a.task]
		if d.failed != nil {
			return fault.Coded(fault.Conflict, "account_not_makeable", "%s", d.failed.Message).Also("task_id", all[i].ID).Also("advice", unmakable(d.failed))
		}
		const task = `update provisioning_task set payload = $2 where id = $1`
		if _, err := tx.Exec(ctx, task, d.ID, d.Payload); err != nil {
			return fmt.Errorf("make account anew: %w", err)
		}
		const account = `update account set username = $2, email = nullif($3, ''), display_name = nullif($4, '') where id = $1`
		if _, err := tx.Exec(ctx, account, a.ID, a.Username, a.Email, a.DisplayName); err != nil {
			return fmt.Errorf("make account anew: %w", err)
		}
	}
	return nil
}

func (s *Service) complete(ctx context.Context, v viewer.Viewer, in *completeIn) (*taskOut, error) {
	return s.changed(ctx, v, in.ID, func(tx *pg.Tx) error { return s.Complete(ctx, tx, in.ID, in.IfMatch, in.Body.Note) })
}

// Complete writes within a transaction that somebody has made a task's change in the target.
func (s *Service) Complete(ctx context.Context, tx *pg.Tx, id string, match httpapi.IfMatch, note string) error {
	audited := audit.Entry{Action: "provisioning.completed", Reason: note}
	return change(ctx, tx, id, "complete", match, audited, func(t stored) error { return s.byHand(ctx, tx, t, note) })
}

// byHand writes that somebody has made a change in the target.
func (s *Service) byHand(ctx context.Context, tx *pg.Tx, t stored, note string) error {
	o := outcome{job: job{ID: t.ID, Operation: t.Operation, AccountID: t.AccountID, GrantID: t.GrantID, Payload: t.Payload, Mode: ModeAuto}, state: Done, result: "completed"}
	if t.Operation == CreateAccount {
		o.state = Verifying // its key in the target is not known
	}
	const sql = `
		update provisioning_task
		   set state = $2, outcome = 'completed', verified = case when $2 = 'done' then 'yes' else 'pending' end, verified_by = 'human', verified_at = now(),
		       note = coalesce(note || '; ', '') || $3, unsure = false, error = null, error_class = null, advice = null, finished_at = now(), updated_at = now(), version = version + 1
		 where id = $1`
	if _, err := tx.Exec(ctx, sql, t.ID, o.state, note); err != nil {
		return fmt.Errorf("complete task: %w", err)
	}
	if t.Operation == CreateAccount && t.AccountID != nil {
		if err := directory.SetAccountStatus(ctx, tx, *t.AccountID, "provisioning"); err != nil {
			return err
		}
	}
	l := &lane{s: s}
	if err := l.apply(ctx, tx, []outcome{o}); err != nil {
		return err
	}
	if err := follow(ctx, tx, []outcome{o}); err != nil {
		return err
	}
	return pg.Notify(ctx, tx, channel, tx.Viewer.Tenant)
}

func (s *Service) cancel(ctx context.Context, v viewer.Viewer, in *changeIn) (*taskOut, error) {
	return s.changed(ctx, v, in.ID, func(tx *pg.Tx) error { return Cancel(ctx, tx, in.ID, in.IfMatch) })
}

// Cancel cancels a task within a transaction, with all that waits for it.
func Cancel(ctx context.Context, tx *pg.Tx, id string, match httpapi.IfMatch) error {
	return change(ctx, tx, id, "cancel", match, audit.Entry{}, func(t stored) error {
		if t.Unsure && t.State != Failed {
			return fault.Coded(fault.Conflict, "invalid_transition", "nobody knows whether the change was made: it is looked up first").Also("allowed", []string{"retry"})
		}
		return drop(ctx, tx, t)
	})
}

// drop cancels a task with all that waits for it. Accounts and grants are again as the target has them.
func drop(ctx context.Context, tx *pg.Tx, t stored) error {
	const dependents = `
		with recursive waiting as (
		    select $1::uuid as id
		     union
		    select d.id
		      from waiting w
		      join provisioning_task d on d.depends_on @> array[w.id] and d.state in ('blocked', 'manual', 'queued', 'failed')
		)
		select t.id::text, t.operation, t.account_id::text, t.grant_id::text from waiting w join provisioning_task t on t.id = w.id`
	if _, err := tx.Exec(ctx, `update provisioning_task set unsure = false where id = $1`, t.ID); err != nil {
		return fmt.Errorf("cancel task: %w", err)
	}
	rows, err := tx.Query(ctx, dependents, t.ID)
	if err != nil {
		return fmt.Errorf("find what waits: %w", err)
	}
	type one struct {
		ID, Operation  string
		Account, Grant *string
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[one])
	if err != nil {
		return fmt.Errorf("find what waits: %w", err)
	}
	var back []ending
	var states []access.State
	var unmade []string
	for _, d := range all {
		why := "somebody cancelled it"
		if d.ID != t.ID {
			why = "what it waited for was cancelled"
		}
		back = append(back, ending{d.ID, why})
		switch {
		case d.Operation == Grant && d.Grant != nil:
			states = append(states, access.State{ID: *d.Grant, Status: "revoked"})
		case d.Operation == Revoke && d.Grant != nil:
			states = append(states, access.State{ID: *d.Grant, Status: "active"})
		case d.Operation == CreateAccount && d.Account != nil:
			unmade = append(unmade, *d.Account)
		case d.Operation == DeleteAccount && d.Account != nil:
			const undo = `update account set status = case when is_disabled then 'disabled' else 'active' end, updated_at = now(), version = version + 1 where id = $1 and status = 'deprovisioning'`
			if _, err := tx.Exec(ctx, undo, *d.Account); err != nil {
				return fmt.Errorf("take back a deletion: %w", err)
			}
		}
	}
	if _, _, err := withdraw(ctx, tx, back); err != nil {
		return err
	}
	if err := directory.Unannounce(ctx, tx, unmade); err != nil {
		return err
	}
	return access.SetStates(ctx, tx, states)
}

type retryAllIn struct{ Body RetryFailed }

// RetryFailed says whose failed tasks are sent again.
type RetryFailed struct {
	ConnectorID string `json:"connector_id" format:"uuid"`
}

// Retried says what is sent again.
type Retried struct {
	Retried int      `json:"retried" doc:"Tasks that are sent again."`
	Skipped int      `json:"skipped" doc:"Accounts whose template still cannot be filled."`
	TaskIDs []string `json:"task_ids" nullable:"false" doc:"The first 1000 of them."`
}

type retriedOut struct{ Body Retried }

// mostRetried bounds how many tasks one request sends again; the rest by the next one.
const mostRetried = 10_000

func (s *Service) retryAll(ctx context.Context, v viewer.Viewer, in *retryAllIn) (*retriedOut, error) {
	out := &retriedOut{Body: Retried{TaskIDs: []string{}}}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		out.Body = Retried{TaskIDs: []string{}}
		name, err := connectorName(ctx, tx, in.Body.ConnectorID)
		if err != nil {
			return err
		}
		const sql = `select id::text, operation = 'create_account' from provisioning_task where connector_id = $1 and state = 'failed' order by id limit $2 for update skip locked`
		rows, err := tx.Query(ctx, sql, in.Body.ConnectorID, mostRetried)
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
		out.Body.TaskIDs = append(out.Body.TaskIDs, all[:min(len(all), 1000)]...)
		return audit.Record(ctx, tx, audit.Entry{Action: "provisioning.retried", Subject: audit.Subject{Type: "connector", ID: in.Body.ConnectorID, Display: name}, Context: map[string]any{"tasks": len(all)}})
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

func connectorName(ctx context.Context, tx *pg.Tx, id string) (name string, err error) {
	err = tx.QueryRow(ctx, `select business_id from connector where id::text = lower($1) and deleted_at is null`, id).Scan(&name)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", fault.New(fault.NotFound, "there is no connector %s", id)
	}
	if err != nil {
		return "", fmt.Errorf("find connector: %w", err)
	}
	return name, nil
}
