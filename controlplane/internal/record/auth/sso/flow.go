package sso

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/limit"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/digest"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/idp"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/oidc"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/throttle"
)

const (
	flowLife = 10 * time.Minute // from the start until the provider sends the browser back
	codeLife = time.Minute      // from then until a console fetches its tokens

	providerTimeout = 10 * time.Second // of a call to a provider

	flowCookie     = "grantwright_oidc"
	flowCookiePath = httpapi.Prefix + "/auth/oidc"
	callbackPath   = httpapi.Prefix + "/auth/oidc/callback"
)

// startIn asks for a sign-in with an outside provider.
type startIn struct {
	session.Browser
	// the tenant's slug
	Tenant string `query:"tenant" required:"true" minLength:"1" maxLength:"63"`
	// the provider's name
	Provider string `query:"provider" required:"true" minLength:"1" maxLength:"63"`
	// path of ours to come back to with a one-time code; without it the callback answers tokens itself
	Redirect string `query:"redirect" maxLength:"1000"`
}

// elsewhere sends a browser on, or answers tokens.
type elsewhere struct {
	Status int
	// Address that the browser is sent to.
	Location string `header:"Location"`
	// Cookies of the sign-in, or of the new session.
	Cookies []http.Cookie `header:"Set-Cookie"`
	Body    *session.SignInTokens
}

// startRate is how often one network may begin a sign-in with a provider, and tenantStarts how often all networks
// together may begin one at one tenant: each keeps a row until it is over, so that their number is bounded. Tenants
// have rates of their own, so that a flood at one does not keep the users of another from signing in.
var (
	startRate    = viewer.Rate{PerSecond: 2, Burst: 60}
	tenantStarts = viewer.Rate{PerSecond: 20, Burst: 300}
)

// mayStart refuses to begin more sign-ins with providers from one network than anybody needs.
func (s *Service) mayStart(ctx context.Context) error {
	if err := tooManyStarts(s.starters.Take(httpapi.AddressOf(ctx))); err != nil {
		return err
	}
	return s.Limits.Check(ctx, throttle.AttemptAt("oidc", httpapi.AddressOf(ctx)))
}

// tooManyStarts is the fault with the time to wait, or nil.
func tooManyStarts(v limit.Verdict) error {
	if v.Allowed {
		return nil
	}
	f := fault.New(fault.TooMany, "Too many sign-ins with an identity provider were started. Wait a moment.")
	f.RetryAfter = max(time.Second, v.Wait)
	return f
}

// startOIDC begins a sign-in: what comes back must carry this state, in this browser, once.
func (s *Service) startOIDC(ctx context.Context, _ viewer.Viewer, in *startIn) (*elsewhere, error) {
	if !ownPath(in.Redirect) {
		return nil, fault.New(fault.Malformed, "redirect must be a path of this service").
			With(fault.Field{Parameter: "redirect", Code: "invalid", Detail: "give a path such as /console"})
	}
	if err := s.mayStart(ctx); err != nil {
		return nil, err
	}
	tenantID, err := s.tenantNamed(ctx, bearer.AddressedTenant(ctx, in.Tenant))
	if err != nil {
		return nil, err
	}
	state, mark := newTicket(tenantID), rand.Text()
	var client oidc.Client
	err = s.DB.As(ctx, viewer.System(tenantID), func(tx *pg.Tx) error {
		p, err := idp.ByName(ctx, tx, in.Provider)
		if fault.Is(err, fault.NotFound) {
			return noProvider() // in the words that there are for a tenant that there is not
		}
		if err != nil {
			return err
		}
		// Only here, where a start shows that the tenant exists anyway.
		if err := tooManyStarts(s.starts.Take(tenantID)); err != nil {
			return err
		}
		if client, err = s.clientOf(ctx, tx, p); err != nil {
			return err
		}
		return s.keepFlow(ctx, tx, state, p.ID, mark, in.Redirect)
	})
	if err != nil {
		return nil, err
	}
	address, err := s.relying.Start(ctx, client, s.secretsOf(state))
	if err != nil {
		return nil, s.outsideFault(ctx, err)
	}
	mine := s.Sessions.Cookie(flowCookie, flowCookiePath, mark, session.Seconds(flowLife))
	return &elsewhere{Status: http.StatusSeeOther, Location: address, Cookies: []http.Cookie{mine}}, nil
}

// ownPath reports whether a redirect stays with us, as browsers read it: they take a backslash for a slash, and pass
// over control characters.
func ownPath(path string) bool {
	if path == "" {
		return true
	}
	u, err := url.Parse(path)
	odd := strings.ContainsFunc(path, func(r rune) bool { return r <= ' ' || r == '\\' || r >= 0x7f })
	return err == nil && !odd && strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") && u.Host == "" &&
		u.Scheme == "" &&
		u.Fragment == ""
}

// noProvider is the fault for an unknown tenant or provider; it does not say which.
func noProvider() error {
	return fault.New(fault.NotFound, "there is no identity provider of that name for this tenant")
}

