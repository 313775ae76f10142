package target_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target"
	"github.com/grantwright/grantwright/connectorkit/target/httpfields"
	"github.com/grantwright/grantwright/connectorkit/target/internal/tlsconf"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestAddressesThatTwoParsersCouldReadDifferentlyAreRefused(t *testing.T) {
	for _, bad := range []string{
		"", "example.test", "HTTPS://example.test", "hTTp://example.test", "ftp://example.test", "file:///etc/passwd",
		"https://",
		"https://u:p@example.test", "https://a@b@example.test", "https://example.test/#x", "https://0x7f.1",
		"https://2130706433", "https://017700000001",
		"https://127.1", "https://[::1%25lo]/", "https://①②⑦.0.0.1/", "https://exa mple.test", "https://example.test\t",
		"https://bücher.test", "https://example.test?x=1",
	} {
		if c, err := target.New(t.Context(), onSite(), target.Options{BaseURL: bad}); err == nil {
			t.Errorf("New(%q) = %s, want a refusal", bad, c.BaseURL())
		} else if d := detail(t, err); d.Class != v1.ClassConfig {
			t.Errorf("New(%q): %+v", bad, d)
		}
	}
	for _, good := range []string{
		"https://example.test", "https://example.test:8443/scim/v2/", "https://10.0.0.5",
		"https://[2001:db8::1]:443/x", "https://xn--bcher-kva.test", "http://host",
	} {
		if _, err := target.New(t.Context(), onSite(), target.Options{BaseURL: good}); err != nil {
			t.Errorf("New(%q): %v", good, err)
		}
	}
}

func TestRequestsStayOnTheTargetsOrigin(t *testing.T) {
	var got []string
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got = append(got, r.URL.String())
		fmt.Fprint(w, "{}")
	})
	var elsewhere atomic.Int32
	other := serve(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
	c := client(t, target.Options{BaseURL: base + "/api/v2", Auth: target.Bearer{Token: "abcdef"}})
	for _, r := range []target.Request{
		{}, {URL: "/Users"}, {URL: "Users/a%2Fb?x=1", Query: url.Values{"y": {"2 3"}}}, {URL: base + "/other?page=2"},
		{URL: "?page=3"},
	} {
		resp, err := c.Do(t.Context(), r)
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		resp.Close()
	}
	want := []string{"/api/v2", "/api/v2/Users", "/api/v2/Users/a%2Fb?x=1&y=2+3", "/other?page=2", "/api/v2?page=3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	for _, away := range []string{
		other + "/x", "https" + base[4:] + "/x", "//" + other[7:] + "/x", "http://u@" + base[7:],
	} {
		if resp, err := c.Do(t.Context(), target.Request{URL: away}); err == nil {
			t.Errorf("%s answered %d", away, resp.Status)
		}
	}
	if elsewhere.Load() != 0 {
		t.Error("the other host was asked")
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var followed atomic.Int32
	other := serve(t, func(http.ResponseWriter, *http.Request) { followed.Add(1) })
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other+"/hidden-place", http.StatusPermanentRedirect)
	})
	d := detail(
		t, get(t, client(t, target.Options{BaseURL: base, Auth: target.Basic{Username: "u", Password: "password-1"}})),
	)
	if d.Code != "http_308" || followed.Load() != 0 || d.Target.HTTP.Headers["Location"] != "" {
		t.Errorf("error %+v, followed %d times", d, followed.Load())
	}
}

func TestTheEnvironmentsProxyIsIgnored(t *testing.T) {
	var proxied atomic.Int32
	proxy := serve(t, func(http.ResponseWriter, *http.Request) { proxied.Add(1) })
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("http_proxy", proxy)
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") })
	if err := get(t, client(t, target.Options{BaseURL: base})); err != nil || proxied.Load() != 0 {
		t.Errorf("error %v, %d requests through the proxy", err, proxied.Load())
	}
}

func TestCredentialsAreInferredOnlyWithoutDoubt(t *testing.T) {
	all := []string{
		httpfields.AuthNone,
		httpfields.AuthBasic,
		httpfields.AuthBearer,
		httpfields.AuthAPIKeyHeader,
		httpfields.AuthAPIKeyQuery,
		httpfields.AuthClientCredentials,
	}
	for _, tt := range []struct {
		auth v1.AuthConfig
		want target.Auth
		err  bool
	}{
		{v1.AuthConfig{}, target.None{}, false},
		{v1.AuthConfig{"token": "t"}, target.Bearer{Token: "t", Prefix: "Bearer"}, false},
		{
			v1.AuthConfig{"auth_method": "bearer", "token": "t", "token_prefix": "none"},
			target.Bearer{Token: "t", Prefix: "none", NoPrefix: true}, false,
		},
		{v1.AuthConfig{"username": "u", "password": "p"}, target.Basic{Username: "u", Password: "p"}, false},
		{v1.AuthConfig{"api_key": "k"}, target.APIKey{Name: "X-API-Key", Key: "k"}, false},
		{
			v1.AuthConfig{"auth_method": "api_key_query", "api_key": "k", "api_key_name": "n"},
			target.APIKey{Name: "n", Key: "k", InQuery: true}, false,
		},
		{v1.AuthConfig{
			"token_url": "u", "client_id": "c", "client_secret": "s", "token_auth_style": "client_secret_post",
		},
			target.ClientCredentials{TokenURL: "u", ClientID: "c", ClientSecret: "s", InBody: true}, false},
		{v1.AuthConfig{"token": "t", "username": "u"}, target.None{}, true},
		{v1.AuthConfig{"auth_method": "bearer"}, target.Bearer{Prefix: "Bearer"}, true},
	} {
		s := connectorkit.Read(tt.auth)
		got := target.ReadAuth(s, all...)
		if diff := cmp.Diff(tt.want, got); diff != "" || (s.Err() != nil) != tt.err {
			t.Errorf("ReadAuth(%v): error %v (-want +got):\n%s", tt.auth, s.Err(), diff)
		}
	}
}

func TestClientCertificatesAreShown(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "{}") }))
	t.Cleanup(srv.Close)
	c := client(t, target.Options{BaseURL: srv.URL, TLS: tlsconf.Settings{SkipVerify: true}})
	if err := get(t, c); err != nil || len(c.Warnings()) != 1 || c.Warnings()[0].Code != "tls_not_verified" {
		t.Errorf("error %v, warnings %v", err, c.Warnings())
	}
	if _, err := target.New(
		t.Context(), onSite(),
		target.Options{BaseURL: srv.URL, TLS: tlsconf.Settings{ClientCertPEM: "x", ClientKeyPEM: "y"}},
	); detail(t, err).Code != "invalid_client_certificate" {
		t.Errorf("New = %v", err)
	}
}

func TestAPathCannotLeaveThatOfBaseURL(t *testing.T) {
	var asked atomic.Int32
	base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		fmt.Fprint(w, "{}")
	})
	c := client(t, target.Options{BaseURL: base + "/api/v1"})
	for path, leaves := range map[string]bool{
		"../admin": true, "/../admin": true, "users/../../admin": true, "%2e%2e/admin": true, "..%2fadmin": true,
		"../../../admin":      true,
		"users/..\\..\\admin": true, "users/../groups": false, "users/..a": false, "a.b/..": false,
	} {
		before := asked.Load()
		err := c.Read(t.Context(), target.Request{URL: path}, func(resp *target.Response) error { return nil })
		if leaves && (err == nil || detail(t, err).Code != "invalid_path" || asked.Load() != before) || !leaves &&
			err != nil {
			t.Errorf("%s: %v, %d requests", path, err, asked.Load()-before)
		}
	}
}
