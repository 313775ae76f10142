package admission

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
	"github.com/grantwright/grantwright/protocol/wire"
)

// errUnproven closes a connection that had the agent's token and not its key.
var errUnproven = &wire.CloseError{Code: wire.CloseToken, Reason: wire.ReasonUnproven}

// prove has the agent sign a fresh nonce with its identity key. A token can be copied from a file or seen by a proxy
// that inspects TLS, so nothing is offered, recorded or judged before the key is proven. It returns the key.
func (a *Service) prove(
	ctx context.Context,
	v viewer.Viewer,
	socket *session.Socket,
	hello wire.Frame,
	boot string,
) ([]byte, error) {
	key, err := a.identityKey(ctx, v)
	if err != nil {
		return nil, err
	}
	challenge := newChallenge()
	asked := wire.Frame{Type: wire.TypeChallenge, ID: wire.NewID(time.Now()), Re: hello.ID, TS: time.Now()}
	msg, err := wire.Encode(asked, challenge)
	if err != nil {
		return nil, err
	}
	late := time.AfterFunc(a.Timing.Hello, func() { _ = socket.Close(wire.CloseProtocol, "no proof") })
	defer late.Stop()
	if err := socket.WriteMessage(msg); err != nil {
		return nil, &wire.CloseError{Code: wire.CloseProtocol, Reason: "the challenge was not read"}
	}
	proof, err := readProof(socket, asked.ID)
	if err != nil {
		return nil, err
	}
	signature, err := base64.RawURLEncoding.DecodeString(proof.Signature)
	signed := wire.ConnectProof(v.Tenant, v.ID, boot, challenge.Nonce, proof.Host)
	switch {
	case err != nil || len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, signed, signature):
		a.Log.WarnContext(ctx, "a connection with an agent's token did not prove the agent's key",
			"tenant", v.Tenant, "agent", v.ID, "ip", v.IP)
		return nil, errUnproven
	case !a.isAt(proof.Host, socket.Host):
		return nil, &wire.CloseError{Code: wire.CloseToken, Reason: wire.ReasonHost}
	}
	return key, nil
}

func newChallenge() wire.Challenge {
	var nonce [wire.NonceBytes]byte
	rand.Read(nonce[:]) // never fails
	return wire.Challenge{Nonce: base64.RawURLEncoding.EncodeToString(nonce[:])}
}

// readProof waits for the answer to the challenge with this id.
func readProof(socket *session.Socket, challenge string) (wire.Proof, error) {
	msg, err := socket.ReadMessage()
	if err != nil {
		return wire.Proof{}, &wire.CloseError{Code: wire.CloseProtocol, Reason: "no proof"}
	}
	f, err := wire.Decode(msg, 0)
	switch {
	case err != nil:
		return wire.Proof{}, err
	case f.Type == wire.TypeError:
		return wire.Proof{}, &wire.CloseError{
			Code:   wire.CloseVersion,
			Reason: "this agent cannot prove its key; update it",
		}
	case f.Type != wire.TypeProof || f.Re != challenge:
		return wire.Proof{}, &wire.CloseError{Code: wire.CloseProtocol, Reason: "the second frame must be a proof"}
	}
	return wire.DecodeBody[wire.Proof](f)
}

// isAt reports whether this control plane goes by the name that the agent addressed: the one in the request, or its
// public one where a proxy rewrites the request's.
func (a *Service) isAt(host, requested string) bool {
	host = wire.CanonicalHost(host)
	if host == wire.CanonicalHost(requested) {
		return true
	}
	public, err := url.Parse(a.PublicURL)
	return err == nil && public.Host != "" && host == wire.CanonicalHost(public.Host)
}

// identityKey reads the key of an agent that may work.
func (a *Service) identityKey(ctx context.Context, v viewer.Viewer) ([]byte, error) {
	var who agents.Identity
	err := a.DB.As(ctx, v, func(tx *pg.Tx) error {
		const sql = `
			select state, identity_key
			  from agent
			 where id = $1`
		return tx.QueryRow(ctx, sql, v.ID).Scan(&who.State, &who.Key)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, turnedAway(agents.UnknownAgent(err, v.ID))
	case err != nil:
		return nil, fmt.Errorf("read the agent's identity key: %w", err)
	}
	if err := who.MayWork(); err != nil {
		return nil, turnedAway(err)
	}
	return who.Key, nil
}
