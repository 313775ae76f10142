package relay

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Sealer keeps the requests and results of calls that travel through the database. seal.Keyring is one.
type Sealer interface {
	Seal(ctx context.Context, tx *pg.Tx, place seal.Place, plain []byte) ([]byte, error)
	Open(ctx context.Context, tx *pg.Tx, place seal.Place, sealed []byte) ([]byte, error)
}

// Local are the agents whose sockets this process holds. Package hub has them.
type Local interface {
	// Any reports whether there is one.
	Any() bool
	// Holds reports whether the agent of the tenant is one.
	Holds(tenant, agent string) bool
	// Connector is the target's, run by an agent of this process; nil if none can. It never looks to other processes.
	Connector(t dispatch.Target) Connector
}

// Connector runs the calls that travel.
type Connector interface {
	connectorkit.Connector
	connectorkit.Changer
}

// Relay asks other processes for calls, and works on what they ask of this one.
type Relay struct {
	DB      *pg.DB
	Seal    Sealer
	Log     *slog.Logger
	Timing  agents.Timing
	Process string // as agent_task names this process
	Local   Local

	mu      sync.Mutex
	waiting map[string]chan struct{}      // by task: who waits for another process's result
	working map[string]context.CancelFunc // by task: calls worked on for another process
}

// reply is the result of a call as it travels back.
type reply struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  *v1.ErrorDetail `json:"error,omitempty"`
}

func requestPlace(task string) seal.Place {
	return seal.Place{Table: "agent_task", Column: "request", Row: task}
}

func resultPlace(task string) seal.Place {
	return seal.Place{Table: "agent_task", Column: "result", Row: task}
}
