package provision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/manual"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grantstatus"
	directoryaccount "github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Order asks for one change of one account: by somebody, or by a rule such as the one about drift.
type Order struct {
	Operation   string // one of those of accounts, or Grant, Revoke with GrantID
	ConnectorID string // of CreateAccount; else the account's
	IdentityID  string // of CreateAccount; else the account's owner
	AccountID   string
	GrantID     string
	// of CreateAccount, UpdateAccount, RenameAccount; nil of CreateAccount: by the connector's template
	Account     *v1.ProvisionAccount
	Credential  *v1.NewCredential // of SetPassword
	CreatedFrom string            // FromManual when empty
	Refs        []task.Ref        // what it is for
	Note        string
	Urgent      bool
}

// byRule says that nobody looks at it before it is done.
func (o Order) byRule() bool { return o.CreatedFrom != task.FromManual }

// steps are what may be done with an account in each of its states.
var steps = map[string][]string{
	"active":   {task.Disable, task.DeleteAccount, task.UpdateAccount, task.RenameAccount, task.SetPassword},
	"disabled": {task.Enable, task.DeleteAccount, task.UpdateAccount, task.RenameAccount, task.SetPassword},
	"locked": {
		task.Unlock,
		task.Disable,
		task.DeleteAccount,
		task.UpdateAccount,
		task.RenameAccount,
		task.SetPassword,
	},
}

// actions are the operations as the API's paths call them.
var actions = map[string]string{
	task.Enable:        "enable",
	task.Disable:       "disable",
	task.Unlock:        "unlock",
	task.DeleteAccount: "delete",
	task.RenameAccount: "rename",
	task.SetPassword:   "reset-password",
}

// allowed are the paths that an account's state allows.
func allowed(status string) []string {
	names := []string{}
	for _, s := range steps[status] {
		if name, known := actions[s]; known {
			names = append(names, name)
		}
	}
	return names
}

// Place writes one task down and gives its id; workers do it like every other. A deletion of an account that can be
// used disables it first, in a task of its own. It returns a fault of kind NotFound, or of kind Conflict where the
// account's state, its protection or the connector's settings do not allow the change.
func Place(ctx context.Context, tx *pg.Tx, o Order) (string, error) {
	if o.CreatedFrom == "" {
		o.CreatedFrom = task.FromManual
	}
	if o.Operation == task.CreateAccount {
		return placeNew(ctx, tx, o)
	}
	t, err := subjectOf(ctx, tx, o)
	if err != nil {
		return "", err
	}
	if err := t.check(o); err != nil {
		return "", err
	}
	tasks, err := t.drafts(ctx, tx, o)
	if err != nil {
		return "", err
	}
	return put(ctx, tx, tasks, t.can)
}

// subject is the account that an order is about.
type subject struct {
	ID, ConnectorID, Status, Managed, Type string
	IdentityID                             *string
	Disabled                               bool
	display, entitlement, held             string // of a grant: its entitlement, and how it stands
	can                                    ability.Ability
}

// subjectOf reads and locks the account, which the viewer must be able to see.
func subjectOf(ctx context.Context, tx *pg.Tx, o Order) (t subject, err error) {
	if o.GrantID != "" {
		const sql = `select account_id::text, entitlement_id::text, status from access_grant where id = $1`
		err := tx.QueryRow(ctx, sql, o.GrantID).Scan(&o.AccountID, &t.entitlement, &t.held)
		if errors.Is(err, pgx.ErrNoRows) {
			return t, fault.New(fault.NotFound, "there is no grant %s", o.GrantID)
		}
		if err != nil {
			return t, fmt.Errorf("find grant: %w", err)
		}
	}
	if _, err := directoryaccount.Find(ctx, tx, o.AccountID); err != nil {
		return t, err
	}
	const sql = `
		select a.id::text, a.connector_id::text, a.status, a.managed, a.account_type, a.identity_id::text,
		    coalesce(a.is_disabled, false), ` + directoryaccount.Display + `
		  from account a where a.id = $1 for update`
	if err := tx.QueryRow(ctx, sql, o.AccountID).
		Scan(&t.ID, &t.ConnectorID, &t.Status, &t.Managed, &t.Type, &t.IdentityID, &t.Disabled,
			&t.display); err != nil {
		return t, fmt.Errorf("find account: %w", err)
	}
	can, err := ability.Read(ctx, tx, []string{t.ConnectorID})
	t.can = can[t.ConnectorID]
	return t, err
}

