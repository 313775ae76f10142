package runner

import (
	"sync"
	"time"
)

// longestWait bounds how long a target may ask to be left alone, so that a nonsensical answer of it cannot switch the
// watchdog off.
const longestWait = 24 * time.Hour

// watchdog notices that a call shows no sign of life any more. Its methods may be called by any goroutine.
type watchdog struct {
	mu    sync.Mutex
	timer *time.Timer
	// patience is how long the call may be silent; paused says that silence is not counted now.
	patience time.Duration
	paused   bool
}

// start calls bite once nothing has stirred for so long.
func (w *watchdog) start(patience time.Duration, bite func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.patience = patience
	w.timer = time.AfterFunc(patience, bite)
}

// stir is a sign of life. until, where it is given, is when the target allows the next request: the silence until then
// is asked for.
func (w *watchdog) stir(now time.Time, until *time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer == nil || w.paused {
		return
	}
	wait := w.patience
	if until != nil {
		wait += min(max(until.Sub(now), 0), longestWait)
	}
	w.timer.Reset(wait)
}

// pause stops the clock: the call waits for the control plane and not for the target.
func (w *watchdog) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused = true
	if w.timer != nil {
		w.timer.Stop()
	}
}

// resume starts the clock anew.
func (w *watchdog) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.paused = false
	if w.timer != nil {
		w.timer.Reset(w.patience)
	}
}
