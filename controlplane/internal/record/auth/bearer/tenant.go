package bearer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signing"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// standing is what every request of a tenant is judged by, besides the rights of whoever asks.
type standing struct {
	at     time.Time // when the database said so
	slug   string    // empty when there is no such tenant
	status tenant.Status
	rate   viewer.Rate // of its tokens that have none of their own
}

// standingOf is read once in rightsAge for all requests of a tenant.
func (s *Authenticator) standingOf(ctx context.Context, id string) (standing, error) {
	if st, ok := s.standings.Get(id); ok && s.Now().Sub(st.at).Abs() < rightsAge {
		return st, nil
	}
	st := standing{at: s.Now()}
	err := s.DB.As(ctx, viewer.System(id), func(tx *pg.Tx) error {
		t, err := tenant.Find(ctx, tx)
		if err != nil {
			return err
		}
		st.slug, st.status, st.rate = t.Slug, t.Status, t.Limits.Rate()
		return nil
	})
	if err != nil && !fault.Is(err, fault.NotFound) {
		return standing{}, fmt.Errorf("read how the tenant stands: %w", err)
	}
	s.standings.Put(id, st)
	return st, nil
}

// Agrees returns invalid_token when the request's address names another tenant than the one: to such an address the
// token is as foreign as one of another audience.
func (s *Authenticator) Agrees(ctx context.Context, id string) error {
	slug := incoming.AddressedTenant(ctx)
	if slug == "" {
		return nil
	}
	st, err := s.standingOf(ctx, id)
	if err == nil && st.slug != slug {
		return signing.InvalidToken()
	}
	return err
}

// Foreign is refusal when the address was another tenant's, and err otherwise.
func Foreign(err, refusal error) error {
	if fault.IsCode(err, "invalid_token") {
		return refusal
	}
	return err
}

// admits says whether the tenant of an agent lets anybody in, and whether the request's address is its own. A tenant
// that is gone is the caller's to find out, by the agent that is gone with it.
func (s *Authenticator) admits(ctx context.Context, id string) error {
	if err := s.Agrees(ctx, id); err != nil {
		return err
	}
	st, err := s.standingOf(ctx, id)
	if err != nil || st.slug == "" {
		return err
	}
	return st.status.Usable()
}

// AddressedTenant is the tenant in which somebody signs in: the one that the request names, or the one of its address.
// When the two differ it is none: no slug begins with a hyphen.
func AddressedTenant(ctx context.Context, named string) string {
	switch slug := incoming.AddressedTenant(ctx); {
	case slug == "" || slug == named:
		return named
	case named == "":
		return slug
	}
	return "-"
}

// denialPause is how often what one caller is refused is written down at most, so that nobody fills the audit log by
// asking.
const denialPause = time.Minute

// denied writes into the token's own tenant that it was used where it may not be. The answer, which is a refusal
// anyway, does not wait on whether this can be written.
func (s *Authenticator) denied(
	ctx context.Context,
	v viewer.Viewer,
	action string,
	subject audit.Subject,
	said map[string]any,
) {
	key := v.Tenant + "|" + v.ID + "|" + action
	now := s.Now()
	if last, ok := s.denials.Get(key); ok && now.Sub(last).Abs() < denialPause {
		return
	}
	s.denials.Put(key, now)
	v.RequestID, v.IP = httpapi.RequestID(ctx), httpapi.AddressOf(ctx)
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		return audit.Record(
			ctx,
			tx,
			audit.Entry{Action: action, Outcome: audit.Denied, Subject: subject, Context: said},
		)
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		s.Log.WarnContext(ctx, "a refusal could not be audited", "tenant", v.Tenant, "action", action, "err", err)
	}
}
