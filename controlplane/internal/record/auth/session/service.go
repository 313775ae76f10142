package session

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signing"
)

// Callers is what sessions need of whoever keeps the rights of callers: bearer.Authenticator.
type Callers interface {
	// ForgetUser drops the rights that are remembered of a user, so that a change works at once.
	ForgetUser(tenantID, userID string)
	// Agrees returns invalid_token if the request's address names another tenant.
	Agrees(ctx context.Context, tenantID string) error
}

// Service opens, lists, refreshes and ends sessions.
type Service struct {
	DB        *pg.DB
	Now       func() time.Time
	Cursors   *httpapi.Cursors
	PublicURL string // how browsers reach the service, without a slash at the end
	Signer    *signing.Signer
	Callers   Callers
}
