package sso

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/digest"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/throttle"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// leaveCode makes the one-time code by which the console, in the same browser, fetches its tokens.
func (s *Service) leaveCode(ctx context.Context, f flow, p session.User) (code string, err error) {
	const sql = `
		update oidc_flow
		   set user_id = $2, code_hash = $3, expires_at = $4
		 where state_hash = $1`
	code = newTicket(f.tenant)
	err = s.DB.As(ctx, viewer.System(f.tenant), func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, sql, digest.Of("state", f.state), p.ID, digest.Of("code", code), s.Now().Add(codeLife))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("leave a code: %w", err)
	}
	return code, nil
}

// CodeExchange is the body of POST /auth/oidc/token.
type CodeExchange struct {
	// One-time code from the sign-in with the identity provider.
	Code string `json:"code" minLength:"1" maxLength:"200"`
	// Give the refresh token as a HttpOnly cookie instead of in the body, for a console in a browser.
	Cookie bool `json:"cookie,omitempty"`
}

// exchangeIn is the input of exchangeOIDC.
type exchangeIn struct {
	session.Browser
	Mark string `cookie:"grantwright_oidc" hidden:"true"`
	Body CodeExchange
}

// exchangeOIDC is POST /auth/oidc/token: the one-time code of a finished sign-in for tokens. The
// code works only in the browser that began the sign-in, which its cookie shows. Wrong codes count
// against the address.
func (s *Service) exchangeOIDC(ctx context.Context, _ viewer.Viewer, in *exchangeIn) (*session.Output, error) {
	if err := errors.Join(s.Sessions.CheckOrigin(ctx, in.Browser), s.Sessions.Signer.Keys.Refresh(ctx)); err != nil {
		return nil, err
	}
	try := throttle.AttemptAt("oidc", httpapi.AddressOf(ctx))
	if err := s.Limits.Check(ctx, try); err != nil {
		return nil, err
	}
	p, err := s.takeCode(ctx, in.Body.Code, in.Mark)
	if fault.IsCode(err, "invalid_grant") {
		return nil, errors.Join(err, s.Limits.RecordFailure(ctx, try))
	}
	if err != nil {
		return nil, err
	}
	out, err := s.admitPerson(ctx, p, in.Browser)
	if err != nil {
		return nil, err
	}
	answer := s.Sessions.Answer(out, in.Body.Cookie)
	answer.Cookies = append(answer.Cookies, s.Sessions.Cookie(flowCookie, flowCookiePath, "", 0))
	return answer, nil
}

// takeCode uses a one-time code up.
func (s *Service) takeCode(ctx context.Context, code, mark string) (session.User, error) {
	const sql = `
		with taken as (
			delete from oidc_flow
			 where code_hash = $1
			   and browser_hash = $2
			   and expires_at > $3
			returning user_id, provider_id)
		select u.id::text, u.email, u.display_name, u.identity_id::text, u.roles, u.status, u.password_epoch, t.status,
		    i.id::text, i.issuer
		  from taken
		  join identity_provider i on i.id = taken.provider_id
		  join app_user u on u.id = taken.user_id
		  join tenant t on t.id = u.tenant_id
		 where u.status = 'active'`
	tenantID, err := s.ticketTenant(ctx, code)
	if err != nil {
		return session.User{}, err
	}
	p := session.User{Tenant: tenantID}
	err = s.DB.As(ctx, viewer.System(tenantID), func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, sql, digest.Of("code", code), digest.Of("browser", mark), s.Now()).
			Scan(&p.ID, &p.Email, &p.Name, &p.Identity, &p.Roles, &p.Status, &p.Epoch, &p.TenantStatus,
				&p.Vouched.Provider, &p.Vouched.Issuer)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return session.User{}, lostFlow()
	case err != nil:
		return session.User{}, fmt.Errorf("take a code: %w", err)
	}
	return p, nil
}

// admitPerson opens the session of somebody whom a provider vouched for.
func (s *Service) admitPerson(
	ctx context.Context,
	p session.User,
	from session.Browser,
) (out session.SignInTokens, err error) {
	if err := tenant.Status(p.TenantStatus).Usable(); err != nil {
		return out, err
	}
	err = s.DB.As(ctx, p.Viewer(ctx, from), func(tx *pg.Tx) (err error) {
		if _, err := stands(ctx, tx, p.Vouched); err != nil {
			return err
		}
		out, err = s.Sessions.Open(ctx, tx, p, session.ByProvider)
		return err
	})
	return out, err
}
