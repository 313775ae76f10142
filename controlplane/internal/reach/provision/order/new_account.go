package order

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/plan"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/planner"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// placeNew orders an account for a person.
func placeNew(ctx context.Context, tx *pg.Tx, o Order) (string, error) {
	if _, err := identity.Find(ctx, tx, o.IdentityID); err != nil {
		return "", err
	}
	missing := fault.New(fault.NotFound, "Connector %s was not found.", o.ConnectorID)
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
	var sum planner.Planned
	if err := planner.WritePlan(ctx, tx, p, &sum); err != nil {
		return "", err
	}
	return p.Tasks[0].ID, nil
}

// newPlan is the plan of one new account, rendered when it is written.
func newPlan(o Order, c ability.Ability) *plan.Plan {
	p := &plan.Plan{Can: map[string]ability.Ability{c.ID: c}, Creates: map[string]string{}}
	id := task.NewID()
	d := task.Draft{
		ID:          task.NewID(),
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
	p.Tasks = append(p.Tasks, d)
	p.Accounts = append(
		p.Accounts,
		plan.NewAccount{
			ID:          id,
			ConnectorID: c.ID,
			IdentityID:  o.IdentityID,
			Status:      "provisioning",
			Given:       o.Account,
		},
	)
	return p
}
