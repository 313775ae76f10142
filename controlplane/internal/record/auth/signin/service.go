package signin

import (
	"context"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/password"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/factor"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/throttle"
)

// Service signs in with passwords and one-time links. All fields but Mail are needed.
type Service struct {
	DB       *pg.DB
	Log      *slog.Logger
	Now      func() time.Time
	Sessions *session.Service
	Factors  *factor.Service
	Limits   *throttle.Limiter
	Callers  session.Callers
	Desk     *password.Desk // bounds how many passwords are hashed at once

	// Mail writes the message with the token of a password reset, in the transaction that created it. Without it there
	// are no resets.
	Mail func(ctx context.Context, tx *pg.Tx, userID, token string) error
}
