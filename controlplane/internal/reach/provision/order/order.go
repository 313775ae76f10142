package order

import (
	"context"
	"errors"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/manual"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grantstatus"
	directoryaccount "github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Order asks for one change of one account: by a user, or by a rule such as the one about drift.
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

// byRule means that no person checks it before it is done.
func (o Order) byRule() bool { return o.CreatedFrom != task.FromManual }

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
	first.ID, first.Operation, first.Payload = task.NewID(), task.Disable, task.Payload{DisabledFor: task.ForOrder}
	first.Mode = t.can.ModeOf(task.Disable)
	d.After, d.Replaces = []string{first.ID}, nil
	return []task.Draft{first, d}, nil
}

// draft is the task of an order.
func (t subject) draft(o Order) task.Draft {
	d := task.Draft{
		ID:            task.NewID(),
		ConnectorID:   t.ConnectorID,
		Operation:     o.Operation,
		IdentityID:    task.TextOf(t.IdentityID),
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

// put writes the drafts of one order, and gives the id of the last.
func put(ctx context.Context, tx *pg.Tx, tasks []task.Draft, can ability.Ability) (string, error) {
	words, err := manual.ReadNames(ctx, tx, tasks)
	if err != nil {
		return "", err
	}
	rows := make([]taskstore.Row, len(tasks))
	for i, d := range tasks {
		advice := ""
		if d.Mode == task.ModeManual {
			advice = manual.Instructions(d, can, words)
		}
		rows[i] = taskstore.RowOf(d, advice)
	}
	err = taskstore.Replace(ctx, tx, tasks)
	if err == nil {
		_, err = taskstore.Insert(ctx, tx, rows)
	}
	if errors.Is(err, taskstore.ErrOvertaken) {
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
		if err := markOrdered(ctx, tx, d); err != nil {
			return "", err
		}
	}
	return last, nil
}

// markOrdered shows at the account or grant what is about to become of it.
func markOrdered(ctx context.Context, tx *pg.Tx, d task.Draft) error {
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
