package registry

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
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

// tokenOut is the response of a renewal.
type tokenOut struct{ Body wire.TokenResponse }

// handleToken is POST /agent/token. Refusals are counted per address.
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
		if wait := r.badTokens.Take(httpapi.AddressOf(ctx), r.Now()); wait > 0 {
			return agents.TooMany(wait)
		}
	}
	return err
}

// renew exchanges an agent token for a new one. A refusal is recorded, so it is returned after the
// transaction has been committed.
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

// exchange checks the renewal under a lock on the agent's row: whose token it is, the agent's
// state, the signature, and the join counter, which shows a copied installation. refused is an
// answer for the agent; err rolls the transaction back.
func (r *Registry) exchange(
	ctx context.Context,
	tx *pg.Tx,
	c bearer.AgentClaims,
	req wire.TokenRequest,
) (out wire.TokenResponse, refused, err error) {
	who, err := agents.Lock(ctx, tx, c.AgentID)
	if err != nil {
		return out, nil, agents.UnknownAgent(err, c.AgentID)
	}
	tx.Viewer.Display = who.Name
	if req.AgentID != c.AgentID {
		return out, agents.ErrForged, agents.Forged(ctx, tx, req.AgentID)
	}
	if err := who.MayRenew(c); err != nil {
		return out, err, nil
	}
	if !agents.Signed(who.Key, req) {
		return out, fault.Coded(
			fault.Unauthenticated,
			"invalid_proof",
			"the signature does not show that you hold the agent's key",
		), nil
	}
	step, refused := who.Step(req)
	switch {
	case req.DryRun:
		return wire.TokenResponse{JoinSeq: who.JoinSeq}, refused, nil
	case refused != nil && fault.IsCode(refused, "agent_quarantined"):
		return out, refused, who.ExposeCopy(ctx, tx, c.AgentID, req)
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

// advance moves the join counter by step and notes nonce, boot and address of the renewal. The
// counter and the nonce are what the next renewal is compared with.
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
	err = tx.QueryRow(ctx, sql, id, step, agents.Short(req.Nonce), agents.Short(req.BootID), tx.Viewer.IP, skewMS).
		Scan(&seq)
	if err != nil {
		return 0, fmt.Errorf("advance join counter: %w", err)
	}
	return seq, nil
}
