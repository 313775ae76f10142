package registry

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
)

// Tokens makes and reads the tokens of agents. auth.Service is one. The kinds are apart: neither passes for the other.
// Verify returns a fault of kind Unauthenticated for what is no valid token; whether the agent may still do anything,
// only the database knows.
type Tokens interface {
	IssueEnrollToken(ctx context.Context, tx *pg.Tx, agentID string) (string, bearer.EnrollClaims, error)
	VerifyEnrollToken(ctx context.Context, bearer string) (bearer.EnrollClaims, error)
	IssueAgentToken(ctx context.Context, tx *pg.Tx, a bearer.AgentClaims) (token string, expires time.Time, err error)
	VerifyAgentToken(ctx context.Context, bearer string, allowExpired bool) (bearer.AgentClaims, error)
}
