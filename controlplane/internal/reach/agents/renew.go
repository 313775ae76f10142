package agents

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
	"github.com/grantwright/grantwright/protocol/wire"
)

// tokenBody takes members that a newer agent adds.
type tokenBody struct {
	_ struct{} `additionalProperties:"true"`
	wire.TokenRequest
}

type tokenIn struct {
	Body    tokenBody
	RawBody []byte
}

type tokenOut struct{ Body wire.TokenResponse }

func (r *Registry) handleToken(ctx context.Context, _ viewer.Viewer, in *tokenIn) (*tokenOut, error) {
	if err := smallEnough(in.RawBody); err != nil {
		return nil, err
	}
	out, err := r.renew(ctx, httpapi.BearerOf(ctx), in.Body.TokenRequest)
	if err != nil {
		return nil, r.counted(ctx, err)
	}
	return &tokenOut{Body: out}, nil
}

// mayRenew judges the token, which may have expired, before the body is looked at.
func (r *Registry) mayRenew(ctx context.Context, bearer string) error {
	if bearer == "" {
		return r.counted(
			ctx,
			fault.New(fault.Unauthenticated, "this needs the agent's last token: Authorization: Bearer <token>"),
		)
	}
	_, err := r.Tokens.VerifyAgentToken(ctx, bearer, true)
	return r.counted(ctx, err)
}

// counted bounds how often one address may fail. Only failures count: behind one address there can be many agents.
func (r *Registry) counted(ctx context.Context, err error) error {
	if fault.Is(err, fault.Unauthenticated) || fault.Is(err, fault.Forbidden) {
		r.limits()
		if wait := r.badTokens.take(httpapi.AddressOf(ctx), r.Now()); wait > 0 {
			return tooMany(wait)
		}
	}
	return err
}

func (r *Registry) renew(ctx context.Context, bearer string, req wire.TokenRequest) (wire.TokenResponse, error) {
	var out wire.TokenResponse
	c, err := r.Tokens.VerifyAgentToken(ctx, bearer, true)
	if err != nil {
		return out, err
	}
	v := viewer.Viewer{
		Tenant:    c.Tenant,
		Kind:      viewer.Agent,
		ID:        c.AgentID,
		Session:   c.ID,
		RequestID: httpapi.RequestID(ctx),
		IP:        httpapi.AddressOf(ctx),
	}
	// A refusal is recorded, so it must not roll the transaction back.
	var refused error
	err = r.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out, refused, err = r.exchange(ctx, tx, c, req)
		return err
	})
	if err != nil {
		return out, err
	}
	return out, refused
}

func (r *Registry) exchange(
	ctx context.Context,
	tx *pg.Tx,
	c bearer.AgentClaims,
	req wire.TokenRequest,
) (out wire.TokenResponse, refused, err error) {
	who, err := lock(ctx, tx, c.AgentID)
	if err != nil {
		return out, nil, unknownAgent(err, c.AgentID)
	}
	tx.Viewer.Display = who.Name
	if req.AgentID != c.AgentID {
		return out, errForged, forged(ctx, tx, req.AgentID)
	}
	if err := who.mayRenew(c); err != nil {
		return out, err, nil
	}
	if !signed(who.Key, req) {
		return out, fault.Coded(
			fault.Unauthenticated,
			"invalid_proof",
			"the signature does not show that you hold the agent's key",
		), nil
	}
	step, refused := who.step(req)
	switch {
	case req.DryRun:
		return wire.TokenResponse{JoinSeq: who.JoinSeq}, refused, nil
	case refused != nil && fault.IsCode(refused, "agent_quarantined"):
		return out, refused, who.exposeCopy(ctx, tx, c.AgentID, req)
	case refused != nil:
		return out, refused, nil
	}
	seq, err := advance(ctx, tx, c.AgentID, step, req, req.IssuedAt.Sub(r.Now()).Milliseconds())
	if err != nil {
		return out, nil, err
	}
	token, expires, err := r.issue(ctx, tx, c.AgentID, who)
	return wire.TokenResponse{Token: token, ExpiresAt: expires, JoinSeq: seq}, nil, err
}

