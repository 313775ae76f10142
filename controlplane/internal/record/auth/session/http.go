package session

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
)

// Routes are the refresh of tokens, and the sessions of a user.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", "/auth/refresh", "Refresh the tokens", s.refresh).NoToken().Errors(401, 403, 503).
			Describe("The refresh token is the Bearer token of this request, or the console's cookie. It works once: " +
				"a second use ends the session."),
		httpapi.Handle("POST", "/auth/logout", "Sign out", s.logout).ForPeople(),
		httpapi.Handle("POST", "/auth/logout-all", "Sign out everywhere", s.logoutAll).ForPeople(),
		httpapi.Handle("GET", "/auth/sessions", "List your sessions", s.listSessions).ForPeople().
			Describe("The sessions that are still open, the newest first, with where each was begun."),
		httpapi.Handle("DELETE", "/auth/sessions/{id}", "Revoke one of your sessions", s.endOne).ForPeople(),
	}
}
