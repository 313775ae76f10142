package runner

import (
	"sync"
	"time"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// interval is the least time between two frames of progress; steps of a test are sent at once.
const interval = 500 * time.Millisecond

// teller passes progress on, at most twice a second, the newest always at last.
type teller struct {
	send func(v1.Progress)

	mu sync.Mutex
	// waiting is the newest progress that was not sent yet.
	waiting *v1.Progress
	timer   *time.Timer // runs while nothing but steps may be sent
	closed  bool
}

// newTeller makes a teller that sends by send.
func newTeller(send func(v1.Progress)) *teller { return &teller{send: send} }

// report implements connectorkit.Report.
func (t *teller) report(p v1.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
	case p.Step != nil:
		t.send(p)
	case t.timer != nil:
		t.waiting = &p
	default:
		t.send(p)
		t.timer = time.AfterFunc(interval, t.due)
	}
}

// due sends what waits, and starts the next interval.
func (t *teller) due() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.timer = nil
	if t.waiting == nil || t.closed {
		return
	}
	t.send(*t.waiting)
	t.waiting = nil
	t.timer = time.AfterFunc(interval, t.due)
}

// close sends what still waits. Later reports are dropped: the call is over.
func (t *teller) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting != nil && !t.closed {
		t.send(*t.waiting)
	}
	t.closed, t.waiting = true, nil
	if t.timer != nil {
		t.timer.Stop()
	}
}