// tenantNamed finds an active tenant by slug.
func (s *Service) tenantNamed(ctx context.Context, slug string) (id string, err error) {
	err = s.DB.Across(ctx, func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, `select id::text from tenant where slug = $1 and status = 'active'`, slug).Scan(&id)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return "", noProvider()
	case err != nil:
		return "", fmt.Errorf("find tenant: %w", err)
	}
	return id, nil
}

// newTicket is a secret that says which tenant's it is: nobody looks for it in any other.
func newTicket(tenantID string) string {
	id := uuid.MustParse(tenantID)
	return base64.RawURLEncoding.EncodeToString(id[:]) + "." + rand.Text()
}

// ticketTenant reads it. A ticket of another tenant than that of the request's address is none.
func (s *Service) ticketTenant(ctx context.Context, ticket string) (string, error) {
	head, rest, found := strings.Cut(ticket, ".")
	raw, err := base64.RawURLEncoding.Strict().DecodeString(head)
	if err != nil || !found || len(raw) != 16 || len(rest) != 26 {
		return "", lostFlow()
	}
	id := uuid.UUID(raw).String()
	return id, bearer.Foreign(s.Callers.Agrees(ctx, id), lostFlow())
}

// lostFlow is the fault for a sign-in whose state or cookie does not fit.
func lostFlow() error {
	return fault.Coded(
		fault.Unauthenticated,
		"invalid_grant",
		"this sign-in was begun elsewhere, has been used, or took too long; begin again",
	)
}

// secretsOf are made from the state by a key of the deployment's, so that none of them is kept anywhere.
func (s *Service) secretsOf(state string) oidc.Secrets {
	derive := func(purpose string) string {
		m := hmac.New(sha256.New, s.key)
		m.Write([]byte(purpose + "|" + state))
		return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
	}
	return oidc.Secrets{State: state, Nonce: derive("nonce"), Verifier: derive("verifier")}
}

// clientOf is our client at a provider, with the secret opened.
func (s *Service) clientOf(ctx context.Context, tx *pg.Tx, p idp.Provider) (oidc.Client, error) {
	secret, err := s.Providers.Secret(ctx, tx, p)
	return oidc.Client{
		Issuer:   p.Issuer,
		ID:       p.ClientID,
		Secret:   secret.Reveal(),
		Scopes:   p.Scopes,
		Groups:   p.GroupClaim,
		Redirect: s.Sessions.BaseURL(ctx) + callbackPath,
	}, err
}

// keepFlow also sweeps what is over.
func (s *Service) keepFlow(ctx context.Context, tx *pg.Tx, state, provider, mark, redirect string) error {
	const sql = `
		with swept as (
			delete from oidc_flow
			 where expires_at < $6)
		insert into oidc_flow (tenant_id, state_hash, provider_id, browser_hash, redirect, expires_at)
		values (current_tenant(), $1, $2, $3, $4, $5)`
	now := s.Now()
	return pg.Exec(
		ctx,
		tx,
		"begin sign-in with a provider",
		sql,
		digest.Of("state", state),
		provider,
		digest.Of("browser", mark),
		redirect,
		now.Add(flowLife),
		now,
	)
}

// flow is a sign-in that came back.
type flow struct {
	tenant, state string
	provider      idp.Provider
	client        oidc.Client
	mark          string // of the browser
	redirect      string
}

// callbackIn is what a provider sends back with the browser (RFC 6749 section 4.1.2, RFC 9207).
type callbackIn struct {
	session.Browser
	Mark string `cookie:"grantwright_oidc" hidden:"true"`
	// State of the sign-in, as it was sent to the provider. It binds the response to the browser.
	State string `query:"state" required:"true" maxLength:"200"`
	// Authorization code of the provider, valid once.
	Code string `query:"code" maxLength:"4096"`
	// Error code of the provider, such as access_denied. Present instead of a code.
	Error string `query:"error" maxLength:"200"`
	// Description of the provider's error.
	ErrorDescription string `query:"error_description" maxLength:"2000"`
	// Page of the provider about the error.
	ErrorURI string `query:"error_uri" maxLength:"2000"`
	// Issuer of the response (RFC 9207). It must be the provider's.
	Issuer string `query:"iss" maxLength:"500"`
	// Session state of OpenID Connect Session Management. It is ignored.
	SessionState string `query:"session_state" maxLength:"500"`
	// Scopes that the provider granted. They are ignored.
	Scope string `query:"scope" maxLength:"2000"`
}

// finishOIDC signs in whoever the provider vouches for.
func (s *Service) finishOIDC(ctx context.Context, _ viewer.Viewer, in *callbackIn) (*elsewhere, error) {
	if err := s.Sessions.Signer.Keys.Refresh(ctx); err != nil {
		return nil, err
	}
	try := throttle.AttemptAt("oidc", httpapi.AddressOf(ctx))
	if err := s.Limits.Check(ctx, try); err != nil {
		return nil, err
	}
	f, err := s.takeFlow(ctx, in)
	if err != nil {
		return nil, errors.Join(err, s.Limits.RecordFailure(ctx, try))
	}
	p, err := s.vouchedFor(ctx, f, in)
	if err == nil && f.redirect == "" {
		return s.answerOutside(ctx, p, in.Browser)
	}
	var code string
	if err == nil {
		code, err = s.leaveCode(ctx, f, p)
	}
	if err != nil {
		s.recordRefusal(ctx, f, in.Browser, err)
		if f.redirect == "" {
			return nil, err
		}
	}
	return &elsewhere{Status: http.StatusSeeOther, Location: back(f.redirect, code, err)}, nil
}

