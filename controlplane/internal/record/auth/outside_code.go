package auth

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// leaveCode makes the one-time code by which the console, in the same browser, fetches its tokens.
func (s *Service) leaveCode(ctx context.Context, f flow, p person) (code string, err error) {
	const sql = `
		update oidc_flow
		   set user_id = $2, code_hash = $3, expires_at = $4
		 where state_hash = $1`
	code = newTicket(f.tenant)
	err = s.DB.As(ctx, viewer.System(f.tenant), func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, sql, hashOf("state", f.state), p.id, hashOf("code", code), s.Now().Add(codeLife))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("leave a code: %w", err)
	}
	return code, nil
}

// CodeExchange is the body of POST /auth/oidc/token.
type CodeExchange struct {
	Code   string `json:"code" minLength:"1" maxLength:"200"`
	Cookie bool   `json:"cookie,omitempty" doc:"give the refresh token as a HttpOnly cookie instead of in the body, for a console in a browser"`
}

type exchangeIn struct {
	Browser
	Mark string `cookie:"grantwright_oidc" hidden:"true"`
	Body CodeExchange
}

func (s *Service) exchangeOIDC(ctx context.Context, _ viewer.Viewer, in *exchangeIn) (*signInOut, error) {
	if err := errors.Join(s.checkOrigin(ctx, in.Browser), s.keys.current(ctx)); err != nil {
		return nil, err
	}
	try := attemptAt("oidc", httpapi.AddressOf(ctx))
	if err := s.admit(ctx, try); err != nil {
		return nil, err
	}
	p, err := s.takeCode(ctx, in.Body.Code, in.Mark)
	if fault.IsCode(err, "invalid_grant") {
		return nil, errors.Join(err, s.failed(ctx, try))
	}
	if err != nil {
		return nil, err
	}
	out, err := s.admitPerson(ctx, p, in.Browser)
	if err != nil {
		return nil, err
	}
	answer := s.answer(out, in.Body.Cookie)
	answer.Cookies = append(answer.Cookies, s.cookie(flowCookie, flowCookiePath, "", 0))
	return answer, nil
}

// takeCode uses a one-time code up.
func (s *Service) takeCode(ctx context.Context, code, mark string) (person, error) {
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
		return person{}, err
	}
	p := person{tenant: tenantID}
	err = s.DB.As(ctx, viewer.System(tenantID), func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, sql, hashOf("code", code), hashOf("browser", mark), s.Now()).
			Scan(&p.id, &p.email, &p.name, &p.identity, &p.roles, &p.status, &p.epoch, &p.tenantStatus,
				&p.vouched.provider, &p.vouched.issuer)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return person{}, lostFlow()
	case err != nil:
		return person{}, fmt.Errorf("take a code: %w", err)
	}
	return p, nil
}

// admitPerson opens the session of somebody whom a provider vouched for.
func (s *Service) admitPerson(ctx context.Context, p person, from Browser) (out SignInTokens, err error) {
	if err := tenant.Status(p.tenantStatus).Usable(); err != nil {
		return out, err
	}
	err = s.DB.As(ctx, p.viewer(ctx, from), func(tx *pg.Tx) (err error) {
		if _, err := p.vouched.stands(ctx, tx); err != nil {
			return err
		}
		out, err = s.openSession(ctx, tx, p, byProvider)
		return err
	})
	return out, err
}
