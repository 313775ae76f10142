package account

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/change"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/desired"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/entry"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/lookup"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/membership"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/syntax"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Create makes an account, unless there is one that is as asked.
func (w *Writer) Create() error {
	d, err := w.draft()
	if err != nil {
		return err
	}
	done, err := w.existing(d)
	if done || err != nil {
		return err
	}
	steps := w.createRequests(d)
	for _, c := range steps[0].Changes {
		if !entry.IsSecret(strings.ToLower(c.Name)) {
			w.NoteChanged(c.Name, nil, finalValues(steps, c))
		}
	}
	w.Out.Changes = append(w.Out.Changes, v1.ChangedField{Field: "dn", New: d.dn})
	stale, err := w.StaleMemberships(membership.Names{DN: d.dn, Username: w.memberNameOf(d)})
	if err != nil {
		return err
	}
	w.Plan(stale)
	w.Plan(steps)
	if w.Req.DryRun {
		return change.ErrDryRun
	}
	if err := w.RemoveStale(stale); err != nil {
		return err
	}
	if err := w.SendAll(steps); err != nil {
		return w.settleCollision(d, w.RestoreStale(stale, err))
	}
	return w.Confirm(d.dn, "", func(e *lookup.Account) bool {
		return len(w.Differing(e, d.desired)) == 0 && e.Status.Disabled != d.enabled &&
			ldapdn.Normalize(d.dn) == e.NormalDN
	})
}

// memberNameOf is the user name by which groups are going to list a new account.
func (w *Writer) memberNameOf(d *draft) string {
	if uid := d.values["uid"]; len(uid) > 0 {
		return desired.Text(uid[0])
	}
	return d.username
}

// finalValues are the values that an attribute of the first step has after all of them.
func finalValues(steps []change.Request, c wire.Change) [][]byte {
	for _, s := range steps[1:] {
		for _, m := range s.Changes {
			if strings.EqualFold(m.Name, c.Name) {
				c = m
			}
		}
	}
	return c.Values
}

// createRequests lists the requests that make the account. On Active Directory it is disabled until it has
// its password, for it would be open to anybody before.
func (w *Writer) createRequests(d *draft) []change.Request {
	add := change.Request{Op: wire.OpAdd, DN: d.dn, Note: "make the account"}
	names := slices.Sorted(maps.Keys(d.values))
	slices.SortFunc(names, func(a, b string) int { return order(a) - order(b) })
	how := w.Disabling()
	for _, name := range names {
		x := d.values[name][0]
		if how.AccountControl && name == "useraccountcontrol" {
			continue
		}
		add.Changes = append(add.Changes, wire.Change{Kind: wire.ChangeAdd, Name: x.Attribute, Values: x.Raw})
	}
	put := func(name, value string) {
		add.Changes = append(
			add.Changes, wire.Change{Kind: wire.ChangeAdd, Name: name, Values: wire.Values([]string{value})},
		)
	}
	late := w.Flavor.ActiveDirectory && d.enabled // enabled after the password
	control := int64(syntax.UACNormal)
	switch {
	case how.AccountControl:
		if x := d.values["useraccountcontrol"]; len(x) > 0 {
			if n, err := strconv.ParseInt(desired.Text(x[0]), 10, 64); err == nil {
				control = n &^ syntax.UACDisabled
			}
		}
		put("userAccountControl", strconv.FormatInt(control|syntax.UACDisabled, 10))
	case how.Attribute != "" && (late || !d.enabled):
		put(how.Attribute, how.DisabledValue)
	case how.Attribute != "" && how.EnabledValue != "":
		put(how.Attribute, how.EnabledValue)
	}
	steps := []change.Request{add}
	if w.Flavor.ActiveDirectory {
		add.Note = "make the account, disabled until it has a password"
		steps = []change.Request{add}
	} else if d.password != "" && !w.extendedPassword() {
		steps[0].Changes = append(
			steps[0].Changes,
			wire.Change{Kind: wire.ChangeAdd, Name: "userPassword", Values: wire.Values([]string{d.password})},
		)
	}
	if d.password != "" && (w.Flavor.ActiveDirectory || w.extendedPassword()) {
		s := w.passwordRequest(d.dn, d.password)
		s.WarningIfRefused = "password_refused"
		steps = append(steps, s)
	}
	if d.password != "" {
		steps = append(steps, w.forceChangeRequests(d.dn)...)
	}
	switch {
	case late && how.AccountControl:
		steps = append(
			steps,
			change.Request{
				Op: wire.OpModify, DN: d.dn,
				Changes: []wire.Change{wire.Replace("userAccountControl", strconv.FormatInt(control, 10))},
				Note:    "enable it", WarningIfRefused: "left_disabled",
			},
		)
	case late && how.Attribute != "":
		steps = append(
			steps,
			change.Request{
				Op: wire.OpModify, DN: d.dn, Changes: []wire.Change{w.enableChange(how)}, Note: "enable it",
				WarningIfRefused: "left_disabled",
			},
		)
	}
	return steps
}

// order puts the class first, as everybody writes it.
func order(name string) int {
	if name == "objectclass" {
		return 0
	}
	return 1
}
