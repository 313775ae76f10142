package registry

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
	"github.com/grantwright/grantwright/protocol/wire"
)

// MaxAgentBody bounds, in bytes, what an agent may send before it is known.
const MaxAgentBody = 16 << 10

// registerBody takes members that a newer agent adds.
type registerBody struct {
	_ struct{} `additionalProperties:"true"`
	wire.RegisterRequest
}

type registerIn struct {
	Body registerBody
	// RawBody is the body as it came, to check its size.
	RawBody []byte
}

// registerOut is the response of a registration.
type registerOut struct{ Body wire.RegisterResponse }

// handleRegister is POST /agent/register. The bearer is an enrollment token.
func (r *Registry) handleRegister(ctx context.Context, _ viewer.Viewer, in *registerIn) (*registerOut, error) {
	if err := smallEnough(in.RawBody); err != nil {
		return nil, err
	}
	out, err := r.register(ctx, httpapi.BearerOf(ctx), in.Body.RegisterRequest)
	if err != nil {
		return nil, err
	}
	return &registerOut{Body: out}, nil
}

// mayRegister judges the token before the body is looked at, and bounds how often one address may try.
func (r *Registry) mayRegister(ctx context.Context, bearer string) error {
	r.limits()
	if wait := r.enrolments.Take(httpapi.AddressOf(ctx), r.Now()); wait > 0 {
		return agents.TooMany(wait)
	}
	if bearer == "" {
		return fault.New(fault.Unauthenticated, "this needs the enrolment token: Authorization: Bearer <token>")
	}
	_, err := r.Tokens.VerifyEnrollToken(ctx, bearer)
	return err
}

// smallEnough refuses bodies above MaxAgentBody, which no agent sends.
func smallEnough(body []byte) error {
	if len(body) > MaxAgentBody {
		return fault.Coded(fault.Malformed, "payload_too_large", "the body may have at most %d bytes", MaxAgentBody)
	}
	return nil
}

// register exchanges an invitation for the agent's identity. The request must prove that the sender
// holds both private keys. An invitation works once; the same key may use it again, because the
// answer may have been lost.
func (r *Registry) register(
	ctx context.Context,
	bearer string,
	req wire.RegisterRequest,
) (wire.RegisterResponse, error) {
	var out wire.RegisterResponse
	c, err := r.Tokens.VerifyEnrollToken(ctx, bearer)
	if err != nil {
		return out, err
	}
	identityKey, sealingKey, err := proven(c.ID, req)
	if err != nil {
		return out, err
	}
	v := viewer.Viewer{
		Tenant:    c.Tenant,
		Kind:      viewer.Agent,
		ID:        c.AgentID,
		RequestID: httpapi.RequestID(ctx),
		IP:        httpapi.AddressOf(ctx),
	}
	err = r.DB.As(ctx, v, func(tx *pg.Tx) error {
		again, err := useInvitation(ctx, tx, c, identityKey)
		if err != nil {
			return err
		}
		if !again {
			if err := enrol(ctx, tx, c.AgentID, identityKey, sealingKey, req); err != nil {
				return err
			}
		}
		out, err = r.welcome(ctx, tx, c.AgentID)
		return err
	})
	return out, err
}

// proven reads the keys of a registration and checks that the sender holds the identity key.
func proven(jti string, req wire.RegisterRequest) (identityKey, sealingKey []byte, err error) {
	identityKey, err1 := base64.RawURLEncoding.DecodeString(req.IdentityKey)
	sealingKey, err2 := base64.RawURLEncoding.DecodeString(req.SealingKey)
	proof, err3 := base64.RawURLEncoding.DecodeString(req.Proof)
	if err := errors.Join(
		err1,
		err2,
		err3,
	); err != nil || len(identityKey) != ed25519.PublicKeySize ||
		len(sealingKey) != 32 {
		return nil, nil, fault.New(
			fault.Invalid,
			"identity_key and sealing_key must be 32 bytes each, and all three of them and proof base64url without "+
				"padding",
		)
	}
	if !ed25519.Verify(identityKey, wire.RegisterProof(jti, req.IdentityKey, req.SealingKey), proof) {
		return nil, nil, fault.Coded(
			fault.Unauthenticated,
			"invalid_proof",
			"the proof does not show that you hold the identity key",
		)
	}
	return identityKey, sealingKey, nil
}

