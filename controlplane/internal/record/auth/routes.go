package auth

import (
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
)

// Routes are /auth/*.
func (s *Service) Routes() []httpapi.Route {
	return append(s.signInRoutes(), s.ownRoutes()...)
}

// signInRoutes are for people without a token.
func (s *Service) signInRoutes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", "/auth/login", "Sign in", s.login).NoToken().Errors(401, 403, 429, 503).
			Describe("Returns an access token for 15 minutes and a refresh token for 12 hours. Users with a second " +
				"factor also give `otp`; " +
				"a correct password without it returns 401 `otp_required`. Five failed attempts lock the user for 15 " +
				"minutes for the network that made them."),
		httpapi.Handle("POST", "/auth/refresh", "Refresh the tokens", s.refresh).NoToken().Errors(401, 403, 503).
			Describe("The refresh token is the Bearer token of this request, or the console's cookie. It works once: " +
				"a second use ends the session."),
		httpapi.Handle("POST", "/auth/sign-in-link", "Set a password with a one-time link", s.useLink).
			NoToken().
			Errors(401, 403, 429, 503).
			Describe("The link is valid for an hour and works once. All sessions of the user end. Users with a " +
				"second factor also give `otp`."),
		httpapi.Handle("GET", "/auth/options", "Get the sign-in options", s.options).NoToken().Errors(429, 503).
			Describe("For sign-in pages: the identity providers of the tenant, and whether a tenant must be given. " +
				"An unknown tenant returns the same as a tenant without providers."),
		httpapi.Handle("GET", "/auth/oidc/start", "Start a sign-in with an identity provider", s.startOIDC).
			NoToken().
			Waits().
			Status(http.StatusSeeOther).
			Errors(403, 404, 429, 502, 503).
			Describe("Sends the browser to the tenant's OpenID Connect provider (authorization code with PKCE). The " +
				"sign-in is bound to this browser by a cookie, works once, and is valid for ten minutes."),
		httpapi.Handle("GET", "/auth/oidc/callback", "Complete a sign-in with an identity provider", s.finishOIDC).
			NoToken().
			Waits().
			Errors(401, 403, 429, 502, 503).
			Describe("Without a `redirect` at the start this answers tokens as a sign-in does. With one it sends the " +
				"browser there with `code`, which POST /auth/oidc/token takes within a minute, or with `error`."),
		httpapi.Handle("POST", "/auth/oidc/token", "Exchange a sign-in code for tokens", s.exchangeOIDC).
			NoToken().
			Errors(401, 403, 429, 503).
			Describe("The code works once, within a minute, in the browser that signed in."),
	}
}

// ownRoutes are what whoever has signed in does with their own sign-in.
func (s *Service) ownRoutes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/auth/me", "Get the current user", s.me).
			Describe("For a user: roles, second factor, and what is visible to them. For a service token: its " +
				"scopes. If you act in another tenant, your own tenant is returned too."),
		httpapi.Handle("GET", "/auth/.well-known/jwks.json", "Get the public signing keys", s.jwks).
			Describe("A JSON Web Key Set (RFC 7517) of the keys that sign access tokens, those that will, and those " +
				"that did and still verify."),
		httpapi.Handle("POST", "/auth/logout", "Sign out", s.logout).ForPeople(),
		httpapi.Handle("POST", "/auth/logout-all", "Sign out everywhere", s.logoutAll).ForPeople(),
		httpapi.Handle("GET", "/auth/sessions", "List your sessions", s.listSessions).ForPeople().
			Describe("The sessions that are still open, the newest first, with where each was begun."),
		httpapi.Handle("DELETE", "/auth/sessions/{id}", "Revoke one of your sessions", s.endOne).ForPeople(),
		httpapi.Handle("POST", "/auth/password", "Change your password", s.changePassword).
			ForPeople().
			Errors(401, 429, 503).
			Describe("Ends every other session. This one goes on with the tokens of the answer; those from before " +
				"are over."),
		httpapi.Handle("POST", "/auth/mfa/totp", "Start the setup of a second factor", s.beginFactor).
			ForPeople().
			Status(http.StatusCreated).
			Errors(401, 409, 429, 503).
			Describe("Answers the secret for an authenticator app (RFC 6238: SHA-1, six digits, thirty seconds), " +
				"once. Nothing changes until a code of it has come to /auth/mfa/totp/confirm."),
		httpapi.Handle("POST", "/auth/mfa/totp/confirm", "Confirm a second factor", s.confirmFactor).
			ForPeople().
			Errors(401, 409, 429).
			Describe("From now on every sign-in with a password needs a code. Only this response contains the ten " +
				"recovery codes; each replaces a code once."),
		httpapi.Handle("DELETE", "/auth/mfa/totp", "Remove your second factor", s.removeFactor).
			ForPeople().
			Errors(401, 429, 503).
			Describe("Needs the password and a code, so that a stolen session cannot do it."),
	}
}
