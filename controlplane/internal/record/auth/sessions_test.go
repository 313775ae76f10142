package auth_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/record/auth/session"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth/signing"
)

type sessionList struct {
	Items []session.Session
	Total int
}

func (h *house) sessions(token string) (out sessionList) {
	h.t.Helper()
	a := h.call("GET", "/auth/sessions", token, "")
	a.want(h.t, "list sessions", 200, "")
	a.into(h.t, &out)
	return out
}

func TestPeopleSeeAndEndTheirOwnSessions(t *testing.T) {
	h := open(t)
	first := h.call(
		"POST",
		"/auth/login",
		"",
		fmt.Sprintf(`{"email":"ada@acme.example","password":%q}`, canary),
		"User-Agent",
		"laptop/1",
	)
	h.pass(time.Minute)
	second := h.signIn()
	h.user("bob@acme.example", "manager")
	list := h.sessions(second.AccessToken)
	if list.Total != 2 || len(list.Items) != 2 || !list.Items[0].Current || list.Items[1].Current {
		t.Fatalf("sessions = %+v", list)
	}
	if s := list.Items[1]; s.UserAgent != "laptop/1" || s.IP != "127.0.0.1" || s.Method != "password" ||
		!s.CreatedAt.Equal(h.now().Add(-time.Minute)) {
		t.Errorf("the first session = %+v", s)
	}
	h.call("DELETE", "/auth/sessions/"+list.Items[1].ID, second.AccessToken, "").want(t, "end the other", 204, "")
	h.call("GET", "/auth/me", first.AccessToken, "").want(t, "the ended one", 401, "token_revoked")
	for _, id := range []string{list.Items[1].ID, "nonsense", h.tenant} {
		h.call("DELETE", "/auth/sessions/"+id, second.AccessToken, "").want(t, "end "+id, 404, "not_found")
	}
	if list := h.sessions(second.AccessToken); list.Total != 1 {
		t.Errorf("%d sessions are left; want 1", list.Total)
	}
	if got := h.audited("auth.session_ended"); got != "success" {
		t.Errorf("audited %q", got)
	}
}

func TestANewPasswordEndsTheOtherSessions(t *testing.T) {
	h := open(t)
	other, in := h.signIn(), h.signIn()
	const fresh = "CANARY-fresh pass phrase"
	change := func(current, next string) answer {
		return h.call(
			"POST",
			"/auth/password",
			in.AccessToken,
			fmt.Sprintf(`{"current_password":%q,"new_password":%q}`, current, next),
		)
	}
	change("wrong "+canary, fresh).want(t, "a wrong password", 401, "invalid_credentials")
	weak := change(canary, "short")
	weak.want(t, "a weak password", 422, "weak_password")
	if !strings.Contains(weak.body, `"#/new_password"`) {
		t.Errorf("the weak password is not pointed to: %s", weak.body)
	}
	change(canary, canary).want(t, "the same password", 422, "weak_password")
	h.call("GET", "/auth/me", other.AccessToken, "").want(t, "after refusals the other session", 200, "")
	out := change(canary, fresh)
	out.want(t, "change", 200, "")
	for name, a := range map[string]answer{"the other session": other, "the tokens from before": in} {
		h.call("GET", "/auth/me", a.AccessToken, "").want(t, name, 401, "token_revoked")
		h.call("POST", "/auth/refresh", a.RefreshToken, "").want(t, name, 401, "invalid_grant")
	}
	h.login("ada@acme.example", canary).want(t, "the old password", 401, "invalid_credentials")
	h.login("ada@acme.example", fresh).want(t, "the new password", 200, "")
	h.noSecrets(canary, fresh)
}

func TestANewPasswordKeepsTheSessionGoing(t *testing.T) {
	h := open(t)
	in := h.signIn()
	out := h.call(
		"POST",
		"/auth/password",
		in.AccessToken,
		fmt.Sprintf(`{"current_password":%q,"new_password":"%s anew"}`, canary, canary),
	)
	h.call("GET", "/auth/me", out.AccessToken, "").want(t, "the new access token", 200, "")
	h.call("POST", "/auth/refresh", out.RefreshToken, "").want(t, "the new refresh token", 200, "")
	if list := h.sessions(out.AccessToken); list.Total != 1 || !list.Items[0].Current {
		t.Errorf("sessions = %+v; want the one that goes on", list)
	}
}

