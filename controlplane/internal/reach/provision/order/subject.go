package order

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/plan"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	directoryaccount "github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
)

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
			return t, fault.New(fault.NotFound, "Grant %s was not found.", o.GrantID)
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
	a := plan.Account{Managed: t.Managed, Type: t.Type}
	switch {
	case t.Managed == "protected":
		return fault.Coded(
			fault.Conflict,
			"account_protected",
			"the account %s is protected: nothing is ever written to it",
			t.display,
		)
	case o.byRule() && !a.Writable():
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
