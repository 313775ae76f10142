package sso

import (
	"context"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/limit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/idp"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/lru"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/oidc"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/throttle"
)

// Service signs in with the identity providers of tenants. Make it with NewSSOService.
type Service struct {
	DB        *pg.DB
	Log       *slog.Logger
	Now       func() time.Time
	Sessions  *session.Service
	Limits    *throttle.Limiter
	Callers   session.Callers
	Providers *idp.Service // set by With
	// PasskeyOrigin is the address at which passkeys work for a request; empty if there is none.
	PasskeyOrigin func(ctx context.Context) string

	relying *oidc.Relying
	key     []byte // derives the secrets of sign-ins

	askers   *limit.Addresses            // of requests for the options
	starters *limit.Addresses            // of sign-ins, each network by itself
	starts   *limit.Tenants              // and of all networks together, each tenant by itself
	offers   *lru.Cache[string, offered] // by the slug that was asked for
}

// New completes s, whose exported fields other than Providers are set. The key of sign-ins is made at the
// first start and kept under the master key.
func New(ctx context.Context, db *pg.DB, ring *seal.Keyring, s Service) (*Service, error) {
	var err error
	if s.key, err = ring.PurposeKey(ctx, db, seal.SignIns); err != nil {
		return nil, err
	}
	s.offers = lru.New[string, offered](1_000)
	s.askers = limit.NewAddresses(optionsRate, s.Now)
	s.starters = limit.NewAddresses(startRate, s.Now)
	s.starts = limit.NewTenants(tenantStarts, s.Now)
	return &s, nil
}

// With lets people sign in with the providers. It is called once, before anything is served.
func (s *Service) With(providers *idp.Service) {
	s.Providers, providers.End = providers, s.EndProvider
	s.relying = &oidc.Relying{HTTP: providers.Guard.Client(providerTimeout), Now: s.Now}
}

// ForgetOptions drops what is remembered of the ways into tenants.
func (s *Service) ForgetOptions() { s.offers.Drop(func(string, offered) bool { return true }) }
