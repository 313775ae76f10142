package session

import (
	"bytes"
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Standing is what the database says about the agent of a session. The zero Standing is that of an agent that was
// deleted.
type Standing struct {
	Tenant  string  `db:"tenant_id"`
	Agent   string  `db:"id"`
	State   string  `db:"state"` // as stored, see package agents
	Group   string  `db:"agent_group"`
	Drained bool    `db:"draining"` // by an administrator
	Tokens  int64   `db:"token_epoch"`
	Open    bool    `db:"open"`    // whether the tenant lets anybody in
	Session *string `db:"session"` // the agent's newest one, in whichever process
	Key     []byte  `db:"identity_key"`
}

// Uphold cuts the session off unless it may stay, and takes over what an administrator has changed.
func (s *Session) Uphold(now Standing) {
	if code, reason := s.ending(now); code != 0 {
		s.Cut(code, reason)
		return
	}
	s.mu.Lock()
	s.group, s.drained = now.Group, now.Drained
	s.mu.Unlock()
}

// ending is the close code of a session that may not stay, 0 of one that may.
func (s *Session) ending(now Standing) (code int, reason string) {
	switch {
	case now.State == agents.Quarantined:
		return wire.CloseClone, "quarantined"
	case now.State == agents.Disabled || (now.State == agents.Registered && !now.Open):
		return wire.CloseRevoked, wire.ReasonDisabled
	case now.State != agents.Registered:
		return wire.CloseRevoked, "revoked"
	case !bytes.Equal(now.Key, s.IdentityKey):
		return wire.CloseRevoked, "enrolled again on another host"
	case now.Tokens != s.TokenEpoch:
		return wire.CloseToken, "the token was revoked: renew it"
	case s.hangs():
		return wire.CloseSilent, "no heartbeat"
	case agents.Deref(now.Session) != s.ID:
		return wire.CloseSuperseded, "a newer connection of this agent"
	}
	return 0, ""
}

// hangs reports whether the agent's loop is not heard of any more. Pongs do not count: the agent's network code sends
// them by itself.
func (s *Session) hangs() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Since(s.beaten) > s.timing.Heartbeat
}

// Cut ends the connection whether or not the other end reads what is queued for it. Nothing that still comes from it
// counts.
func (s *Session) Cut(code int, reason string) {
	s.over.Store(true)
	s.conn.Close(code, reason)
	time.AfterFunc(closeTimeout, func() { _ = s.socket.Close(code, reason) })
}

// Answers pings and waits for the answer to this very ping, until ctx ends. Anything else that comes proves nothing: it
// may have been on its way when its sender died. A nil session answers no one.
func (s *Session) Answers(ctx context.Context) bool {
	if s == nil {
		return false
	}
	answered, forget := s.socket.ask()
	defer forget()
	select {
	case <-answered:
		return true
	case <-s.done:
	case <-ctx.Done():
	}
	return false
}
