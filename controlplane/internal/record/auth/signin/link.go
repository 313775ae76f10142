package signin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/password"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/digest"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/passkey"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/throttle"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// linkLife is how long a sign-in link works.
const linkLife = time.Hour

// LinkSignIn is the body of POST /auth/sign-in-link.
type LinkSignIn struct {
	// from the one-time link
	Token string `json:"token" minLength:"1" maxLength:"128"`
	// the password to set: 12 to 256 characters
	Password string `json:"password" minLength:"1" maxLength:"1024" format:"password"`
	// the code of the second factor, or a recovery code, for who has one
	OTP string `json:"otp,omitempty" maxLength:"64"`
	// a passkey as the second factor: the response to the options of POST /auth/passkey/start
	Passkey passkey.Credential `json:"passkey,omitempty"`
	// give the refresh token as a HttpOnly cookie instead of in the body, for a console in a browser
	Cookie bool `json:"cookie,omitempty"`
}

// linkIn is the input of a sign-in by link.
type linkIn struct {
	session.Browser
	Body LinkSignIn
}

// IssueSignInLink makes the token of a one-time link by which the user sets a password. It works once, for an hour;
// only its hash is kept. A link that the user had before does not work any more.
func (s *Service) IssueSignInLink(ctx context.Context, tx *pg.Tx, userID string) (token string, err error) {
	tokens, err := s.IssueSignInLinks(ctx, tx, []string{userID}, linkLife)
	return tokens[userID], err
}

// usedLink is the fault for a link that was used, has expired or never was.
func usedLink() error {
	return fault.Coded(
		fault.Unauthenticated,
		"invalid_grant",
		"the sign-in link was used before, or its hour is over; ask for a new one",
	)
}

// useLink sets the password of the link's user and signs in.
func (s *Service) useLink(ctx context.Context, _ viewer.Viewer, in *linkIn) (*session.Output, error) {
	if err := s.Sessions.Signer.Keys.Refresh(ctx); err != nil {
		return nil, err
	}
	ip := httpapi.AddressOf(ctx)
	try := throttle.AttemptAt("link", ip)
	if err := s.Limits.Check(ctx, try); err != nil {
		return nil, err
	}
	hash := digest.Of("link", in.Body.Token)
	p, err := s.findLink(ctx, hash)
	if err == nil {
		err = bearer.Foreign(s.Callers.Agrees(ctx, p.Tenant), usedLink())
	}
	if fault.IsCode(err, "invalid_grant") {
		return nil, errors.Join(err, s.Limits.RecordFailure(ctx, try))
	}
	if err != nil {
		return nil, err
	}
	if err := password.Check(in.Body.Password, p.Email); err != nil {
		return nil, err
	}
	var stored string
	err = s.Desk.Do(ctx, func() error { stored = password.Hash(in.Body.Password); return nil })
	if err != nil {
		return nil, err
	}
	out, err := s.redeem(ctx, p, hash, stored, in)
	if _, wrong := wrongFactor(err); wrong {
		return nil, errors.Join(err, s.Limits.RecordFailure(ctx, try))
	}
	if err != nil {
		return nil, err
	}
	s.Callers.ForgetUser(p.Tenant, p.ID)
	return s.Sessions.Answer(out, in.Body.Cookie), nil
}

// findLink finds the user of a link by its hash, across tenants. Links of an earlier epoch of the
// deployment, issued before a restore, do not work.
func (s *Service) findLink(ctx context.Context, hash []byte) (session.User, error) {
	const sql = `
		select u.tenant_id::text, u.id::text, u.email, u.display_name, u.identity_id::text, u.roles,
		       u.password_hash, t.status
		  from signin_link l
		  join app_user u
		    on u.tenant_id = l.tenant_id
		   and u.id = l.user_id
		  join tenant t
		    on t.id = l.tenant_id
		  join deployment d
		    on d.epoch = l.epoch
		 where l.token_hash = $1
		   and l.used_at is null
		   and l.expires_at > $2
		   and (l.mailed_to is null or l.mailed_to = u.email_lc)
		   and u.status <> 'disabled'`
	var p session.User
	err := s.DB.Across(ctx, func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, sql, hash, s.Now()).
			Scan(&p.Tenant, &p.ID, &p.Email, &p.Name, &p.Identity, &p.Roles, &p.Hash, &p.TenantStatus)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return session.User{}, usedLink()
	case err != nil:
		return session.User{}, fmt.Errorf("find sign-in link: %w", err)
	}
	return p, tenant.Status(p.TenantStatus).Usable()
}

