package provision

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
)

// channel is where it is announced that there is something to do.
const channel = "provisioning"

// Times of the work.
const (
	interval = time.Second      // how soon work is noticed that nobody announced
	upkeep   = 15 * time.Second // how often what depends on the time, or on settings, is looked at
)

// Run makes changes until ctx ends. They are planned by the work queue. Any number of processes may do so at once.
func (s *Service) Run(ctx context.Context) error {
	s.init()
	defer s.group.Wait()
	line := pg.Line{
		DB:      s.DB,
		Channel: channel,
		Again:   2 * time.Second,
		Log:     s.Log,
		Lost:    "lost the line on which changes are announced; looking every second",
	}
	go line.Listen(ctx, s.wake.Ring)
	var kept time.Time
	return loop.Worker{Every: interval, Wake: &s.wake}.Run(ctx, func(ctx context.Context) error {
		if time.Since(kept) >= upkeep {
			kept = time.Now()
			s.complain(ctx, "cannot look after what is due", s.Keep(ctx))
			s.readInBackground(ctx)
		}
		_, err := s.start(ctx)
		s.complain(ctx, "cannot look for changes to make", err)
		return nil // what has failed in one tenant keeps the others from nothing
	})
}

// readInBackground reads back what was not seen, one pass at a time: a target that answers slowly holds up nothing
// else.
func (s *Service) readInBackground(ctx context.Context) {
	if !s.reading.CompareAndSwap(false, true) {
		return
	}
	s.group.Go(func() {
		defer s.reading.Store(false)
		s.complain(ctx, "cannot read back changes", s.ReadBack(ctx))
	})
}

func (s *Service) complain(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, what, "err", err)
	}
}

// kind is the kind of the work that plans changes.
const kind = "provisioning"

// Kinds are the work of this package on the queue: to plan for people whose required access or accounts have changed.
// When a plan of many cannot be written, the queue tries smaller ones: a person for whom planning fails holds up nobody
// else.
func (s *Service) Kinds() []queue.Kind {
	return []queue.Kind{{
		Name:    kind,
		Title:   "Provisioning plans",
		About:   "Plans provisioning tasks for people whose access or accounts changed.",
		Subject: "identity",
		Batch:   most,
		Work:    s.planFor,
	}}
}

// planFor plans for people, the urgent ones first, in the transaction that takes their items: when it dies, nothing has
// happened.
func (s *Service) planFor(ctx context.Context, tx *pg.Tx, items []queue.Item) error {
	var urgent, others []string
	for _, item := range items {
		if item.Urgent {
			urgent = append(urgent, item.Subject)
		} else {
			others = append(others, item.Subject)
		}
	}
	if err := s.refresh(ctx, tx); err != nil {
		return err
	}
	if _, err := Plan(ctx, tx, urgent, true); err != nil {
		return err
	}
	_, err := Plan(ctx, tx, others, false)
	return err
}

// found is a connector with changes to make that nobody is at.
type found struct {
	Tenant    string `db:"tenant_id"`
	Connector string `db:"connector_id"`
}

// start begins the work on connectors that nobody is at, and says on how many.
func (s *Service) start(ctx context.Context) (n int, err error) {
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
		 where (l.lease_until is null or l.lease_until < now())
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
func (s *Service) begin(ctx context.Context, f found) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active[f.Connector] {
		return false
	}
	s.active[f.Connector] = true
	s.group.Add(1)
	go func() {
		defer s.group.Done()
		defer s.wake.Ring()
		defer func() {
			s.mu.Lock()
			delete(s.active, f.Connector)
			s.mu.Unlock()
		}()
		if err := s.lane(ctx, f); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "cannot make changes; it is tried again", "connector", f.Connector, "err", err)
			// Others may have what this process lacks: it does not come back at once.
			time.Sleep(time.Duration(500+rand.IntN(500)) * time.Millisecond)
		}
	}()
	return true
}
