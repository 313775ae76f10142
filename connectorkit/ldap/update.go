package ldap

import (
	"fmt"
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// update writes attributes. The name of the entry, its place and the user name are not among them.
func (w *writer) update(e *found) error {
	e, wishes, err := w.reread(e)
	if err != nil {
		return err
	}
	if err := w.noRename(e); err != nil {
		return err
	}
	if err := w.notNamed(e, wishes); err != nil {
		return err
	}
	steps := w.modifySteps(e, "change what differs", w.differences(e, wishes))
	more, dn, err := w.enabledSteps(e)
	if err != nil {
		return err
	}
	steps = append(steps, more...)
	if len(steps) == 0 {
		w.out.Outcome, w.out.Verified = v1.OutcomeNoop, true
		return nil
	}
	if err := w.performMove(e, steps, called{dn, w.calledNow(e).user}); err != nil {
		return w.settleUpdate(e, wishes, err)
	}
	return w.confirmMove(dn, e.account.ExternalID, func(now *found) bool { return len(w.fulfilled(now, wishes)) == 0 && w.enabledAs(now) })
}

// settleUpdate looks at an account when values were refused because they are there already, or gone already: somebody else may have been
// quicker.
func (w *writer) settleUpdate(e *found, wishes []wish, refusal error) error {
	if !isRefused(refusal, goldap.LDAPResultAttributeOrValueExists) && !isRefused(refusal, goldap.LDAPResultNoSuchAttribute) {
		return refusal
	}
	list, err := w.look(e.dn, goldap.ScopeBaseObject, "(objectClass=*)")
	if err != nil || len(list) == 0 || len(w.fulfilled(list[0], wishes)) > 0 || !w.enabledAs(list[0]) {
		return refusal
	}
	w.out.Changes = nil
	w.out.Outcome, w.out.Verified, w.out.Account = v1.OutcomeAlready, true, &list[0].account
	return nil
}

// reread reads the account with the attributes that are to be written, where a sync does not read them.
func (w *writer) reread(e *found) (*found, []wish, error) {
	wishes, err := w.wishes(w.req.Account)
	if err != nil {
		return nil, nil, err
	}
	for _, x := range wishes {
		w.extra = append(w.extra, x.name)
	}
	if len(wishes) == 0 {
		return e, nil, nil
	}
	list, err := w.look(e.dn, goldap.ScopeBaseObject, "(objectClass=*)")
	switch {
	case err != nil:
		return nil, nil, err
	case len(list) == 0 || list[0].account.ExternalID != e.account.ExternalID:
		return nil, nil, w.noAccount(w.req.Target, v1.PresenceUnknown)
	}
	w.out.Account = &list[0].account
	return list[0], w.keepDisabled(list[0], wishes), nil
}

// keepDisabled leaves the bit of userAccountControl alone that disables: it has operations of its own.
func (w *writer) keepDisabled(e *found, wishes []wish) []wish {
	if !w.closing().control {
		return wishes
	}
	for i, x := range wishes {
		var now, want int64
		if strings.EqualFold(x.name, "userAccountControl") && scan(e.first(x.name), &now) && scan(text(x), &want) {
			wishes[i].values = rawAll([]string{fmt.Sprint(want&^uacDisabled | now&uacDisabled)})
		}
	}
	return wishes
}

func scan(s string, n *int64) bool {
	_, err := fmt.Sscan(s, n)
	return err == nil
}

func (w *writer) differences(e *found, wishes []wish) []wire.Change {
	var out []wire.Change
	for _, x := range wishes {
		out = append(out, w.changesTo(x, e.values[strings.ToLower(x.name)])...)
	}
	return out
}

// noRename keeps user name and place out of an update.
func (w *writer) noRename(e *found) error {
	a := w.req.Account
	if a == nil {
		return nil
	}
	other := a.Username != nil && *a.Username != e.username()
	if v, given := attributeOf(a, w.loginAttribute()); given && v != e.username() {
		other = true
	}
	if other || a.Container != nil && *a.Container != "" && NormalizeDN(*a.Container) != parentOf(e.native) {
		return complaint(v1.ClassConfig, "rename_needed", "an update changes neither the user name nor the place of an account", "Ask for account.rename.")
	}
	return nil
}

func attributeOf(a *v1.ProvisionAccount, name string) (any, bool) {
	for k, v := range a.Attributes {
		if strings.EqualFold(k, name) {
			return v, true
		}
	}
	return nil, false
}

// notNamed refuses to take a value away that is part of the entry's name: the directory would.
func (w *writer) notNamed(e *found, wishes []wish) error {
	for _, a := range nameOfEntry(e.dn) {
		for _, x := range wishes {
			if strings.EqualFold(x.name, a.Type) && !slices.ContainsFunc(x.values, func(v []byte) bool { return foldValue(string(v)) == foldValue(a.Value) }) {
				return complaint(v1.ClassData, "attribute_names_entry", fmt.Sprintf("%s is part of the entry's name, %s, and cannot change by an update", x.name, e.dn), "Ask for account.rename with the new value.")
			}
		}
	}
	return nil
}

// nameOfEntry takes the first part of a DN apart.
func nameOfEntry(dn string) []*goldap.AttributeTypeAndValue {
	parsed, err := goldap.ParseDN(dn)
	if err != nil || len(parsed.RDNs) == 0 {
		return nil
	}
	return parsed.RDNs[0].Attributes
}

func (w *writer) enabledSteps(e *found) ([]step, string, error) {
	if a := w.req.Account; a != nil && a.Enabled != nil && *a.Enabled == e.status.disabled {
		return w.closingSteps(e, !e.status.disabled)
	}
	return nil, e.dn, nil
}

func (w *writer) enabledAs(e *found) bool {
	a := w.req.Account
	return a == nil || a.Enabled == nil || *a.Enabled != e.status.disabled
}
