package account

import (
	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/change"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Delete deletes an account.
func (w *Writer) Delete(e *lookup.Account) error {
	s := change.Request{Op: wire.OpDelete, DN: e.DN, Note: "delete the account"}
	if !w.Write.DeleteLeafOnly && w.Offers(change.TreeDeleteOID) {
		s.Controls, s.Note = []string{change.TreeDeleteOID}, "delete the account with all entries below it"
	}
	w.Out.Changes = append(w.Out.Changes, v1.ChangedField{Field: "dn", Old: e.DN})
	if err := w.Perform([]change.Request{s}); err != nil {
		if ldaperr.HasResult(err, goldap.LDAPResultNoSuchObject) {
			return w.settleDelete(e, err)
		}
		return err
	}
	return w.confirmGone(e)
}

// settleDelete looks whether an account that could not be deleted is there elsewhere.
func (w *Writer) settleDelete(e *lookup.Account, refusal error) error {
	target := v1.ProvisionTarget{RemoteID: e.Record.ExternalID, NativeRef: e.DN}
	_, presence, err := w.Locate(target)
	switch {
	case err != nil || presence == v1.PresencePresent || presence == v1.PresenceNotVisible:
		return refusal
	case presence != v1.PresenceGone:
		return w.AccountNotFound(target, presence)
	}
	w.Out.Presence = presence
	w.Out.Account, w.Out.Outcome, w.Out.Verified = nil, v1.OutcomeAlready, true
	return nil
}

// confirmGone reads an account again that the directory says it has deleted.
func (w *Writer) confirmGone(e *lookup.Account) error {
	w.Out.Account = nil
	now, presence, err := w.Locate(v1.ProvisionTarget{RemoteID: e.Record.ExternalID, NativeRef: e.DN})
	switch {
	case err != nil:
		w.WarnNotReadBack(err)
	case now == nil:
		w.Out.Presence, w.Out.Verified = v1.PresenceGone, true // the directory itself has said so
	default:
		w.Out.Presence, w.Out.Account = presence, &now.Record
	}
	return nil
}
