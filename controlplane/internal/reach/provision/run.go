package provision

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskstore"
)

// Times of the work.
const (
	interval    = time.Second      // how soon unannounced work is noticed
	upkeepEvery = 15 * time.Second // how often what depends on the time, or on settings, is looked at
)

// Run makes changes until ctx ends. They are planned by the work queue. Any number of processes may do so at once.
func (s *Service) Run(ctx context.Context) error {
	s.init()
	defer s.lanes.Wait()
	defer s.background.Wait()
	line := pg.Line{
		DB:      s.DB,
		Channel: taskstore.Channel,
		Again:   2 * time.Second,
		Log:     s.Log,
		Lost:    "lost the line on which changes are announced; looking every second",
	}
	go line.Listen(ctx, s.wake.Notify)
	var kept time.Time
	return loop.Worker{Every: interval, Wake: &s.wake}.Run(ctx, func(ctx context.Context) error {
		if time.Since(kept) >= upkeepEvery {
			kept = time.Now()
			s.complain(ctx, "cannot look after what is due", s.upkeep.Keep(ctx))
			s.readInBackground(ctx)
		}
		_, err := s.lanes.Start(ctx)
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
	s.background.Go(func() {
		defer s.reading.Store(false)
		s.complain(ctx, "cannot read back changes", s.upkeep.ReadBack(ctx))
	})
}

// complain logs an error of the background work, which is tried again with the next pass. What the
// end of the process itself has interrupted is no error.
func (s *Service) complain(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, what, "err", err)
	}
}
