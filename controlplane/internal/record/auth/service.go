package auth

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/limit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/password"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/idp"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/oidc"
)

// Lives of sessions. A session ends when nobody refreshed it for idleLife, and after sessionLife in any case.
const (
	idleLife    = 12 * time.Hour
	sessionLife = 7 * 24 * time.Hour
	linkLife    = time.Hour

	outsideTimeout = 10 * time.Second // of a call to an outside provider
	// of a session that an outside provider vouched for: who leaves there is out here the same day
	outsideLife = 12 * time.Hour
)

// rightsAge is how old rights may be when a request is judged by them. With the time of a query it stays below the five
// seconds in which a revocation must work everywhere.
const rightsAge = 4 * time.Second

// Service signs people in and says who is asking.
type Service struct {
	DB     *pg.DB
	Log    *slog.Logger
	Now    func() time.Time
	Issuer string // the iss claim of our tokens

	Seal      *seal.Keyring
	Cursors   *httpapi.Cursors
	Providers *idp.Service // outside providers that people sign in with
	PublicURL string       // how browsers reach us, without a slash at the end

	changes atomic.Int64 // how often a change of rights was heard of

	relying    *oidc.Relying
	outsideKey []byte // of the secrets of sign-ins with outside providers

	keys     *keys
	desk     *password.Desk
	verified *lru[[32]byte, claims] // by the token's hash: a signature costs 50 µs to verify
	rights   *lru[string, rights]   // by session

	integrations *integrations

	askers    *limit.Addresses        // of what there is to sign in with
	starters  *limit.Addresses        // of sign-ins with providers, each network by itself
	starts    *limit.Addresses        // and all of them together
	standings *lru[string, standing]  // by tenant
	offers    *lru[string, offered]   // by the slug that was asked for
	denials   *lru[string, time.Time] // what was audited as refused, and when
	visits    *lru[string, time.Time] // when a tenant last heard that an operator works in it
}

// New makes the service with its signing keys, which are made at the first start. It fails when the keys in the
// database were sealed under another master key.
func New(ctx context.Context, db *pg.DB, ring *seal.Keyring, log *slog.Logger) (*Service, error) {
	keys, err := openKeys(ctx, db, ring)
	if err != nil {
		return nil, err
	}
	outsideKey, err := ring.Lasting(ctx, db, seal.SignIns)
	if err != nil {
		return nil, err
	}
	password.Nobody() // made now, so that the first unknown user does not wait for it
	s := &Service{
		DB:           db,
		Log:          log,
		Now:          time.Now,
		Issuer:       "urn:grantwright",
		Seal:         ring,
		PublicURL:    "http://localhost",
		outsideKey:   outsideKey,
		keys:         keys,
		desk:         password.NewDesk(),
		verified:     newLRU[[32]byte, claims](10_000),
		rights:       newLRU[string, rights](10_000),
		integrations: newIntegrations(),
		standings:    newLRU[string, standing](10_000),
		denials:      newLRU[string, time.Time](10_000),
		visits:       newLRU[string, time.Time](10_000),
		offers:       newLRU[string, offered](1_000),
	}
	s.askers = limit.NewAddresses(optionsRate, func() time.Time { return s.Now() })
	s.starters = limit.NewAddresses(startRate, func() time.Time { return s.Now() })
	s.starts = limit.NewAddresses(allStarts, func() time.Time { return s.Now() })
	return s, nil
}

// With lets people sign in with outside providers, whose addresses are judged by the guard. It is called once, before
// anything is served.
func (s *Service) With(providers *idp.Service) {
	s.Providers = providers
	providers.End, providers.Ended = s.endProvider, s.ForgetTenants
	s.relying = &oidc.Relying{HTTP: providers.Guard.Client(outsideTimeout), Now: func() time.Time { return s.Now() }}
}
