package app_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func mustParse(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestATokenWorksAtTheAddressOfItsOwnTenantAlone(t *testing.T) {
	e := newEstate(t)
	e.send("GET", "/api/v1/identities", e.token, "").want(t, "the service's own address", 200, "")
	for _, tt := range []struct {
		name, path string
		token      string
		header     []string
		status     int
		code       string
	}{
		{"the path of the own tenant", "/t/acme/api/v1/identities", e.token, nil, 200, ""},
		{"the host of the own tenant", "/api/v1/identities", e.token, []string{"Host", "acme.iga.example.com"}, 200,
			""},
		{"the host in capitals, with a port and a dot", "/api/v1/identities", e.token,
			[]string{"Host", "ACME.iga.example.com.:8443"}, 200, ""},
		{"both", "/t/acme/api/v1/identities", e.token, []string{"Host", "acme.iga.example.com"}, 200, ""},
		{"another host", "/api/v1/identities", e.token, []string{"Host", "acme.elsewhere.test"}, 200, ""},
		{"the path of another tenant", "/t/main/api/v1/identities", e.token, nil, 401, "invalid_token"},
		{"the host of another tenant", "/api/v1/identities", e.token, []string{"Host", "main.iga.example.com"}, 401,
			"invalid_token"},
		{"path and host that differ", "/t/acme/api/v1/identities", e.token, []string{"Host", "main.iga.example.com"},
			401, "invalid_token"},
		{"a tenant that there is not", "/t/nobody/api/v1/identities", e.token, nil, 401, "invalid_token"},
		{"a host of no tenant", "/api/v1/identities", e.token, []string{"Host", "a.b.iga.example.com"}, 401,
			"invalid_token"},
		{"a slug in capitals", "/t/ACME/api/v1/identities", e.token, nil, 401, "invalid_token"},
		{"no token", "/t/acme/api/v1/identities", "", nil, 401, "authentication_required"},
		{"no token, no such tenant", "/t/nobody/api/v1/nothing", "", nil, 401, "authentication_required"},
		{"a forged forwarded host", "/api/v1/identities", e.token, []string{"X-Forwarded-Host", "main.iga.example.com"},
			200, ""},
		{"a forged forwarded host over the real one", "/api/v1/identities", e.token,
			[]string{"Host", "main.iga.example.com", "X-Forwarded-Host", "acme.iga.example.com"}, 401, "invalid_token"},
		{"twice", "/t/acme/t/acme/api/v1/identities", e.token, nil, 404, "not_found"},
		{"an escaped slash in the slug", "/t/acme%2Fapi/v1/identities", "", nil, 404, "not_found"},
		{"an escape in the slug", "/t/%61cme/api/v1/identities", "", nil, 404, "not_found"},
		{"an escape in the path", "/t/acme/api%2Fv1/identities", "", nil, 401, "authentication_required"},
		{"an operator at another tenant's address", "/t/acme/api/v1/identities", e.operator, nil, 401, "invalid_token"},
		{"an operator who says so", "/t/acme/api/v1/identities", e.operator, []string{"X-Tenant-Id", e.tenant.Tenant},
			200, ""},
		{"an operator at home who names another", "/t/main/api/v1/identities", e.operator,
			[]string{"X-Tenant-Id", e.tenant.Tenant}, 403, "tenant_override_forbidden"},
	} {
		e.send("GET", tt.path, tt.token, "", tt.header...).want(t, tt.name, tt.status, tt.code)
	}
	if got := e.log(e.tenant.Tenant, "auth.wrong_address"); len(got) != 1 || got[0] != "denied" {
		t.Errorf("acme's log says %q; want one refusal a minute", got)
	}
}

func TestSigningInAtATenantsAddressIsSigningInToIt(t *testing.T) {
	e := newEstate(t)
	login := func(path, email, named string) received {
		body := `{"email":"` + email + `","password":"` + password + `"`
		if named != "" {
			body += `,"tenant":"` + named + `"`
		}
		return e.send("POST", path+"/api/v1/auth/login", "", body+"}")
	}
	in := login("/t/acme", "a@acme.test", "").want(t, "at the own address", 200, "")
	login("/t/acme", "a@acme.test", "acme").want(t, "at the own address, by name", 200, "")
	login("/t/acme", "op@main.test", "").want(t, "somebody of another tenant", 401, "invalid_credentials")
	login("/t/acme", "op@main.test", "main").want(t, "somebody of another tenant, by name", 401, "invalid_credentials")
	refresh, _ := in.body["refresh_token"].(string)
	e.send("POST", "/t/main/api/v1/auth/refresh", refresh, "").
		want(t, "refresh at another address", 401, "invalid_grant")
	e.send("POST", "/t/acme/api/v1/auth/refresh", refresh, "").want(t, "refresh at the own address", 200, "")

	made := e.send("POST", tenantsPath, e.operator, `{"slug":"beta","name":"Beta","admin_email":"b@beta.test"}`).
		want(t, "found", 201, "")
	link := `{"token":"` + made.body["admin"].(map[string]any)["sign_in_token"].(string) +
		`","password":"a passphrase of Bea's"}`
	e.send("POST", "/t/acme/api/v1/auth/sign-in-link", "", link).
		want(t, "a link at another address", 401, "invalid_grant")
	e.send("POST", "/t/beta/api/v1/auth/sign-in-link", "", link).want(t, "a link at the own address", 200, "")
}

func TestWhoComesByATenantsPathStaysOnIt(t *testing.T) {
	e := newEstate(t)
	made := e.send("POST", "/t/acme/api/v1/identities", e.token, `{"external_id":"E1","email":"e1@acme.test"}`).
		want(t, "create", 201, "")
	if at := made.header.Get("Location"); !strings.HasPrefix(at, "/t/acme/api/v1/identities/") {
		t.Errorf("Location = %q", at)
	}
	e.send("GET", made.header.Get("Location"), e.token, "").want(t, "what was made", 200, "")
	// The console's page is written for the path; one of a program that was built without it leads on by relative
	// links.
	home := e.send("GET", "/t/acme/", "", "").want(t, "the start page", 200, "").raw
	if !strings.Contains(home, `content="/t/acme"`) && !strings.Contains(home, `href="docs"`) {
		t.Errorf("the start page is %.300s", home)
	}
	in := e.send("POST", "/t/acme/api/v1/auth/login", "",
		`{"email":"a@acme.test","password":"`+password+`","cookie":true}`).
		want(t, "sign in", 200, "")
	if cookie := in.header.Get("Set-Cookie"); !strings.Contains(cookie, "Path=/t/acme/api/v1/auth") {
		t.Errorf("Set-Cookie = %q", cookie)
	}
	if base := e.send("GET", "/api/v1/settings/tenant", e.token,
		"").body["base_url"]; base != "https://acme.iga.example.com:8080" {
		t.Errorf("base_url = %v", base)
	}
}

// TestASignInWithAProviderEndsWhereItBegan: the cookie that binds it to its browser lies at the address where it began,
// so the provider must send the browser back there.
func TestASignInWithAProviderEndsWhereItBegan(t *testing.T) {
	e := newEstate(t)
	mux := http.NewServeMux()
	provider := httptest.NewServer(mux)
	t.Cleanup(provider.Close)
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{
			"issuer":                 provider.URL,
			"authorization_endpoint": provider.URL + "/authorize",
			"token_endpoint":         provider.URL + "/token",
			"jwks_uri":               provider.URL + "/keys",
		})
	})
	body := `{"name":"corp","issuer":"` + provider.URL + `","client_id":"grantwright"}`
	e.send("POST", "/api/v1/settings/identity-providers", e.token, body).want(t, "add a provider", 201, "")
	for _, tt := range []struct{ prefix, host, back string }{
		{"", "", "https://127.0.0.1:8080"},
		{"/t/acme", "", "https://127.0.0.1:8080/t/acme"},
		{"", "acme.iga.example.com", "https://acme.iga.example.com:8080"},
		{"/t/acme", "acme.iga.example.com", "https://acme.iga.example.com:8080/t/acme"},
		{"", "elsewhere.test", "https://127.0.0.1:8080"},
	} {
		var header []string
		if tt.host != "" {
			header = []string{"Host", tt.host}
		}
		got := e.send("GET", tt.prefix+"/api/v1/auth/oidc/start?tenant=acme&provider=corp", "", "", header...).
			want(t, "start", 303, "")
		back := mustParse(t, got.header.Get("Location")).Query().Get("redirect_uri")
		if want := tt.back + "/api/v1/auth/oidc/callback"; back != want {
			t.Errorf("begun at %s%s: the provider sends back to %s; want %s", tt.host, tt.prefix, back, want)
		}
		if cookie := got.header.Get("Set-Cookie"); !strings.Contains(cookie, "; Path="+tt.prefix+"/api/v1/auth/oidc;") {
			t.Errorf("begun at %s%s: Set-Cookie = %q", tt.host, tt.prefix, cookie)
		} else if !strings.Contains(cookie, "; Secure") {
			t.Errorf("behind a proxy that ends TLS: Set-Cookie = %q", cookie)
		}
	}
}
