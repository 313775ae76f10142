package link

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/protocol/wire"
)

// keepDrain follows the operator's wish, which grantwright-agent drain leaves in the data directory.
func (l *Link) keepDrain(ctx context.Context) {
	tick := time.NewTicker(l.Pace.Look)
	defer tick.Stop()
	was := false
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		on := l.Dir.Drain()
		if on {
			// The requester waits for the last task to end.
			l.status.refresh()
		}
		if on == was {
			continue
		}
		was = on
		l.Log.Info("draining", "on", on)
		l.Runner.Drain(on)
		l.status.refresh()
		select {
		case l.drained <- struct{}{}:
		default:
		}
	}
}

// sendDrain reports to the control plane at once whether the agent takes new tasks.
func (s *session) sendDrain() {
	if s.Runner.Draining() {
		// A connection that is closed is followed by another, whose heartbeats say it.
		_ = s.conn.Send(wire.Frame{Type: wire.TypeDrain}, struct{}{})
	}
	s.sendHeartbeat()
}
