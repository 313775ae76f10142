// Package link keeps an agent connected to its control plane: it opens the websocket, says hello, proves with
// heartbeats that the agent is alive, hands tasks to the runner, and comes back by itself after every failure that can
// mend itself.
package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/agent/internal/dial"
	"github.com/grantwright/grantwright/agent/internal/enroll"
	"github.com/grantwright/grantwright/agent/internal/runner"
	"github.com/grantwright/grantwright/protocol/wire"
)

// ErrRevoked ends Run: the control plane does not want this agent any more, and only an administrator can change that.
var ErrRevoked = errors.New("the agent was revoked in the control plane")

// offPause is how long an agent that was switched off waits before it asks again.
const offPause = time.Minute

// stopGrace is how long running tasks may take to report that they were stopped when the agent shuts down.
const stopGrace = 5 * time.Second

// Link is one agent's connection. All fields but the last must be set.
type Link struct {
	Dir     config.Dir
	Dialer  *dial.Dialer
	Tokens  *enroll.Tokens
	Runner  *runner.Runner
	Version string
	Log     *slog.Logger
	Now     func() time.Time

	// Changed, when set, is called with every new state.
	Changed func(config.Status)
	// Hostname and Machine distinguish the host from others. Empty: as the system reports them.
	Hostname, Machine string
	// Pace is how fast things are noticed; the zero value is that of the protocol.
	Pace Pace

	started time.Time
	status  statusKeeper
	pause   *backoff
	drained chan struct{} // something about draining has changed
}

// Pace is how fast the link moves. Zero fields stand for what the protocol says.
type Pace struct {
	Ping, Silent time.Duration // between pings; nothing heard for so long: the connection is dead
	Beat         time.Duration // between heartbeats, at most
	Base, Max    time.Duration // bounds of the pause before the first and the later attempts to connect
	Look         time.Duration // between looks whether the operator wants the agent to drain
}

// orNormal fills in the pace of the protocol where none is set.
func (p Pace) orNormal() Pace {
	return Pace{
		Ping: cmp.Or(
			p.Ping,
			wire.PingInterval,
		),
		Silent: cmp.Or(p.Silent, wire.ReadTimeout),
		Beat:   cmp.Or(p.Beat, wire.HeartbeatInterval),
		Base: cmp.Or(
			p.Base,
			wire.ReconnectBase,
		),
		Max:  cmp.Or(p.Max, wire.ReconnectMax),
		Look: cmp.Or(p.Look, time.Second),
	}
}

// Run connects, and connects again, until ctx ends (then the error is nil) or the agent is revoked.
func (l *Link) Run(ctx context.Context) error {
	l.started = l.Now()
	l.status.save = l.saveStatus
	l.Pace = l.Pace.orNormal()
	l.drained = make(chan struct{}, 1)
	if l.pause == nil {
		l.pause = &backoff{base: l.Pace.Base, max: l.Pace.Max}
	}
	// A drain ends with the process that was asked for it.
	if err := l.Dir.SetDrain(false); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var beside sync.WaitGroup
	beside.Go(func() { l.keepToken(ctx) })
	beside.Go(func() { l.keepDrain(ctx) })
	defer func() { cancel(); beside.Wait() }()
	return l.reconnect(ctx)
}

// reconnect connects again and again until ctx ends, or the agent is revoked, which is final. An
// agent that is shut out gives its tasks up at once. A connection that lasted resets the pause.
func (l *Link) reconnect(ctx context.Context) error {
	for {
		l.status.set(config.Connecting, nil)
		began := l.Now()
		err := l.connect(ctx)
		switch {
		case ctx.Err() != nil:
			l.status.set(config.Stopped, nil)
			return nil
		case revoked(err):
			l.Log.Error("stopped: the agent was revoked; enroll it again", "err", err)
			l.status.set(config.Revoked, err)
			return fmt.Errorf("%w: %w", ErrRevoked, err)
		}
		if shutOut(err) {
			// Its targets are left alone too, and not only when the control plane is back.
			l.Runner.Abandon()
		}
		if l.Now().Sub(began) >= stable {
			l.pause.reset()
		}
		wait := l.pause.next(asked(err))
		l.Log.Warn(
			"not connected",
			"err",
			err,
			"meaning",
			meaning(err),
			"next_attempt_in",
			wait.Round(100*time.Millisecond).String(),
		)
		l.status.set(config.Offline, err)
		if !sleep(ctx, wait) {
			l.status.set(config.Stopped, nil)
			return nil
		}
	}
}

