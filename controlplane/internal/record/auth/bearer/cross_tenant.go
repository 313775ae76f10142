package bearer

import (
	"context"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signing"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

// The headers by which a control-plane admin acts in another tenant.
const (
	tenantHeader = "X-Tenant-Id"
	reasonHeader = "X-Tenant-Reason"
	longestWhy   = 200 // characters of a reason
)

// crossAccess is the action under which every request to another tenant is audited, in both.
const crossAccess = "tenant.cross_access"

// actIn is the viewer in the tenant that the request asks for: the token's own, or for a control-plane admin the one
// that X-Tenant-Id names. The header is never ignored: what it asks for is either what happens or refused.
func (s *Authenticator) actIn(ctx context.Context, v viewer.Viewer, r *http.Request) (viewer.Viewer, error) {
	own, err := s.standingOf(ctx, v.Tenant)
	if err != nil {
		return viewer.Viewer{}, err
	}
	if err := own.status.Usable(); err != nil {
		return viewer.Viewer{}, err
	}
	if v.Rate == (viewer.Rate{}) {
		v.Rate = own.rate
	}
	asked, err := askedTenant(r)
	if err != nil {
		return viewer.Viewer{}, err
	}
	if asked != "" && asked != v.Tenant {
		return s.cross(ctx, v, asked, r)
	}
	if slug := incoming.AddressedTenant(ctx); slug != "" && slug != own.slug {
		s.denied(
			ctx,
			v,
			"auth.wrong_address",
			audit.Subject{Type: "tenant", ID: v.Tenant, Display: own.slug},
			map[string]any{"addressed": slug},
		)
		return viewer.Viewer{}, signing.InvalidToken()
	}
	return v, nil
}

// askedTenant reads X-Tenant-Id: a tenant's id, once; empty when the header is absent.
func askedTenant(r *http.Request) (string, error) {
	values := r.Header.Values(tenantHeader)
	if len(values) == 0 {
		return "", nil
	}
	asked, err := uuid.Parse(strings.TrimSpace(values[0]))
	if len(values) > 1 || err != nil || len(strings.TrimSpace(values[0])) != 36 {
		return "", invalidHeader(tenantHeader, "it must be given once and be a tenant's id")
	}
	return asked.String(), nil
}

// askedReason reads X-Tenant-Reason: why somebody acts in another tenant, in their words.
func askedReason(r *http.Request) (string, error) {
	values := r.Header.Values(reasonHeader)
	if len(values) == 0 {
		return "", nil
	}
	why := strings.TrimSpace(values[0])
	if len(values) > 1 || !utf8.ValidString(why) || utf8.RuneCountInString(why) > longestWhy ||
		strings.ContainsFunc(why, unicode.IsControl) {
		return "", invalidHeader(reasonHeader, "it may be given once and have at most 200 characters of text")
	}
	return why, nil
}

// invalidHeader is the fault for a header of cross-tenant access that cannot be used.
func invalidHeader(name, rule string) error {
	return fault.Coded(fault.Malformed, "invalid_tenant_header", "%s cannot be used: %s", name, rule).
		With(fault.Field{Header: name, Code: "invalid", Detail: rule})
}

// overrideForbidden is the fault for a caller who may not act in another tenant.
func overrideForbidden(why string) error {
	return fault.Coded(fault.Forbidden, "tenant_override_forbidden", "%s", why).
		With(fault.Field{Header: tenantHeader, Code: "forbidden",
			Detail: "leave it out, or name the token's own tenant"})
}

// cross takes a control-plane admin into another tenant. Both tenants' logs say so before anything is read there, or
// nothing is.
func (s *Authenticator) cross(
	ctx context.Context,
	v viewer.Viewer,
	target string,
	r *http.Request,
) (viewer.Viewer, error) {
	if v.Kind != viewer.User || !v.ControlPlaneAdmin {
		s.denied(
			ctx,
			v,
			crossAccess,
			audit.Subject{Type: "tenant", ID: target},
			map[string]any{"method": r.Method, "path": r.URL.Path},
		)
		return viewer.Viewer{}, overrideForbidden("this token acts only in its own tenant")
	}
	if path := r.URL.Path; strings.HasPrefix(path, httpapi.Prefix+"/auth/") && path != httpapi.Prefix+"/auth/me" {
		return viewer.Viewer{}, overrideForbidden("what concerns your own sign-in happens in your own tenant")
	}
	why, err := askedReason(r)
	if err != nil {
		return viewer.Viewer{}, err
	}
	v.RequestID, v.IP = httpapi.RequestID(ctx), httpapi.AddressOf(ctx)
	there := guest(v, target, why)
	return there, s.recordCrossing(ctx, v, there, r)
}

// guest is a control-plane admin in a tenant that is not theirs: an administrator there, or an auditor who at home may
// only read, and nobody's record in either case.
func guest(v viewer.Viewer, target, why string) viewer.Viewer {
	roles := []viewer.Role{viewer.Admin}
	if v.OnlyReads() {
		roles = []viewer.Role{viewer.Auditor}
	}
	v.Home, v.Tenant, v.Reason, v.Roles, v.Identity = v.Tenant, target, why, roles, ""
	return v
}

// visitPause is how often a tenant hears at most that the same operator works in it. Its audit log has every request.
const visitPause = time.Hour

// tell lets a tenant hear of an operator's visit, where it wants to and has not heard lately.
func (s *Authenticator) tell(ctx context.Context, tx *pg.Tx, t tenant.Tenant, r *http.Request) (told bool, err error) {
	v := tx.Viewer
	if last, ok := s.visits.Get(visit(v)); !t.Settings.NotifyOperatorAccess ||
		ok && s.Now().Sub(last).Abs() < visitPause {
		return false, nil
	}
	return true, event.Publish(
		ctx,
		tx,
		event.Event{
			Kind:     event.OperatorAccess,
			Resource: event.Resource{Type: "tenant", ID: t.ID},
			Version:  t.Version,
			Data: map[string]any{
				"operator_id": v.ID,
				"operator":    v.Display,
				"reason":      v.Reason,
				"method":      r.Method,
				"path":        r.URL.Path,
				"request_id":  v.RequestID,
			},
		},
	)
}

// visit identifies a caller in a tenant.
func visit(v viewer.Viewer) string { return v.Tenant + "|" + v.ID }

// recordCrossing writes the one entry of a request into each of the two logs. It returns faults with the codes
// not_found and tenant_suspended for the other tenant, tenant_override_forbidden when the address names a third, and
// audit_unavailable.
func (s *Authenticator) recordCrossing(ctx context.Context, home, there viewer.Viewer, r *http.Request) error {
	told := false
	err := s.DB.As(ctx, there, func(tx *pg.Tx) error {
		t, err := tenant.Find(ctx, tx)
		if err != nil {
			return err
		}
		if slug := incoming.AddressedTenant(ctx); slug != "" && slug != t.Slug {
			return overrideForbidden("the address names another tenant than " + tenantHeader)
		}
		if err := t.Status.Usable(); err != nil {
			return err
		}
		entry := audit.Entry{
			Action:  crossAccess,
			Subject: audit.Subject{Type: "tenant", ID: t.ID, Display: t.Slug},
			Reason:  there.Reason,
			Context: map[string]any{"method": r.Method, "path": r.URL.Path, "tenant_id": t.ID},
		}
		if err := audit.Record(ctx, tx, entry); err != nil {
			return err
		}
		if told, err = s.tell(ctx, tx, t, r); err != nil {
			return err
		}
		return tx.InTenant(ctx, home, func(tx *pg.Tx) error { return audit.Record(ctx, tx, entry) })
	})
	if err == nil && told {
		s.visits.Put(visit(there), s.Now())
	}
	return err
}
