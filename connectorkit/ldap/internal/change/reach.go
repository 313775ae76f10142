package change

import (
	"fmt"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// CheckVisible settles with which account a change goes on. Outside of what is read only what ends access is
// done, and only where the key proves that it is the same account; nothing there is deleted.
func (w *Change) CheckVisible(e *lookup.Account, presence v1.Presence, target v1.ProvisionTarget) error {
	w.Out.Presence = presence
	switch {
	case presence == v1.PresencePresent:
		return nil
	case e == nil:
		return w.AccountNotFound(target, presence)
	case w.endsAccess() && w.HasStableKey():
		w.Warn("account_outside", w.outsideMessage(e)+": a sync does not read it there")
		return nil
	}
	return ldaperr.NotSent(v1.ClassConflict, "account_outside", w.outsideMessage(e),
		"It was moved there. Widen user_base_dn, or make the change in the directory itself.")
}

// endsAccess says whether the change takes access away in a way that can be undone.
func (w *Change) endsAccess() bool {
	return w.Req.Op == v1.OpAccountDisable || w.Req.Op == v1.OpEntitlementRevoke
}

// outsideMessage says where an account is that a sync does not read, for errors and warnings.
func (w *Change) outsideMessage(e *lookup.Account) string {
	return fmt.Sprintf("the account %s is at %s, which is not where accounts are read (below %s, by the user filter)",
		e.Record.ExternalID, e.DN, w.UserBaseDN)
}

// AccountNotFound is the error for an account that was not found: not_found if it is proven to be gone, and
// otherwise account_not_visible.
func (w *Change) AccountNotFound(t v1.ProvisionTarget, presence v1.Presence) error {
	name := t.RemoteID
	if name == "" {
		name = t.Username
	}
	if presence == v1.PresenceGone {
		return ldaperr.NotSent(v1.ClassNotFound, "account_not_found",
			fmt.Sprintf("there is no account %s in the directory any more", name),
			"It was deleted. The next full sync reports it as removed.")
	}
	d := ldaperr.NotSent(
		v1.ClassNotFound,
		"account_not_visible",
		fmt.Sprintf(
			"the account %s is not found below %s, and there is no proof that it was deleted",
			name,
			w.UserBaseDN,
		),
		"It may have been moved to where the login sees nothing. Give the login the right to read all of the "+
			"directory, or look for the account there.",
	)
	if w.endsAccess() || w.Req.Op == v1.OpAccountDelete {
		d.Retryable = true
		return &UnprovenError{d}
	}
	return d
}

// GroupNotFound is the error for a group that was not found, as AccountNotFound for accounts.
func (w *Change) GroupNotFound(id string, presence v1.Presence) error {
	if presence == v1.PresenceGone {
		return ldaperr.NotSent(v1.ClassNotFound, "entitlement_not_found",
			fmt.Sprintf("there is no group %s in the directory any more", id),
			"It was deleted. The next full sync reports it as removed.")
	}
	d := ldaperr.NotSent(v1.ClassNotFound, "entitlement_not_visible",
		fmt.Sprintf("the group %s is not found below %s, and there is no proof that it was deleted", id, w.GroupBaseDN),
		"It may have been moved to where the login sees nothing. Give the login the right to read all of the "+
			"directory, or look for the group there.")
	if w.endsAccess() {
		d.Retryable = true
		return &UnprovenError{d}
	}
	return d
}
