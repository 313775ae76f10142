package provision

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/attempt"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/breaker"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/lane"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/order"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/planner"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskview"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/upkeep"
)

// Dispatcher is how changes reach a target, wherever its connector runs.
type Dispatcher interface {
	attempt.Dispatcher
	planner.Abilities
}

// Service plans and makes changes, and lets people see and steer them. Its fields are set before its first use.
type Service struct {
	DB *pg.DB
	// Connectors opens connectors with their credentials, and Dispatch sends calls to where they
	// run.
	Connectors attempt.Connectors
	Dispatch   Dispatcher
	Cursors    *httpapi.Cursors
	Log        *slog.Logger
	Now        func() time.Time

	// Admit returns those of the grants, by their tasks, that must not be made now; see lane.Worker. Nil: all may be
	// made.
	Admit func(ctx context.Context, tx *pg.Tx, taskIDs []string) ([]taskstore.Held, error)

	Lanes     int           // connectors that this process works on at once; 0: 16
	Calls     int           // changes that are made at once in one target; 0: 4
	CallLimit time.Duration // how long one change may take; 0: 30 s

	once sync.Once
	// wake starts a pass before its time, when a task was written.
	wake       loop.Wakeup
	lanes      *lane.Worker
	upkeep     *upkeep.Service
	background sync.WaitGroup

	reading atomic.Bool // changes are being read back
}

// init makes the parts that work in the background.
func (s *Service) init() {
	s.once.Do(func() {
		s.lanes = &lane.Worker{
			DB:         s.DB,
			Connectors: s.Connectors,
			Dispatch:   s.Dispatch,
			Log:        s.Log,
			Now:        s.Now,
			Ring:       s.wake.Notify,
			Lanes:      cmp.Or(s.Lanes, 16),
			Calls:      cmp.Or(s.Calls, 4),
			CallLimit:  s.callLimit(),
			Admit:      s.Admit,
		}
		s.lanes.Init()
		s.upkeep = &upkeep.Service{
			DB:         s.DB,
			Connectors: s.Connectors,
			Dispatch:   s.Dispatch,
			Planner:    s.planner(),
			Log:        s.Log,
			Now:        s.Now,
			CallLimit:  s.callLimit(),
		}
	})
}

// callLimit is how long one call of a target may take.
func (s *Service) callLimit() time.Duration { return cmp.Or(s.CallLimit, 30*time.Second) }

// planner makes the planner of a transaction; it keeps nothing.
func (s *Service) planner() *planner.Planner {
	return &planner.Planner{Connectors: s.Connectors, Dispatch: s.Dispatch}
}

// orders makes the service that places changes, with this service's dependencies.
func (s *Service) orders() *order.Service {
	return &order.Service{
		DB:         s.DB,
		Connectors: s.Connectors,
		Dispatch:   s.Dispatch,
		Planner:    s.planner(),
		Now:        s.Now,
		CallLimit:  s.callLimit(),
	}
}

// Kinds are the work of this package on the queue: see planner.Planner.
func (s *Service) Kinds() []queue.Kind { return s.planner().Kinds() }

// Accept places an order within a transaction, and gives its task.
func (s *Service) Accept(ctx context.Context, tx *pg.Tx, o order.Order) (taskview.TaskDetail, error) {
	return s.orders().Accept(ctx, tx, o)
}

// Complete writes within a transaction that a person has made a task's change in the target.
func (s *Service) Complete(ctx context.Context, tx *pg.Tx, id string, match httpapi.IfMatch, note string) error {
	return s.orders().Complete(ctx, tx, id, match, note)
}

// Routes are the paths of provisioning tasks, of changes of accounts, and of the switches that stop them.
func (s *Service) Routes() []httpapi.Route {
	views := &taskview.Service{DB: s.DB, Cursors: s.Cursors}
	return slices.Concat(views.Routes(), s.orders().Routes(), (&breaker.Service{DB: s.DB}).Routes())
}
