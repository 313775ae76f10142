package webhook

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/delivery"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Bounds of what is posted at once.
const (
	perWebhook = 4
	perTenant  = 16
	perProcess = 128

	lookEvery  = time.Second
	sweepEvery = time.Minute
	purgeEvery = time.Hour
)

// worker is what a process remembers of its deliveries.
type worker struct {
	fans  loop.Wakeup // there are events
	wake  loop.Wakeup // something may be delivered
	lanes sync.WaitGroup

	mu      sync.Mutex
	running int                // lanes
	clients map[string]*caller // by webhook
}

// caller is the client that calls one webhook's endpoint: an endpoint that hangs holds up no connections but its own.
type caller struct {
	http *http.Client
	used time.Time
}

// Wake makes this process look for deliveries at once.
func (s *Service) Wake() { s.wake.Notify() }

// Run makes deliveries of events and delivers them until ctx ends. What is being posted then is finished first.
func (s *Service) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for on, bell := range map[string]*loop.Wakeup{event.Channel: &s.fans, delivery.Channel: &s.wake} {
		line := pg.Line{
			DB:      s.DB,
			Channel: on,
			Again:   2 * time.Second,
			Log:     s.Log.With("channel", on),
			Lost:    "lost the line on which webhooks' work is announced; looking every second",
		}
		group.Go(func() error { line.Listen(ctx, bell.Notify); return nil })
	}
	group.Go(func() error {
		return repeat(ctx, &s.fans, func() time.Duration {
			if s.fan(ctx) {
				return 0
			}
			return lookEvery
		})
	})
	group.Go(func() error { return repeat(ctx, &s.wake, func() time.Duration { return s.dispatch(ctx) }) })
	group.Go(func() error { return repeat(ctx, nil, func() time.Duration { s.sweep(ctx); return sweepEvery }) })
	group.Go(func() error { return repeat(ctx, nil, func() time.Duration { s.purge(ctx); return purgeEvery }) })
	err := group.Wait()
	s.lanes.Wait()
	return err
}

// repeat does something whenever the bell rings, and when the time that it gives has passed, until ctx ends.
func repeat(ctx context.Context, bell *loop.Wakeup, do func() time.Duration) error {
	for {
		timer := time.NewTimer(do())
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-bell.Notified():
			timer.Stop()
		case <-timer.C:
		}
	}
}

// due is a webhook that has deliveries, and in how many seconds the first is due.
type due struct {
	Tenant string  `db:"tenant_id"`
	Wait   float64 `db:"wait"`
}

// dispatch starts what is due, and says when to look again. A webhook costs one look into an index, however much waits
// for it.
func (s *Service) dispatch(ctx context.Context) (again time.Duration) {
	found, err := s.look(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.Log.WarnContext(ctx, "cannot look for deliveries", "err", err)
		}
		return lookEvery
	}
	again = lookEvery
	for _, d := range found {
		if d.Wait > 0 {
			again = min(again, time.Duration(d.Wait*float64(time.Second))+time.Millisecond)
			continue
		}
		if err := s.claimTenant(ctx, d.Tenant); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "cannot take deliveries", "tenant", d.Tenant, "err", err)
		}
	}
	return again
}

// look finds the tenants that have deliveries for webhooks that may be called, and when the first of each is due.
func (s *Service) look(ctx context.Context) (found []due, err error) {
	const sql = `
		select w.tenant_id::text, min(extract(epoch from first.due_at - now())::float8) as wait
		  from webhook w
		  join tenant t
		    on t.id = w.tenant_id
		   and t.status = 'active'
		 cross join lateral (select d.due_at
		                       from webhook_delivery d
		                      where d.tenant_id = w.tenant_id and d.webhook_id = w.id and d.state = 'pending'
		                      order by d.due_at
		                      limit 1) first
		 where w.state = 'enabled'
		   and (w.probe_at is null or w.probe_at <= now())
		 group by w.tenant_id
		 order by random()`
	found, err = pg.FindAcross(ctx, s.DB, pgx.RowToStructByName[due], sql)
	if err != nil {
		return nil, fmt.Errorf("look for deliveries: %w", err)
	}
	return found, nil
}

// client is the client of a webhook. Those that have not been used for long are forgotten.
func (s *Service) client(webhook string) *http.Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients == nil {
		s.clients = map[string]*caller{}
	}
	now := time.Now()
	c := s.clients[webhook]
	if c == nil {
		for id, other := range s.clients {
			if now.Sub(other.used) > 10*time.Minute {
				delete(s.clients, id)
			}
		}
		c = &caller{http: s.Guard.Client(callTimeout)}
		s.clients[webhook] = c
	}
	c.used = now
	return c.http
}

// reserve takes room for up to n lanes in this process.
func (s *Service) reserve(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = max(0, min(n, perProcess-s.running))
	s.running += n
	return n
}

func (s *Service) giveBack(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running -= n
}
