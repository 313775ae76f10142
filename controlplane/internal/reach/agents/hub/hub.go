package hub

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Sealer keeps the requests and results of calls that travel through the database. seal.Keyring is one.
type Sealer interface {
	Seal(ctx context.Context, tx *pg.Tx, place seal.Place, plain []byte) ([]byte, error)
	Open(ctx context.Context, tx *pg.Tx, place seal.Place, sealed []byte) ([]byte, error)
}

// Hub holds the agents' sockets that are connected to this process. It is the dispatcher's Agents. Run must run for
// presence, revocation and calls from other processes.
type Hub struct {
	DB   *pg.DB
	Seal Sealer
	Log  *slog.Logger

	// PublicURL is where agents reach the control plane. It is accepted as the host of an agent's proof where a proxy
	// on the way rewrites the host of the request.
	PublicURL string

	// MinVersion is the oldest version of the agent's program that is not called degraded, such as 1.4; empty: any.
	MinVersion string

	once       sync.Once
	process    string // id of this process, new at every start
	began      time.Time
	pace       pace
	handshakes agents.Limiter
	open       sync.WaitGroup // connections being served

	mu      sync.Mutex
	peers   map[agentKey]*peer
	waiting map[string]chan struct{}      // by task: who waits for another process's result
	working map[string]context.CancelFunc // by task: calls worked on for another process
	last    map[connectorKey]string       // the agent that ended a connector's last sync well
	closing bool
}

type agentKey struct{ tenant, id string }

type connectorKey struct{ tenant, id string }

// peer is what this process knows of one agent: its socket, if there is one, and the calls that wait for it. A call
// outlives its socket for a while.
type peer struct {
	session *session
	calls   map[string]*call
}

// start fills what is not given. Every way into the hub comes through here.
func (h *Hub) start() {
	h.once.Do(func() {
		h.process, h.began = uuid.Must(uuid.NewV7()).String(), time.Now()
		if h.pace == (pace{}) {
			h.pace = normal()
		}
		// 256 handshakes a second and process: after an outage all agents come at once.
		h.handshakes.Every, h.handshakes.Burst = time.Second/256, 256
		h.peers, h.waiting, h.working = map[agentKey]*peer{}, map[string]chan struct{}{},
			map[string]context.CancelFunc{}
		h.last = map[connectorKey]string{}
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
	loops.Go(func() { every(ctx, h.pace.check, h.check) })
	loops.Go(func() { every(ctx, h.pace.flush, h.flush) })
	loops.Go(func() { every(ctx, h.pace.poll, h.claim) })
	loops.Go(func() { every(ctx, h.pace.look, h.look) })
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
	for _, s := range h.sessions() {
		s.goAway()
	}
	closed := make(chan struct{})
	go func() {
		h.open.Wait()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(h.pace.drain):
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

func (h *Hub) sessions() []*session {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []*session
	for _, p := range h.peers {
		if p.session != nil {
			out = append(out, p.session)
		}
	}
	return out
}

func (h *Hub) sessionOf(key agentKey) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := h.peers[key]; p != nil {
		return p.session
	}
	return nil
}

// peer is the agent's, made when there is none. h.mu is held.
func (h *Hub) peer(key agentKey) *peer {
	p := h.peers[key]
	if p == nil {
		p = &peer{calls: map[string]*call{}}
		h.peers[key] = p
	}
	return p
}

// tidy forgets an agent that has neither socket nor calls. h.mu is held.
func (h *Hub) tidy(key agentKey) {
	if p := h.peers[key]; p != nil && p.session == nil && len(p.calls) == 0 {
		delete(h.peers, key)
	}
}

// attach makes s the agent's connection: the older one is closed, calls that outlived it go on, and s is welcomed.
func (h *Hub) attach(s *session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.peer(s.key)
	if old := p.session; old != nil {
		old.cut(wire.CloseSuperseded, "a newer connection of this agent")
	}
	p.session = s
	var actions []wire.ResumeAction
	var resumed []*call
	for _, r := range s.hello.Resume {
		c := p.calls[r.Task]
		if c == nil || !c.mayResume(s, r) {
			actions = append(actions, wire.ResumeAction{Task: r.Task, Action: "abandon"})
			continue
		}
		actions = append(actions, wire.ResumeAction{Task: r.Task, Action: "continue", NextSeq: c.nextSeq()})
		resumed = append(resumed, c)
	}
	s.welcome(actions)
	for _, c := range p.calls {
		if slices.Contains(resumed, c) {
			c.resume(s)
		} else {
			c.forgotten()
		}
	}
	if h.closing {
		s.goAway()
	}
}

// detach takes s out of the agent's calls when its connection has ended. After a goodbye nobody comes back for them.
func (h *Hub) detach(s *session, goodbye bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.peers[s.key]
	if p == nil {
		return
	}
	if p.session == s {
		p.session = nil
	}
	for _, c := range p.calls {
		c.lose(s, goodbye)
	}
	h.tidy(s.key)
}

// begin puts a call to an agent. A call of an older attempt of the same run is at its end.
func (h *Hub) begin(s *session, c *call) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.peer(s.key)
	if p.session != s {
		h.tidy(s.key)
		return errGone(s)
	}
	if old := p.calls[c.task]; old != nil {
		if old.attempt >= c.attempt {
			return errStale(c)
		}
		old.fail(errStale(old))
	}
	p.calls[c.task] = c
	return c.offerTo(s)
}

// end forgets a call.
func (h *Hub) end(c *call) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.peers[c.key]
	if p != nil && p.calls[c.task] == c {
		delete(p.calls, c.task)
		h.tidy(c.key)
	}
}

// callOf is the call that a frame from s belongs to, nil for none.
func (h *Hub) callOf(s *session, task string) *call {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := h.peers[s.key]; p != nil {
		return p.calls[task]
	}
	return nil
}

// byTenant groups sessions for transactions, which act within one tenant.
func byTenant(sessions []*session) map[string][]*session {
	out := map[string][]*session{}
	for _, s := range sessions {
		out[s.key.tenant] = append(out[s.key.tenant], s)
	}
	return out
}

// agentIDs are the agents of some sessions.
func agentIDs(sessions []*session) []string {
	ids := map[string]bool{}
	for _, s := range sessions {
		ids[s.key.id] = true
	}
	return slices.Collect(maps.Keys(ids))
}
