package auth

import (
	"context"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// actIn is the viewer in the tenant that the request asks for.
func (s *Service) actIn(_ context.Context, v viewer.Viewer, r *http.Request) (viewer.Viewer, error) {
	return v, checkTenant(r, v.Tenant)
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
