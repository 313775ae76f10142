package auth

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
func (s *Service) AuthenticateUser(ctx context.Context, bearer string, r *http.Request) (viewer.Viewer, error) {
	c, err := s.verifyOnce(ctx, bearer)
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
func (s *Service) holder(ctx context.Context, c claims, r *http.Request) (viewer.Viewer, error) {
	if c.Kind == serviceForm.kind {
		return s.serviceHolder(ctx, c, r)
	}
	found, err := s.rightsOf(ctx, c)
	if err != nil {
		return viewer.Viewer{}, err
	}
	return found.viewer, found.judge(c, s.Now())
}

// verifyOnce verifies a token's signature once and remembers it; its key and its times are judged each time.
func (s *Service) verifyOnce(ctx context.Context, bearer string) (claims, error) {
	if len(bearer) > maxToken {
		return claims{}, invalidToken()
	}
	hash := sha256.Sum256([]byte(bearer))
	if c, ok := s.verified.get(hash); ok {
		if _, err := s.keys.find(ctx, c.key, false); err == nil {
			return c, s.checkTime(c, false)
		}
	}
	c, err := s.verifyOneOf(ctx, []form{userForm, serviceForm}, bearer, false)
	if err != nil {
		return claims{}, err
	}
	if c.Kind == userForm.kind && c.Session == "" {
		return claims{}, invalidToken()
	}
	s.verified.put(hash, c)
	return c, nil
}

func (f rights) judge(c claims, now time.Time) error {
	if !f.live || f.viewer.ID != c.Subject || f.viewer.Tenant != c.Tenant || f.userStatus != "active" ||
		f.epoch != c.Epoch ||
		!now.Before(f.expires) {
		return revoked()
	}
	return f.tenant.Usable()
}

func (s *Service) rightsOf(ctx context.Context, c claims) (rights, error) {
	key := c.Tenant + "|" + c.Session
	if f, ok := s.rights.get(key); ok && s.Now().Sub(f.at).Abs() < rightsAge {
		return f, nil
	}
	asked, seen := s.Now(), s.changes.Load() // before the question: an answer is as old as the moment it was asked for
	f, err := s.readRights(ctx, c)
	if err != nil {
		return rights{}, err
	}
	f.at = asked
	s.rights.put(key, f)
	// What was announced while the database was answering may not be in its answer.
	if s.changes.Load() != seen {
		s.rights.drop(func(k string, _ rights) bool { return k == key })
	}
	return f, nil
}

func (s *Service) readRights(ctx context.Context, c claims) (rights, error) {
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

// forget drops what is remembered of a user's sessions, so that in this process a change works at once.
func (s *Service) forget(tenantID, userID string) {
	s.rights.drop(func(_ string, f rights) bool { return f.viewer.Tenant == tenantID && f.viewer.ID == userID })
}
