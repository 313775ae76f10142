package worker

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/telemetry"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/lease"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// place is a run that this process works on.
type place struct {
	tenant  string
	suspect time.Time // a process has died in it: until then it is not safe to work on another such run
	cancel  context.CancelCauseFunc
}

// suspicion is how long a run in which a process has died is worked on without another such run, unless it moves on
// before.
const suspicion = time.Minute

func (s *Service) claim(ctx context.Context) error {
	if s.room() <= 0 {
		return nil
	}
	ready, err := lease.Ready(ctx, s.DB)
	if err != nil {
		return fmt.Errorf("find runs: %w", err)
	}
	waiting, next, err := lease.Waiting(ctx, s.DB, s.turned)
	s.turned = next
	if err != nil {
		return fmt.Errorf("find runs that wait for their agent: %w", err)
	}
	for _, o := range append(ready, waiting...) {
		if s.room() <= 0 {
			return nil
		}
		if !s.fits(o) {
			continue
		}
		if err := s.consider(ctx, o); err != nil {
			s.Log.WarnContext(ctx, "cannot take a run", "run", o.ID, "err", err)
		}
	}
	return nil
}

func (s *Service) room() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.MaxRuns - len(s.active)
}

// fits reports whether a run may have one of the places that are left. A tenant that has some gets another only while
// more are free than it has, so that the long runs of one tenant always leave a place for those of the next. Runs in
// which a process has died are worked on one at a time: should it die again, it is known in which of them.
func (s *Service) fits(o lease.Open) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := 0
	for _, p := range s.active {
		if p.tenant == o.Tenant {
			own++
		}
		if o.Suspect && time.Now().Before(p.suspect) {
			return false
		}
	}
	return o.Alone || own == 0 || s.MaxRuns-len(s.active) > own
}

// consider takes a run if this process can work on it: any hosted one, an agent's where this process holds the socket,
// and any that is read to its end.
func (s *Service) consider(ctx context.Context, o lease.Open) error {
	if o.Mode == dispatch.Agent && !o.ReadEnded && !s.Agents.Serves(o.Dispatch()) {
		return s.elsewhere(ctx, o)
	}
	w, err := s.take(ctx, o)
	if err != nil || w == nil {
		return err
	}
	s.begin(ctx, w)
	return nil
}

// elsewhere lets a run wait for its agent, which this process does not serve, and ends it when the agent stays away too
// long.
func (s *Service) elsewhere(ctx context.Context, o lease.Open) error {
	overdue := o.WaitUntil != nil && s.Now().After(*o.WaitUntil)
	if o.Status == syncrun.WaitingAgent && !overdue {
		return nil // the process that comes to serve the agent takes it
	}
	online, err := s.Agents.Online(ctx, o.Dispatch())
	if err != nil || online {
		return err
	}
	if overdue {
		return s.giveUp(ctx, o)
	}
	return o.AwaitAgent(ctx, s.DB, agentWait)
}

// giveUp ends a run whose agent stayed away. What earlier attempts did stays counted.
func (s *Service) giveUp(ctx context.Context, o lease.Open) error {
	return s.DB.AsBulk(ctx, viewer.System(o.Tenant), func(tx *pg.Tx) error {
		w, err := s.idle(ctx, tx, o)
		if err != nil {
			return err
		}
		return w.write(ctx, tx, syncrun.Failed, w.count, &v1.ErrorDetail{
			Class:   v1.ClassAgentUnavailable,
			Code:    "agent_offline",
			Message: fmt.Sprintf("no agent of this connector was online for %s", agentWait),
			Hint:    "Start the agent, or give the connector another one, and run the sync again.",
		})
	})
}

// relieve takes the suspicion from a run that has moved on.
func (s *Service) relieve(run string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, works := s.active[run]; works {
		at.suspect = time.Time{}
		s.active[run] = at
	}
}

// begin works on a run in the background.
func (s *Service) begin(ctx context.Context, w *work) {
	// The work outlives the loop's context by as long as handing back takes; stop cancels it with the reason.
	run, cancel := context.WithCancelCause(telemetry.WithRun(context.WithoutCancel(ctx), w.v.Tenant, w.id))
	at := place{tenant: w.v.Tenant, cancel: cancel}
	if w.died > 0 {
		at.suspect = time.Now().Add(suspicion)
	}
	s.mu.Lock()
	s.active[w.id] = at
	s.mu.Unlock()
	s.group.Add(1)
	go func() {
		defer s.group.Done()
		defer cancel(nil)
		defer func() {
			s.mu.Lock()
			delete(s.active, w.id)
			s.mu.Unlock()
			s.Wake()
		}()
		w.cancel = cancel
		w.do(run)
	}()
}
