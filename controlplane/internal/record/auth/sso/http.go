package sso

import (
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
)

// Routes are the sign-in with an identity provider.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/auth/options", "Get the sign-in options", s.options).NoToken().Errors(429, 503).
			Describe("For sign-in pages: the identity providers of the tenant, and whether a tenant must be given. " +
				"An unknown tenant returns the same as a tenant without providers."),
		httpapi.Handle("GET", "/auth/oidc/start", "Start a sign-in with an identity provider", s.startOIDC).
			NoToken().
			LongRunning().
			Status(http.StatusSeeOther).
			Errors(403, 404, 429, 502, 503).
			Describe("Sends the browser to the tenant's OpenID Connect provider (authorization code with PKCE). The " +
				"sign-in is bound to this browser by a cookie, works once, and is valid for ten minutes."),
		httpapi.Handle("GET", "/auth/oidc/callback", "Complete a sign-in with an identity provider", s.finishOIDC).
			NoToken().
			LongRunning().
			Errors(401, 403, 429, 502, 503).
			Describe("Without a `redirect` at the start, returns tokens like a sign-in. With one, redirects the " +
				"browser to it with `code`, which POST /auth/oidc/token accepts within a minute, or with `error`."),
		httpapi.Handle("POST", "/auth/oidc/token", "Exchange a sign-in code for tokens", s.exchangeOIDC).
			NoToken().
			Errors(401, 403, 429, 503).
			Describe("The code works once, within a minute, in the browser that signed in."),
	}
}
