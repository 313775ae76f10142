package worker

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/fieldmap"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/hold"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/callback"
)

// Run looks for runs and works on them until ctx ends. Then it hands back what it has, so that the next process goes on
// at once.
func (s *Service) Run(ctx context.Context) error {
	s.init()
	defer s.stop()
	line := pg.Line{
		DB:      s.DB,
		Channel: syncrun.Channel,
		Again:   2 * time.Second,
		Log:     s.Log,
		Lost:    "lost the line on which runs are announced; looking every second",
	}
	go line.Listen(ctx, s.wake.Notify)
	return loop.Worker{
		Every:  time.Second,
		Wake:   &s.wake,
		Log:    s.Log,
		Cannot: "cannot look for runs",
	}.Run(
		ctx,
		func(ctx context.Context) error {
			err := s.claim(ctx)
			s.Callbacks.DeliverDue(ctx)
			s.expire(ctx)
			return err
		},
	)
}

// expire ends, once a minute, what was held without a decision for too long.
func (s *Service) expire(ctx context.Context) {
	now := s.Now()
	if now.Sub(s.expired) < time.Minute {
		return
	}
	s.expired = now
	if err := hold.Expire(ctx, s.DB, now); err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "cannot end what was held for too long", "err", err)
	}
}

func (s *Service) stop() {
	s.mu.Lock()
	for _, p := range s.active {
		p.cancel(errStopping)
	}
	s.mu.Unlock()
	s.group.Wait()
	s.Callbacks.Wait()
}

// Times and limits of the work on runs.
const (
	agentWait   = 30 * time.Minute // how long a run waits for an agent that is offline
	silence     = 5 * time.Minute  // a connector that shows no sign of progress for so long is stuck
	maxFailures = 5                // attempts that did not move a run on
	maxDeaths   = 2                // processes that died in a run which did not move on
)

// Agents reports which agents this process, or any, can reach.
type Agents interface {
	Serves(t dispatch.Target) bool
	Online(ctx context.Context, t dispatch.Target) (bool, error)
}

// Service works on the runs of all tenants, up to MaxRuns at once. Each process has one.
type Service struct {
	DB         *pg.DB
	Connectors *connector.Service
	Fields     *fieldmap.Service // gives what maps the records
	Dispatch   *dispatch.Dispatcher
	Agents     Agents
	Callbacks  *callback.Sender
	// MaxRuns bounds the runs that this process works on at once. 0: eight.
	MaxRuns int
	// Silence is how long a connector may show no sign of progress: no chunk, no report, no announced wait. 0: five
	// minutes.
	Silence time.Duration
	// KeepStaged leaves what a run has staged where it is, for inspection.
	KeepStaged bool
	Log        *slog.Logger
	Now        func() time.Time

	process uuid.UUID
	once    sync.Once
	mu      sync.Mutex
	active  map[string]place // by run
	turned  string           // the last waiting run that was looked at; the loop's own
	group   sync.WaitGroup
	wake    loop.Wakeup
	expired time.Time // when Expire was last called; the loop's own
}

func (s *Service) init() {
	s.once.Do(func() {
		s.process = uuid.Must(uuid.NewV7())
		s.active = map[string]place{}
		if s.MaxRuns == 0 {
			s.MaxRuns = 8
		}
		if s.Silence == 0 {
			s.Silence = silence
		}
	})
}

// Wake makes this process look for runs at once.
func (s *Service) Wake() { s.wake.Notify() }
