package signin

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/factor"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/passkey"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/throttle"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// SignIn is the body of POST /auth/login.
type SignIn struct {
	// E-mail address of the user.
	Email string `json:"email" minLength:"1" maxLength:"320" example:"ada@example.com"`
	// Password of the user.
	Password string `json:"password" minLength:"1" maxLength:"1024" format:"password"`
	// The tenant's slug; needed when the address has the same password in several tenants.
	Tenant string `json:"tenant,omitempty" maxLength:"63"`
	// The code of the second factor, or a recovery code; who has a second factor and leaves it out hears otp_required.
	OTP string `json:"otp,omitempty" maxLength:"64" example:"492039"`
	// Another name for otp.
	TOTP string `json:"totp,omitempty" maxLength:"64"`
	// A passkey as the second factor: the response to the options of POST /auth/passkey/start, as
	// `PublicKeyCredential.toJSON()` returns it.
	Passkey passkey.Credential `json:"passkey,omitempty"`
	// Give the refresh token as a HttpOnly cookie instead of in the body, for a console in a browser.
	Cookie bool `json:"cookie,omitempty"`
}

// signInIn is the input of a sign-in with a password.
type signInIn struct {
	session.Browser
	Body SignIn
}

// wrongCredentials is the one fault for an unknown address, a wrong password and a disabled user,
// so that addresses cannot be found out by trying.
func wrongCredentials() error {
	return fault.Coded(
		fault.Unauthenticated,
		"invalid_credentials",
		"The e-mail address or the password is not right. If you have the same password in several tenants, name the "+
			"tenant. "+
			"After several failed attempts, wait 15 minutes.",
	)
}

// login signs in with a password. Every refusal before the password was right costs the same and says the same: whether
// an address is known here is nobody's business.
func (s *Service) login(ctx context.Context, _ viewer.Viewer, in *signInIn) (*session.Output, error) {
	if err := s.Sessions.Signer.Keys.Refresh(ctx); err != nil {
		return nil, err
	}
	began, ip := time.Now(), httpapi.AddressOf(ctx)
	account, slug := throttle.CanonicalEmail(in.Body.Email), bearer.AddressedTenant(ctx, in.Body.Tenant)
	who, err := s.find(ctx, account, slug)
	if err != nil {
		return nil, err
	}
	typed := throttle.TypedAttempt(account, slug, ip)
	c, err := s.checkPassword(ctx, typed, candidatesOf(who, ip), in.Body.Password)
	if fault.IsCode(err, "invalid_credentials") {
		for _, p := range who {
			s.recordFailure(ctx, p, in.Browser, session.ByPassword)
		}
	}
	if err == nil && in.Body.Tenant == "" || fault.IsCode(err, "invalid_credentials") {
		pause(ctx, rest(time.Since(began)))
	}
	if err != nil {
		return nil, err
	}
	p := c.person
	if err := tenant.Status(p.TenantStatus).Usable(); err != nil {
		return nil, err
	}
	out, err := s.begin(ctx, p, in, c.renewed)
	if how, wrong := wrongFactor(err); wrong {
		s.recordFailure(ctx, p, in.Browser, how)
		return nil, errors.Join(err, s.Limits.RecordFailure(ctx, c.try, typed))
	}
	if err != nil {
		return nil, err
	}
	return s.Sessions.Answer(
			out,
			in.Body.Cookie,
		), errors.Join(
			s.Limits.Forgive(ctx, c.try),
			s.Limits.Forgive(ctx, typed),
		)
}

// wrongFactor reports whether a sign-in failed because of its second factor, and how it was tried.
func wrongFactor(err error) (how string, wrong bool) {
	switch {
	case fault.IsCode(err, "invalid_otp"):
		return session.ByPasswordOTP, true
	case fault.IsCode(err, "invalid_passkey"):
		return session.ByPasswordPasskey, true
	}
	return "", false
}

// methods of sessions by the second factor that was used.
var methods = map[string]string{
	"":             session.ByPassword,
	factor.TOTP:    session.ByPasswordOTP,
	factor.Passkey: session.ByPasswordPasskey,
}

// second reads the second factor of a sign-in. A passkey's challenge is used up.
func (s *Service) second(ctx context.Context, otp string, key passkey.Credential) (g factor.Given, err error) {
	g.Code = otp
	if len(key) > 0 {
		g.Passkey, err = s.Factors.Passkeys.Open(ctx, key, passkey.SignIn())
	}
	return g, err
}

// step is what the time of a refused sign-in, and of one that names no tenant, is rounded up to. The tenant of a known
// address hears of the attempt, and an address of two tenants has two passwords to compare with: both take a while that
// a stopwatch would see.
const step = 200 * time.Millisecond

// rest is how long is left of the step that has begun.
func rest(elapsed time.Duration) time.Duration { return (step - elapsed%step) % step }

// pause waits for d, or until the request ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// begin opens the session of somebody whose password was right, when their second factor is as well. A refusal of the
// factor is counted, so it must not roll the transaction back.
func (s *Service) begin(
	ctx context.Context,
	p session.User,
	in *signInIn,
	renewed string,
) (out session.SignInTokens, err error) {
	given, err := s.second(ctx, cmp.Or(in.Body.OTP, in.Body.TOTP), in.Body.Passkey)
	if err != nil {
		return out, err
	}
	var refusal error
	err = s.DB.As(ctx, p.Viewer(ctx, in.Browser), func(tx *pg.Tx) (err error) {
		if renewed != "" {
			const sql = `update app_user set password_hash = $2 where id = $1 and password_hash = $3`
			if err := pg.Exec(ctx, tx, "renew password hash", sql, p.ID, renewed, *p.Hash); err != nil {
				return err
			}
		}
		used, refused, err := s.Factors.Check(ctx, tx, p.ID, given)
		if refusal = refused; err != nil || refused != nil {
			return err
		}
		out, err = s.Sessions.Open(ctx, tx, p, methods[used])
		return err
	})
	if err == nil {
		err = refusal
	}
	return out, err
}

// recordFailure tells the user's tenant that somebody tried. The answer does not wait on whether this can be written.
func (s *Service) recordFailure(ctx context.Context, p session.User, from session.Browser, how string) {
	v := p.Viewer(ctx, from)
	v.Kind, v.ID, v.Display = "anonymous", "", ""
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		return audit.Record(ctx, tx, audit.Entry{
			Action:  "auth.login",
			Outcome: audit.Failure,
			Subject: audit.Subject{Type: "user", ID: p.ID, Display: p.Email},
			Context: map[string]any{"method": how},
		})
	})
	if err != nil {
		s.Log.WarnContext(ctx, "failed sign-in could not be audited", "tenant", p.Tenant, "user", p.ID, "err", err)
	}
}
