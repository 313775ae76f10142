package loop

import (
	"context"
	"log/slog"
	"time"
)

// Worker makes passes over what there is to do.
type Worker struct {
	Every  time.Duration // how soon is noticed what nobody announced
	Wake   *Bell         // rung by whoever knows that there is something to do; nil: nobody does
	Log    *slog.Logger  // needed, with Cannot, where a pass can fail
	Cannot string        // what the log says of a pass that failed
}

// Run makes a pass at once, and then one at each interval and whenever the bell rings, until ctx ends. A pass that
// fails is logged, unless it failed because ctx has ended, and the next one comes as if nothing had happened. No pass
// begins after the end; Run waits for the one that it is in, and returns nil.
func (w Worker) Run(ctx context.Context, pass func(ctx context.Context) error) error {
	tick := time.NewTicker(w.Every)
	defer tick.Stop()
	for ctx.Err() == nil { // select may have taken another case than the end
		if err := pass(ctx); err != nil && ctx.Err() == nil {
			w.Log.WarnContext(ctx, w.Cannot, "err", err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-w.Wake.Rung():
		}
	}
	return nil
}

// Drain is Run for passes that do a part of the work and say how much it was: after one that has done something the
// next follows at once. One that fails has the rest wait for the interval or the bell, whatever it has done: what is
// wrong would be wrong again.
func (w Worker) Drain(ctx context.Context, part func(ctx context.Context) (int, error)) error {
	return w.Run(ctx, func(ctx context.Context) error {
		for ctx.Err() == nil {
			if n, err := part(ctx); n == 0 || err != nil {
				return err
			}
		}
		return nil
	})
}
