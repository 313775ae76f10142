package bearer

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signing"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// rights are what the database says about a session.
type rights struct {
	at         time.Time // when it said so
	viewer     viewer.Viewer
	live       bool // neither ended nor revoked
	expires    time.Time
	userStatus string
	epoch      int64
	tenant     tenant.Status
}

// AuthenticateUser turns the access token of a user, or of a service, into a viewer. It returns faults of kind
// Unauthenticated with the codes invalid_token, token_expired and token_revoked, and of kind Forbidden for a suspended
// tenant and for an X-Tenant-Id that the token may not send.
func (s *Authenticator) AuthenticateUser(ctx context.Context, bearer string, r *http.Request) (viewer.Viewer, error) {
	c, err := s.VerifyOnce(ctx, bearer)
	if err != nil {
		return viewer.Viewer{}, err
	}
	v, err := s.holder(ctx, c, r)
	if err != nil {
		return viewer.Viewer{}, err
	}
	return s.actIn(ctx, v, r)
}

// holder is whoever a token belongs to, with the rights that the database says they have now.
func (s *Authenticator) holder(ctx context.Context, c signing.Claims, r *http.Request) (viewer.Viewer, error) {
	if c.Kind == signing.ServiceForm.Kind {
		return s.serviceHolder(ctx, c, r)
	}
	found, err := s.rightsOf(ctx, c)
	if err != nil {
		return viewer.Viewer{}, err
	}
	return found.viewer, found.judge(c, s.Now())
}

// VerifyOnce verifies a token's signature once and remembers it; its key and its times are judged each time.
func (s *Authenticator) VerifyOnce(ctx context.Context, bearer string) (signing.Claims, error) {
	if len(bearer) > signing.MaxToken {
		return signing.Claims{}, signing.InvalidToken()
	}
	hash := sha256.Sum256([]byte(bearer))
	if c, ok := s.verified.Get(hash); ok {
		if _, err := s.Signer.Keys.Find(ctx, c.Key, false); err == nil {
			return c, s.Signer.CheckTime(c, false)
		}
	}
	c, err := s.Signer.VerifyOneOf(ctx, []signing.Form{signing.UserForm, signing.ServiceForm}, bearer, false)
	if err != nil {
		return signing.Claims{}, err
	}
	if c.Kind == signing.UserForm.Kind && c.Session == "" {
		return signing.Claims{}, signing.InvalidToken()
	}
	s.verified.Put(hash, c)
	return c, nil
}

// judge says whether a token may still be used: session, user, password and tenant must be as they
// were when it was issued. The fault does not say which of them changed.
func (f rights) judge(c signing.Claims, now time.Time) error {
	if !f.live || f.viewer.ID != c.Subject || f.viewer.Tenant != c.Tenant || f.userStatus != "active" ||
		f.epoch != c.Epoch ||
		!now.Before(f.expires) {
		return signing.Revoked()
	}
	return f.tenant.Usable()
}

// rightsOf gives the rights of a session, from memory if they are young enough. An answer is
// dropped again if a change was announced while it was read, for then it may be older than the
// change.
func (s *Authenticator) rightsOf(ctx context.Context, c signing.Claims) (rights, error) {
	key := c.Tenant + "|" + c.Session
	if f, ok := s.rights.Get(key); ok && s.Now().Sub(f.at).Abs() < rightsAge {
		return f, nil
	}
	asked, seen := s.Now(), s.changes.Load() // before the question: an answer is as old as the moment it was asked for
	f, err := s.readRights(ctx, c)
	if err != nil {
		return rights{}, err
	}
	f.at = asked
	s.rights.Put(key, f)
	// What was announced while the database was answering may not be in its answer.
	if s.changes.Load() != seen {
		s.rights.Drop(func(k string, _ rights) bool { return k == key })
	}
	return f, nil
}

// readRights reads the rights of a session. One that does not exist has no rights, which judge
// refuses.
func (s *Authenticator) readRights(ctx context.Context, c signing.Claims) (rights, error) {
	const sql = `
		select s.revoked_at is null, s.expires_at, u.id::text, u.email, coalesce(u.identity_id::text, ''), u.roles,
		       u.control_plane_admin, u.status, u.password_epoch, t.status
		  from auth_session s
		  join app_user u
		    on u.tenant_id = s.tenant_id
		   and u.id = s.user_id
		  join tenant t
		    on t.id = s.tenant_id
		 where s.id = $1`
	f := rights{viewer: viewer.Viewer{Tenant: c.Tenant, Kind: viewer.User, Session: c.Session}}
	v := &f.viewer
	err := s.DB.As(ctx, viewer.System(c.Tenant), func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, sql, c.Session).Scan(&f.live, &f.expires, &v.ID, &v.Display, &v.Identity, &v.Roles,
			&v.ControlPlaneAdmin, &f.userStatus, &f.epoch, &f.tenant)
	})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return rights{}, fmt.Errorf("read rights: %w", err)
	}
	return f, nil
}
