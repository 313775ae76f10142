package account

import (
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Unlock ends a lockout that wrong passwords have brought. What an administrator has closed stays closed.
func (w *Writer) Unlock(e *lookup.Account) error {
	changes := w.unlockChanges(e)
	if !e.Status.Locked {
		w.Out.Outcome, w.Out.Verified = v1.OutcomeAlready, true
		return nil
	}
	if len(changes) == 0 {
		return ldaperr.NotSent(
			v1.ClassConfig, "unlock_unknown", "the account is locked in a way that is not known here",
			"Unlock it in the directory itself.",
		)
	}
	if err := w.Perform(w.ModifyRequests(e, "unlock the account", changes)); err != nil {
		return err
	}
	return w.Confirm(e.DN, e.Record.ExternalID, func(now *lookup.Account) bool { return !now.Status.Locked })
}

// unlockChanges lists the changes that end a lockout, by what the entry holds.
func (w *Writer) unlockChanges(e *lookup.Account) []wire.Change {
	if w.Flavor.ActiveDirectory {
		return []wire.Change{wire.Replace("lockoutTime", "0")}
	}
	var out []wire.Change
	if v := e.FirstValue("pwdAccountLockedTime"); v != "" && v != session.PermanentLock {
		out = append(out, wire.Replace("pwdAccountLockedTime"))
	}
	if e.FirstValue("accountUnlockTime") != "" {
		// The count of failures stays otherwise, and the next mistake locks again.
		out = append(out, wire.Replace("accountUnlockTime"), wire.Replace("passwordRetryCount", "0"))
	}
	for _, name := range []string{"lockedByIntruder", "ibm-pwdAccountLocked"} {
		if syntax.IsTrue([]byte(e.FirstValue(name))) {
			out = append(out, wire.Replace(name, "FALSE"))
		}
	}
	return out
}
