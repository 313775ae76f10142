package auth

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// person is a user at the moment of signing in.
type person struct {
	tenant, id   string
	email        string
	name         string
	identity     *string
	roles        []string
	status       string
	epoch        int64
	hash         *string // of the password; nil when none was set yet
	tenantStatus string
}

// viewer is the person as the doer of a sign-in.
func (p person) viewer(ip, requestID string) viewer.Viewer {
	return viewer.Viewer{Tenant: p.tenant, Kind: viewer.User, ID: p.id, Display: p.email, IP: ip, RequestID: requestID}
}

// SignInTokens answers a sign-in and a refresh.
type SignInTokens struct {
	AccessToken      string     `json:"access_token"`
	TokenType        string     `json:"token_type" example:"Bearer"`
	ExpiresIn        int        `json:"expires_in" doc:"seconds"`
	RefreshToken     string     `json:"refresh_token" doc:"for POST /auth/refresh, as the Bearer token there; works once"`
	RefreshExpiresIn int        `json:"refresh_expires_in" doc:"seconds"`
	User             SignedUser `json:"user"`
	TenantID         string     `json:"tenant_id"`
}

// SignedUser is the person who signed in.
type SignedUser struct {
	ID          string   `json:"id"`
	Email       string   `json:"email"`
	DisplayName string   `json:"display_name"`
	IdentityID  *string  `json:"identity_id" nullable:"true" doc:"the person's own identity record, where there is one"`
	Roles       []string `json:"roles" nullable:"false" doc:"manager, resource_owner, admin, auditor; they add up"`
}

// openSession begins a session for p in the transaction, which acts as p, and makes its first tokens.
func (s *Service) openSession(ctx context.Context, tx *pg.Tx, p person) (SignInTokens, error) {
	now := s.Now()
	id, jti := uuid.Must(uuid.NewV7()).String(), uuid.NewString()
	const sql = `
		with seen as (
			update app_user
			   set last_login_at = $4
			 where id = $2)
		insert into auth_session (tenant_id, id, user_id, refresh_jti, created_at, last_used_at, idle_expires_at, expires_at)
		values (current_tenant(), $1, $2, $3, $4, $4, $5, $6)`
	idle, end := now.Add(idleLife), now.Add(sessionLife)
	if _, err := tx.Exec(ctx, sql, id, p.id, hashOf(jti), now, idle, end); err != nil {
		return SignInTokens{}, fmt.Errorf("open session: %w", err)
	}
	tx.Viewer.Session = id
	return s.tokens(p, id, jti, idle, end)
}

// tokens are an access token, which ends with the session at the latest, and the refresh token with the given jti.
func (s *Service) tokens(p person, session, jti string, idle, end time.Time) (SignInTokens, error) {
	c := claims{Subject: p.id, Tenant: p.tenant, Session: session, Epoch: p.epoch}
	now := s.Now()
	c.ID = uuid.NewString()
	accessEnd := now.Add(userForm.life)
	if end.Before(accessEnd) {
		accessEnd = end
	}
	access, _, err := s.sign(userForm, c, accessEnd)
	if err != nil {
		return SignInTokens{}, err
	}
	c.ID = jti
	refresh, _, err := s.sign(refreshForm, c, idle)
	if err != nil {
		return SignInTokens{}, err
	}
	return SignInTokens{
		AccessToken: access, TokenType: "Bearer", ExpiresIn: seconds(accessEnd.Sub(now)),
		RefreshToken: refresh, RefreshExpiresIn: seconds(idle.Sub(now)),
		User:     SignedUser{ID: p.id, Email: p.email, DisplayName: p.name, IdentityID: p.identity, Roles: nonNil(p.roles)},
		TenantID: p.tenant,
	}, nil
}

func seconds(d time.Duration) int { return int(d / time.Second) }

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// endSessions revokes the sessions of a user: one, or all when session is empty. It returns how many there were.
func (s *Service) endSessions(ctx context.Context, tx *pg.Tx, user, session, reason string) (int64, error) {
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

// signedIn records a sign-in in the audit log.
func signedIn(ctx context.Context, tx *pg.Tx, p person, how string) error {
	return audit.Record(ctx, tx, audit.Entry{
		Action: "auth.login", Subject: audit.Subject{Type: "user", ID: p.id, Display: p.email}, Context: map[string]any{"method": how},
	})
}
