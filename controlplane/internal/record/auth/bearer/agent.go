package bearer

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signing"
)

// AgentClaims are what an agent's token says. Tenant, ID and the times are set when the token is issued.
type AgentClaims struct {
	Tenant     string
	AgentID    string
	InstanceID string // the installation that registered
	KeyThumb   string // thumbprint of the identity key that the token is bound to
	Epoch      int64  // of the agent's tokens: raising it in the database revokes all of them
	ID         string // jti
	IssuedAt   time.Time
	ExpiresAt  time.Time
}

// EnrollClaims are what an enrolment token says. Whether it was used, only the database knows.
type EnrollClaims struct {
	Tenant    string
	AgentID   string
	ID        string // jti; its hash identifies the invitation
	ExpiresAt time.Time
}

// EnrollLife is how long an invitation of an agent is good.
const EnrollLife = time.Hour

// IssueAgentToken makes a token of an hour for an agent of the transaction's tenant.
func (s *Authenticator) IssueAgentToken(
	_ context.Context,
	tx *pg.Tx,
	a AgentClaims,
) (token string, expires time.Time, err error) {
	return s.Signer.Sign(signing.AgentForm, signing.Claims{
		Subject:  a.AgentID,
		Tenant:   tx.Viewer.Tenant,
		ID:       uuid.NewString(),
		Instance: a.InstanceID,
		Thumb:    a.KeyThumb,
		Epoch:    a.Epoch,
	}, time.Time{})
}

// VerifyAgentToken reads an agent's token: its form, signature and, unless allowExpired, its time, and that its tenant
// is the one of the request's address and lets anybody in. Whether the agent still may do anything is the caller's
// question to the database. It returns faults with the codes invalid_token, token_expired and tenant_suspended.
func (s *Authenticator) VerifyAgentToken(ctx context.Context, bearer string, allowExpired bool) (AgentClaims, error) {
	c, err := s.Signer.Verify(ctx, signing.AgentForm, bearer, allowExpired)
	if err != nil {
		return AgentClaims{}, err
	}
	if err := s.admits(ctx, c.Tenant); err != nil {
		return AgentClaims{}, err
	}
	return AgentClaims{
		Tenant: c.Tenant, AgentID: c.Subject, InstanceID: c.Instance, KeyThumb: c.Thumb, Epoch: c.Epoch, ID: c.ID,
		IssuedAt: time.Unix(c.IssuedAt, 0).UTC(), ExpiresAt: time.Unix(c.ExpiresAt, 0).UTC(),
	}, nil
}

// IssueEnrollToken makes the token by which an agent of the transaction's tenant registers, good for EnrollLife. The
// caller keeps the hash of its ID and lets it be used once.
func (s *Authenticator) IssueEnrollToken(_ context.Context, tx *pg.Tx, agentID string) (string, EnrollClaims, error) {
	out := EnrollClaims{Tenant: tx.Viewer.Tenant, AgentID: agentID, ID: uuid.NewString()}
	token, expires, err := s.Signer.Sign(
		signing.EnrollForm,
		signing.Claims{Subject: agentID, Tenant: out.Tenant, ID: out.ID},
		s.Now().Add(EnrollLife),
	)
	if err != nil {
		return "", EnrollClaims{}, fmt.Errorf("issue enrolment token: %w", err)
	}
	out.ExpiresAt = expires
	return token, out, nil
}

// VerifyEnrollToken reads an enrolment token, as VerifyAgentToken does an agent's.
func (s *Authenticator) VerifyEnrollToken(ctx context.Context, bearer string) (EnrollClaims, error) {
	c, err := s.Signer.Verify(ctx, signing.EnrollForm, bearer, false)
	if err != nil {
		return EnrollClaims{}, err
	}
	if err := s.admits(ctx, c.Tenant); err != nil {
		return EnrollClaims{}, err
	}
	return EnrollClaims{Tenant: c.Tenant, AgentID: c.Subject, ID: c.ID, ExpiresAt: time.Unix(c.ExpiresAt, 0).UTC()}, nil
}
