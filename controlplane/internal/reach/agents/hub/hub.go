package hub

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/admission"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/presence"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/relay"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
)

// Hub holds the agents' sockets that are connected to this process. It is the dispatcher's Agents. Run must run for
// presence, revocation and calls from other processes.
type Hub struct {
	DB   *pg.DB
	Seal relay.Sealer
	Log  *slog.Logger

	// PublicURL is where agents reach the control plane. It is accepted as the host of an agent's proof where a proxy
	// on the way rewrites the host of the request.
	PublicURL string

	// MinVersion is the oldest version of the agent's program that is not called degraded, such as 1.4; empty: any.
	MinVersion string

	once       sync.Once
	process    string // id of this process, new at every start
	timing     agents.Timing
	handshakes agents.Limiter
	peers      *peerTable
	admission  *admission.Service
	presence   *presence.Service
	relay      *relay.Relay

	mu      sync.Mutex
	closing bool           // no more connections are served
	open    sync.WaitGroup // connections being served
}

// start puts the hub together. Every way into the hub comes through here.
func (h *Hub) start() {
	h.once.Do(func() {
		h.process = uuid.Must(uuid.NewV7()).String()
		if h.timing == (agents.Timing{}) {
			h.timing = agents.DefaultTiming()
		}
		// 256 handshakes a second and process: after an outage all agents come at once.
		h.handshakes.Every, h.handshakes.Burst = time.Second/256, 256
		h.peers = newPeerTable()
		h.admission = &admission.Service{
			DB: h.DB, Log: h.Log, Timing: h.timing, Process: h.process, PublicURL: h.PublicURL,
			MinVersion: h.MinVersion, Calls: h.peers, SessionOf: h.peers.sessionOf,
		}
		h.presence = &presence.Service{
			DB: h.DB, Log: h.Log, Timing: h.timing, Process: h.process, Began: time.Now(), Sessions: h.peers.sessions,
		}
		h.relay = &relay.Relay{
			DB: h.DB, Seal: h.Seal, Log: h.Log, Timing: h.timing, Process: h.process, Local: local{h},
		}
	})
}

// Process is the id of this process, as agent_session and agent_task name it.
func (h *Hub) Process() string {
	h.start()
	return h.process
}

// Run keeps presence, looks for revoked agents and works on calls from other processes until ctx ends. Then it sends
// every agent away, to another process, and waits a moment for their sockets to close.
func (h *Hub) Run(ctx context.Context) error {
	h.start()
	var loops sync.WaitGroup
	loops.Go(func() { h.listen(ctx) })
	loops.Go(func() { every(ctx, h.timing.Check, h.presence.Check) })
	loops.Go(func() { every(ctx, h.timing.Flush, h.presence.Flush) })
	loops.Go(func() { every(ctx, h.timing.Poll, h.relay.Claim) })
	loops.Go(func() { every(ctx, h.timing.Watch, h.presence.Watch) })
	<-ctx.Done()
	h.stop()
	loops.Wait()
	return nil
}

func every(ctx context.Context, interval time.Duration, do func(context.Context)) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			do(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// stop sends all agents away.
func (h *Hub) stop() {
	h.mu.Lock()
	h.closing = true
	h.mu.Unlock()
	h.peers.close()
	closed := make(chan struct{})
	go func() {
		h.open.Wait()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(h.timing.Drain):
		h.Log.Warn("agents' sockets did not close in time")
	}
}

// enter counts a connection in, unless the process is stopping.
func (h *Hub) enter() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closing {
		h.open.Add(1)
	}
	return !h.closing
}

// local is the hub as package relay sees it.
type local struct{ hub *Hub }

func (l local) Any() bool { return len(l.hub.peers.sessions()) > 0 }

func (l local) Holds(tenant, agent string) bool {
	return l.hub.peers.sessionOf(session.Key{Tenant: tenant, Agent: agent}) != nil
}

func (l local) Connector(t dispatch.Target) relay.Connector {
	s := l.hub.peers.pick(t)
	if s == nil {
		return nil
	}
	return &Proxy{hub: l.hub, session: s, target: t}
}
