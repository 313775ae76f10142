package scim

import v1 "github.com/grantwright/grantwright/protocol/v1"

// presence says what a look for a user has shown. Only 404 or 410 for the user's own address proves that the user is
// gone: a list without the name may as well come of a new name, or of users that this login does not see.
func presence(t v1.ProvisionTarget, rec record) v1.Presence {
	switch {
	case rec != nil:
		return v1.PresencePresent
	case t.RemoteID != "":
		return v1.PresenceGone
	}
	return v1.PresenceUnknown
}

// notVisible leaves a change open whose user was looked for by name and not found.
func notVisible() error {
	return unknown{&v1.ErrorDetail{
		Class: v1.ClassNotFound, Code: "account_not_visible", Phase: phaseUsers, Retryable: true,
		Message: "the target lists no user of this name, which is no proof that the user is gone",
		Hint:    "Read the target, so that the user's id is known.",
	}}
}
