package signin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/password"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/digest"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signing"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/throttle"
)

// PasswordChange is the body of POST /auth/password.
type PasswordChange struct {
	// Current password of the user.
	Current string `json:"current_password" minLength:"1" maxLength:"1024" format:"password"`
	// 12 to 256 characters
	New string `json:"new_password" minLength:"1" maxLength:"1024" format:"password"`
	// Give the refresh token as a HttpOnly cookie instead of in the body, for a console in a browser.
	Cookie bool `json:"cookie,omitempty"`
}

// changePassword sets another password for whoever knows the one they have.
func (s *Service) changePassword(
	ctx context.Context,
	v viewer.Viewer,
	in *struct{ Body PasswordChange },
) (*session.Output, error) {
	v, err := session.OnlyUsers(v)
	if err != nil {
		return nil, err
	}
	p, err := s.provePassword(ctx, v, in.Body.Current, "#/current_password")
	if err != nil {
		return nil, err
	}
	if err := checkNew(in.Body, p.Email); err != nil {
		return nil, err
	}
	var stored string
	err = s.Desk.Do(ctx, func() error { stored = password.Hash(in.Body.New); return nil })
	if err != nil {
		return nil, err
	}
	var out session.SignInTokens
	err = s.DB.As(ctx, v, func(tx *pg.Tx) (err error) {
		out, err = s.replacePassword(ctx, tx, p, stored)
		return err
	})
	s.Callers.ForgetUser(v.Tenant, v.ID)
	if err != nil {
		return nil, err
	}
	return s.Sessions.Answer(out, in.Body.Cookie), nil
}

// checkNew holds the new password against the rules.
func checkNew(in PasswordChange, email string) error {
	err := password.Check(in.New, email)
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		for i := range f.Fields {
			f.Fields[i].Pointer = "#/new_password"
		}
		return f
	}
	if password.Normal(in.New) == password.Normal(in.Current) {
		return fault.Coded(fault.Invalid, "weak_password", "this is the password you have; choose another").
			With(fault.Field{Pointer: "#/new_password", Code: "unchanged",
				Detail: "choose another password than the one you have"})
	}
	return err
}

// replacePassword sets the password, ends the user's other sessions, and makes new tokens for this one.
func (s *Service) replacePassword(
	ctx context.Context,
	tx *pg.Tx,
	p session.User,
	stored string,
) (session.SignInTokens, error) {
	const others = `
		update auth_session
		   set revoked_at = $3, revoked_reason = 'password_changed'
		 where user_id = $1
		   and id <> $2
		   and revoked_at is null`
	const this = `
		update auth_session
		   set refresh_jti = $2, last_used_at = $3, idle_expires_at = least($4, expires_at)
		 where id = $1
		   and revoked_at is null
		returning idle_expires_at, expires_at`
	var err error
	if p.Epoch, err = setPassword(ctx, tx, p.ID, stored); err != nil {
		return session.SignInTokens{}, err
	}
	current, now, jti := tx.Viewer.Session, s.Now(), uuid.NewString()
	ended, err := tx.Exec(ctx, others, p.ID, current, now)
	if err != nil {
		return session.SignInTokens{}, fmt.Errorf("end other sessions: %w", err)
	}
	var idle, end time.Time
	if err := tx.QueryRow(ctx, this, current, digest.Of(jti), now, now.Add(session.IdleLife)).
		Scan(&idle, &end); err != nil {
		if errors.Is(err, pgx.ErrNoRows) {
			return session.SignInTokens{}, signing.Revoked()
		}
		return session.SignInTokens{}, fmt.Errorf("continue session: %w", err)
	}
	if err := recordChange(ctx, tx, p, ended.RowsAffected()); err != nil {
		return session.SignInTokens{}, err
	}
	return s.Sessions.Tokens(p, current, jti, idle, end)
}

// recordChange records that a user replaced their password.
func recordChange(ctx context.Context, tx *pg.Tx, p session.User, sessionsEnded int64) error {
	return audit.Record(ctx, tx, audit.Entry{
		Action: "auth.password_changed", Subject: audit.Subject{Type: "user", ID: p.ID, Display: p.Email},
		Context: map[string]any{"sessions_ended": sessionsEnded},
	})
}

// provePassword is ProvePassword, and returns the user.
func (s *Service) provePassword(ctx context.Context, v viewer.Viewer, plain, pointer string) (session.User, error) {
	const sql = `
		select id::text, email, display_name, identity_id::text, roles, status, password_epoch, password_hash
		  from app_user
		 where id = $1`
	p := session.User{Tenant: v.Tenant}
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, sql, v.ID).
			Scan(&p.ID, &p.Email, &p.Name, &p.Identity, &p.Roles, &p.Status, &p.Epoch, &p.Hash)
	})
	if err != nil {
		return session.User{}, fmt.Errorf("find user: %w", err)
	}
	if p.Hash == nil {
		return session.User{}, fault.New(
			fault.Conflict,
			"you have no password here: you sign in with an outside provider, or an administrator gives you a link "+
				"to set one",
		)
	}
	_, err = s.checkPassword(
		ctx,
		throttle.UserAttempt(p.Tenant, p.ID, httpapi.AddressOf(ctx)),
		[]candidate{{person: p}},
		plain,
	)
	if fault.IsCode(err, "invalid_credentials") {
		return session.User{}, fault.Coded(fault.Unauthenticated, "invalid_credentials", "the password is not right").
			With(fault.Field{Pointer: pointer, Code: "invalid", Detail: "give the password you sign in with"})
	}
	return p, err
}

// ProvePassword asks a user who has signed in for their password again. It returns invalid_credentials, with a pointer
// to the member of the body, if it is not theirs. Wrong ones count as failed sign-ins do.
func (s *Service) ProvePassword(ctx context.Context, v viewer.Viewer, plain, pointer string) error {
	_, err := s.provePassword(ctx, v, plain, pointer)
	return err
}
