package provision

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/failure"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/manual"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grantstatus"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	directoryaccount "github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// taskRow is a draft as the statement reads it.
type taskRow struct {
	ID            string          `json:"id"`
	ConnectorID   string          `json:"connector_id"`
	Operation     string          `json:"operation"`
	IdentityID    *string         `json:"identity_id"`
	AccountID     *string         `json:"account_id"`
	GrantID       *string         `json:"grant_id"`
	EntitlementID *string         `json:"entitlement_id"`
	Payload       task.Payload    `json:"payload"`
	ReasonRefs    []task.Ref      `json:"reason_refs"`
	CreatedFrom   string          `json:"created_from"`
	Mode          string          `json:"mode"`
	Lane          string          `json:"lane"`
	State         string          `json:"state"`
	Key           string          `json:"idempotency_key"`
	DependsOn     []string        `json:"depends_on"`
	Note          *string         `json:"note"`
	Unsure        bool            `json:"unsure"`
	Error         *v1.ErrorDetail `json:"error"`
	Advice        *string         `json:"advice"`
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// rowOf is the row of a draft. advice says what a person has to do, if one has to do it.
func rowOf(d task.Draft, can ability.Ability, advice string) taskRow {
	r := taskRow{
		ID:            d.ID,
		ConnectorID:   d.ConnectorID,
		Operation:     d.Operation,
		IdentityID:    optional(d.IdentityID),
		AccountID:     optional(d.AccountID),
		GrantID:       optional(d.GrantID),
		EntitlementID: optional(d.EntitlementID),
		Payload:       d.Payload,
		ReasonRefs:    slices.Clone(d.Refs),
		CreatedFrom:   d.CreatedFrom,
		Mode:          d.Mode,
		Lane:          task.Normal,
		State:         task.Queued,
		Key:           uuid.NewString(),
		DependsOn:     d.After,
		Note:          optional(d.Note),
		Unsure:        d.Unsure && d.Mode == task.ModeAuto,
		Advice:        optional(advice),
	}
	for _, id := range d.Reasons {
		r.ReasonRefs = append(r.ReasonRefs, task.Ref{Type: "access_reason", ID: id})
	}
	if r.ReasonRefs == nil {
		r.ReasonRefs = []task.Ref{}
	}
	if r.DependsOn == nil {
		r.DependsOn = []string{}
	}
	if d.Urgent {
		r.Lane = task.Urgent
	}
	switch {
	case len(d.After) > 0:
		r.State = task.Blocked
	case d.Mode == task.ModeManual:
		r.State, r.Error = task.Manual, d.Failed
	case d.Failed != nil:
		r.State, r.Error = task.Failed, d.Failed
	}
	return r
}

// replaced is why a task was cancelled in whose place another one was written.
const replaced = "another change takes its place"

// replace cancels the tasks in whose place others come, also those of which nobody knows whether they were made: what
// comes instead says how the target is to be in the end.
func replace(ctx context.Context, tx *pg.Tx, tasks []task.Draft) error {
	var old []ending
	for _, d := range tasks {
		for _, id := range d.Replaces {
			old = append(old, ending{id, replaced})
		}
	}
	_, sent, err := cancelTasks(ctx, tx, old, true)
	if err == nil && len(sent) > 0 {
		return fmt.Errorf("replace tasks: %w", errOvertaken)
	}
	return err
}

// enter writes tasks down, and gives the ids of those that are new. A simulated task that is there already stays as it
// is. Everything else is new: where another task of the same kind is open, the statement fails with a unique violation
// and nothing is written.
func enter(ctx context.Context, tx *pg.Tx, rows []taskRow) ([]string, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	const sql = `
		insert into provisioning_task (tenant_id, id, connector_id, operation, identity_id, account_id, grant_id,
		                               entitlement_id, payload, reason_refs, created_from, mode, lane, state,
		                                   idempotency_key, depends_on, note, unsure, error, error_class, advice,
		                                   created_by, finished_at)
		select current_tenant(), r.id, r.connector_id, r.operation, r.identity_id, r.account_id, r.grant_id,
		       r.entitlement_id, r.payload, r.reason_refs, r.created_from, r.mode, r.lane, r.state, r.idempotency_key,
		       array(select jsonb_array_elements_text(r.depends_on)::uuid), r.note, r.unsure, nullif(r.error, 'null'),
		           case when r.state = 'failed' then case when r.error ->> 'class' = 'conflict' then 'conflict'
		           else 'invalid' end end, r.advice, $2, case when r.state = 'failed' then now() end
		  from jsonb_to_recordset($1::jsonb) r (id uuid, connector_id uuid, operation text, identity_id uuid,
		       account_id uuid, grant_id uuid, entitlement_id uuid, payload jsonb, reason_refs jsonb, created_from text,
		       mode text, lane text, state text, idempotency_key uuid, depends_on jsonb, note text, unsure boolean,
		           error jsonb, advice text)
		    on conflict (tenant_id, connector_id, identity_id, account_id, entitlement_id, operation)
		       where mode = 'simulate' and created_from <> 'manual' and state <> 'cancelled' do nothing
		returning id::text`
	text, err := json.Marshal(rows)
	if err != nil {
		return nil, err
	}
	const lanes = `
		insert into provisioning_lane (tenant_id, connector_id)
		select distinct current_tenant(), r.connector_id
		  from jsonb_to_recordset($1::jsonb) r (connector_id uuid)
		    on conflict do nothing`
	if _, err := tx.Exec(ctx, lanes, string(text)); err != nil {
		return nil, fmt.Errorf("open lanes: %w", err)
	}
	found, err := tx.Query(ctx, sql, string(text), maker(tx))
	if err != nil {
		return nil, fmt.Errorf("write tasks: %w", err)
	}
	ids, err := pgx.CollectRows(found, pgx.RowTo[string])
	if isTaken(err) {
		return nil, fmt.Errorf("write tasks: %w: %w", errOvertaken, err)
	}
	if err != nil {
		return nil, fmt.Errorf("write tasks: %w", err)
	}
	return ids, pg.Notify(ctx, tx, channel, tx.Viewer.Tenant)
}

func maker(tx *pg.Tx) map[string]any {
	m := map[string]any{"type": string(tx.Viewer.Kind), "display": tx.Viewer.Display}
	if tx.Viewer.ID != "" {
		m["id"] = tx.Viewer.ID
	}
	return m
}

// write makes the plan's rows, each kind in one statement.
func (p *plan) write(ctx context.Context, tx *pg.Tx, sum *Planned) error {
	if err := p.withdraw(ctx, tx, sum); err != nil {
		return err
	}
	if err := p.render(ctx, tx); err != nil {
		return err
	}
	if err := p.marks(ctx, tx); err != nil {
		return err
	}
	real := slices.DeleteFunc(
		slices.Clone(p.accounts),
		func(a newAccount) bool { return p.tasks[a.task].Mode == task.ModeSimulate },
	)
	placeholders := make([]directoryaccount.Pending, len(real))
	for i, a := range real {
		placeholders[i] = directoryaccount.Pending{
			ID:          a.ID,
			ConnectorID: a.ConnectorID,
			IdentityID:  a.IdentityID,
			Username:    a.Username,
			Email:       a.Email,
			DisplayName: a.DisplayName,
			Status:      a.Status,
			Wanted:      a.Wanted,
		}
	}
	if err := directoryaccount.InsertPending(ctx, tx, placeholders); err != nil {
		return err
	}
	awaited := make([]grantstatus.Awaited, len(p.grants))
	for i, g := range p.grants {
		awaited[i] = grantstatus.Awaited(g)
	}
	there, err := grantstatus.Await(ctx, tx, awaited)
	if err != nil {
		return err
	}
	if len(there) < len(p.grants) {
		return fmt.Errorf("a sync has brought grants in the meantime: %w", errOvertaken)
	}
	rows, err := p.taskRows(ctx, tx)
	if err != nil {
		return err
	}
	if err := replace(ctx, tx, p.tasks); err != nil {
		return err
	}
	ids, err := enter(ctx, tx, rows)
	sum.Accounts, sum.Grants, sum.Tasks = sum.Accounts+len(real), sum.Grants+len(there), sum.Tasks+len(ids)
	return err
}

// taskRows are the tasks with their advice.
func (p *plan) taskRows(ctx context.Context, tx *pg.Tx) ([]taskRow, error) {
	tasks := p.tasks
	words, err := manual.ReadNames(ctx, tx, tasks)
	if err != nil {
		return nil, err
	}
	rows := make([]taskRow, len(tasks))
	for i, d := range tasks {
		advice := ""
		switch {
		case d.Mode == task.ModeManual:
			advice = manual.Instructions(d, p.can[d.ConnectorID].Manual(d.Operation), words)
		case d.Failed != nil && d.Failed.Code == "removed_in_target":
			advice = "Retry the task to restore the access in the target, or end the reasons for it."
		case d.Failed != nil:
			advice = failure.AdviceOfDraft(d.Failed)
		}
		rows[i] = rowOf(d, p.can[d.ConnectorID], advice)
	}
	return rows, nil
}

// withdraw cancels what has not been sent and is not wanted any more, with what waits for it, and marks what was sent
// to be looked at again.
func (p *plan) withdraw(ctx context.Context, tx *pg.Tx, sum *Planned) error {
	cancelled, sent, err := withdraw(ctx, tx, p.cancelled)
	if err != nil {
		return err
	}
	sum.Cancelled += len(cancelled)
	if err := fulfil(ctx, tx, p.fulfilled); err != nil {
		return err
	}
	// A worker was quicker: what it sends now is looked at again when it has ended, and what was to follow is not
	// written.
	if len(sent) > 0 {
		return fmt.Errorf("plan again: %w", errOvertaken)
	}
	if len(p.replanned) > 0 {
		const sql = `update provisioning_task set replan = true where id = any($1::text[]::uuid[]) and not replan`
		if _, err := tx.Exec(ctx, sql, p.replanned); err != nil {
			return fmt.Errorf("mark tasks: %w", err)
		}
	}
	if len(p.hastened) > 0 {
		const sql = `
			update provisioning_task
			   set lane = 'urgent', next_attempt_at = least(next_attempt_at, now()), updated_at = now(),
			       version = version + 1
			 where id = any($1::text[]::uuid[])
			   and lane <> 'urgent'`
		if _, err := tx.Exec(ctx, sql, p.hastened); err != nil {
			return fmt.Errorf("hasten tasks: %w", err)
		}
	}
	return nil
}

// errOvertaken says that a worker has sent what the plan wanted to take back.
var errOvertaken = fmt.Errorf("a task was sent while it was to be canceled: %w", queue.ErrOvertaken)

// isTaken says that a row could not be written because of one that is there.
func isTaken(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == "23505"
}

// withdraw cancels tasks that have not been sent, and gives those that have been.
func withdraw(ctx context.Context, tx *pg.Tx, tasks []ending) (cancelled, sent []string, err error) {
	return cancelTasks(ctx, tx, tasks, false)
}

// cancelTasks cancels tasks that are not being sent, and gives those that are. Tasks that may have been made are
// cancelled where doubt is allowed alone.
func cancelTasks(ctx context.Context, tx *pg.Tx, tasks []ending, doubt bool) (cancelled, sent []string, err error) {
	if len(tasks) == 0 {
		return nil, nil, nil
	}
	const sql = `
		update provisioning_task t
		   set state = 'cancelled', outcome = 'cancelled', note = coalesce(t.note || '; ', '') || r.why, unsure = false,
		       finished_at = now(),
		       updated_at = now(), version = version + 1
		  from jsonb_to_recordset($1::jsonb) r (id uuid, why text)
		 where t.id = r.id
		   and t.state in ('queued', 'blocked', 'retrying', 'failed', 'manual')
		   and ($2 or not t.unsure)
		returning t.id::text, t.operation, coalesce(t.account_id::text, ''), t.connector_id::text, r.why`
	text, err := json.Marshal(tasks)
	if err != nil {
		return nil, nil, err
	}
	rows, err := tx.Query(ctx, sql, string(text), doubt)
	if err != nil {
		return nil, nil, fmt.Errorf("cancel tasks: %w", err)
	}
	var id, operation, account, connector, why string
	var entries []audit.Entry
	_, err = pgx.ForEachRow(rows, []any{&id, &operation, &account, &connector, &why}, func() error {
		cancelled = append(cancelled, id)
		entries = append(
			entries,
			ended(
				"provisioning.cancelled",
				audit.Success,
				id,
				operation,
				account,
				connector,
				map[string]any{"why": why},
			),
		)
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("cancel tasks: %w", err)
	}
	for _, t := range tasks {
		if !slices.Contains(cancelled, t.ID) {
			sent = append(sent, t.ID)
		}
	}
	return cancelled, sent, audit.RecordAll(ctx, tx, entries)
}

// ended is the audit entry of a task's end.
func ended(
	action string,
	outcome audit.Outcome,
	id, operation, account, connector string,
	more map[string]any,
) audit.Entry {
	e := audit.Entry{
		Action:  action,
		Outcome: outcome,
		Subject: audit.Subject{Type: "provisioning_task", ID: id, Display: operation},
		Context: more,
	}
	if account != "" {
		e.Objects = append(e.Objects, audit.Subject{Type: "account", ID: account})
	}
	e.Objects = append(e.Objects, audit.Subject{Type: "connector", ID: connector})
	return e
}

// marks writes what changes about rows that are there.
func (p *plan) marks(ctx context.Context, tx *pg.Tx) error {
	if err := directoryaccount.MarkWanted(ctx, tx, p.wantedOf); err != nil {
		return err
	}
	for _, s := range p.statuses {
		if err := directoryaccount.SetStatus(ctx, tx, s.ID, s.Status); err != nil {
			return err
		}
	}
	if err := directoryaccount.DiscardPending(ctx, tx, p.forgotten); err != nil {
		return err
	}
	if err := grantstatus.MarkWanted(ctx, tx, p.wanted); err != nil {
		return err
	}
	states := make([]grantstatus.State, len(p.grantState))
	for i, s := range p.grantState {
		states[i] = grantstatus.State{ID: s.ID, Status: s.Status}
	}
	if err := grantstatus.Set(ctx, tx, states); err != nil {
		return err
	}
	ends := make([]grantstatus.Limit, len(p.limits))
	for i, l := range p.limits {
		ends[i] = grantstatus.Limit(l)
	}
	return grantstatus.SetLimits(ctx, tx, ends)
}

// render makes the accounts that are to be made, of their people, with names that nobody else has in the system.
func (p *plan) render(ctx context.Context, tx *pg.Tx) error {
	if len(p.accounts) == 0 {
		return nil
	}
	byConnector := map[string][]int{}
	people := make([]string, len(p.accounts))
	for i, a := range p.accounts {
		people[i] = a.IdentityID
		byConnector[a.ConnectorID] = append(byConnector[a.ConnectorID], i)
	}
	facts := map[string]identity.Facts{}
	if err := identity.EachFacts(
		ctx,
		tx,
		people,
		func(id string, f identity.Facts) error { facts[id] = f; return nil },
	); err != nil {
		return err
	}
	for _, connector := range slices.Sorted(maps.Keys(byConnector)) {
		about := make([]identity.Facts, len(byConnector[connector]))
		for n, i := range byConnector[connector] {
			about[n] = facts[p.accounts[i].IdentityID]
		}
		names, err := shape.NamesFor(ctx, tx, p.can[connector].Config, about)
		if err != nil {
			return err
		}
		for n, i := range byConnector[connector] {
			p.renderOne(i, about[n], names)
		}
		if err := names.Err(); err != nil {
			return err
		}
	}
	return nil
}

// renderOne makes one account. One that cannot be made has a task that says why.
func (p *plan) renderOne(i int, f identity.Facts, names *shape.Names) {
	a := &p.accounts[i]
	d := &p.tasks[a.task]
	made, credential, err := p.can[a.ConnectorID].Config.Account(f, names.Taken)
	var cannot *shape.Unmakable
	switch {
	case errors.As(err, &cannot):
		d.Failed = &v1.ErrorDetail{
			Class:   v1.ClassData,
			Code:    "account_not_makeable",
			Message: cannot.Error(),
			Phase:   "template",
		}
	case err != nil:
		d.Failed = &v1.ErrorDetail{
			Class:   v1.ClassConfig,
			Code:    "invalid_template",
			Message: err.Error(),
			Phase:   "template",
		}
	default:
		override(&made, p.given)
		d.Payload.Account, d.Payload.Credential = &made, credential
		a.Username, a.Email, a.DisplayName = orEmpty(made.Username), orEmpty(made.Email), orEmpty(made.DisplayName)
		if d.Mode != task.ModeSimulate {
			names.Take(a.Username)
		}
	}
	if d.Failed != nil && d.Mode != task.ModeManual {
		a.Status = "failed"
	}
}

// override lets what somebody has said stand instead of what the template says.
func override(made, given *v1.ProvisionAccount) {
	if given == nil {
		return
	}
	for _, f := range []struct{ to, from **string }{
		{&made.Username, &given.Username}, {&made.Email, &given.Email}, {&made.DisplayName, &given.DisplayName},
		{&made.FirstName, &given.FirstName},
		{&made.LastName, &given.LastName}, {&made.EmployeeNumber, &given.EmployeeNumber},
		{&made.Container, &given.Container},
	} {
		if *f.from != nil {
			*f.to = *f.from
		}
	}
	for name, value := range given.Attributes {
		if made.Attributes == nil {
			made.Attributes = map[string]any{}
		}
		made.Attributes[name] = value
	}
}
