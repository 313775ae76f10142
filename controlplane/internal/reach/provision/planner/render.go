package planner

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/plan"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/task"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape/username"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/identity"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// render makes the accounts that are to be made, of their people, with names that no other account has in the system.
func render(ctx context.Context, tx *pg.Tx, p *plan.Plan) error {
	if len(p.Accounts) == 0 {
		return nil
	}
	byConnector := map[string][]int{}
	people := make([]string, len(p.Accounts))
	for i, a := range p.Accounts {
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
	connectors := slices.Sorted(maps.Keys(byConnector))
	configs, err := shape.Load(ctx, tx, connectors)
	if err != nil {
		return err
	}
	for _, connector := range connectors {
		about := make([]identity.Facts, len(byConnector[connector]))
		for n, i := range byConnector[connector] {
			about[n] = facts[p.Accounts[i].IdentityID]
		}
		names, err := shape.NamesFor(ctx, tx, configs[connector], about)
		if err != nil {
			return err
		}
		for n, i := range byConnector[connector] {
			renderOne(p, i, configs[connector], about[n], names)
		}
		if err := names.Err(); err != nil {
			return err
		}
	}
	return nil
}

// renderOne makes one account. One that cannot be made has a task that says why.
func renderOne(p *plan.Plan, i int, c shape.Config, f identity.Facts, names *username.Names) {
	a := &p.Accounts[i]
	d := &p.Tasks[a.Task]
	d.Payload.Given = a.Given
	made, credential, err := c.Account(f, names.Taken)
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
		override(&made, a.Given)
		d.Payload.Account, d.Payload.Credential = &made, credential
		a.Username, a.Email, a.DisplayName = task.TextOf(
			made.Username,
		), task.TextOf(
			made.Email,
		), task.TextOf(
			made.DisplayName,
		)
		if d.Mode != task.ModeSimulate {
			names.Take(a.Username)
		}
	}
	if d.Failed != nil && d.Mode != task.ModeManual {
		a.Status = "failed"
	}
}

// override lets the decision of a user stand instead of the template.
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
