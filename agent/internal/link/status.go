package link

import (
	"os"
	"sync"
	"time"

	"github.com/grantwright/grantwright/agent/internal/config"
)

// statusKeeper remembers what the agent says of itself.
type statusKeeper struct {
	// save writes the status; it is called under the lock, so that writes keep their order.
	save func(config.Status)

	mu     sync.Mutex
	status config.Status
}

// set changes the state; a nil err leaves the last one standing until the agent is online.
func (k *statusKeeper) set(state string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.status.State = state
	if err != nil {
		k.status.LastError = err.Error()
	}
	k.save(k.status)
}

// online notes a connection that was welcomed.
func (k *statusKeeper) online(now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.status.State, k.status.LastError, k.status.LastConnected = config.Online, "", &now
	k.save(k.status)
}

// refresh writes the same again, so that the file's age proves that the agent lives.
func (k *statusKeeper) refresh() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.save(k.status)
}

// saveStatus writes the status file. A failure is logged and harms nothing else.
func (l *Link) saveStatus(s config.Status) {
	s.PID, s.Version, s.StartedAt, s.UpdatedAt = os.Getpid(), l.Version, l.started, l.Now().UTC()
	s.TokenExpires, s.InFlight = l.Tokens.State().ExpiresAt, len(l.Runner.InFlight())
	s.Draining, s.SpoolBytes = l.Runner.Draining(), l.Runner.SpoolBytes()
	if err := l.Dir.SaveStatus(s); err != nil {
		l.Log.Warn("status file not written", "err", err)
	}
	if l.Changed != nil {
		l.Changed(s)
	}
}
