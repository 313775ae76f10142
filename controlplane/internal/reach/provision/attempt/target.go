package attempt

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/callable"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Dispatcher is how changes reach a target, wherever its connector runs.
type Dispatcher interface {
	Provision(ctx context.Context, t dispatch.Target, req v1.ProvisionRequest) (v1.ProvisionResponse, error)
	Read(ctx context.Context, t dispatch.Target, req v1.ReadRequest) (v1.ReadResponse, error)
}

// Connectors opens connectors with their secrets.
type Connectors interface {
	Open(ctx context.Context, tx *pg.Tx, id string) (callable.Connector, error)
}
