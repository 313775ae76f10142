package account

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/change"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/membership"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/schema"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// SetDisabled disables or enables an account.
func (w *Writer) SetDisabled(e *lookup.Account, closed bool) error {
	steps, dn, err := w.disableRequests(e, closed)
	if err != nil {
		return err
	}
	if len(steps) == 0 {
		if e.Status.Disabled == closed {
			w.Out.Outcome, w.Out.Verified = v1.OutcomeAlready, true
			return nil
		}
		return ldaperr.NotSent(v1.ClassConflict, "disabled_otherwise",
			fmt.Sprintf("the account %s is disabled by other means than disable_strategy names", e.DN),
			"Enable it in the directory, or set disable_strategy to what the directory uses.")
	}
	if closed {
		why, err := schema.WhyNoDisable(w.Ctx, w.Session)
		if err != nil {
			return err
		}
		if why != "" {
			return ldaperr.NotSent(v1.ClassConfig, "operation_not_supported", why, schema.DisableHint)
		}
	}
	if err := w.PerformRename(e, steps, membership.Names{DN: dn, Username: w.NamesNow(e).Username}); err != nil {
		return err
	}
	return w.ConfirmRename(dn, e.Record.ExternalID, func(now *lookup.Account) bool {
		return now.Status.Disabled == closed
	})
}

// disableRequests lists what is missing for an account to be disabled, or enabled, and where it is then.
func (w *Writer) disableRequests(e *lookup.Account, closed bool) ([]change.Request, string, error) {
	note := "enable the account"
	if closed {
		note = "disable the account"
	}
	how := w.Disabling()
	switch {
	case how.AccountControl:
		m, err := w.accountControlChange(e, closed)
		return w.ModifyRequests(e, note, m), e.DN, err
	case how.Container != "":
		if ldapdn.IsWithin(e.NormalDN, how.Container) == closed {
			return nil, e.DN, nil
		}
		place := how.Container
		if !closed {
			place = w.enabledContainer()
		}
		if err := w.checkContainer(place, v1.ClassConfig); err != nil {
			return nil, "", err
		}
		if ldapdn.IsWithin(place, how.Container) != closed {
			return nil, "", ldaperr.NotSent(
				v1.ClassConfig,
				"container_outside",
				"the container of new accounts lies below that of disabled accounts",
				"Set create_container to another place.",
			)
		}
		s, dn := w.moveRequest(e, "", place)
		s.Note = note
		return []change.Request{s}, dn, nil
	}
	have := e.Values[strings.ToLower(how.Attribute)]
	is := slices.ContainsFunc(have, func(v []byte) bool { return strings.EqualFold(string(v), how.DisabledValue) })
	if is == closed {
		return nil, e.DN, nil
	}
	m := w.enableChange(how)
	if closed {
		m = wire.Replace(how.Attribute, how.DisabledValue)
	}
	return w.ModifyRequests(e, note, []wire.Change{m}), e.DN, nil
}

// enableChange is the change that takes the mark of a disabled account away.
func (w *Writer) enableChange(how session.Disabling) wire.Change {
	if how.EnabledValue == "" {
		return wire.Replace(how.Attribute)
	}
	return wire.Replace(how.Attribute, how.EnabledValue)
}

// accountControlChange sets or clears the one bit of userAccountControl that disables; the others stay.
func (w *Writer) accountControlChange(e *lookup.Account, closed bool) ([]wire.Change, error) {
	now, err := strconv.ParseInt(e.FirstValue("userAccountControl"), 10, 64)
	if err != nil {
		return nil, ldaperr.NotSent(
			v1.ClassPermission, "no_account_control", fmt.Sprintf("%s shows no userAccountControl", e.DN),
			"Give the login the right to read and write it, or set disable_strategy.",
		)
	}
	want := now &^ syntax.UACDisabled
	if closed {
		want = now | syntax.UACDisabled
	}
	if want == now {
		return nil, nil
	}
	return []wire.Change{wire.Replace("userAccountControl", strconv.FormatInt(want, 10))}, nil
}
