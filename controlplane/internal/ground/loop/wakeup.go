package loop

import "sync"

// Wakeup is a signal that a worker may have something to do. Signals that arrive before the worker receives one are
// merged. The zero value is ready for use. A Wakeup must not be copied.
type Wakeup struct {
	once   sync.Once
	signal chan struct{}
}

// Notify sends the signal. It never blocks.
func (w *Wakeup) Notify() {
	w.init()
	select {
	case w.signal <- struct{}{}:
	default:
	}
}

// Notified returns the channel on which the signal arrives. For a nil Wakeup, nothing ever arrives.
func (w *Wakeup) Notified() <-chan struct{} {
	if w == nil {
		return nil
	}
	w.init()
	return w.signal
}

func (w *Wakeup) init() {
	w.once.Do(func() { w.signal = make(chan struct{}, 1) })
}
