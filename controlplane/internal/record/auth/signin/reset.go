package signin

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/bearer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/digest"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/throttle"
)

// resetsPerHour is how many links a user is sent within the life of one. The earlier ones keep working, so that nobody
// makes a user's link useless by asking for another.
const resetsPerHour = 3

// ResetRequest is the body of POST /auth/password-reset.
type ResetRequest struct {
	// E-mail address of the user.
	Email string `json:"email" minLength:"1" maxLength:"320" example:"ada@example.com"`
	// The tenant's slug. Without it, the user of each tenant with this address is sent a link.
	Tenant string `json:"tenant,omitempty" maxLength:"63"`
}

// resetIn is the input of a request for a link.
type resetIn struct {
	session.Browser
	Body ResetRequest
}

// askReset sends the users of an address a link to set another password. What it answers, and when, is the same for an
// address that nobody has: what goes wrong for a user is logged alone.
func (s *Service) askReset(ctx context.Context, _ viewer.Viewer, in *resetIn) (*struct{}, error) {
	began := time.Now()
	// Each request counts as a failure does: nobody asks for many users from one network.
	try := throttle.AttemptAt("reset", httpapi.AddressOf(ctx))
	if err := s.Limits.Check(ctx, try); err != nil {
		return nil, err
	}
	if err := s.Limits.RecordFailure(ctx, try); err != nil {
		return nil, err
	}
	who, err := s.findForReset(
		ctx, throttle.CanonicalEmail(in.Body.Email), bearer.AddressedTenant(ctx, in.Body.Tenant),
	)
	if err != nil {
		return nil, err
	}
	for _, p := range who {
		if err := s.sendReset(ctx, p, in.Browser); err != nil {
			s.Log.WarnContext(ctx, "no link to reset a password", "tenant", p.Tenant, "user", p.ID, "err", err)
		}
	}
	pause(ctx, rest(time.Since(began)))
	return nil, nil
}

// findForReset looks for the users of an address who may set another password by mail. Control-plane administrators may
// not: a tenant's administrators choose its mail server, and must not come to act in other tenants by it. Users without
// a password sign in elsewhere, or were invited.
func (s *Service) findForReset(ctx context.Context, email, slug string) ([]session.User, error) {
	const sql = `
		select u.tenant_id::text, u.id::text, u.email
		  from app_user u
		  join tenant t
		    on t.id = u.tenant_id
		 where u.email_lc = $1
		   and ($2 = '' or t.slug = $2)
		   and t.status = 'active'
		   and u.status = 'active'
		   and u.password_hash is not null
		   and not u.control_plane_admin
		 order by u.id
		 limit $3`
	var found []session.User
	err := s.DB.Across(ctx, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, sql, email, slug, maxCandidates)
		if err != nil {
			return err
		}
		found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (p session.User, err error) {
			return p, row.Scan(&p.Tenant, &p.ID, &p.Email)
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("find user: %w", err)
	}
	return found, nil
}

// sendReset makes a link for a user and has it sent, where they have not been sent enough. Their tenant hears of it.
func (s *Service) sendReset(ctx context.Context, p session.User, from session.Browser) error {
	if s.Mail == nil {
		return nil
	}
	v := p.Viewer(ctx, from)
	v.Kind, v.ID, v.Display = "anonymous", "", ""
	return s.DB.As(ctx, v, func(tx *pg.Tx) error {
		token := rand.Text()
		made, err := s.keepReset(ctx, tx, p.ID, token)
		if err != nil || !made {
			return err
		}
		if err := s.Mail(ctx, tx, p.ID, token); err != nil {
			return err
		}
		return audit.Record(ctx, tx, audit.Entry{
			Action: "auth.reset_requested", Subject: audit.Subject{Type: "user", ID: p.ID, Display: p.Email},
		})
	})
}

// keepReset keeps the hash of a link's token. It makes none for a user who has been sent enough, or whose tenant sends
// no mail.
func (s *Service) keepReset(ctx context.Context, tx *pg.Tx, user, token string) (made bool, err error) {
	const (
		lock = `select id from app_user where id = $1 for no key update` // requests for one user come one by one
		keep = `
			with over as (
				delete from signin_link
				 where user_id = $1
				   and mailed_to is not null
				   and expires_at <= $4)
			insert into signin_link (tenant_id, token_hash, user_id, expires_at, epoch, mailed_to)
			select current_tenant(), $2, u.id, $3, d.epoch, u.email_lc
			  from deployment d, app_user u
			 where u.id = $1
			   and u.status = 'active'
			   and u.password_hash is not null
			   and notifications_enabled()
			   and (select count(*)
			          from signin_link l
			         where l.user_id = $1
			           and l.mailed_to is not null
			           and l.expires_at > $4) < $5`
	)
	if err := pg.Exec(ctx, tx, "lock the user of a reset", lock, user); err != nil {
		return false, err
	}
	now := s.Now()
	done, err := tx.Exec(ctx, keep, user, digest.Of("link", token), now.Add(linkLife), now, resetsPerHour)
	if err != nil {
		return false, fmt.Errorf("keep a link to reset a password: %w", err)
	}
	return done.RowsAffected() > 0, nil
}
