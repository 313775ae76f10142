package connector

import (
	"context"

	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/callable"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connection"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Open reads a connector with its secrets, to call its target. It returns a fault of kind NotFound when there is none,
// or no longer, and of kind Conflict when it is a draft that lacks settings.
func (s *Service) Open(ctx context.Context, tx *pg.Tx, id string) (callable.Connector, error) {
	r, err := read(ctx, tx, id, "")
	if err != nil {
		return callable.Connector{}, err
	}
	secrets, err := s.unseal(ctx, tx, r)
	if err != nil {
		return callable.Connector{}, err
	}
	o := r.open(tx.Viewer.Tenant, secrets)
	o.Offers = r.offers()
	return o, r.callable(secrets)
}

// offers are the changes that a test of the present settings has seen the target offer.
func (r row) offers() []v1.ProvisionOp {
	if r.Tested == nil || r.Tested.Digest != r.digest() {
		return nil
	}
	return r.Tested.Operations
}

func (r row) open(tenant string, secrets map[string]any) callable.Connector {
	engine, auth := catalog.Resolve(r.key(), connection.Together(r.Connection, secrets))
	target := dispatch.Target{
		Tenant:      tenant,
		ConnectorID: r.ID,
		Type:        engine,
		Mode:        r.Mode,
		AgentID:     connection.TextOf(r.AgentID),
		AgentGroup:  connection.TextOf(r.AgentGroup),
	}
	return callable.Connector{
		ID: r.ID, BusinessID: r.BusinessID, Name: r.Name, Type: r.Type, Purpose: r.Purpose, Status: r.Status,
		Target: target, Auth: auth,
	}
}

// key is that of the catalog's entry which describes the connector.
func (c Connector) key() string { return catalog.KeyOf(c.Type, connection.TextOf(c.VendorKey)) }

// resolved are the settings that may be shown, as the connector code gets them.
func (c Connector) resolved() map[string]any {
	_, settings := catalog.Resolve(c.key(), c.Connection)
	return settings
}