// check refuses what may not be done with the account.
func (t subject) check(o Order) error {
	a := account{Managed: t.Managed, Type: t.Type}
	switch {
	case t.Managed == "protected":
		return fault.Coded(
			fault.Conflict,
			"account_protected",
			"the account %s is protected: nothing is ever written to it",
			t.display,
		)
	case o.byRule() && !a.writable():
		return fault.Coded(
			fault.Conflict,
			"account_protected",
			"the account %s is no person's managed account: rules do not write to it",
			t.display,
		)
	case o.Operation == task.Grant || o.Operation == task.Revoke:
		if t.Status == "deleted" || t.Status == "missing" {
			return fault.Coded(fault.Conflict, "invalid_transition", "the account is %s", t.Status)
		}
	case !slices.Contains(steps[t.Status], o.Operation):
		return fault.Coded(fault.Conflict, "invalid_transition", "the account is %s", t.Status).
			Also("allowed", allowed(t.Status))
	}
	return writes(t.can, o.Operation)
}

// writes refuses what is not written through a connector at all. What it cannot do a person may be asked for, in
// another mode.
func writes(can ability.Ability, operation string) error {
	if can.Mode == task.ModeOff || can.Ops != nil && !can.May(operation) {
		return fault.Coded(fault.Conflict, "writes_off", "%s", can.Refusal(operation))
	}
	return nil
}

// drafts are the tasks of an order: its own, and for the deletion of an account that can be used the disabling before.
func (t subject) drafts(ctx context.Context, tx *pg.Tx, o Order) ([]task.Draft, error) {
	d := t.draft(o)
	var err error
	if d.Replaces, err = t.clear(ctx, tx, o); err != nil {
		return nil, err
	}
	if o.Operation != task.DeleteAccount || t.Disabled || t.Status == "disabled" {
		return []task.Draft{d}, nil
	}
	first := d
	first.ID, first.Operation, first.Payload = newID(), task.Disable, task.Payload{DisabledFor: task.ForOrder}
	first.Mode = t.can.ModeOf(task.Disable)
	d.After, d.Replaces = []string{first.ID}, nil
	return []task.Draft{first, d}, nil
}

// draft is the task of an order.
func (t subject) draft(o Order) task.Draft {
	d := task.Draft{
		ID:            newID(),
		ConnectorID:   t.ConnectorID,
		Operation:     o.Operation,
		IdentityID:    orEmpty(t.IdentityID),
		AccountID:     t.ID,
		GrantID:       o.GrantID,
		EntitlementID: t.entitlement,
		Payload:       task.Payload{Account: o.Account, Credential: o.Credential},
		CreatedFrom:   o.CreatedFrom,
		Mode:          t.can.ModeOf(o.Operation),
		Urgent:        o.Urgent,
		Note:          o.Note,
		Refs:          o.Refs,
	}
	if o.Operation == task.Disable {
		d.Payload.DisabledFor = task.ForOrder
	}
	if o.Operation == task.Revoke {
		d.Payload.Before = t.held
	}
	return d
}

