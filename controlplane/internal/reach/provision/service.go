package provision

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Dispatcher is how changes reach a target, wherever its connector runs.
type Dispatcher interface {
	Provision(ctx context.Context, t dispatch.Target, req v1.ProvisionRequest) (v1.ProvisionResponse, error)
	Read(ctx context.Context, t dispatch.Target, req v1.ReadRequest) (v1.ReadResponse, error)
	Writes(connectorType string, auth v1.AuthConfig) connectorkit.Writes
}

// Connectors opens connectors with their secrets.
type Connectors interface {
	Open(ctx context.Context, tx *pg.Tx, id string) (connector.Opened, error)
}

// Service plans and makes changes, and lets people see and steer them.
type Service struct {
	DB         *pg.DB
	Connectors Connectors
	Dispatch   Dispatcher
	Cursors    *httpapi.Cursors
	Log        *slog.Logger
	Now        func() time.Time

	Lanes     int           // connectors that this process works on at once; 0: 16
	Calls     int           // changes that are made at once in one target; 0: 4
	CallLimit time.Duration // how long one change may take; 0: 30 s

	once   sync.Once
	me     string // this process, as the owner of leases
	wake   loop.Bell
	mu     sync.Mutex
	active map[string]bool
	group  sync.WaitGroup

	reading atomic.Bool // changes are being read back
}

func (s *Service) init() {
	s.once.Do(func() {
		s.me = uuid.NewString()
		s.active = map[string]bool{}
		if s.Lanes == 0 {
			s.Lanes = 16
		}
		if s.Calls == 0 {
			s.Calls = 4
		}
		if s.CallLimit == 0 {
			s.CallLimit = 30 * time.Second
		}
	})
}
