package auth

import (
	"context"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/password"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/factor"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/idp"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/passkey"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signin"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signing"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/sso"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/throttle"
)

// Service joins the ways to sign in with the check of who is asking.
type Service struct {
	*bearer.Authenticator // whose token a request carries

	DB   *pg.DB
	Log  *slog.Logger
	Now  func() time.Time
	Seal *seal.Keyring

	Signer    *signing.Signer
	Sessions  *session.Service
	Passwords *signin.Service
	SSO       *sso.Service
	Factors   *factor.Service
	Passkeys  *passkey.Service
}

// New makes the service with its signing keys, which are made at the first start. It fails if the keys in the
// database were sealed under another master key. Set Sessions.Cursors and Sessions.PublicURL before anything is
// served.
func New(ctx context.Context, db *pg.DB, ring *seal.Keyring, log *slog.Logger) (*Service, error) {
	password.Nobody() // made now, so that the first unknown user does not wait for it
	s := &Service{DB: db, Log: log, Now: time.Now, Seal: ring}
	now := func() time.Time { return s.Now() } // tests replace it
	var err error
	if s.Signer, err = signing.NewSigner(ctx, db, ring, now); err != nil {
		return nil, err
	}
	s.Authenticator = bearer.NewAuthenticator(db, log, now, s.Signer)
	s.Sessions = &session.Service{
		DB: db, Now: now, PublicURL: "http://localhost", Signer: s.Signer, Callers: s.Authenticator,
	}
	s.Passkeys = passkey.New(db, now, s.Sessions)
	s.Factors = &factor.Service{DB: db, Seal: ring, Now: now, Passkeys: s.Passkeys}
	s.Passkeys.Reauthenticate = s.Factors.Reauthenticate
	limits := &throttle.Limiter{DB: db, Now: now}
	s.Passwords = &signin.Service{
		DB: db, Log: log, Now: now, Sessions: s.Sessions, Factors: s.Factors, Limits: limits,
		Callers: s.Authenticator, Desk: password.NewDesk(),
	}
	s.Factors.ProvePassword = s.Passwords.ProvePassword
	s.SSO, err = sso.New(ctx, db, ring, sso.Service{
		DB: db, Log: log, Now: now, Sessions: s.Sessions, Limits: limits, Callers: s.Authenticator,
		PasskeyOrigin: s.Passkeys.Origin,
	})
	return s, err
}

// With lets people sign in with the identity providers, whose addresses are judged by their guard. It is called once,
// before anything is served.
func (s *Service) With(providers *idp.Service) {
	providers.Ended = s.ForgetTenants
	s.SSO.With(providers)
}

// Routes are /auth/*.
func (s *Service) Routes() []httpapi.Route {
	routes := []httpapi.Route{
		httpapi.Handle("GET", "/auth/me", "Get the current user", s.me).
			Describe("For a user: roles, second factor, and what is visible to them. For a service token: its " +
				"scopes. If you act in another tenant, your own tenant is returned too."),
		httpapi.Handle("GET", "/auth/.well-known/jwks.json", "Get the public signing keys", s.Signer.PublicKeys).
			Describe("A JSON Web Key Set (RFC 7517) of the keys for access tokens: the current keys, the next ones, " +
				"and previous ones that still verify."),
	}
	routes = append(routes, s.Passwords.Routes()...)
	routes = append(routes, s.Sessions.Routes()...)
	routes = append(routes, s.SSO.Routes()...)
	routes = append(routes, s.Factors.Routes()...)
	return append(routes, s.Passkeys.Routes()...)
}
