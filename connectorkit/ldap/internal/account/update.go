package account

import (
	"fmt"
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/change"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/desired"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/membership"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Update writes attributes. The name of the entry, its place and the user name are not among them.
func (w *Writer) Update(e *lookup.Account) error {
	e, wishes, err := w.reread(e)
	if err != nil {
		return err
	}
	if err := w.checkNoRename(e); err != nil {
		return err
	}
	if err := w.checkNotNaming(e, wishes); err != nil {
		return err
	}
	steps := w.ModifyRequests(e, "change what differs", w.differences(e, wishes))
	more, dn, err := w.enabledRequests(e)
	if err != nil {
		return err
	}
	steps = append(steps, more...)
	if len(steps) == 0 {
		w.Out.Outcome, w.Out.Verified = v1.OutcomeNoop, true
		return nil
	}
	if err := w.PerformRename(e, steps, membership.Names{DN: dn, Username: w.NamesNow(e).Username}); err != nil {
		return w.settleUpdate(e, wishes, err)
	}
	return w.ConfirmRename(dn, e.Record.ExternalID, func(now *lookup.Account) bool {
		return len(w.Differing(now, wishes)) == 0 && w.enabledAs(now)
	})
}

// settleUpdate looks at an account when values were refused because they are there already, or gone already:
// another change may have been made first.
func (w *Writer) settleUpdate(e *lookup.Account, wishes []desired.Value, refusal error) error {
	if !ldaperr.HasResult(refusal, goldap.LDAPResultAttributeOrValueExists) &&
		!ldaperr.HasResult(refusal, goldap.LDAPResultNoSuchAttribute) {
		return refusal
	}
	list, err := w.Search(e.DN, goldap.ScopeBaseObject, "(objectClass=*)")
	if err != nil || len(list) == 0 || len(w.Differing(list[0], wishes)) > 0 || !w.enabledAs(list[0]) {
		return refusal
	}
	w.Out.Changes = nil
	w.Out.Outcome, w.Out.Verified, w.Out.Account = v1.OutcomeAlready, true, &list[0].Record
	return nil
}

// reread reads the account with the attributes that are to be written, where a sync does not read them.
func (w *Writer) reread(e *lookup.Account) (*lookup.Account, []desired.Value, error) {
	wishes, err := w.Values(w.Req.Account)
	if err != nil {
		return nil, nil, err
	}
	for _, x := range wishes {
		w.ExtraAttributes = append(w.ExtraAttributes, x.Attribute)
	}
	if len(wishes) == 0 {
		return e, nil, nil
	}
	list, err := w.Search(e.DN, goldap.ScopeBaseObject, "(objectClass=*)")
	switch {
	case err != nil:
		return nil, nil, err
	case len(list) == 0 || list[0].Record.ExternalID != e.Record.ExternalID:
		return nil, nil, w.AccountNotFound(w.Req.Target, v1.PresenceUnknown)
	}
	w.Out.Account = &list[0].Record
	return list[0], w.keepDisabled(list[0], wishes), nil
}

// keepDisabled leaves the bit of userAccountControl alone that disables: it has operations of its own.
func (w *Writer) keepDisabled(e *lookup.Account, wishes []desired.Value) []desired.Value {
	if !w.Disabling().AccountControl {
		return wishes
	}
	for i, x := range wishes {
		var now, want int64
		if strings.EqualFold(x.Attribute, "userAccountControl") && parseInt(e.FirstValue(x.Attribute), &now) &&
			parseInt(desired.Text(x), &want) {
			wishes[i].Raw = wire.Values([]string{fmt.Sprint(want&^syntax.UACDisabled | now&syntax.UACDisabled)})
		}
	}
	return wishes
}

// parseInt reads a decimal number into n and says whether it could. Directories write numbers as
// text.
func parseInt(s string, n *int64) bool {
	_, err := fmt.Sscan(s, n)
	return err == nil
}

// differences lists the modifications that are missing for the entry to have the desired values. It
// is empty for an account that is as desired, and then nothing is sent.
func (w *Writer) differences(e *lookup.Account, wishes []desired.Value) []wire.Change {
	var out []wire.Change
	for _, x := range wishes {
		out = append(out, w.ChangesTo(x, e.Values[strings.ToLower(x.Attribute)])...)
	}
	return out
}

// checkNoRename keeps user name and place out of an update.
func (w *Writer) checkNoRename(e *lookup.Account) error {
	a := w.Req.Account
	if a == nil {
		return nil
	}
	other := a.Username != nil && *a.Username != e.Username()
	if v, given := attributeOf(a, w.loginAttribute()); given && v != e.Username() {
		other = true
	}
	if other || a.Container != nil && *a.Container != "" && ldapdn.Normalize(
		*a.Container,
	) != ldapdn.Parent(e.NormalDN) {
		return ldaperr.NotSent(
			v1.ClassConfig, "rename_needed", "an update changes neither the user name nor the place of an account",
			"Ask for account.rename.",
		)
	}
	return nil
}

// attributeOf finds an attribute of the request by name, in any case of letters: names of
// attributes are not case-sensitive in LDAP (RFC 4512 section 2.5).
func attributeOf(a *v1.ProvisionAccount, name string) (any, bool) {
	for k, v := range a.Attributes {
		if strings.EqualFold(k, name) {
			return v, true
		}
	}
	return nil, false
}

// checkNotNaming refuses to take a value away that is part of the entry's name: the directory would.
func (w *Writer) checkNotNaming(e *lookup.Account, wishes []desired.Value) error {
	for _, a := range ldapdn.RDN(e.DN) {
		for _, x := range wishes {
			if strings.EqualFold(x.Attribute, a.Type) && !slices.ContainsFunc(x.Raw, func(v []byte) bool {
				return ldapdn.Fold(string(v)) == ldapdn.Fold(a.Value)
			}) {
				return ldaperr.NotSent(
					v1.ClassData, "attribute_names_entry",
					fmt.Sprintf(
						"%s is part of the entry's name, %s, and cannot change by an update", x.Attribute, e.DN,
					),
					"Ask for account.rename with the new value.",
				)
			}
		}
	}
	return nil
}

// enabledRequests lists the requests that enable or disable the account, where the request asks for
// a state that it does not have, and the DN of the account after them: some directories disable by
// a move.
func (w *Writer) enabledRequests(e *lookup.Account) ([]change.Request, string, error) {
	if a := w.Req.Account; a != nil && a.Enabled != nil && *a.Enabled == e.Status.Disabled {
		return w.disableRequests(e, !e.Status.Disabled)
	}
	return nil, e.DN, nil
}

// enabledAs says whether the account is enabled or disabled as the request asks. A request that
// does not mention it is always satisfied.
func (w *Writer) enabledAs(e *lookup.Account) bool {
	a := w.Req.Account
	return a == nil || a.Enabled == nil || *a.Enabled != e.Status.Disabled
}
