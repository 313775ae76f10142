package link

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/grantwright/grantwright/protocol/wire"
)

const (
	welcomeTimeout = 20 * time.Second
)

// goneAway ends a session whose end the control plane had announced.
type goneAway struct {
	// reason is the control plane's, err how the connection ended, retryAfter how long to wait.
	reason     string
	retryAfter time.Duration
	err        error
}

// Error says that the end was announced, and why.
func (e *goneAway) Error() string {
	return "the control plane went away (" + e.reason + "): " + e.err.Error()
}

// Unwrap gives the error with which the connection ended.
func (e *goneAway) Unwrap() error { return e.err }

// session is one connection from hello to its end. Frames are handled on one goroutine.
type session struct {
	*Link
	conn  *wire.Conn
	hello string // id of the hello frame, until it was answered
	// welcomed is closed when the hello was answered.
	welcomed chan struct{}
	// beat is the time between two heartbeats.
	beat time.Duration
	// away is the announced end. Nil: none was announced.
	away   *goneAway
	skewed bool
}

// session says hello on s and serves it. It never returns nil.
func (l *Link) session(ctx context.Context, sock wire.Socket) error {
	s := &session{
		Link:     l,
		conn:     wire.NewConn(sock, wire.HardMaxFrame),
		hello:    wire.NewID(l.Now()),
		welcomed: make(chan struct{}),
	}
	s.conn.Now = l.Now
	if err := s.conn.Send(wire.Frame{Type: wire.TypeHello, ID: s.hello}, s.introduction()); err != nil {
		return fmt.Errorf("say hello: %w", err)
	}
	// Serve has no context of its own end: when the agent stops, what its tasks still have to say goes first.
	ended, end := context.WithCancel(context.Background())
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		s.live(ctx, ended)
	}()
	err := s.conn.Serve(ended, s.handle)
	l.Runner.Detach()
	end()
	<-beating
	if s.away != nil {
		s.away.err = err
		return s.away
	}
	return err
}

// introduction is the hello: who the agent is, what it can take, and the tasks that outlived the
// last connection.
func (s *session) introduction() wire.Hello {
	state := s.Tokens.State()
	return wire.Hello{
		AgentID:        state.AgentID,
		InstanceID:     state.InstanceID,
		BootID:         s.Tokens.BootID,
		Version:        s.Version,
		Capability:     wire.Capability,
		OS:             runtime.GOOS,
		Arch:           runtime.GOARCH,
		Hostname:       cmp.Or(s.Hostname, hostname()),
		Machine:        cmp.Or(s.Machine, fingerprint()),
		StartedAt:      s.started.UTC(),
		Clock:          s.Now().UTC(),
		ConnectorTypes: s.Runner.Types,
		Limits: wire.AgentLimits{
			MaxFrame:   wire.HardMaxFrame,
			MaxTasks:   s.Runner.MaxTasks,
			SpoolBytes: s.Runner.SpoolMax(),
		},
		Resume:  s.Runner.Resumable(),
		JoinSeq: state.JoinSeq,
	}
}

// handle takes one frame. Until the hello is answered only a challenge and the welcome are allowed.
func (s *session) handle(f wire.Frame) error {
	if s.hello != "" && f.Type == wire.TypeChallenge {
		return s.handleChallenge(f)
	}
	if s.hello != "" {
		return s.handleWelcome(f)
	}
	switch f.Type {
	case wire.TypeHeartbeat:
		return s.handleHeartbeat(f)
	case wire.TypeGoaway:
		return s.handleGoaway(f)
	case wire.TypeError:
		return s.handleError(f)
	default:
		return s.Runner.Handle(f)
	}
}

// handleChallenge proves the identity key for this connection. The host is the one this agent was enrolled for, so that
// the proof is of no use to another control plane.
func (s *session) handleChallenge(f wire.Frame) error {
	c, err := wire.DecodeBody[wire.Challenge](f)
	switch {
	case err != nil:
		return err
	case f.Re != s.hello || !c.Usable():
		return fmt.Errorf("%w: the challenge cannot be signed", wire.ErrMalformed)
	}
	state, host := s.Tokens.State(), s.Dialer.Base.Host
	message := wire.ConnectProof(state.TenantID, state.AgentID, s.Tokens.BootID, c.Nonce, host)
	return s.conn.Send(
		wire.Frame{Type: wire.TypeProof, Re: f.ID},
		wire.Proof{Host: host, Signature: s.Tokens.Keys.Sign(message)},
	)
}

