package auth

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
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

// AuthenticateUser turns a user's access token into a viewer. It returns faults of kind Unauthenticated with the codes
// invalid_token, token_expired and token_revoked, and of kind Forbidden for a suspended tenant and for an X-Tenant-Id that
// names another tenant than the token's.
func (s *Service) AuthenticateUser(ctx context.Context, bearer string, r *http.Request) (viewer.Viewer, error) {
	c, err := s.verifyOnce(ctx, bearer)
	if err != nil {
		return viewer.Viewer{}, err
	}
	found, err := s.rightsOf(ctx, c)
	if err != nil {
		return viewer.Viewer{}, err
	}
	if err := found.judge(c, s.Now()); err != nil {
		return viewer.Viewer{}, err
	}
	return found.viewer, checkTenant(r, c.Tenant)
}

// verifyOnce verifies a token's signature once and remembers it; its times are judged each time.
func (s *Service) verifyOnce(ctx context.Context, bearer string) (claims, error) {
	if len(bearer) > maxToken {
		return claims{}, invalidToken()
	}
	hash := sha256.Sum256([]byte(bearer))
	if c, ok := s.verified.get(hash); ok {
		return c, s.checkTime(c, false)
	}
	c, err := s.verify(ctx, userForm, bearer, false)
	if err != nil {
		return claims{}, err
	}
	if c.Session == "" {
		return claims{}, invalidToken()
	}
	s.verified.put(hash, c)
	return c, nil
}

func (f rights) judge(c claims, now time.Time) error {
	if !f.live || f.viewer.ID != c.Subject || f.viewer.Tenant != c.Tenant || f.userStatus != "active" || f.epoch != c.Epoch || !now.Before(f.expires) {
		return revoked()
	}
	return f.tenant.Usable()
}

func (s *Service) rightsOf(ctx context.Context, c claims) (rights, error) {
	key := c.Tenant + "|" + c.Session
	if f, ok := s.rights.get(key); ok && s.Now().Sub(f.at).Abs() < rightsAge {
		return f, nil
	}
	asked := s.Now() // before the question: an answer is as old as the moment it was asked for
	f, err := s.readRights(ctx, c)
	if err != nil {
		return rights{}, err
	}
	f.at = asked
	s.rights.put(key, f)
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

// checkTenant looks at the header X-Tenant-Id, by which control-plane admins act in other tenants. It is never ignored:
// what it asks for is either what happens or refused.
func checkTenant(r *http.Request, own string) error {
	values := r.Header.Values("X-Tenant-Id")
	if len(values) == 0 {
		return nil
	}
	asked, err := uuid.Parse(strings.TrimSpace(values[0]))
	if len(values) > 1 || err != nil {
		return fault.Coded(fault.Malformed, "invalid_tenant_header", "X-Tenant-Id must be given once and be a tenant's id").
			With(fault.Field{Header: "X-Tenant-Id", Code: "invalid", Detail: "give one UUID"})
	}
	if asked.String() != own {
		return fault.Coded(fault.Forbidden, "tenant_override_forbidden", "this token acts in its own tenant alone").
			With(fault.Field{Header: "X-Tenant-Id", Code: "forbidden", Detail: "leave it out, or name the token's own tenant"})
	}
	return nil
}