// back is where the browser goes, with the one-time code or with the code of what went wrong.
func back(redirect, code string, err error) string {
	u, parseErr := url.Parse(redirect)
	if parseErr != nil {
		return "/"
	}
	q := u.Query()
	var f *fault.Fault
	switch {
	case err == nil:
		q.Set("code", code)
	case errors.As(err, &f):
		q.Set("error", f.Code)
	default:
		q.Set("error", "internal_error")
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// answerOutside admits the person and answers tokens, for a sign-in without a console.
func (s *Service) answerOutside(ctx context.Context, p session.User, from session.Browser) (*elsewhere, error) {
	out, err := s.admitPerson(ctx, p, from)
	if err != nil {
		return nil, err
	}
	return &elsewhere{
		Status:  http.StatusOK,
		Body:    &out,
		Cookies: []http.Cookie{s.Sessions.Cookie(flowCookie, flowCookiePath, "", 0)},
	}, nil
}

// takeFlow uses a state up, before anything is asked of the provider.
func (s *Service) takeFlow(ctx context.Context, in *callbackIn) (flow, error) {
	const sql = `
		update oidc_flow
		   set used_at = $3
		 where state_hash = $1
		   and browser_hash = $2
		   and used_at is null
		   and expires_at > $3
		returning provider_id::text, redirect`
	tenantID, err := s.ticketTenant(ctx, in.State)
	if err != nil {
		return flow{}, err
	}
	f := flow{tenant: tenantID, state: in.State, mark: in.Mark}
	err = s.DB.As(ctx, viewer.System(tenantID), func(tx *pg.Tx) error {
		var provider string
		err := tx.QueryRow(ctx, sql, digest.Of("state", in.State), digest.Of("browser", in.Mark), s.Now()).
			Scan(&provider, &f.redirect)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return lostFlow()
		case err != nil:
			return fmt.Errorf("take up sign-in with a provider: %w", err)
		}
		if f.provider, err = idp.ByID(ctx, tx, provider); err != nil {
			return err
		}
		f.client, err = s.clientOf(ctx, tx, f.provider)
		return err
	})
	return f, err
}

// vouchedFor is the user that the provider's word leads to.
func (s *Service) vouchedFor(ctx context.Context, f flow, in *callbackIn) (session.User, error) {
	switch {
	case in.Error != "":
		return session.User{}, fault.Coded(fault.Forbidden, "sso_refused", "the identity provider did not sign you in")
	case in.Issuer != "" && in.Issuer != f.provider.Issuer:
		return session.User{}, fault.Coded(
			fault.Unauthenticated,
			"sso_failed",
			"another issuer answered than the one that was asked",
		)
	}
	said, err := s.relying.Finish(ctx, f.client, s.secretsOf(f.state), in.Code)
	if err != nil {
		return session.User{}, s.outsideFault(ctx, err)
	}
	return s.recognize(ctx, f, said, in.Browser)
}

// outsideFault says in public what went wrong with a provider.
func (s *Service) outsideFault(ctx context.Context, err error) error {
	var refused *oidc.Refused
	if errors.As(err, &refused) {
		return fault.Coded(fault.Unauthenticated, "sso_failed", "%s", refused.Error())
	}
	s.Log.WarnContext(ctx, "identity provider cannot be used", "request_id", httpapi.RequestID(ctx), "err", err)
	return fault.Coded(
		fault.TargetFailed,
		"provider_unreachable",
		"the identity provider cannot be reached, or does not speak OpenID Connect",
	)
}

// recordRefusal tells the tenant that somebody whom its provider sent did not come in.
func (s *Service) recordRefusal(ctx context.Context, f flow, from session.Browser, why error) {
	v := viewer.Viewer{
		Tenant:    f.tenant,
		Kind:      "anonymous",
		IP:        httpapi.AddressOf(ctx),
		UserAgent: from.UserAgent(),
		RequestID: httpapi.RequestID(ctx),
	}
	code := "internal_error"
	if known := (*fault.Fault)(nil); errors.As(why, &known) {
		code = known.Code
	}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		return audit.Record(ctx, tx, audit.Entry{
			Action:  "auth.login",
			Outcome: audit.Failure,
			Subject: audit.Subject{Type: "identity_provider", ID: f.provider.ID, Display: f.provider.Name},
			Context: map[string]any{"method": session.ByProvider, "reason": code},
		})
	})
	if err != nil {
		s.Log.WarnContext(ctx, "refused sign-in could not be audited", "tenant", f.tenant, "err", err)
	}
}
