package session

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
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

// Key names an agent over all tenants.
type Key struct{ Tenant, Agent string }

// Admission is what an agent was admitted with. None of it changes while the session lives.
type Admission struct {
	Key         Key
	ID          string // of the row in agent_session
	Epoch       int64  // of that row: a newer connection has a greater one
	TokenEpoch  int64  // of the agent's tokens when it was admitted
	IdentityKey []byte // the key that the agent has shown to hold
	Name        string
	Hello       wire.Hello
	HelloID     string // of its frame
}

// Options are what the sessions of a process share.
type Options struct {
	Timing     agents.Timing
	MinVersion string // the oldest version that is not degraded, such as 1.4; empty: any
	Calls      Calls
	Log        *slog.Logger
}

// Calls finds the calls that the frames of sessions belong to. Package hub has them.
type Calls interface {
	// FindCall is the call with this task on the agent of s, nil if there is none.
	FindCall(s *Session, task string) Call
}

// Call takes the frames of a call. Its methods run in the reader of the connection and never wait for anything.
type Call interface {
	// Take takes a frame. An error ends the connection.
	Take(s *Session, f wire.Frame) error
	// Complain takes the agent's message that it could not use a frame of the call.
	Complain(s *Session, f wire.Frame, message string)
}

// Session is one connection of an agent that has been admitted.
type Session struct {
	Admission

	timing     agents.Timing
	minVersion string
	calls      Calls
	log        *slog.Logger

	socket *Socket
	conn   *wire.Conn
	done   chan struct{} // closed when the connection has ended

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

// New makes a session of a socket whose agent has been admitted as one of group. The caller sends the Welcome and then
// calls Serve.
func New(socket *Socket, a Admission, group string, o Options) *Session {
	return &Session{
		Admission:  a,
		timing:     o.Timing,
		minVersion: o.MinVersion,
		calls:      o.Calls,
		log:        o.Log,
		socket:     socket,
		conn:       wire.NewConn(socket, wire.HardMaxFrame),
		done:       make(chan struct{}),
		group:      group,
		skew:       Skew(a.Hello.Clock),
		beaten:     time.Now(),
	}
}

// Serve reads frames until the connection ends. The error says why it ended.
func (s *Session) Serve(ctx context.Context) error {
	defer close(s.done)
	return s.conn.Serve(ctx, s.handle)
}

// Suits reports whether the agent can take calls of the target. A nil session takes none.
func (s *Session) Suits(t dispatch.Target) bool {
	if s == nil || s.over.Load() || !slices.Contains(s.Hello.ConnectorTypes, t.Type) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.draining && !s.drained &&
		(t.AgentID == s.Key.Agent || (t.AgentID == "" && t.AgentGroup != "" && t.AgentGroup == s.group))
}

// Ahead is how far the agent's clock is ahead of ours.
func (s *Session) Ahead() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.skew
}

// LastHeard is when anything at all came from the agent.
func (s *Session) LastHeard() time.Time { return s.socket.lastHeard() }

// ExecutedBy says which machine speaks to the target.
func (s *Session) ExecutedBy() v1.ExecutedBy {
	return v1.ExecutedBy{Mode: dispatch.Agent, AgentID: s.Key.Agent, Hostname: s.Hello.Hostname}
}

// Report is what a session has to say about its agent.
type Report struct {
	Stats    *string       // figures of the last heartbeat as JSON; nil if none came since the last report
	Skew     time.Duration // the agent's clock minus ours
	Draining bool          // the agent takes no new tasks by its own wish
	Degraded []string      // reasons, as DegradedReasons has them
}

// Report takes what the last heartbeats said. Its Stats are given out once.
func (s *Session) Report() Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := Report{
		Skew:     s.skew,
		Draining: s.draining,
		Degraded: DegradedReasons(s.Hello, s.skew, &s.last, s.minVersion),
	}
	if s.beat != nil {
		b, err := json.Marshal(map[string]any{
			"uptime_s":    s.beat.UptimeS,
			"rss_bytes":   s.beat.RSSBytes,
			"goroutines":  s.beat.Goroutines,
			"in_flight":   len(s.beat.InFlight),
			"spool_bytes": s.beat.SpoolBytes,
			"last_error":  agents.Short(s.beat.LastError),
		})
		if err == nil {
			text := string(b)
			r.Stats = &text
		}
		s.beat = nil
	}
	return r
}

// Welcome admits the agent, and answers what becomes of the calls that it wants to resume.
func (s *Session) Welcome(actions []wire.ResumeAction) {
	s.Send(wire.Frame{Type: wire.TypeWelcome, Re: s.HelloID}, wire.Welcome{
		SessionID:  s.ID,
		AgentID:    s.Key.Agent,
		Capability: min(s.Hello.Capability, wire.Capability),
		MaxFrame:   wire.DefaultMaxFrame,
		HeartbeatS: int(wire.HeartbeatInterval / time.Second),
		ServerTime: time.Now().UTC(),
		Resume:     actions,
		MinVersion: s.minVersion,
	})
}

// Send queues a frame. What cannot be sent any more is no loss: the end of the connection shows it.
func (s *Session) Send(f wire.Frame, body any) { _ = s.conn.Send(f, body) }

// Offer queues the offer of a call. The error is wire.ErrClosed if the connection has ended.
func (s *Session) Offer(f wire.Frame, o wire.Offer) error { return s.conn.Send(f, o) }

// Refuse answers a frame that cannot be used, without ending the connection.
func (s *Session) Refuse(f wire.Frame, code, message string) {
	s.Send(
		wire.Frame{Type: wire.TypeError, Re: f.ID, Task: f.Task, Run: f.Run, Attempt: f.Attempt},
		wire.ErrorBody{Code: code, Message: message},
	)
}

// GoAway asks the agent to connect again a little later, to whichever process it then meets.
func (s *Session) GoAway() {
	retry := time.Second + rand.N(2*time.Second)
	s.Send(wire.Frame{Type: wire.TypeGoaway}, wire.Goaway{Reason: "restarting", RetryAfterMS: retry.Milliseconds()})
	s.conn.Close(wire.CloseDraining, "restarting")
}

// handle takes a frame. It runs in the connection's reader and never waits for anything.
func (s *Session) handle(f wire.Frame) error {
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

func (s *Session) heartbeat(f wire.Frame) error {
	beat, err := wire.DecodeBody[wire.Heartbeat](f)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.last, s.beat, s.beaten, s.skew, s.draining = beat, &beat, time.Now(), Skew(beat.Clock), beat.Draining
	s.mu.Unlock()
	beat.ServerTime = time.Now().UTC()
	s.Send(wire.Frame{Type: wire.TypeHeartbeat, Re: f.ID}, beat)
	return nil
}

func (s *Session) toCall(f wire.Frame) error {
	if c := s.calls.FindCall(s, f.Task); c != nil {
		return c.Take(s, f)
	}
	// The result of a call without a waiting caller needs no answer; an agent that still works on one should stop.
	if f.Type == wire.TypeChunk || f.Type == wire.TypeProgress {
		s.Refuse(f, "unknown_task", "the task is unknown or has ended")
	}
	return nil
}

// complaint is an error frame: the agent could not use something of ours.
func (s *Session) complaint(f wire.Frame) error {
	body, err := wire.DecodeBody[wire.ErrorBody](f)
	if err != nil {
		return err
	}
	s.log.Warn("an agent could not use a frame", "agent", s.Key.Agent, "code", agents.Short(body.Code), "task", f.Task)
	if c := s.calls.FindCall(s, f.Task); c != nil {
		c.Complain(s, f, body.Message)
	}
	return nil
}
