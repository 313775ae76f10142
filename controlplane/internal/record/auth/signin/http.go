package signin

import (
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
)

// Routes are the sign-ins with a password or a link, and the change of a password.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", "/auth/login", "Sign in", s.login).NoToken().Errors(401, 403, 429, 503).
			Describe("Returns an access token for 15 minutes and a refresh token for 12 hours. Users with a second " +
				"factor also give `otp` or `passkey`; a correct password without it returns 401 `otp_required` with " +
				"their `methods`. Five failed attempts lock the user for 15 " +
				"minutes for the network that made them."),
		httpapi.Handle("POST", "/auth/passkey/login", "Sign in with a passkey", s.passkeyLogin).
			NoToken().
			Errors(401, 403, 409, 429, 503).
			Describe("Returns the same tokens as POST /auth/login. The passkey verifies the user, so that no second " +
				"factor is asked for. A passkey that is unknown, deleted, copied or of a disabled user returns 401 " +
				"`invalid_passkey`."),
		httpapi.Handle("POST", "/auth/sign-in-link", "Set a password with a one-time link", s.useLink).
			NoToken().
			Errors(401, 403, 429, 503).
			Describe("For links of invitations and of password resets. The link is valid for an hour and works once. " +
				"All sessions of the user end. Users with a second factor also give `otp` or `passkey`."),
		httpapi.Handle("POST", "/auth/password-reset", "Create a link to reset a password", s.askReset).
			NoToken().
			Status(http.StatusAccepted).
			Errors(429, 503).
			Describe("Sends the user a mail with a one-time link for POST /auth/sign-in-link. The response is the " +
				"same whether there is such a user or not. Users without a password, disabled users and " +
				"control-plane administrators receive no mail. A user receives at most three mails in an hour."),
		httpapi.Handle("POST", "/auth/password", "Change your password", s.changePassword).
			ForPeople().
			Errors(401, 429, 503).
			Describe("Ends all other sessions. This session continues with the tokens of the response; its previous " +
				"tokens stop working."),
	}
}