// handleWelcome begins the session: the runner may send from now on. The control plane may ask for
// more frequent heartbeats, never for rarer ones.
func (s *session) handleWelcome(f wire.Frame) error {
	if f.Type != wire.TypeWelcome || f.Re != s.hello {
		return fmt.Errorf("%w: %s instead of welcome", wire.ErrMalformed, f.Type)
	}
	w, err := wire.DecodeBody[wire.Welcome](f)
	if err != nil {
		return err
	}
	s.hello = ""
	s.beat = s.Pace.Beat
	if w.HeartbeatS > 0 {
		s.beat = min(time.Duration(w.HeartbeatS)*time.Second, s.beat)
	}
	s.checkClock(w.ServerTime)
	s.Log.Info("connected", "control_plane", s.Dialer.Base.Host, "session", w.SessionID)
	s.Runner.Attach(s.conn, w.MaxFrame, w.Resume)
	close(s.welcomed)
	s.status.online(s.Now().UTC())
	return nil
}

// live sends heartbeats until the session ends, and ends it when no welcome comes or the agent stops.
func (s *session) live(ctx, ended context.Context) {
	select {
	case <-s.welcomed:
	case <-ended.Done():
		return
	case <-ctx.Done():
		s.stop()
		return
	case <-time.After(welcomeTimeout):
		s.conn.Close(wire.CloseSilent, "no welcome came")
		return
	}
	s.sendHeartbeat()
	tick := time.NewTicker(s.beat)
	defer tick.Stop()
	for {
		select {
		case <-ended.Done():
			return
		case <-ctx.Done():
			s.stop()
			return
		case <-s.drained:
			s.sendDrain()
		case <-tick.C:
			s.sendHeartbeat()
			s.status.refresh()
		}
	}
}

// stop ends the session on the agent's own wish.
func (s *session) stop() {
	select {
	case <-s.welcomed:
	default:
		s.conn.Close(wire.Going, "agent stops")
		return
	}
	// A connection that is closed already needs no goodbye.
	_ = s.conn.Send(wire.Frame{Type: wire.TypeDrain}, struct{}{})
	s.Runner.Stop(stopGrace)
	s.conn.Close(wire.Going, "agent stops")
}

// sendHeartbeat sends a heartbeat with what the control plane shows of the agent.
func (s *session) sendHeartbeat() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	// When the connection is closed the session ends by itself.
	_ = s.conn.Send(wire.Frame{Type: wire.TypeHeartbeat}, wire.Heartbeat{
		UptimeS:    int64(s.Now().Sub(s.started).Seconds()),
		RSSBytes:   residentBytes(&m),
		Goroutines: runtime.NumGoroutine(),
		InFlight:   s.Runner.InFlight(),
		Clock:      s.Now().UTC(),
		SpoolBytes: s.Runner.SpoolBytes(),
		Draining:   s.Runner.Draining(),
		Trouble:    s.Runner.Trouble(),
	})
}

// handleHeartbeat takes the control plane's echo, whose time shows a wrong clock.
func (s *session) handleHeartbeat(f wire.Frame) error {
	h, err := wire.DecodeBody[wire.Heartbeat](f)
	if err != nil {
		return err
	}
	s.checkClock(h.ServerTime)
	return nil
}

// checkClock warns once a session of a clock that is far off: tokens and dates in targets depend on it.
func (s *session) checkClock(server time.Time) {
	skew := server.Sub(s.Now())
	if server.IsZero() || s.skewed || skew.Abs() <= wire.ClockSkew {
		return
	}
	s.skewed = true
	s.Log.Warn("this host's clock differs from the control plane's", "by", skew.Round(time.Second).String())
}

// handleGoaway notes that the control plane is about to close. The pause that it asks for is
// bounded by an hour.
func (s *session) handleGoaway(f wire.Frame) error {
	g, err := wire.DecodeBody[wire.Goaway](f)
	if err != nil {
		return err
	}
	s.away = &goneAway{
		reason:     g.Reason,
		retryAfter: min(max(time.Duration(g.RetryAfterMS)*time.Millisecond, 0), time.Hour),
	}
	s.Log.Info("the control plane is about to close the connection", "reason", g.Reason)
	return nil
}

// handleError takes note of a frame the control plane could not use.
func (s *session) handleError(f wire.Frame) error {
	e, err := wire.DecodeBody[wire.ErrorBody](f)
	if err != nil {
		return err
	}
	s.Log.Warn(
		"the control plane could not use a frame",
		"code",
		e.Code,
		"message",
		e.Message,
		"frame",
		f.Re,
		"task",
		f.Task,
	)
	return s.Runner.Refused(f.Task, f.Attempt, e)
}