// useInvitation spends an invitation. The key that spent it may come again until it expires, since an answer can be
// lost.
func useInvitation(ctx context.Context, tx *pg.Tx, c bearer.EnrollClaims, key []byte) (again bool, err error) {
	refused := fault.Coded(
		fault.Unauthenticated,
		"invalid_token",
		"this enrolment token was used already, was replaced or has expired; ask for a new one",
	)
	const sql = `
		select used_by_key, expires_at < now()
		  from agent_enrollment
		 where jti_hash = $1 and agent_id = $2
		   for update`
	var (
		usedBy  []byte
		expired bool
	)
	err = tx.QueryRow(ctx, sql, agents.TokenHash(c.ID), c.AgentID).Scan(&usedBy, &expired)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return false, refused
	case err != nil:
		return false, fmt.Errorf("find invitation: %w", err)
	case expired || (usedBy != nil && !bytes.Equal(usedBy, key)):
		return false, refused
	case usedBy != nil:
		return true, nil
	}
	const use = `update agent_enrollment set used_at = now(), used_by_key = $2 where jti_hash = $1`
	if err := pg.Exec(ctx, tx, "use invitation", use, agents.TokenHash(c.ID), key); err != nil {
		return false, err
	}
	return false, nil
}

// enrol stores the keys and the host of a pending agent, under a lock on its row. An agent that is
// registered already is left as it is. The join counter begins with 1; see renew.
func enrol(ctx context.Context, tx *pg.Tx, id string, identityKey, sealingKey []byte, req wire.RegisterRequest) error {
	who, err := agents.Lock(ctx, tx, id)
	if err != nil {
		return err
	}
	if who.State != agents.Pending {
		return who.MayWork()
	}
	const sql = `
		update agent
		   set state = 'registered', identity_key = $2, sealing_key = $3, instance_id = $4, join_seq = 1,
		       last_nonce = null, hostname = $5, os = $6, arch = $7, version_name = $8, boot_id = $9, ip_last = $10,
		           updated_at = now(), version = version + 1
		 where id = $1`
	_, err = tx.Exec(
		ctx,
		sql,
		id,
		identityKey,
		sealingKey,
		uuid.Must(uuid.NewV7()).String(),
		agents.Short(
			req.Hostname,
		),
		agents.Short(req.OS),
		agents.Short(req.Arch),
		agents.Short(req.Version),
		agents.Short(req.BootID),
		tx.Viewer.IP,
	)
	if err != nil {
		return fmt.Errorf("enrol agent: %w", err)
	}
	tx.Viewer.Display = who.Name
	return audit.Record(ctx, tx, audit.Entry{
		Action:  "agent.registered",
		Subject: audit.Subject{Type: "agent", ID: id, Display: who.Name},
		Context: map[string]any{
			"hostname":             agents.Short(req.Hostname),
			"identity_fingerprint": agents.Fingerprint(identityKey),
		},
	})
}

// welcome answers a registration with the agent's first token.
func (r *Registry) welcome(ctx context.Context, tx *pg.Tx, id string) (wire.RegisterResponse, error) {
	who, err := agents.Lock(ctx, tx, id)
	if err != nil {
		return wire.RegisterResponse{}, err
	}
	if err := who.MayWork(); err != nil {
		return wire.RegisterResponse{}, err
	}
	token, expires, err := r.issue(ctx, tx, id, who)
	return wire.RegisterResponse{
		AgentID: id, InstanceID: agents.Deref(who.Instance), TenantID: tx.Viewer.Tenant, Name: who.Name,
		Token: token, ExpiresAt: expires, JoinSeq: who.JoinSeq,
	}, err
}

// issue makes a token bound to the agent's key and notes when it expires.
func (r *Registry) issue(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	who agents.Identity,
) (token string, expires time.Time, err error) {
	token, expires, err = r.Tokens.IssueAgentToken(ctx, tx, bearer.AgentClaims{
		AgentID: id, InstanceID: agents.Deref(who.Instance), KeyThumb: agents.Thumbprint(who.Key), Epoch: who.Epoch,
	})
	if err != nil {
		return "", expires, fmt.Errorf("issue agent token: %w", err)
	}
	if err := pg.Exec(
		ctx,
		tx,
		"note token",
		`update agent set token_issued_at = now(), token_expires_at = $2 where id = $1`,
		id,
		expires,
	); err != nil {
		return "", expires, err
	}
	return token, expires, nil
}