// connect holds one connection until it ends. It never returns nil.
func (l *Link) connect(ctx context.Context) error {
	token, err := l.freshToken(ctx)
	if err != nil {
		return err
	}
	s, err := l.open(ctx, token)
	var refused *enroll.Refused
	if errors.As(err, &refused) && refused.Status == http.StatusUnauthorized {
		// The token may have lost its life early, by a change of the control plane's keys for instance. Once is enough.
		if err := l.Tokens.Renew(ctx, token); err != nil {
			return err
		}
		s, err = l.open(ctx, l.Tokens.State().Token)
	}
	if err != nil {
		return err
	}
	err = l.session(ctx, s)
	var closed *wire.CloseError
	if errors.As(err, &closed) && closed.Code == wire.CloseToken {
		if err := l.Tokens.Renew(ctx, token); err != nil {
			return err
		}
	}
	return err
}

// freshToken renews a token that is due. A token that still has some life is used when the renewal fails.
func (l *Link) freshToken(ctx context.Context) (string, error) {
	s := l.Tokens.State()
	now := l.Now()
	if now.Before(l.Tokens.RenewAt()) {
		return s.Token, nil
	}
	if err := l.Tokens.Renew(ctx, s.Token); err != nil && (revoked(err) || now.After(s.ExpiresAt)) {
		return "", err
	}
	return l.Tokens.State().Token, nil
}

// keepToken renews the token while a connection lasts, so that the next one can be opened at once.
func (l *Link) keepToken(ctx context.Context) {
	for sleep(ctx, max(l.Tokens.RenewAt().Sub(l.Now()), time.Second)) {
		if l.Now().Before(l.Tokens.RenewAt()) {
			continue
		}
		if err := l.Tokens.Renew(ctx, l.Tokens.State().Token); err != nil && ctx.Err() == nil {
			l.Log.Warn("token not renewed", "err", err)
			if !sleep(ctx, 30*time.Second) {
				return
			}
		}
	}
}

// revoked says whether err is the control plane's word that this agent is not wanted any more. An agent that is
// switched off comes back by itself once it is switched on; its connection is closed with the same code, so the reason
// tells the two apart.
func revoked(err error) bool {
	var refused *enroll.Refused
	var closed *wire.CloseError
	return (errors.As(err, &refused) && refused.Permanent()) ||
		(errors.As(err, &closed) && closed.Code == wire.CloseRevoked && closed.Reason != wire.ReasonDisabled)
}

// shutOut says whether err is the control plane's word that this agent shall not work for now.
func shutOut(err error) bool {
	var refused *enroll.Refused
	var closed *wire.CloseError
	return (errors.As(err, &refused) && (refused.Disabled() || refused.Quarantined())) ||
		(errors.As(err, &closed) && (closed.Code == wire.CloseRevoked || closed.Code == wire.CloseClone))
}

// asked is how long the other end asked to stay away.
func asked(err error) time.Duration {
	var refused *enroll.Refused
	var away *goneAway
	switch {
	case errors.As(err, &refused) && refused.Disabled():
		return max(refused.RetryAfter, offPause)
	case errors.As(err, &refused):
		return refused.RetryAfter
	case errors.As(err, &away):
		return away.retryAfter
	}
	return 0
}

// meaning explains what a person should do about err, where there is something.
func meaning(err error) string {
	var refused *enroll.Refused
	var closed *wire.CloseError
	switch {
	case errors.As(err, &refused):
		return meaningOf(refused)
	case !errors.As(err, &closed):
		return ""
	}
	switch closed.Code {
	case wire.CloseToken:
		return meaningOfProof(closed.Reason)
	case wire.CloseSuperseded:
		return "another process with this agent's data directory has connected: stop one of the two"
	case wire.CloseClone:
		return runsTwice
	case wire.CloseVersion:
		return "the control plane asks for another version of this agent: update it"
	case wire.CloseTooMany:
		return "the control plane has too many connections"
	}
	return ""
}

// meaningOfProof explains why the control plane did not take this agent's signature.
func meaningOfProof(reason string) string {
	switch reason {
	case wire.ReasonUnproven:
		return "the control plane knows another identity key of this agent: was its data directory restored from a " +
			"copy? Have an administrator issue a new enrolment"
	case wire.ReasonHost:
		return "the control plane does not go by the host name that this agent uses: its operator must set " +
			"--base-url to that " +
			"address, or have the proxy in front of it pass on the Host header"
	}
	return ""
}

// runsTwice is what quarantine means, for the log.
const runsTwice = "this agent runs twice, from a copied data directory or machine: an administrator must say in the " +
	"control plane which one is right"

// meaningOf says in words what a refusal means for the operator; empty if the answer says enough.
func meaningOf(refused *enroll.Refused) string {
	switch {
	case refused.Quarantined():
		return runsTwice
	case refused.Disabled():
		return "an administrator disabled this agent; it continues automatically when an administrator enables it"
	case refused.Status == http.StatusUpgradeRequired:
		return "this agent and the control plane have no protocol version in common: update the agent"
	case refused.Status == http.StatusUnauthorized:
		return "the control plane does not accept this agent's token: was the agent deleted, or its data directory " +
			"restored from a copy?"
	case refused.Status == http.StatusForbidden && refused.Code == "":
		return "something between this host and the control plane forbids the connection"
	}
	return ""
}
