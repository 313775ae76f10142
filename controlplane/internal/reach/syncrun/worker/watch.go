package worker

import (
	"context"
	"sync"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/lease"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/staging"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// watch is what is known of a connector between its chunks. No time limit ends a reading, only silence does.
type watch struct {
	mu      sync.Mutex
	reading bool
	heard   time.Time  // the last sign of progress
	until   *time.Time // the target asked for patience until then
	message string
	changed bool // since it was last written to the run
}

// hear takes in what a connector reports.
func (w *watch) hear(p v1.Progress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard = time.Now()
	message := p.Message
	if !staging.Storable(message) {
		message = ""
	}
	if same := w.until == nil && p.RateWaitUntil == nil ||
		w.until != nil && p.RateWaitUntil != nil && w.until.Equal(*p.RateWaitUntil); !same ||
		message != w.message {
		w.until, w.message, w.changed = p.RateWaitUntil, message, true
	}
}

// sign notes progress: a chunk, or the beginning or end of the reading. The caller is busy with what it got while
// reading is false, and silence does not count.
func (w *watch) sign(reading bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard, w.reading = time.Now(), reading
	if w.until != nil {
		w.until, w.changed = nil, true
	}
}

// stuck reports whether the connector has been silent for longer than it may. An announced wait does not count.
func (w *watch) stuck(now time.Time, silence time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	since := w.heard
	if w.until != nil && w.until.After(since) {
		since = *w.until
	}
	return w.reading && now.Sub(since) > silence
}

// news is what the run's row does not show yet.
func (w *watch) news() (until *time.Time, message string, fresh bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fresh, w.changed = w.changed, false
	return w.until, w.message, fresh
}

// unwritten takes back that news were shown: they could not be written.
func (w *watch) unwritten() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.changed = true
}

// beat keeps the lease, shows what the connector reports, and notices a cancel. A worker that cannot renew its lease in
// time stops by itself.
func (w *work) beat(ctx context.Context) {
	hold := lease.Terms.Taken(time.Now())
	err := hold.Keep(ctx, func(ctx context.Context) error {
		found, cancel, open, err := w.renew(ctx)
		switch {
		case err == nil && !found:
			err = lease.ErrFenced
		case err == nil && cancel:
			w.cancel(errCancelled)
		case err == nil && !open:
			w.cancel(errStopping) // the tenant is suspended: the run is handed back, and goes on when the tenant does
		}
		if w.watch.stuck(time.Now(), w.s.Silence) {
			w.cancel(errStuck)
		}
		return err
	})
	if err != nil {
		w.cancel(err)
	}
}

// renew keeps the lease, and writes what the connector has reported since it was last written.
func (w *work) renew(ctx context.Context) (found, cancel, open bool, err error) {
	until, message, fresh := w.watch.news()
	err = w.s.DB.As(ctx, w.v, func(tx *pg.Tx) error {
		found, cancel, open, err = w.lease.Renew(
			ctx,
			tx,
			lease.Notice{Fresh: fresh, RateWaitUntil: until, Message: message},
		)
		return err
	})
	if fresh && err != nil {
		w.watch.unwritten()
	}
	return found, cancel, open, err
}
