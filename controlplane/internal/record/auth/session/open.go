package session

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/digest"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signing"
)

// Ways to sign in, as sessions and the audit log name them.
const (
	ByPassword        = "password"
	ByPasswordOTP     = "password_otp"
	ByPasswordPasskey = "password_passkey"
	ByPasskey         = "passkey"
	ByLink            = "sign_in_link"
	ByProvider        = "oidc"
)

// Lives of sessions. A session ends if nobody has refreshed it for idleLife, and after RefreshLife in any case.
const (
	IdleLife = 12 * time.Hour
	// of a session that a provider vouched for: who leaves there is out here the same day
	outsideLife = 12 * time.Hour
)

// SignInTokens answers a sign-in and a refresh.
type SignInTokens struct {
	// Access token, to be sent as Authorization: Bearer.
	AccessToken string `json:"access_token"`
	// Type of the access token, always Bearer.
	TokenType string `json:"token_type" example:"Bearer"`
	// Seconds.
	ExpiresIn int `json:"expires_in"`
	// For POST /auth/refresh, as the Bearer token there; works once. Empty when it came as a cookie.
	RefreshToken string `json:"refresh_token"`
	// Seconds.
	RefreshExpiresIn int `json:"refresh_expires_in"`
	// User who signed in.
	User SignedUser `json:"user"`
	// ID of the tenant of the user.
	TenantID string `json:"tenant_id"`
}

// SignedUser is the person who signed in.
type SignedUser struct {
	// ID of the user.
	ID string `json:"id"`
	// E-mail address of the user.
	Email string `json:"email"`
	// Display name of the user.
	DisplayName string `json:"display_name"`
	// The person's own identity record, where there is one.
	IdentityID *string `json:"identity_id" nullable:"true"`
	// manager, resource_owner, admin, auditor; they add up
	Roles []string `json:"roles" nullable:"false"`
}

// sessionsKept is how long a session that is over stays, with the address that it was begun from, for whoever looks
// into what happened. The next sign-in of its user sweeps it.
const sessionsKept = 30 * 24 * time.Hour

// Open begins a session for p in the transaction, which acts as p, makes its first tokens, and records the
// sign-in.
func (s *Service) Open(ctx context.Context, tx *pg.Tx, p User, how string) (SignInTokens, error) {
	now := s.Now()
	id, jti := uuid.Must(uuid.NewV7()).String(), uuid.NewString()
	// Who was disabled, or given another password, while the sign-in went on is not the one whose password was right.
	const sql = `
		with seen as (
			update app_user
			   set last_login_at = @now
			 where id = @user
			   and status = 'active'
			   and password_epoch = @password
			returning id),
		swept as (
			delete from auth_session
			 where user_id = @user
			   and expires_at < @over)
		insert into auth_session (tenant_id, id, user_id, refresh_jti, created_at, last_used_at, idle_expires_at,
		    expires_at, method, ip, user_agent, epoch, provider_id)
		select current_tenant(), @id, seen.id, @jti, @now, @now, @idle, @end, @how, @ip, @agent, @epoch,
		    nullif(@provider, '')::uuid
		  from seen`
	life := signing.RefreshLife
	if how == ByProvider {
		life = outsideLife
	}
	idle, end := now.Add(min(IdleLife, life)), now.Add(life)
	args := pgx.NamedArgs{
		"id":       id,
		"user":     p.ID,
		"jti":      digest.Of(jti),
		"now":      now,
		"idle":     idle,
		"end":      end,
		"how":      how,
		"ip":       tx.Viewer.IP,
		"agent":    tx.Viewer.UserAgent,
		"epoch":    s.Signer.Keys.Epoch(),
		"password": p.Epoch,
		"over":     now.Add(-sessionsKept),
		"provider": p.Vouched.Provider,
	}
	opened, err := tx.Exec(ctx, sql, args)
	if err != nil {
		return SignInTokens{}, fmt.Errorf("open session: %w", err)
	}
	if opened.RowsAffected() == 0 {
		return SignInTokens{}, fault.Coded(
			fault.Unauthenticated,
			"invalid_credentials",
			"your account was changed while you signed in; sign in again",
		)
	}
	tx.Viewer.Session = id
	out, err := s.Tokens(p, id, jti, idle, end)
	if err != nil {
		return SignInTokens{}, err
	}
	return out, audit.Record(ctx, tx, audit.Entry{
		Action:  "auth.login",
		Subject: audit.Subject{Type: "user", ID: p.ID, Display: p.Email},
		Context: map[string]any{"method": how},
	})
}

// Tokens are an access token, which ends with the session at the latest, and the refresh token with the given jti.
func (s *Service) Tokens(p User, session, jti string, idle, end time.Time) (SignInTokens, error) {
	c := signing.Claims{Subject: p.ID, Tenant: p.Tenant, Session: session, Epoch: p.Epoch}
	now := s.Now()
	c.ID = uuid.NewString()
	accessEnd := now.Add(signing.UserForm.Life)
	if end.Before(accessEnd) {
		accessEnd = end
	}
	access, _, err := s.Signer.Sign(signing.UserForm, c, accessEnd)
	if err != nil {
		return SignInTokens{}, err
	}
	c.ID = jti
	refresh, _, err := s.Signer.Sign(signing.RefreshForm, c, idle)
	if err != nil {
		return SignInTokens{}, err
	}
	return SignInTokens{
		AccessToken:      access,
		TokenType:        "Bearer",
		ExpiresIn:        Seconds(accessEnd.Sub(now)),
		RefreshToken:     refresh,
		RefreshExpiresIn: Seconds(idle.Sub(now)),
		User: SignedUser{
			ID:          p.ID,
			Email:       p.Email,
			DisplayName: p.Name,
			IdentityID:  p.Identity,
			Roles:       nonNil(p.Roles),
		},
		TenantID: p.Tenant,
	}, nil
}

// Seconds is a duration in whole seconds.
func Seconds(d time.Duration) int { return int(d / time.Second) }

// nonNil is the list, never null.
func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// End revokes the sessions of a user: one, or all when session is empty. It returns how many there were.
func (s *Service) End(ctx context.Context, tx *pg.Tx, user, session, reason string) (int64, error) {
	const sql = `
		update auth_session
		   set revoked_at = $3, revoked_reason = $4
		 where user_id = $1
		   and ($2 = '' or id::text = $2)
		   and revoked_at is null`
	done, err := tx.Exec(ctx, sql, user, session, s.Now(), reason)
	if err != nil {
		return 0, fmt.Errorf("end sessions: %w", err)
	}
	return done.RowsAffected(), nil
}

// EndOf ends all sessions of many users.
func (s *Service) EndOf(ctx context.Context, tx *pg.Tx, users []string, reason string) error {
	const sql = `
		update auth_session
		   set revoked_at = $2, revoked_reason = $3
		 where tenant_id = current_tenant()
		   and user_id = any($1::text[]::uuid[])
		   and revoked_at is null`
	return pg.Exec(ctx, tx, "end sessions of users", sql, users, s.Now(), reason)
}
