package signin

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/passkey"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/throttle"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// PasskeySignIn is the body of POST /auth/passkey/login.
type PasskeySignIn struct {
	// Response of the authenticator to the options of POST /auth/passkey/start, as `PublicKeyCredential.toJSON()`
	// returns it.
	Credential passkey.Credential `json:"credential"`
	// Give the refresh token as a HttpOnly cookie instead of in the body, for a console in a browser.
	Cookie bool `json:"cookie,omitempty"`
}

// passkeyIn is the input of a sign-in with a passkey.
type passkeyIn struct {
	session.Browser
	Body PasskeySignIn
}

// passkeyLogin signs in with a passkey alone: its user was verified by the authenticator, so that it counts as two
// factors. Every refusal says the same. Wrong ones count against the network; they do not lock the user, because a
// signature cannot be guessed.
func (s *Service) passkeyLogin(ctx context.Context, _ viewer.Viewer, in *passkeyIn) (*session.Output, error) {
	if err := s.Sessions.Signer.Keys.Refresh(ctx); err != nil {
		return nil, err
	}
	try := throttle.AttemptAt("passkey", httpapi.AddressOf(ctx))
	if err := s.Limits.Check(ctx, try); err != nil {
		return nil, err
	}
	out, err := s.byPasskey(ctx, in)
	if fault.IsCode(err, "invalid_passkey") {
		return nil, errors.Join(err, s.Limits.RecordFailure(ctx, try))
	}
	if err != nil {
		return nil, err
	}
	return s.Sessions.Answer(out, in.Body.Cookie), nil
}

// byPasskey opens the session of the user whose passkey it is.
func (s *Service) byPasskey(ctx context.Context, in *passkeyIn) (out session.SignInTokens, err error) {
	given, err := s.Factors.Passkeys.Open(ctx, in.Body.Credential, passkey.SignIn())
	if err != nil {
		return out, err
	}
	p, err := s.ownerOf(ctx, given)
	if err != nil {
		return out, err
	}
	var refusal error
	err = s.DB.As(ctx, p.Viewer(ctx, in.Browser), func(tx *pg.Tx) (err error) {
		if refusal, err = s.Factors.Passkeys.Use(ctx, tx, p.ID, given); err != nil || refusal != nil {
			return err
		}
		if err := tenant.Status(p.TenantStatus).Usable(); err != nil {
			return err
		}
		out, err = s.Sessions.Open(ctx, tx, p, session.ByPasskey)
		return err
	})
	if refusal != nil {
		s.recordFailure(ctx, p, in.Browser, session.ByPasskey)
	}
	if err == nil {
		err = refusal
	}
	return out, err
}

// ownerOf finds the active user that a passkey names. It returns invalid_passkey if there is none, or if the address
// of the request names another tenant.
func (s *Service) ownerOf(ctx context.Context, g *passkey.Given) (session.User, error) {
	const sql = `
		select u.id::text, u.email, u.display_name, u.identity_id::text, u.roles, u.status, u.password_epoch, t.status
		  from app_user u
		  join tenant t
		    on t.id = u.tenant_id
		 where u.id = $1
		   and u.status = 'active'`
	tenantID, user, err := g.Owner()
	if err != nil {
		return session.User{}, err
	}
	if err := s.Callers.Agrees(ctx, tenantID); err != nil {
		return session.User{}, bearer.Foreign(err, passkey.Refused())
	}
	p := session.User{Tenant: tenantID}
	err = s.DB.As(ctx, viewer.System(tenantID), func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, sql, user).
			Scan(&p.ID, &p.Email, &p.Name, &p.Identity, &p.Roles, &p.Status, &p.Epoch, &p.TenantStatus)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return p, passkey.Refused()
	case err != nil:
		return p, fmt.Errorf("find the user of a passkey: %w", err)
	}
	return p, nil
}
