package signin

import (
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/password"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/factor"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/throttle"
)

// Service signs in with passwords and one-time links. All fields are needed.
type Service struct {
	DB       *pg.DB
	Log      *slog.Logger
	Now      func() time.Time
	Sessions *session.Service
	Factors  *factor.Service
	Limits   *throttle.Limiter
	Callers  session.Callers
	Desk     *password.Desk // bounds how many passwords are hashed at once
}
