package hub

import (
	"slices"
	"sync"

	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/call"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
	"github.com/grantwright/grantwright/protocol/wire"
)

// peerTable has the agents of this process. It is the sessions' session.Calls, and the call.Table of their calls. Its
// lock is taken before that of a call, which is taken before that of a session.
type peerTable struct {
	mu      sync.Mutex
	byKey   map[session.Key]*peer
	last    map[connectorKey]string // the agent that ended a connector's last sync well
	closing bool                    // the process stops: who connects is sent away
}

func newPeerTable() *peerTable {
	return &peerTable{byKey: map[session.Key]*peer{}, last: map[connectorKey]string{}}
}

type connectorKey struct{ tenant, id string }

// peer is what this process knows of one agent: its socket, if there is one, and the calls that wait for it. A call
// outlives its socket for a while.
type peer struct {
	session *session.Session
	calls   map[string]*call.Call
}

// close has every agent that is connected or connects sent away.
func (t *peerTable) close() {
	t.mu.Lock()
	t.closing = true
	t.mu.Unlock()
	for _, s := range t.sessions() {
		s.GoAway()
	}
}

func (t *peerTable) sessions() []*session.Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	var out []*session.Session
	for _, p := range t.byKey {
		if p.session != nil {
			out = append(out, p.session)
		}
	}
	return out
}

func (t *peerTable) sessionOf(key session.Key) *session.Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.byKey[key]; p != nil {
		return p.session
	}
	return nil
}

// peer is the agent's, made when there is none. t.mu is held.
func (t *peerTable) peer(key session.Key) *peer {
	p := t.byKey[key]
	if p == nil {
		p = &peer{calls: map[string]*call.Call{}}
		t.byKey[key] = p
	}
	return p
}

// tidy forgets an agent that has neither socket nor calls. t.mu is held.
func (t *peerTable) tidy(key session.Key) {
	if p := t.byKey[key]; p != nil && p.session == nil && len(p.calls) == 0 {
		delete(t.byKey, key)
	}
}

// attach makes s the agent's connection: the older one is closed, calls that outlived it go on, and s is welcomed.
func (t *peerTable) attach(s *session.Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.peer(s.Key)
	if old := p.session; old != nil {
		old.Cut(wire.CloseSuperseded, "a newer connection of this agent")
	}
	p.session = s
	var actions []wire.ResumeAction
	var resumed []*call.Call
	for _, r := range s.Hello.Resume {
		c := p.calls[r.Task]
		if c == nil || !c.MayResume(s, r) {
			actions = append(actions, wire.ResumeAction{Task: r.Task, Action: "abandon"})
			continue
		}
		actions = append(actions, wire.ResumeAction{Task: r.Task, Action: "continue", NextSeq: c.NextSeq()})
		resumed = append(resumed, c)
	}
	s.Welcome(actions)
	for _, c := range p.calls {
		if slices.Contains(resumed, c) {
			c.Resume(s)
		} else {
			c.Forgotten()
		}
	}
	if t.closing {
		s.GoAway()
	}
}

// detach takes s out of the agent's calls when its connection has ended. After a goodbye, no session takes them up.
func (t *peerTable) detach(s *session.Session, goodbye bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.byKey[s.Key]
	if p == nil {
		return
	}
	if p.session == s {
		p.session = nil
	}
	for _, c := range p.calls {
		c.Lose(s, goodbye)
	}
	t.tidy(s.Key)
}

// Begin puts a call to an agent. A call of an older attempt of the same run is at its end.
func (t *peerTable) Begin(s *session.Session, c *call.Call) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.peer(s.Key)
	if p.session != s {
		t.tidy(s.Key)
		return call.ErrGone(s)
	}
	if old := p.calls[c.Task]; old != nil {
		if old.Attempt >= c.Attempt {
			return call.ErrStale(c)
		}
		old.Fail(call.ErrStale(old))
	}
	p.calls[c.Task] = c
	return c.OfferTo(s)
}

// End forgets a call.
func (t *peerTable) End(c *call.Call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := t.byKey[c.Key]
	if p != nil && p.calls[c.Task] == c {
		delete(p.calls, c.Task)
		t.tidy(c.Key)
	}
}

// callOf is the call that a frame from s belongs to, nil for none.
func (t *peerTable) callOf(s *session.Session, task string) *call.Call {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p := t.byKey[s.Key]; p != nil {
		return p.calls[task]
	}
	return nil
}

// FindCall is callOf for a session.
func (t *peerTable) FindCall(s *session.Session, task string) session.Call {
	if c := t.callOf(s, task); c != nil {
		return c
	}
	return nil // and no interface that holds a nil call
}
