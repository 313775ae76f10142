package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/digest"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signing"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// invalidGrant is the fault for a refresh token that cannot be used (RFC 6749 section 5.2). It does
// not say why.
func invalidGrant() error {
	return fault.Coded(fault.Unauthenticated, "invalid_grant", "the refresh token cannot be used; sign in again")
}

// refreshIn is the input of a refresh. Consoles send the token as a cookie.
type refreshIn struct {
	Browser
	Cookie string `cookie:"grantwright_refresh" hidden:"true"`
}

// refresh exchanges the refresh token, which is the Bearer of this request or a console's cookie, for new tokens. A
// refresh token works once; a second use means that two hold it, and nobody can tell which of them is the user: the
// whole session ends.
func (s *Service) refresh(ctx context.Context, _ viewer.Viewer, in *refreshIn) (*Output, error) {
	token := httpapi.BearerOf(ctx)
	byCookie := token == "" && in.Cookie != ""
	switch {
	case byCookie:
		if err := s.CheckOrigin(ctx, in.Browser); err != nil {
			return nil, err
		}
		token = in.Cookie
	case token == "":
		return nil, fault.New(
			fault.Unauthenticated,
			"the refresh token belongs here as Authorization: Bearer <token>, or as the console's cookie",
		)
	}
	c, err := s.Signer.Verify(ctx, signing.RefreshForm, token, false)
	switch {
	case fault.Is(err, fault.Unauthenticated) || err == nil && c.Session == "":
		return nil, invalidGrant()
	case err != nil:
		return nil, err
	}
	if err := s.Callers.Agrees(ctx, c.Tenant); err != nil {
		return nil, bearer.Foreign(err, invalidGrant())
	}
	out, ended, err := s.rotate(ctx, c)
	if ended {
		s.Callers.ForgetUser(c.Tenant, c.Subject)
	}
	if err != nil {
		return nil, err
	}
	return s.Answer(out, byCookie), nil
}

// rotate replaces the session's refresh token, or ends the session (ended), or leaves all as it was.
func (s *Service) rotate(ctx context.Context, c signing.Claims) (out SignInTokens, ended bool, err error) {
	v := viewer.Viewer{
		Tenant:    c.Tenant,
		Kind:      viewer.User,
		ID:        c.Subject,
		Session:   c.Session,
		IP:        httpapi.AddressOf(ctx),
		RequestID: httpapi.RequestID(ctx),
	}
	var refusal error
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out, err = s.exchange(ctx, tx, c)
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		refusal, ended, err = s.refuse(ctx, tx, c)
		return err
	})
	if err == nil {
		err = refusal
	}
	return out, ended, err
}

// exchange is one statement: of many requests with the same token exactly one finds it still there.
func (s *Service) exchange(ctx context.Context, tx *pg.Tx, c signing.Claims) (SignInTokens, error) {
	const sql = `
		update auth_session s
		   set refresh_jti = @next, last_used_at = @now, idle_expires_at = least(@idle, s.expires_at)
		  from app_user u, tenant t
		 where s.id = @session
		   and s.refresh_jti = @used
		   and s.revoked_at is null
		   and s.idle_expires_at > @now
		   and s.expires_at > @now
		   and u.tenant_id = s.tenant_id
		   and u.id = s.user_id
		   and u.id = @user
		   and u.status = 'active'
		   and u.password_epoch = @epoch
		   and t.id = s.tenant_id
		   and t.status = 'active'
		returning u.email, u.display_name, u.identity_id::text, u.roles, s.idle_expires_at, s.expires_at`
	now, jti := s.Now(), uuid.NewString()
	args := pgx.NamedArgs{
		"next":    digest.Of(jti),
		"used":    digest.Of(c.ID),
		"now":     now,
		"idle":    now.Add(IdleLife),
		"session": c.Session,
		"user":    c.Subject,
		"epoch":   c.Epoch,
	}
	p := User{Tenant: c.Tenant, ID: c.Subject, Epoch: c.Epoch}
	var idle, end time.Time
	if err := tx.QueryRow(ctx, sql, args).Scan(&p.Email, &p.Name, &p.Identity, &p.Roles, &idle, &end); err != nil {
		return SignInTokens{}, fmt.Errorf("exchange refresh token: %w", err)
	}
	return s.Tokens(p, c.Session, jti, idle, end)
}

// refuse finds out why a token was not exchanged, and ends the session where that is the consequence.
func (s *Service) refuse(ctx context.Context, tx *pg.Tx, c signing.Claims) (refusal error, ended bool, err error) {
	const sql = `
		select s.refresh_jti, s.revoked_at is not null, u.email, u.status = 'active' and u.password_epoch = $2, t.status
		  from auth_session s
		  join app_user u
		    on u.tenant_id = s.tenant_id
		   and u.id = s.user_id
		  join tenant t
		    on t.id = s.tenant_id
		 where s.id = $1`
	var (
		newest     []byte
		over, good bool
		email      string
		status     tenant.Status
	)
	err = tx.QueryRow(ctx, sql, c.Session, c.Epoch).Scan(&newest, &over, &email, &good, &status)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return invalidGrant(), false, nil
	case err != nil:
		return nil, false, fmt.Errorf("look at the session: %w", err)
	case over:
		return invalidGrant(), true, nil
	}
	tx.Viewer.Display = email
	if !bytes.Equal(newest, digest.Of(c.ID)) {
		return invalidGrant(), true, s.endReused(ctx, tx, c)
	}
	if err := status.Usable(); err != nil {
		return err, false, nil // the token is not used up: it works again when the tenant does
	}
	if !good {
		_, err = s.End(ctx, tx, c.Subject, c.Session, "user_changed")
		return invalidGrant(), true, err
	}
	return invalidGrant(), false, nil
}

// endReused ends a session whose refresh token came twice, and says so once.
func (s *Service) endReused(ctx context.Context, tx *pg.Tx, c signing.Claims) error {
	n, err := s.End(ctx, tx, c.Subject, c.Session, "refresh_reuse")
	if err != nil || n == 0 {
		return err
	}
	return audit.Record(ctx, tx, audit.Entry{
		Action:  "auth.refresh_reuse_detected",
		Outcome: audit.Denied,
		Subject: audit.Subject{Type: "session", ID: c.Session},
		Context: map[string]any{"jti": c.ID},
	})
}
