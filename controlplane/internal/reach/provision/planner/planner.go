package planner

import (
	"context"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/callable"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Connectors opens connectors with their secrets.
type Connectors interface {
	Open(ctx context.Context, tx *pg.Tx, id string) (callable.Connector, error)
}

// Abilities says what the connector code of a type can change with given settings.
type Abilities interface {
	Writes(connectorType string, auth v1.AuthConfig) connectorkit.Writes
}

// Planner plans for people whose access has changed.
type Planner struct {
	Connectors Connectors
	// Dispatch reports what a connector's target can do.
	Dispatch Abilities
}

// kind is the kind of the work that plans changes.
const kind = "provisioning"

// Kinds are the work of this package on the queue: to plan for people whose required access or accounts have changed.
// When a plan of many cannot be written, the queue tries smaller ones: a person for whom planning fails holds up no one
// else.
func (p *Planner) Kinds() []queue.Kind {
	return []queue.Kind{{
		Name:    kind,
		Title:   "Provisioning plans",
		About:   "Plans provisioning tasks for people whose access or accounts changed.",
		Subject: "identity",
		Batch:   most,
		Work:    p.planFor,
	}}
}

// planFor plans for people, the urgent ones first, in the transaction that takes their items: when it dies, nothing has
// happened.
func (p *Planner) planFor(ctx context.Context, tx *pg.Tx, items []queue.Item) error {
	var urgent, others []string
	for _, item := range items {
		if item.Urgent {
			urgent = append(urgent, item.Subject)
		} else {
			others = append(others, item.Subject)
		}
	}
	if err := p.Refresh(ctx, tx); err != nil {
		return err
	}
	if _, err := Plan(ctx, tx, urgent, true); err != nil {
		return err
	}
	_, err := Plan(ctx, tx, others, false)
	return err
}
