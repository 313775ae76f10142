package factor

import (
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
)

// Routes are the second factor of whoever has signed in.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", "/auth/mfa/totp", "Start the setup of a second factor", s.beginFactor).
			ForPeople().
			Status(http.StatusCreated).
			Errors(401, 409, 429, 503).
			Describe("Returns the secret for an authenticator app (RFC 6238: SHA-1, six digits, thirty seconds), " +
				"once. Nothing changes until a code is confirmed with /auth/mfa/totp/confirm."),
		httpapi.Handle("POST", "/auth/mfa/totp/confirm", "Confirm a second factor", s.confirmFactor).
			ForPeople().
			Errors(401, 409, 429).
			Describe("From now on every sign-in with a password needs a code. Only this response contains the ten " +
				"recovery codes; each replaces a code once."),
		httpapi.Handle("DELETE", "/auth/mfa/totp", "Remove your second factor", s.removeFactor).
			ForPeople().
			Errors(401, 429, 503).
			Describe("Requires the password and a code, so that a stolen session is not sufficient."),
	}
}
