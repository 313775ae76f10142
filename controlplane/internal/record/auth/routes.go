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
			Describe("Answers an access token for 15 minutes and a refresh token for 12 hours. Whoever has a second factor also gives `otp`; " +
				"a right password without it is answered by 401 `otp_required`. Five failed attempts close an account for 15 minutes to the network that made them."),
		httpapi.Handle("POST", "/auth/refresh", "Exchange the refresh token", s.refresh).NoToken().Errors(401, 403, 503).
			Describe("The refresh token is the Bearer token of this request, or the console's cookie. It works once: a second use ends the session."),
		httpapi.Handle("POST", "/auth/sign-in-link", "Set a password by a one-time link", s.useLink).NoToken().Errors(401, 403, 429, 503).
			Describe("The link is good for an hour and works once. It ends every session that the user had. Whoever has a second factor also gives `otp`."),
		httpapi.Handle("GET", "/auth/options", "Tell what there is to sign in with", s.options).NoToken().Errors(429, 503).
			Describe("For a page that nobody has signed in to yet: the tenant's outside providers, and whether a tenant must be named. A tenant that there is not answers as one without providers."),
		httpapi.Handle("GET", "/auth/oidc/start", "Begin to sign in with an outside provider", s.startOIDC).NoToken().Waits().Status(http.StatusSeeOther).Errors(403, 404, 429, 502, 503).
			Describe("Sends the browser to the tenant's OpenID Connect provider (authorization code with PKCE). What is asked for here is bound to this browser by a cookie, works once, and for ten minutes."),
		httpapi.Handle("GET", "/auth/oidc/callback", "Where the outside provider sends the browser back", s.finishOIDC).NoToken().Waits().Errors(401, 403, 429, 502, 503).
			Describe("Without a `redirect` at the start this answers tokens as a sign-in does. With one it sends the browser there with `code`, which POST /auth/oidc/token takes within a minute, or with `error`."),
		httpapi.Handle("POST", "/auth/oidc/token", "Exchange the one-time code of a sign-in with an outside provider", s.exchangeOIDC).NoToken().Errors(401, 403, 429, 503).
			Describe("The code works once, within a minute, in the browser that signed in."),
	}
}

// ownRoutes are what whoever has signed in does with their own sign-in.
func (s *Service) ownRoutes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/auth/me", "Who is asking", s.me).
			Describe("For a person: roles, second factor, and what is visible to them. For a service token: its scopes. Whoever acts in another tenant also sees their own."),
		httpapi.Handle("GET", "/auth/.well-known/jwks.json", "Public keys of our tokens", s.jwks).
			Describe("A JSON Web Key Set (RFC 7517) of the keys that sign access tokens, those that will, and those that did and still verify."),
		httpapi.Handle("POST", "/auth/logout", "End this session", s.logout).ForPeople(),
		httpapi.Handle("POST", "/auth/logout-all", "End all sessions of the user", s.logoutAll).ForPeople(),
		httpapi.Handle("GET", "/auth/sessions", "List the own sessions", s.listSessions).ForPeople().
			Describe("The sessions that are still open, the newest first, with where each was begun."),
		httpapi.Handle("DELETE", "/auth/sessions/{id}", "End one of the own sessions", s.endOne).ForPeople(),
		httpapi.Handle("POST", "/auth/password", "Change the own password", s.changePassword).ForPeople().Errors(401, 429, 503).
			Describe("Ends every other session. This one goes on with the tokens of the answer; those from before are over."),
		httpapi.Handle("POST", "/auth/mfa/totp", "Begin a second factor", s.beginFactor).ForPeople().Status(http.StatusCreated).Errors(401, 409, 429, 503).
			Describe("Answers the secret for an authenticator app (RFC 6238: SHA-1, six digits, thirty seconds), once. Nothing changes until a code of it has come to /auth/mfa/totp/confirm."),
		httpapi.Handle("POST", "/auth/mfa/totp/confirm", "Confirm the second factor with a first code", s.confirmFactor).ForPeople().Errors(401, 409, 429).
			Describe("From now on every sign-in with a password needs a code. The answer holds ten recovery codes, once; each stands in for a code one time."),
		httpapi.Handle("DELETE", "/auth/mfa/totp", "Remove the second factor", s.removeFactor).ForPeople().Errors(401, 429, 503).
			Describe("Needs the password and a code, so that a stolen session cannot do it."),
	}
}
