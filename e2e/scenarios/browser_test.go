package scenarios

import (
	"net/http"
	"testing"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// The address that the console of these stories is reached at, and another site's.
const (
	ourSite     = "https://iga.example.com"
	anotherSite = "https://elsewhere.example"
)

func browser(t *testing.T, h *harness.House) {
	flo := h.Member(h.Admin, "flo@main.example", "")
	nobody := flo.As("")
	in := h.Expect(
		"200",
		nobody,
		"POST",
		"/auth/login",
		map[string]any{"email": flo.Email, "password": harness.Password(flo.Email), "cookie": true},
	)
	if s := harness.Read[session](h, in); s.Refresh != "" || s.Access == "" {
		t.Error("the refresh token is in the body, or there is no access token")
	}
	first := cookie(t, h, in)
	if !first.HttpOnly || !first.Secure || first.SameSite != http.SameSiteStrictMode || first.Path != "/api/v1/auth" {
		t.Errorf(
			"the cookie is HttpOnly %v, Secure %v, SameSite %v for %s; want all of it, strict, for what signs in alone",
			first.HttpOnly,
			first.Secure,
			first.SameSite,
			first.Path,
		)
	}
	refresh := func(want string, c *http.Cookie, header ...string) api.Answer {
		t.Helper()
		return h.Expect(want, nobody, "POST", "/auth/refresh", nil, append(header, "Cookie", c.Name+"="+c.Value)...)
	}
	refresh("403 cross_origin", first, "Sec-Fetch-Site", "cross-site")
	refresh("403 cross_origin", first, "Origin", anotherSite)
	second := cookie(t, h, refresh("200", first, "Sec-Fetch-Site", "same-origin", "Origin", ourSite))
	next := refresh("200", second, "Origin", ourSite)
	third, page := cookie(t, h, next), harness.Read[session](h, next)
	h.Expect(
		"401 authentication_required",
		nobody,
		"GET",
		"/auth/me",
		nil,
		"Cookie",
		third.Name+"="+third.Value,
	) // it opens nothing else

	out := h.Expect("204", flo.As(page.Access), "POST", "/auth/logout", nil, "Cookie", third.Name+"="+third.Value)
	if gone := cookie(t, h, out); gone.MaxAge >= 0 || gone.Value != "" || gone.Path != first.Path {
		t.Errorf("signing out leaves the cookie: %d seconds for %s", gone.MaxAge, gone.Path)
	}
	refresh("401 invalid_grant", third, "Origin", ourSite)

	again := cookie(
		t,
		h,
		h.Expect(
			"200",
			nobody,
			"POST",
			"/auth/login",
			map[string]any{"email": flo.Email, "password": harness.Password(flo.Email), "cookie": true},
		),
	)
	stolen := cookie(t, h, refresh("200", again, "Origin", ourSite))
	refresh("401 invalid_grant", again, "Origin", ourSite)
	refresh("401 invalid_grant", stolen, "Origin", ourSite)
}

// cookie is the one that an answer sets, of whose value the house learns.
func cookie(t *testing.T, h *harness.House, a api.Answer) *http.Cookie {
	t.Helper()
	set := (&http.Response{Header: a.Header}).Cookies()
	if len(set) != 1 {
		t.Fatalf("the answer sets %d cookies; want one", len(set))
	}
	h.Secrets.Add("the refresh cookie", set[0].Value)
	return set[0]
}
