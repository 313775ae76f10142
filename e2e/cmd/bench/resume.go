package main

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
)

// resume measures how soon a reading goes on after one of the programs was killed in the middle of it.
func resume(ctx context.Context, b *bench) error {
	s, err := openSite(ctx, b, large)
	if err != nil {
		return err
	}
	started, err := s.c.Start(ctx, s.connector, api.Sync{ChunkSize: 500})
	if err != nil {
		return err
	}
	for _, death := range []struct {
		what string
		die  func() error
	}{
		{"the agent", func() error {
			s.agent.Kill()
			return s.agent.Start()
		}},
		{"the control plane", func() error {
			b.plane.Kill()
			return b.plane.Start(ctx)
		}},
	} {
		before, err := s.further(ctx, started.RunID, 0)
		if err != nil {
			return err
		}
		began := time.Now()
		if err := death.die(); err != nil {
			return err
		}
		if _, err := s.further(ctx, started.RunID, before.Attempt); err != nil {
			return err
		}
		atMost("After kill -9 of "+death.what+": until the reading goes on", 60, time.Since(began).Seconds(), "s")
	}
	run, err := s.c.Follow(ctx, s.connector, started.RunID, 100*time.Millisecond, nil)
	if err != nil {
		return err
	}
	if run.Status != "succeeded" {
		return fmt.Errorf("the run is %s: %+v", run.Status, run.Error)
	}
	note(fmt.Sprintf("  records read twice in it, of %d", large.records()), float64(run.Reread), "")
	b.stops(s.agent.Child)
	b.stops(b.plane.Child)
	return nil
}

// further waits until a later attempt than the given one has brought another chunk.
func (s *site) further(ctx context.Context, run string, attempt int) (api.Run, error) {
	chunks := -1
	for ctx.Err() == nil {
		ask, cancel := context.WithTimeout(ctx, 2*time.Second)
		r, err := s.c.Run(ask, s.connector, run)
		cancel()
		switch {
		case err != nil: // nobody is there just now
		case r.Ended():
			return r, fmt.Errorf("the run is %s before it could be disturbed", r.Status)
		case r.Attempt > attempt && chunks < 0:
			chunks = r.Chunks
		case r.Attempt > attempt && r.Chunks > chunks:
			return r, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return api.Run{}, ctx.Err()
}
