package agents

import (
	"context"
	"time"
)

// Claims is what a token says of its holder.
type Claims struct {
	Tenant, Agent string    // UUIDs
	ID            string    // jti
	Epoch         int       // tokens of an older epoch than the agent's are dead
	Thumbprint    string    // of the agent's identity key (cnf.jkt); empty in an enrolment token
	Expires       time.Time // set by whoever issues or verifies
}

// Issued is a new token. It is shown once and kept nowhere.
type Issued struct {
	Token   string
	ID      string // jti
	Expires time.Time
}

// Tokens makes and reads the tokens of agents. The kinds are apart: neither passes for the other. Verify returns a fault of
// kind Unauthenticated for what is no valid token.
type Tokens interface {
	IssueEnrollToken(ctx context.Context, c Claims) (Issued, error)
	VerifyEnrollToken(ctx context.Context, token string) (Claims, error)
	IssueAgentToken(ctx context.Context, c Claims) (Issued, error)
	// VerifyAgentToken accepts a token that has expired when allowExpired is set, and everything else about it is right.
	VerifyAgentToken(ctx context.Context, token string, allowExpired bool) (Claims, error)
}