// exposeCopy quarantines an agent of which an old state was shown, and names both hosts as far as they are known.
func (i identity) exposeCopy(ctx context.Context, tx *pg.Tx, id string, req wire.TokenRequest) error {
	seen := map[string]any{
		"join_seq":          req.JoinSeq,
		"join_seq_expected": i.JoinSeq,
		"boot_id":           short(req.BootID),
		"other_boot_id":     deref(i.LastBootID),
		"ip":                tx.Viewer.IP,
		"other_ip":          deref(i.Address),
		"other_hostname":    deref(i.Hostname),
	}
	reason := fmt.Sprintf(
		"an old join counter was shown from %s, while the agent on %s had gone on: its state was copied",
		tx.Viewer.IP,
		place(deref(i.Hostname), deref(i.Address)),
	)
	return quarantine(ctx, tx, id, reason, seen)
}

var errForged = fault.Coded(
	fault.Forbidden,
	"agent_identity_mismatch",
	"the token belongs to another agent than the one named",
)

// forged records that an agent gave itself for another one.
func forged(ctx context.Context, tx *pg.Tx, claimed string) error {
	return audit.Record(ctx, tx, audit.Entry{
		Action:  "agent.identity_mismatch",
		Outcome: audit.Denied,
		Subject: audit.Subject{
			Type:    "agent",
			ID:      tx.Viewer.ID,
			Display: tx.Viewer.Display,
		},
		Context: map[string]any{"claimed_agent_id": short(claimed)},
	})
}

// unknownAgent is what a token's holder hears when the agent it names is gone.
func unknownAgent(err error, id string) error {
	if errors.Is(err, pgx.ErrNoRows) || fault.Is(err, fault.NotFound) {
		return fault.Coded(fault.Forbidden, "agent_revoked", "the agent %s no longer exists", id)
	}
	return fmt.Errorf("find agent: %w", err)
}

// mayRenew holds a token against the agent it names. Its epoch does not matter here: the signature and the join counter
// decide which copy goes on after a quarantine is cleared, and a new enrolment has another key.
func (i identity) mayRenew(c bearer.AgentClaims) error {
	c.Epoch = i.Epoch
	return i.matches(c)
}

func signed(key []byte, req wire.TokenRequest) bool {
	signature, err := base64.RawURLEncoding.DecodeString(req.Signature)
	return err == nil && len(key) == ed25519.PublicKeySize && ed25519.Verify(key, req.TokenProof(), signature)
}

// step says by how much a request moves the join counter: one, or none when it repeats the last request because the
// answer was lost. Any older counter means that two hosts share an identity; a newer one that our own memory went back
// in time.
func (i identity) step(req wire.TokenRequest) (int, error) {
	switch {
	case req.JoinSeq == i.JoinSeq:
		return 1, nil
	case req.JoinSeq == i.JoinSeq-1 && req.Nonce != "" && req.Nonce == deref(i.LastNonce) &&
		req.BootID == deref(i.LastBootID):
		return 0, nil
	case req.JoinSeq > i.JoinSeq:
		return 0, fault.Coded(
			fault.Conflict,
			"join_counter_ahead",
			"the join counter %d was never given out; enrol the agent again",
			req.JoinSeq,
		)
	}
	return 0, fault.Coded(
		fault.Forbidden,
		"agent_quarantined",
		"the join counter %d is old, so two hosts share this identity; the agent is quarantined until it is enrolled again",
		req.JoinSeq,
	)
}

func advance(
	ctx context.Context,
	tx *pg.Tx,
	id string,
	step int,
	req wire.TokenRequest,
	skewMS int64,
) (seq int64, err error) {
	const sql = `
		update agent
		   set join_seq = join_seq + $2, last_nonce = $3, last_boot_id = $4, ip_last = $5, clock_skew_ms = $6
		 where id = $1
		returning join_seq`
	err = tx.QueryRow(ctx, sql, id, step, short(req.Nonce), short(req.BootID), tx.Viewer.IP, skewMS).Scan(&seq)
	if err != nil {
		return 0, fmt.Errorf("advance join counter: %w", err)
	}
	return seq, nil
}