func TestAConsoleKeepsItsRefreshTokenInACookie(t *testing.T) {
	h := open(t)
	in := h.call(
		"POST",
		"/auth/login",
		"",
		fmt.Sprintf(`{"email":"ada@acme.example","password":%q,"cookie":true}`, canary),
	)
	cookies, err := http.ParseSetCookie(in.header.Get("Set-Cookie"))
	if err != nil || in.RefreshToken != "" || strings.Contains(in.body, cookies.Value) {
		t.Fatalf("Set-Cookie %q, %v; body %s", in.header.Get("Set-Cookie"), err, in.body)
	}
	if cookies.Name != "grantwright_refresh" || !cookies.HttpOnly || cookies.SameSite != http.SameSiteStrictMode ||
		cookies.Path != "/api/v1/auth" ||
		cookies.MaxAge != 43200 ||
		cookies.Secure {
		t.Errorf("cookie = %+v", cookies)
	}
	with := func(extra ...string) answer {
		return h.call(
			"POST",
			"/auth/refresh",
			"",
			"",
			append([]string{"Cookie", cookies.Name + "=" + cookies.Value}, extra...)...)
	}
	with("Sec-Fetch-Site", "cross-site").want(t, "another site's page", 403, "cross_origin")
	with("Sec-Fetch-Site", "same-site").want(t, "a page of a neighbour", 403, "cross_origin")
	with("Origin", "https://evil.example").want(t, "another origin", 403, "cross_origin")
	with("Origin", "null").want(t, "no origin", 403, "cross_origin")
	again := with("Sec-Fetch-Site", "same-origin", "Origin", h.url)
	again.want(t, "our own page", 200, "")
	if again.RefreshToken != "" || !strings.HasPrefix(again.header.Get("Set-Cookie"), "grantwright_refresh=") {
		t.Errorf("refresh: %q, %s", again.header.Get("Set-Cookie"), again.body)
	}
	fresh, err := http.ParseSetCookie(again.header.Get("Set-Cookie"))
	if err != nil {
		t.Fatal(err)
	}
	out := h.call("POST", "/auth/logout", again.AccessToken, "", "Cookie", fresh.Name+"="+fresh.Value)
	out.want(t, "logout", 204, "")
	if gone, err := http.ParseSetCookie(
		out.header.Get("Set-Cookie"),
	); err != nil || gone.MaxAge >= 0 || gone.Value != "" ||
		gone.Path != "/api/v1/auth" {
		t.Errorf("the cookie after logout = %+v, %v", gone, err)
	}
	h.call("POST", "/auth/refresh", "", "", "Cookie", fresh.Name+"="+fresh.Value).
		want(t, "refresh after logout", 401, "invalid_grant")
}

func TestPublicKeysAreShownToWhoeverHasAToken(t *testing.T) {
	h := open(t)
	h.call("GET", "/auth/.well-known/jwks.json", "", "").want(t, "without a token", 401, "authentication_required")
	var set signing.KeySet
	h.call("GET", "/auth/.well-known/jwks.json", h.signIn().AccessToken, "").into(t, &set)
	if len(set.Keys) != 2 {
		t.Fatalf("%d keys; want those of access tokens and of agents", len(set.Keys))
	}
	for _, k := range set.Keys {
		if k.Type != "OKP" || k.Curve != "Ed25519" || k.Algorithm != "EdDSA" || k.Use != "sig" || len(k.X) != 43 ||
			k.ID == "" {
			t.Errorf("key = %+v", k)
		}
	}
	raw, err := json.Marshal(set)
	if err != nil || strings.Contains(string(raw), `"d"`) {
		t.Errorf("the set shows a private key, or %v", err)
	}
}
