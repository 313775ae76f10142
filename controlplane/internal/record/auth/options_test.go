package auth_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/record/auth/sso"
	"github.com/grantwright/grantwright/controlplane/internal/record/tenant"
)

func (h *house) options(query string) (out sso.SignInOptions) {
	h.t.Helper()
	a := h.call("GET", "/auth/options"+query, "", "")
	a.want(h.t, "options"+query, 200, "")
	a.into(h.t, &out)
	return out
}

func (h *house) provider(admin, name string) (id string) {
	h.t.Helper()
	made := h.call(
		"POST",
		"/settings/identity-providers",
		admin,
		fmt.Sprintf(
			`{"name":%q,"issuer":"https://127.0.0.1:9443/x","client_id":"c","client_secret":%q}`,
			name,
			clientSecret,
		),
	)
	made.want(h.t, "add "+name, 201, "")
	var p struct{ ID string }
	made.into(h.t, &p)
	return p.ID
}

func TestThePageToSignInLearnsWhatThereIsToSignInWith(t *testing.T) {
	h := open(t)
	none := []sso.SignInProvider{}
	check := func(what, query string, want sso.SignInOptions) {
		t.Helper()
		want.PasskeyOrigin = h.newDevice().origin
		if diff := cmp.Diff(want, h.options(query)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	check("no provider", "", sso.SignInOptions{Tenant: "acme", Providers: none})
	admin := h.signIn().AccessToken
	h.provider(admin, "corp-login")
	old := h.provider(admin, "old")
	h.call("PATCH", "/settings/identity-providers/"+old, admin, `{"enabled":false}`).want(t, "switch off", 200, "")
	h.pass(5 * time.Second)
	corp := []sso.SignInProvider{{Key: "corp-login", DisplayName: "Corp login"}}
	check("the only tenant", "", sso.SignInOptions{Tenant: "acme", Providers: corp})
	check("named", "?tenant=acme", sso.SignInOptions{Tenant: "acme", Providers: corp})
	check("a tenant that there is not", "?tenant=nobody", sso.SignInOptions{Tenant: "nobody", Providers: none})
	if _, err := (tenant.Bootstrap{Slug: "beta", AdminEmail: "eve@beta.example", AdminPassword: canary}).Run(
		ctx,
		h.db,
	); err != nil {
		t.Fatal(err)
	}
	h.pass(5 * time.Second)
	check("one of two", "", sso.SignInOptions{TenantRequired: true, Providers: none})
	check("one without", "?tenant=beta", sso.SignInOptions{Tenant: "beta", Providers: none})
	h.sql(`update tenant set status = 'suspended'`)
	h.pass(5 * time.Second)
	check("suspended", "?tenant=acme", sso.SignInOptions{Tenant: "acme", Providers: none})
	h.noSecrets(clientSecret, canary)
}

// A tenant that there is not, and one without providers, must not be told apart by anything but the name that was asked
// for.
func TestNobodyLearnsWhichTenantsThereAreFromTheWaysIn(t *testing.T) {
	h := open(t)
	there, not := h.call("GET", "/auth/options?tenant=acme", "", ""), h.call("GET", "/auth/options?tenant=ecma", "", "")
	if there.status != not.status || len(there.body) != len(not.body) ||
		there.header.Get("Cache-Control") != "no-store" {
		t.Errorf("there: %d %s; not there: %d %s", there.status, there.body, not.status, not.body)
	}
	for n := 0; ; n++ {
		a := h.call("GET", fmt.Sprintf("/auth/options?tenant=guess-%d", n), "", "")
		if a.status == 429 {
			if n < 50 || a.header.Get("Retry-After") == "" || a.code != "rate_limited" {
				t.Errorf("refused after %d with %s, Retry-After %q", n, a.code, a.header.Get("Retry-After"))
			}
			break
		}
		if n > 150 {
			t.Fatal("nobody stops who goes through a list of names")
		}
	}
}
