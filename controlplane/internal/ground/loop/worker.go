package loop

import (
	"context"
	"log/slog"
	"time"
)

// Worker makes passes over work that is due.
type Worker struct {
	Every  time.Duration // longest time between two passes
	Wake   *Wakeup       // starts a pass early; may be nil
	Log    *slog.Logger  // required, with Cannot, if a pass can fail
	Cannot string        // log message for a pass that failed
}

// Run makes a pass at once, and then one after each interval or notification, until ctx ends. It logs a pass that
// failed, unless it failed because ctx ended, and continues. It waits for the current pass to end, and returns nil.
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
		case <-w.Wake.Notified():
		}
	}
	return nil
}

// Drain is Run for passes that do a part of the work and return its size. The next part follows at once, until a part
// has size 0 or fails. After a failure, the rest waits for the next interval or notification, because the cause usually
// persists.
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
