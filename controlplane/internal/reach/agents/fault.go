package agents

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// TooMany is the fault for too many tries, with how long to wait.
func TooMany(wait time.Duration) error {
	f := fault.New(fault.TooMany, "too many attempts from your address; wait and try again")
	f.RetryAfter = wait
	return f
}

// ErrForged refuses an agent that gives itself for another one.
var ErrForged = fault.Coded(
	fault.Forbidden,
	"agent_identity_mismatch",
	"The token belongs to a different agent.",
)

// Forged records that an agent gave itself for another one.
func Forged(ctx context.Context, tx *pg.Tx, claimed string) error {
	return audit.Record(ctx, tx, audit.Entry{
		Action:  "agent.identity_mismatch",
		Outcome: audit.Denied,
		Subject: audit.Subject{
			Type:    "agent",
			ID:      tx.Viewer.ID,
			Display: tx.Viewer.Display,
		},
		Context: map[string]any{"claimed_agent_id": Short(claimed)},
	})
}

// UnknownAgent is the error for a token whose agent was deleted.
func UnknownAgent(err error, id string) error {
	if errors.Is(err, pgx.ErrNoRows) || fault.Is(err, fault.NotFound) {
		return fault.Coded(fault.Forbidden, "agent_revoked", "the agent %s no longer exists", id)
	}
	return fmt.Errorf("find agent: %w", err)
}

// NotFound is the fault of an agent that does not exist.
func NotFound(id string) error { return fault.New(fault.NotFound, "Agent %s was not found.", id) }
