package admission

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Service admits the agents that connect to this process.
type Service struct {
	DB      *pg.DB
	Log     *slog.Logger
	Timing  agents.Timing
	Process string // as agent_session names this process

	// PublicURL is accepted as the host of an agent's proof where a proxy on the way rewrites the host of the request.
	PublicURL string

	// MinVersion is the oldest version of the agent's program that is not called degraded, such as 1.4; empty: any.
	MinVersion string

	// Calls are those that the frames of admitted agents belong to.
	Calls session.Calls

	// SessionOf is the agent's session in this process; nil if it has none.
	SessionOf func(session.Key) *session.Session
}

// Admit waits for the agent's hello, has it prove its key, and enters its connection. v is whom the token of the
// request names. A *wire.CloseError, or an error of package wire about a frame, says that the agent must go; any other
// one that it should try again.
func (a *Service) Admit(ctx context.Context, v viewer.Viewer, socket *session.Socket) (*session.Session, error) {
	f, err := a.firstFrame(socket)
	if err != nil {
		return nil, err
	}
	hello, err := wire.DecodeBody[wire.Hello](f)
	if err != nil {
		return nil, err
	}
	key, err := a.prove(ctx, v, socket, f, hello.BootID)
	switch {
	case err != nil:
		return nil, err
	case hello.AgentID != v.ID:
		return nil, a.forgery(ctx, v, hello)
	case hello.Capability < wire.MinAgentCapability:
		return nil, &wire.CloseError{Code: wire.CloseVersion, Reason: "this agent is too old; update it"}
	}
	claimed, err := a.claim(ctx, v, hello, key)
	if err != nil {
		return nil, err
	}
	admitted := session.Admission{
		Key:         session.Key{Tenant: v.Tenant, Agent: v.ID},
		ID:          claimed.id,
		Epoch:       claimed.epoch,
		TokenEpoch:  claimed.tokens,
		IdentityKey: key,
		Name:        claimed.name,
		Hello:       hello,
		HelloID:     f.ID,
	}
	options := session.Options{Timing: a.Timing, MinVersion: a.MinVersion, Calls: a.Calls, Log: a.Log}
	return session.New(socket, admitted, claimed.group, options), nil
}

// firstFrame waits for the hello. Before it an agent that only tries the way may have a few frames sent back.
func (a *Service) firstFrame(socket *session.Socket) (wire.Frame, error) {
	late := time.AfterFunc(a.Timing.Hello, func() { _ = socket.Close(wire.CloseProtocol, "no hello") })
	defer late.Stop()
	for range wire.MaxEchoes + 1 {
		msg, err := socket.ReadMessage()
		if err != nil {
			return wire.Frame{}, &wire.CloseError{Code: wire.CloseProtocol, Reason: "no hello"}
		}
		f, err := wire.Decode(msg, 0)
		if err != nil || f.Type == wire.TypeHello {
			return f, err
		}
		if f.Type != wire.TypeEcho {
			break
		}
		back, err := wire.Encode(
			wire.Frame{Type: wire.TypeEcho, ID: wire.NewID(time.Now()), Re: f.ID, TS: time.Now()},
			f.Body,
		)
		if err != nil {
			return f, err
		}
		if err := socket.WriteMessage(back); err != nil {
			return f, &wire.CloseError{Code: wire.CloseProtocol, Reason: "the echo was not read"}
		}
	}
	return wire.Frame{}, &wire.CloseError{Code: wire.CloseProtocol, Reason: "the first frame must be a hello"}
}

// forgery refuses an agent that gives itself for another one.
func (a *Service) forgery(ctx context.Context, v viewer.Viewer, hello wire.Hello) error {
	err := a.DB.As(ctx, v, func(tx *pg.Tx) error { return agents.Forged(ctx, tx, hello.AgentID) })
	if err != nil {
		return fmt.Errorf("record forged identity: %w", err)
	}
	return &wire.CloseError{Code: wire.CloseRevoked, Reason: "the token belongs to another agent"}
}