// redeem uses the link up, sets the password, ends every session that there was, and opens one. A refusal of the second
// factor is counted, so it must not roll the transaction back, and leaves the link as it was.
func (s *Service) redeem(
	ctx context.Context,
	p session.User,
	link []byte,
	stored string,
	in *linkIn,
) (out session.SignInTokens, err error) {
	given, err := s.second(ctx, in.Body.OTP, in.Body.Passkey)
	if err != nil {
		return out, err
	}
	var refusal error
	err = s.DB.As(ctx, p.Viewer(ctx, in.Browser), func(tx *pg.Tx) (err error) {
		_, refused, err := s.Factors.Check(ctx, tx, p.ID, given)
		if refusal = refused; err != nil || refused != nil {
			return err
		}
		if err := s.useUp(ctx, tx, link); err != nil {
			return err
		}
		if p.Epoch, err = setPassword(ctx, tx, p.ID, stored); err != nil {
			return err
		}
		ended, err := s.Sessions.End(ctx, tx, p.ID, "", "password_set")
		if err != nil {
			return err
		}
		if p.Hash != nil {
			if err := recordChange(ctx, tx, p, ended); err != nil {
				return err
			}
		}
		out, err = s.Sessions.Open(ctx, tx, p, session.ByLink)
		return err
	})
	if err == nil {
		err = refusal
	}
	return out, err
}

// useUp marks the link as used. Of two requests with one link only one succeeds: the other changes
// no row.
func (s *Service) useUp(ctx context.Context, tx *pg.Tx, link []byte) error {
	const sql = `
		update signin_link
		   set used_at = $2
		 where token_hash = $1
		   and used_at is null
		   and expires_at > $2`
	used, err := tx.Exec(ctx, sql, link, s.Now())
	if err != nil {
		return fmt.Errorf("use sign-in link: %w", err)
	}
	if used.RowsAffected() == 0 {
		return usedLink()
	}
	return nil
}

// setPassword keeps a user's new password, and raises its epoch: tokens and links from before it are over.
func setPassword(ctx context.Context, tx *pg.Tx, user, stored string) (epoch int64, err error) {
	const sql = `
		with links as (
			delete from signin_link
			 where user_id = $1
			   and used_at is null)
		update app_user
		   set password_hash = $2, password_epoch = password_epoch + 1, status = 'active', updated_at = now(),
		       version = version + 1
		 where id = $1
		   and status <> 'disabled'
		returning password_epoch`
	if err := tx.QueryRow(ctx, sql, user, stored).Scan(&epoch); err != nil {
		return 0, fmt.Errorf("set password: %w", err)
	}
	return epoch, nil
}

// WithdrawLinks makes the sign-in links of a user useless.
func (s *Service) WithdrawLinks(ctx context.Context, tx *pg.Tx, userID string) error {
	return s.WithdrawLinksOf(ctx, tx, []string{userID})
}

// WithdrawLinksOf makes the sign-in links of many users useless.
func (s *Service) WithdrawLinksOf(ctx context.Context, tx *pg.Tx, userIDs []string) error {
	const sql = `delete from signin_link where tenant_id = current_tenant() and user_id = any($1::text[]::uuid[])`
	return pg.Exec(ctx, tx, "withdraw sign-in links of users", sql, userIDs)
}

// IssueSignInLinks is IssueSignInLink for many users, with the tokens by user. The links work for life.
func (s *Service) IssueSignInLinks(
	ctx context.Context,
	tx *pg.Tx,
	userIDs []string,
	life time.Duration,
) (map[string]string, error) {
	if err := s.WithdrawLinksOf(ctx, tx, userIDs); err != nil {
		return nil, err
	}
	tokens := make(map[string]string, len(userIDs))
	hashes := make([][]byte, len(userIDs))
	entries := make([]audit.Entry, len(userIDs))
	for i, id := range userIDs {
		tokens[id] = rand.Text()
		hashes[i] = digest.Of("link", tokens[id])
		entries[i] = audit.Entry{Action: "auth.link_issued", Subject: audit.Subject{Type: "user", ID: id}}
	}
	const sql = `
		insert into signin_link (tenant_id, token_hash, user_id, expires_at, epoch)
		select current_tenant(), l.hash, l.user_id::uuid, $3, d.epoch
		  from unnest($1::text[], $2::bytea[]) l (user_id, hash)
		 cross join deployment d`
	if err := pg.Exec(ctx, tx, "issue sign-in links", sql, userIDs, hashes, s.Now().Add(life)); err != nil {
		return nil, err
	}
	return tokens, audit.RecordAll(ctx, tx, entries)
}
