package ldap

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// setClosed disables or enables an account.
func (w *writer) setClosed(e *found, closed bool) error {
	steps, dn, err := w.closingSteps(e, closed)
	if err != nil {
		return err
	}
	if len(steps) == 0 {
		if e.status.disabled == closed {
			w.out.Outcome, w.out.Verified = v1.OutcomeAlready, true
			return nil
		}
		return complaint(v1.ClassConflict, "disabled_otherwise", fmt.Sprintf("the account %s is disabled by other means than disable_strategy names", e.dn),
			"Enable it in the directory, or set disable_strategy to what the directory uses.")
	}
	if closed {
		why, err := w.cannotDisable(w.ctx)
		if err != nil {
			return err
		}
		if why != "" {
			return complaint(v1.ClassConfig, "operation_not_supported", why, disableHint)
		}
	}
	if err := w.performMove(e, steps, called{dn, w.calledNow(e).user}); err != nil {
		return err
	}
	return w.confirmMove(dn, e.account.ExternalID, func(now *found) bool { return now.status.disabled == closed })
}

// closingSteps lists what is missing for an account to be disabled, or enabled, and where it is then.
func (w *writer) closingSteps(e *found, closed bool) ([]step, string, error) {
	note := "enable the account"
	if closed {
		note = "disable the account"
	}
	how := w.closing()
	switch {
	case how.control:
		m, err := w.controlChange(e, closed)
		return w.modifySteps(e, note, m), e.dn, err
	case how.container != "":
		if isWithin(e.native, how.container) == closed {
			return nil, e.dn, nil
		}
		place := how.container
		if !closed {
			place = w.openContainer()
		}
		if err := w.checkPlace(place); err != nil {
			return nil, "", err
		}
		if isWithin(place, how.container) != closed {
			return nil, "", complaint(v1.ClassConfig, "container_outside", "the place of new accounts lies in that of disabled ones", "Set create_container to another place.")
		}
		s, dn := w.moved(e, "", place)
		s.note = note
		return []step{s}, dn, nil
	}
	have := e.values[strings.ToLower(how.attribute)]
	is := slices.ContainsFunc(have, func(v []byte) bool { return strings.EqualFold(string(v), how.closed) })
	if is == closed {
		return nil, e.dn, nil
	}
	m := w.opened(how)
	if closed {
		m = replace(how.attribute, how.closed)
	}
	return w.modifySteps(e, note, []wire.Change{m}), e.dn, nil
}

// opened is the change that takes the mark of a disabled account away.
func (w *writer) opened(how closing) wire.Change {
	if how.open == "" {
		return replace(how.attribute)
	}
	return replace(how.attribute, how.open)
}

// modifySteps is one request for all changes of attributes, none where there are none.
func (w *writer) modifySteps(e *found, note string, changes []wire.Change) []step {
	if len(changes) == 0 {
		return nil
	}
	for _, m := range changes {
		w.changed(m.Name, e.values[strings.ToLower(m.Name)], m.Values)
	}
	return []step{{op: stepModify, dn: e.dn, changes: changes, note: note}}
}

// controlChange sets or clears the one bit of userAccountControl that disables; the others stay.
func (w *writer) controlChange(e *found, closed bool) ([]wire.Change, error) {
	now, err := strconv.ParseInt(e.first("userAccountControl"), 10, 64)
	if err != nil {
		return nil, complaint(v1.ClassPermission, "no_account_control", fmt.Sprintf("%s shows no userAccountControl", e.dn), "Give the login the right to read and write it, or set disable_strategy.")
	}
	want := now &^ uacDisabled
	if closed {
		want = now | uacDisabled
	}
	if want == now {
		return nil, nil
	}
	return []wire.Change{replace("userAccountControl", strconv.FormatInt(want, 10))}, nil
}

// unlock ends a lockout that wrong passwords have brought. What an administrator has closed stays closed.
func (w *writer) unlock(e *found) error {
	changes := w.unlocking(e)
	if !e.status.locked {
		w.out.Outcome, w.out.Verified = v1.OutcomeAlready, true
		return nil
	}
	if len(changes) == 0 {
		return complaint(v1.ClassConfig, "unlock_unknown", "the account is locked in a way that is not known here", "Unlock it in the directory itself.")
	}
	if err := w.perform(w.modifySteps(e, "unlock the account", changes)); err != nil {
		return err
	}
	return w.confirm(e.dn, e.account.ExternalID, func(now *found) bool { return !now.status.locked })
}

// unlocking lists the changes that end a lockout, by what the entry holds.
func (w *writer) unlocking(e *found) []wire.Change {
	if w.flavor.activeDir {
		return []wire.Change{replace("lockoutTime", "0")}
	}
	var out []wire.Change
	if v := e.first("pwdAccountLockedTime"); v != "" && v != lockedForGood {
		out = append(out, replace("pwdAccountLockedTime"))
	}
	if e.first("accountUnlockTime") != "" {
		// The count of failures stays otherwise, and the next mistake locks again.
		out = append(out, replace("accountUnlockTime"), replace("passwordRetryCount", "0"))
	}
	for _, name := range []string{"lockedByIntruder", "ibm-pwdAccountLocked"} {
		if isTrue([]byte(e.first(name))) {
			out = append(out, replace(name, "FALSE"))
		}
	}
	return out
}

// remove deletes an account.
func (w *writer) remove(e *found) error {
	s := step{op: stepDelete, dn: e.dn, note: "delete the account"}
	if !w.writing.leafOnly && w.offers(treeDeleteOID) {
		s.controls, s.note = []string{treeDeleteOID}, "delete the account with all entries below it"
	}
	w.out.Changes = append(w.out.Changes, v1.ChangedField{Field: "dn", Old: e.dn})
	if err := w.perform([]step{s}); err != nil {
		if isRefused(err, goldap.LDAPResultNoSuchObject) {
			return w.goneMeanwhile(e, err)
		}
		return err
	}
	return w.confirmGone(e)
}

// goneMeanwhile looks whether an account that could not be deleted is there elsewhere.
func (w *writer) goneMeanwhile(e *found, refusal error) error {
	target := v1.ProvisionTarget{RemoteID: e.account.ExternalID, NativeRef: e.dn}
	_, presence, err := w.locate(target)
	switch {
	case err != nil || presence == v1.PresencePresent || presence == v1.PresenceNotVisible:
		return refusal
	case presence != v1.PresenceGone:
		return w.noAccount(target, presence)
	}
	w.out.Presence = presence
	w.out.Account, w.out.Outcome, w.out.Verified = nil, v1.OutcomeAlready, true
	return nil
}

// confirmGone reads an account again that the directory says it has deleted.
func (w *writer) confirmGone(e *found) error {
	w.out.Account = nil
	now, presence, err := w.locate(v1.ProvisionTarget{RemoteID: e.account.ExternalID, NativeRef: e.dn})
	switch {
	case err != nil:
		w.unread(err)
	case now == nil:
		w.out.Presence, w.out.Verified = v1.PresenceGone, true // the directory itself has said so
	default:
		w.out.Presence, w.out.Account = presence, &now.account
	}
	return nil
}