// clear makes way for an order: it gives the opposites that are pending, in whose place it comes. What is under way
// already, and the opposite that is being sent, are conflicts.
func (t subject) clear(ctx context.Context, tx *pg.Tx, o Order) (replaces []string, err error) {
	const sql = `
		select id::text, operation, state, unsure
		  from provisioning_task
		 where account_id = $1
		   and mode <> 'simulate'
		   and state in ('queued', 'blocked', 'running', 'retrying', 'failed', 'manual')
		   and case when $4 <> '' then grant_id::text = $4
		            else grant_id is null and (operation = $2 or $3
		                and operation in ('create_account', 'enable', 'disable', 'delete_account')) end
		   for update`
	rows, err := tx.Query(ctx, sql, t.ID, o.Operation, task.IsAboutAccount(o.Operation), strings.ToLower(o.GrantID))
	if err != nil {
		return nil, fmt.Errorf("find open tasks: %w", err)
	}
	var other task.Open
	var others []task.Open
	_, err = pgx.ForEachRow(rows, []any{&other.ID, &other.Operation, &other.State, &other.Unsure}, func() error {
		others = append(others, other)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find open tasks: %w", err)
	}
	return overtakes(o, others)
}

// overtakes are the open tasks in whose place an order comes. It is a conflict where the same is under way, or the
// opposite is being sent.
func overtakes(o Order, others []task.Open) (replaces []string, err error) {
	for _, other := range others {
		switch {
		case other.Operation == o.Operation:
			return nil, taskOpen(other.ID, "an open task is to "+ability.Verb(other.Operation)+" already")
		case other.Stage() == task.InFlight:
			return nil, taskOpen(other.ID, "the opposite change is being sent now; try again when it has ended")
		}
		replaces = append(replaces, other.ID)
	}
	return replaces, nil
}

func taskOpen(id, why string) error {
	return fault.Coded(fault.Conflict, "task_open", "%s", why).Also("task_id", id)
}

// placeNew orders an account for somebody.
func placeNew(ctx context.Context, tx *pg.Tx, o Order) (string, error) {
	if _, err := identity.Find(ctx, tx, o.IdentityID); err != nil {
		return "", err
	}
	missing := fault.New(fault.NotFound, "there is no connector %s", o.ConnectorID)
	if !listing.IsID(o.ConnectorID) {
		return "", missing
	}
	can, err := ability.Read(ctx, tx, []string{o.ConnectorID})
	if err != nil {
		return "", err
	}
	c, known := can[strings.ToLower(o.ConnectorID)]
	if !known {
		return "", missing
	}
	if err := writes(c, task.CreateAccount); err != nil {
		return "", err
	}
	const another = `
		select id::text from account
		 where connector_id = $1 and identity_id = $2 and account_type in ('person', 'unknown')
		     and status not in ('deleted', 'disconnected', 'failed')
		 order by created_at limit 1`
	var has string
	switch err := tx.QueryRow(ctx, another, o.ConnectorID, o.IdentityID).Scan(&has); {
	case err == nil:
		return "", fault.Coded(fault.Conflict, "account_exists", "the person has an account of this system already").
			Also("account_id", has)
	case !errors.Is(err, pgx.ErrNoRows):
		return "", fmt.Errorf("look for an account: %w", err)
	}
	p := newPlan(o, c)
	var sum Planned
	if err := p.write(ctx, tx, &sum); err != nil {
		return "", err
	}
	return p.tasks[0].ID, nil
}

// newPlan is the plan of one new account, rendered when it is written.
func newPlan(o Order, c ability.Ability) *plan {
	p := &plan{can: map[string]ability.Ability{c.ID: c}, creates: map[string]string{}, given: o.Account}
	id := newID()
	d := task.Draft{
		ID:          newID(),
		ConnectorID: c.ID,
		Operation:   task.CreateAccount,
		IdentityID:  o.IdentityID,
		CreatedFrom: o.CreatedFrom,
		Mode:        c.ModeOf(task.CreateAccount),
		Urgent:      o.Urgent,
		Note:        o.Note,
		Refs:        o.Refs,
	}
	if c.Mode != task.ModeSimulate {
		d.AccountID = id
	}
	p.tasks = append(p.tasks, d)
	p.accounts = append(
		p.accounts,
		newAccount{ID: id, ConnectorID: c.ID, IdentityID: o.IdentityID, Status: "provisioning"},
	)
	return p
}

// put writes the drafts of one order, and gives the id of the last.
func put(ctx context.Context, tx *pg.Tx, tasks []task.Draft, can ability.Ability) (string, error) {
	words, err := manual.ReadNames(ctx, tx, tasks)
	if err != nil {
		return "", err
	}
	rows := make([]taskRow, len(tasks))
	for i, d := range tasks {
		advice := ""
		if d.Mode == task.ModeManual {
			advice = manual.Instructions(d, can.Manual(d.Operation), words)
		}
		rows[i] = rowOf(d, can, advice)
	}
	err = replace(ctx, tx, tasks)
	if err == nil {
		_, err = enter(ctx, tx, rows)
	}
	if errors.Is(err, errOvertaken) {
		return "", fault.Coded(
			fault.Conflict,
			"task_open",
			"another change of the account was ordered at the same moment; look at its tasks and try again",
		)
	}
	if err != nil {
		return "", err
	}
	last := tasks[len(tasks)-1].ID
	for _, d := range tasks {
		if err := mark(ctx, tx, d); err != nil {
			return "", err
		}
	}
	return last, nil
}

// mark shows at the account or grant what is about to become of it.
func mark(ctx context.Context, tx *pg.Tx, d task.Draft) error {
	switch {
	case d.Mode == task.ModeSimulate:
	case d.Operation == task.DeleteAccount && len(d.After) == 0:
		return directoryaccount.SetStatus(ctx, tx, d.AccountID, "deprovisioning")
	case d.Operation == task.Grant:
		return grantstatus.Set(ctx, tx, []grantstatus.State{{ID: d.GrantID, Status: "pending"}})
	case d.Operation == task.Revoke:
		return grantstatus.Set(ctx, tx, []grantstatus.State{{ID: d.GrantID, Status: "revoking"}})
	}
	return nil
}
