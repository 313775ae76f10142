package auth_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/record/auth"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

func (h *house) me(token string, extra ...string) (out auth.WhoAmI) {
	h.t.Helper()
	a := h.call("GET", "/auth/me", token, "", extra...)
	a.want(h.t, "me", 200, "")
	a.into(h.t, &out)
	return out
}

func TestMeSaysWhatSomebodySeesAndWhy(t *testing.T) {
	h := open(t)
	in := h.signIn().AccessToken
	h.sql(
		`insert into identity (tenant_id, id, external_id) select current_tenant(), gen_random_uuid(),
			'e' || n from generate_series(1, 3) n`,
	)
	tests := []struct {
		roles string
		want  auth.Visibility
	}{
		{"{admin}", auth.Visibility{Identities: 3, Because: []string{"whole_tenant"}}},
		{"{auditor}", auth.Visibility{Identities: 3, Because: []string{"whole_tenant"}}},
		{"{resource_owner}", auth.Visibility{Because: []string{}}}, // owners are named by their records
		{
			"{manager}",
			auth.Visibility{Because: []string{}},
		}, // a manager without a record of their own has no reports
		{"{}", auth.Visibility{Because: []string{}}},
	}
	for _, tt := range tests {
		h.sql(`update app_user set roles = $1::text[]`, tt.roles)
		h.pass(5 * time.Second)
		got := h.me(in)
		if diff := cmp.Diff(
			tt.want,
			got.Visibility,
		); diff != "" || got.Kind != "user" || got.User == nil || got.MFA == nil || got.MFA.TOTP ||
			got.PasswordSet == nil || !*got.PasswordSet || len(got.Scopes) != 0 ||
			got.HomeTenant != nil {
			t.Errorf("%s: %+v (-want +got):\n%s", tt.roles, got, diff)
		}
	}
	h.sql(
		`update app_user set roles = '{manager,resource_owner}',
			identity_id = (select id from identity where external_id = 'e1')`,
	)
	h.pass(5 * time.Second)
	want := auth.Visibility{Because: []string{"own_record", "reports", "owned_resources"}}
	if diff := cmp.Diff(want, h.me(in).Visibility); diff != "" {
		t.Errorf("who manages and owns nothing (-want +got):\n%s", diff)
	}
}

func TestMeNamesTheOwnTenantOfWhoActsInAnother(t *testing.T) {
	h := open(t)
	other, err := tenant.Bootstrap{Slug: "beta", AdminEmail: "eve@beta.example", AdminPassword: canary}.Run(ctx, h.db)
	if err != nil {
		t.Fatal(err)
	}
	h.sql(`update app_user set control_plane_admin = true`)
	in := h.signIn().AccessToken
	got := h.me(in, "X-Tenant-Id", other.Tenant.ID)
	if got.Tenant.Slug != "beta" || got.HomeTenant == nil || got.HomeTenant.Slug != "acme" || got.User == nil ||
		got.User.ID != h.admin ||
		!got.ControlPlaneAdmin {
		t.Errorf("me = %+v", got)
	}
	h.call("GET", "/auth/sessions", in, "", "X-Tenant-Id", other.Tenant.ID).
		want(t, "own sessions from there", 403, "tenant_override_forbidden")
}
