package passkey

import (
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
)

// Routes are the passkeys of the viewer, and the options of a sign-in. The sign-in itself is a route of package signin.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("POST", "/auth/passkey/start", "Start a sign-in with a passkey", s.start).
			NoToken().
			Errors(409, 429, 503).
			Describe("Returns the options for `navigator.credentials.get()`. They are the same for all users. The " +
				"response of the authenticator goes to POST /auth/passkey/login within five minutes, or as `passkey` " +
				"to POST /auth/login as the second factor. If browsers do not offer passkeys at the address of the " +
				"service, returns 409 `passkeys_unavailable`."),
		httpapi.Handle("GET", "/auth/passkeys", "List your passkeys", s.list).ForPeople(),
		httpapi.Handle("POST", "/auth/passkeys/registration", "Start the setup of a passkey", s.begin).
			ForPeople().
			Errors(401, 409, 429, 503).
			Describe("Confirm with your password; if you have a second factor, with `otp` or `passkey` instead. " +
				"Returns the options for `navigator.credentials.create()`. The response of the authenticator goes to " +
				"POST /auth/passkeys within five minutes."),
		httpapi.Handle("POST", "/auth/passkeys", "Create a passkey", s.add).
			ForPeople().
			Status(http.StatusCreated).
			Errors(409, 422).
			Describe("A user can have up to 10 passkeys. From now on, a sign-in with a password also needs a second " +
				"factor: a passkey, or a code of the authenticator app."),
		httpapi.Handle("POST", "/auth/passkeys/assertion", "Start a confirmation with a passkey", s.confirm).
			ForPeople().
			Errors(409).
			Describe("Returns the options for `navigator.credentials.get()` with your passkeys. The response of the " +
				"authenticator is the member `passkey` of a confirmation, in the same session, within five minutes."),
		httpapi.Handle("PATCH", "/auth/passkeys/{id}", "Update a passkey", s.rename).ForPeople().Errors(422),
		httpapi.Handle("DELETE", "/auth/passkeys/{id}", "Delete a passkey", s.remove).
			ForPeople().
			Errors(401, 409, 429, 503).
			Describe("Confirm with your password; if you have a second factor, with `otp` or `passkey` instead. Your " +
				"device still offers the passkey until you delete it there, but it no longer signs in."),
	}
}
