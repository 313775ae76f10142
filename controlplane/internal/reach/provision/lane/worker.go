package lane

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/lease"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/attempt"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
)

// Worker makes the changes of connectors, several connectors at once.
type Worker struct {
	DB         *pg.DB
	Connectors attempt.Connectors
	Dispatch   attempt.Dispatcher
	Log        *slog.Logger
	Now        func() time.Time
	Ring       func() // called when the work on a connector has ended: the next one can begin

	Lanes     int           // connectors that are worked on at once
	Calls     int           // changes that are made at once in one target
	CallLimit time.Duration // how long one change may take
	// Admit returns those of the grants, by their tasks, that must not be made now. It is called in the transaction
	// that takes tasks. Nil: all may be made.
	Admit func(ctx context.Context, tx *pg.Tx, taskIDs []string) ([]taskstore.Held, error)

	me string // this process, as the owner of leases
	// mu guards active, the connectors that this process works on, by tenant and connector.
	mu     sync.Mutex
	active map[string]bool
	group  sync.WaitGroup
}

// Init gives the worker an identity of its own, under which it holds leases. It is called once, before Start.
func (s *Worker) Init() {
	s.me, s.active = uuid.NewString(), map[string]bool{}
}

// Owner is the process as the owner of leases.
func (s *Worker) Owner() string { return s.me }

// Wait waits until no connector is worked on.
func (s *Worker) Wait() { s.group.Wait() }

// found is a connector with changes to make that no process works on.
type found struct {
	Tenant    string `db:"tenant_id"`
	Connector string `db:"connector_id"`
}

// Start begins the work on connectors that no process works on, and returns on how many.
func (s *Worker) Start(ctx context.Context) (n int, err error) {
	s.mu.Lock()
	room := s.Lanes - len(s.active)
	s.mu.Unlock()
	if room <= 0 || ctx.Err() != nil {
		return 0, nil
	}
	const sql = `
		select l.tenant_id::text, l.connector_id::text
		  from provisioning_lane l
		  join tenant n
		    on n.id = l.tenant_id
		   and n.status = 'active'
		 where ` + lease.Free + `
		   and (l.wait_until is null or l.wait_until <= now())
		   and (exists (select from provisioning_task t
		                 where t.tenant_id = l.tenant_id and t.connector_id = l.connector_id
		                   and t.state in ('queued', 'retrying') and t.mode <> 'manual' and t.next_attempt_at <= now())
		     or exists (select from provisioning_task t
		                 where t.tenant_id = l.tenant_id and t.connector_id = l.connector_id and t.state = 'running'
		                     and t.lease_until < now()))
		 order by exists (select from provisioning_task t
		                   where t.tenant_id = l.tenant_id and t.connector_id = l.connector_id
		                     and t.state in ('queued', 'retrying') and t.mode <> 'manual' and t.lane = 'urgent') desc
		 limit 100`
	all, err := pg.FindAcross(ctx, s.DB, pgx.RowToStructByName[found], sql)
	if err != nil {
		return 0, fmt.Errorf("find changes to make: %w", err)
	}
	for _, f := range all {
		if n == room {
			break
		}
		if s.begin(ctx, f) {
			n++
		}
	}
	return n, nil
}

// begin works on a connector in the background, unless this process is at it already.
func (s *Worker) begin(ctx context.Context, f found) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active[f.Connector] {
		return false
	}
	s.active[f.Connector] = true
	s.group.Add(1)
	go func() {
		defer s.group.Done()
		defer s.Ring()
		defer func() {
			s.mu.Lock()
			delete(s.active, f.Connector)
			s.mu.Unlock()
		}()
		if err := s.run(ctx, f); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "cannot make changes; it is tried again", "connector", f.Connector, "err", err)
			// Others may have what this process lacks: it does not come back at once.
			time.Sleep(time.Duration(500+rand.IntN(500)) * time.Millisecond)
		}
	}()
	return true
}
