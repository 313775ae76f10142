package rest

import v1 "github.com/grantwright/grantwright/protocol/v1"

// presence says what the last look for the account has shown. Only the target's own answer that there is no record of this id
// proves that it is gone: an empty list, or none of a name, may as well come of a filter or of a new name.
func (w *writing) presence(row *v1.RemoteAccount) v1.Presence {
	switch {
	case row != nil:
		return v1.PresencePresent
	case w.target.RemoteID != "" && w.absent[readAccount]:
		return v1.PresenceGone
	}
	return v1.PresenceUnknown
}

// ended answers a delete of an account that was not found.
func (w *writing) ended() error {
	if w.resp.Presence = w.presence(nil); w.resp.Presence == v1.PresenceGone {
		w.seenAs(v1.OutcomeAlready, nil, true)
		return nil
	}
	return unknownError{&v1.ErrorDetail{
		Class: v1.ClassNotFound, Code: "account_not_visible", Phase: phaseWrite, Retryable: true,
		Message: "the target does not show the account, and does not say that it is gone",
		Hint:    "Declare a read account whose path ends in the account's id, so that the target can answer 404.",
	}}
}
