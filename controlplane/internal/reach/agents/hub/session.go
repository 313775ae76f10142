package hub

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// session is one connection of an agent that has been admitted.
type session struct {
	hub     *Hub
	key     agentKey
	id      string // of the row in agent_session
	epoch   int64  // of that row: a newer connection has a greater one
	tokens  int64  // epoch of the agent's tokens when it was admitted
	proven  []byte // the identity key that the agent has shown to hold
	name    string
	hello   wire.Hello
	helloID string // of its frame
	socket  *socket
	conn    *wire.Conn
	done    chan struct{} // closed when the connection has ended

	over atomic.Bool // cut off: what still comes does not count

	mu       sync.Mutex
	group    string
	draining bool            // the agent says so
	drained  bool            // an administrator says so
	last     wire.Heartbeat  // the last one
	beaten   time.Time       // when it came; before the first one, when the connection was admitted
	beat     *wire.Heartbeat // the last one not yet written to the database
	skew     time.Duration   // the agent's clock minus ours, at the last heartbeat
}

// suits reports whether the connection can take calls of the target. A nil one suits nobody.
func (s *session) suits(t dispatch.Target) bool {
	if s == nil || s.over.Load() || !slices.Contains(s.hello.ConnectorTypes, t.Type) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.draining && !s.drained &&
		(t.AgentID == s.key.id || (t.AgentID == "" && t.AgentGroup != "" && t.AgentGroup == s.group))
}

// hangs reports whether the agent's loop is not heard of any more.
func (s *session) hangs() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.beaten) > s.hub.pace.beats
}

// ahead is how far the agent's clock is ahead of ours.
func (s *session) ahead() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.skew
}

// by says which machine speaks to the target.
func (s *session) by() v1.ExecutedBy {
	return v1.ExecutedBy{Mode: dispatch.Agent, AgentID: s.key.id, Hostname: s.hello.Hostname}
}

func (s *session) welcome(actions []wire.ResumeAction) {
	s.send(wire.Frame{Type: wire.TypeWelcome, Re: s.helloID}, wire.Welcome{
		SessionID:  s.id,
		AgentID:    s.key.id,
		Capability: min(s.hello.Capability, wire.Capability),
		MaxFrame:   wire.DefaultMaxFrame,
		HeartbeatS: int(wire.HeartbeatInterval / time.Second),
		ServerTime: time.Now().UTC(),
		Resume:     actions,
		MinVersion: s.hub.MinVersion,
	})
}

// send queues a frame. What cannot be sent any more is no loss: the end of the connection tells.
func (s *session) send(f wire.Frame, body any) { _ = s.conn.Send(f, body) }

// goAway asks the agent to connect again a little later, to whichever process it then meets.
func (s *session) goAway() {
	retry := time.Second + rand.N(2*time.Second)
	s.send(wire.Frame{Type: wire.TypeGoaway}, wire.Goaway{Reason: "restarting", RetryAfterMS: retry.Milliseconds()})
	s.conn.Close(wire.CloseDraining, "restarting")
}

// handle takes a frame. It runs in the connection's reader and never waits for anything.
func (s *session) handle(f wire.Frame) error {
	if s.over.Load() {
		return nil
	}
	switch f.Type {
	case wire.TypeHeartbeat:
		return s.heartbeat(f)
	case wire.TypeDrain:
		s.mu.Lock()
		s.draining = true
		s.mu.Unlock()
		return nil
	case wire.TypeAccept, wire.TypeReject, wire.TypeProgress, wire.TypeChunk, wire.TypeResult:
		return s.toCall(f)
	case wire.TypeError:
		return s.complaint(f)
	}
	return &wire.CloseError{Code: wire.CloseProtocol, Reason: fmt.Sprintf("an agent sends no %s here", f.Type)}
}

func (s *session) heartbeat(f wire.Frame) error {
	beat, err := wire.DecodeBody[wire.Heartbeat](f)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.last, s.beat, s.beaten, s.skew, s.draining = beat, &beat, time.Now(), skew(beat.Clock), beat.Draining
	s.mu.Unlock()
	beat.ServerTime = time.Now().UTC()
	s.send(wire.Frame{Type: wire.TypeHeartbeat, Re: f.ID}, beat)
	return nil
}

func (s *session) toCall(f wire.Frame) error {
	if c := s.hub.callOf(s, f.Task); c != nil {
		return c.take(s, f)
	}
	// The result of a call that nobody waits for any more needs no answer; whoever still works on one should stop.
	if f.Type == wire.TypeChunk || f.Type == wire.TypeProgress {
		s.refuse(f, "unknown_task", "the task is unknown or has ended")
	}
	return nil
}

func (s *session) refuse(f wire.Frame, code, message string) {
	s.send(
		wire.Frame{Type: wire.TypeError, Re: f.ID, Task: f.Task, Run: f.Run, Attempt: f.Attempt},
		wire.ErrorBody{Code: code, Message: message},
	)
}

// complaint is an error frame: the agent could not use something of ours.
func (s *session) complaint(f wire.Frame) error {
	body, err := wire.DecodeBody[wire.ErrorBody](f)
	if err != nil {
		return err
	}
	s.hub.Log.Warn("an agent could not use a frame", "agent", s.key.id, "code", agents.Short(body.Code), "task", f.Task)
	if c := s.hub.callOf(s, f.Task); c != nil && c.from(s, f) {
		c.fail(&v1.ErrorDetail{
			Class: v1.ClassProtocol, Code: "agent_refused_frame",
			Message: fmt.Sprintf("the agent %s could not run the call: %s", s.name, agents.Short(body.Message)),
		})
	}
	return nil
}
