package bearer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/lru"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signing"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// ServiceClaims are what a service token says. Its rights stand in the database.
type ServiceClaims struct {
	TokenID   string // the row of api_token that it is about
	ID        string // jti, by which the row is found
	ExpiresAt time.Time
}

// IssueServiceToken makes the token of an integration of the transaction's tenant. The caller keeps the row and not the
// token.
func (s *Authenticator) IssueServiceToken(_ context.Context, tx *pg.Tx, c ServiceClaims) (string, error) {
	token, _, err := s.Signer.Sign(
		signing.ServiceForm,
		signing.Claims{Subject: c.TokenID, Tenant: tx.Viewer.Tenant, ID: c.ID},
		c.ExpiresAt,
	)
	if err != nil {
		return "", fmt.Errorf("issue service token: %w", err)
	}
	return token, nil
}

// ForgetTokens drops what is remembered of a tenant's service tokens, so that in this process a change works at once:
// it may be one of a token on which others depend.
func (s *Authenticator) ForgetTokens(tenantID string) {
	s.integrations.rights.Drop(func(_ string, f integration) bool { return f.viewer.Tenant == tenantID })
}

// integrations are the service tokens that this process has seen lately.
type integrations struct {
	rights *lru.Cache[string, integration] // by tenant and jti
	notes
}

// newIntegrations remembers up to 10,000 service tokens.
func newIntegrations() *integrations {
	return &integrations{rights: lru.New[string, integration](10_000), notes: newNotes()}
}

// forget drops everything: somebody's rights may have changed.
func (i *integrations) forget() { i.rights.Drop(func(string, integration) bool { return true }) }

// integration is what the database says about a service token.
type integration struct {
	at     time.Time // when it said so
	viewer viewer.Viewer
	// neither revoked nor disabled, nor is what made it, and whoever made it is still an active administrator
	live     bool
	expires  time.Time // by itself, or because it was rotated
	idleFrom time.Time // when it will have been unused for too long
	networks []netip.Prefix
	tenant   tenant.Status
}

// serviceHolder is the integration that a service token was made for.
func (s *Authenticator) serviceHolder(ctx context.Context, c signing.Claims, _ *http.Request) (viewer.Viewer, error) {
	f, err := s.integrationOf(ctx, c)
	if err != nil {
		return viewer.Viewer{}, err
	}
	now, ip := s.Now(), httpapi.AddressOf(ctx)
	if f.live && !now.Before(f.idleFrom) && f.idleFrom.Before(f.expires) {
		s.integrations.take(note{what: fellIdle, tenant: c.Tenant, token: c.Subject, at: now})
		return viewer.Viewer{}, signing.Revoked()
	}
	if err := f.judge(c, now); err != nil {
		return viewer.Viewer{}, err
	}
	if !f.admits(ip) {
		s.integrations.take(note{what: strayed, tenant: c.Tenant, token: c.Subject, ip: ip, at: now})
		return viewer.Viewer{}, fault.Coded(
			fault.Forbidden,
			"network_not_allowed",
			"this token may not be used from the network that the request came from",
		)
	}
	s.integrations.take(note{what: used, tenant: c.Tenant, token: c.Subject, ip: ip, at: now})
	return f.viewer, nil
}

// judge says whether the token may still be used.
func (f integration) judge(c signing.Claims, now time.Time) error {
	switch {
	case !f.live || f.viewer.ID != c.Subject || f.viewer.Tenant != c.Tenant:
		return signing.Revoked()
	case !now.Before(f.expires):
		return fault.Coded(
			fault.Unauthenticated,
			"token_expired",
			"The token has expired. Use its successor, or create a new token.",
		)
	}
	return f.tenant.Usable()
}

// admits reports whether the token may be used from an address. Without networks it may be used from everywhere.
func (f integration) admits(ip string) bool {
	if len(f.networks) == 0 {
		return true
	}
	address, err := netip.ParseAddr(ip)
	if err != nil {
		return false
	}
	address = address.Unmap().WithZone("")
	for _, n := range f.networks {
		if n.Contains(address) {
			return true
		}
	}
	return false
}

// integrationOf is what is known of a token's rights, at most rightsAge old.
func (s *Authenticator) integrationOf(ctx context.Context, c signing.Claims) (integration, error) {
	key := c.Tenant + "|" + c.ID
	if f, ok := s.integrations.rights.Get(key); ok && s.Now().Sub(f.at).Abs() < rightsAge {
		return f, nil
	}
	asked, seen := s.Now(), s.changes.Load() // before the question: an answer is as old as the moment it was asked for
	f, err := s.readIntegration(ctx, c, asked)
	if err != nil {
		return integration{}, err
	}
	f.at = asked
	s.integrations.rights.Put(key, f)
	// What was announced while the database was answering may not be in its answer.
	if s.changes.Load() != seen {
		s.integrations.rights.Drop(func(k string, _ integration) bool { return k == key })
	}
	return f, nil
}

// readIntegration reads the rights of a service token. It lives as long as its creator is an active
// administrator and, if a token made it, as that token stands. One that does not exist has no
// rights.
func (s *Authenticator) readIntegration(ctx context.Context, c signing.Claims, now time.Time) (integration, error) {
	const sql = `
		select k.id::text, k.name, array[k.role], coalesce(k.bound_identity_id::text, ''),
		       u.id::text, coalesce(u.identity_id::text, ''), k.scopes,
		       coalesce(k.rate_rps, 0), coalesce(k.rate_burst, 0), k.allowed_cidrs,
		       k.revoked_at is null and k.disabled_at is null and u.status = 'active' and 'admin' = any (u.roles)
		       and (k.made_by is null or token_stands(k.made_by, $2)),
		       least(k.expires_at, k.rotation_overlap_until), greatest(k.last_used_at, k.awake_since) + k.idle_after,
		           t.status
		  from api_token k
		  join app_user u
		    on u.tenant_id = k.tenant_id
		   and u.id = k.created_by
		  join tenant t
		    on t.id = k.tenant_id
		 where k.jti::text = $1`
	f := integration{viewer: viewer.Viewer{Tenant: c.Tenant, Kind: viewer.Service}}
	v := &f.viewer
	var networks []string
	err := s.DB.As(ctx, viewer.System(c.Tenant), func(tx *pg.Tx) error {
		return tx.QueryRow(ctx, sql, c.ID, now).
			Scan(&v.ID, &v.Display, &v.Roles, &v.Identity, &v.Maker, &v.MakerIdentity, &v.Scopes,
				&v.Rate.PerSecond, &v.Rate.Burst, &networks, &f.live, &f.expires, &f.idleFrom, &f.tenant)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return f, nil
	case err != nil:
		return integration{}, fmt.Errorf("read the rights of a service token: %w", err)
	}
	v.Session, v.Expires = v.ID, f.expires
	for _, n := range networks {
		network, err := netip.ParsePrefix(n)
		if err != nil {
			return integration{}, fmt.Errorf("read the networks of service token %s: %w", v.ID, err)
		}
		f.networks = append(f.networks, network)
	}
	return f, nil
}
