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
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Rename gives an account another user name, another place or both, and writes whatever else is given.
func (w *Writer) Rename(e *lookup.Account) error {
	e, wishes, err := w.reread(e)
	if err != nil {
		return err
	}
	a := w.Req.Account
	if a == nil {
		return ldaperr.NotSent(
			v1.ClassData, "username_missing", "the change renames an account and does not contain the new name",
			"Give account.username, or account.container.",
		)
	}
	if err := checkName("user name", w.usernameAfter(e)); err != nil {
		return err
	}
	wishes = w.withUsername(e, wishes)
	place := ""
	if a.Container != nil && *a.Container != "" && ldapdn.Normalize(*a.Container) != ldapdn.Parent(e.NormalDN) {
		place = *a.Container
		if err := w.checkContainer(place, v1.ClassData); err != nil {
			return err
		}
	}
	steps, after := w.renameRequests(e, wishes, place)
	if len(steps) == 0 {
		return w.finishRename(e)
	}
	for _, a := range ldapdn.RDN(after) {
		if err := checkName("name of an entry", a.Value); err != nil {
			return err
		}
	}
	if err := w.checkFree(e, after); err != nil {
		return err
	}
	if err := w.PerformRename(
		e, steps, membership.Names{DN: after, Username: w.memberNameAfter(e, wishes)},
	); err != nil {
		return err
	}
	return w.ConfirmRename(after, e.Record.ExternalID, func(now *lookup.Account) bool {
		return len(w.Differing(now, wishes)) == 0 && now.NormalDN == ldapdn.Normalize(after)
	})
}

// memberNameAfter is the user name by which groups are to list an account once the desired values are written.
func (w *Writer) memberNameAfter(e *lookup.Account, wishes []desired.Value) string {
	i := slices.IndexFunc(wishes, func(x desired.Value) bool {
		return strings.EqualFold(x.Attribute, "uid") && len(x.Raw) > 0
	})
	switch {
	case i >= 0:
		return desired.Text(wishes[i])
	case e.FirstValue("uid") == "":
		return w.usernameAfter(e)
	}
	return w.NamesNow(e).Username
}

// finishRename completes a rename that was made before: groups may still list the account by its old name.
func (w *Writer) finishRename(e *lookup.Account) error {
	if err := w.PerformRename(e, nil, w.NamesNow(e)); err != nil {
		return err
	}
	w.Out.Verified = true
	if len(w.Renames) == 0 {
		w.Out.Outcome = v1.OutcomeAlready
	}
	return w.RewriteMembers(w.Renames)
}

// checkFree makes sure that no other account has the new user name or the new DN. Not every directory refuses that
// by itself.
func (w *Writer) checkFree(e *lookup.Account, dn string) error {
	var other *lookup.Account
	var err error
	if name := w.usernameAfter(e); !strings.EqualFold(name, e.Username()) {
		other, err = w.ByUsername(name)
	}
	if err == nil && other == nil && ldapdn.Normalize(dn) != e.NormalDN {
		var list []*lookup.Account
		list, err = w.Search(dn, goldap.ScopeBaseObject, "(objectClass=*)")
		other = lookup.First(list)
	}
	if err != nil || other == nil || other.Record.ExternalID == e.Record.ExternalID {
		return err
	}
	return ldaperr.NotSent(
		v1.ClassConflict, "account_exists", fmt.Sprintf("there is already an account %s", other.DN),
		"Choose another user name or another container. Neither account was touched.",
	)
}

// withUsername adds to the desired values what follows from a new user name.
func (w *Writer) withUsername(e *lookup.Account, wishes []desired.Value) []desired.Value {
	a := w.Req.Account
	if a.Username == nil || *a.Username == "" {
		return wishes
	}
	add := func(name, value string) {
		if !slices.ContainsFunc(wishes, func(x desired.Value) bool { return strings.EqualFold(x.Attribute, name) }) {
			wishes = append(wishes, desired.Value{Attribute: name, Raw: wire.Values([]string{value})})
		}
	}
	add(w.loginAttribute(), *a.Username)
	// The part before the @ of a userPrincipalName follows where it has followed so far.
	if local, domain, ok := strings.Cut(e.FirstValue("userPrincipalName"), "@"); ok && w.Flavor.ActiveDirectory &&
		strings.EqualFold(local, e.Username()) {
		add("userPrincipalName", *a.Username+"@"+domain)
	}
	return wishes
}

// renameRequests lists the requests: first the name, by which everything else finds the entry, then the attributes.
func (w *Writer) renameRequests(e *lookup.Account, wishes []desired.Value, place string) ([]change.Request, string) {
	dn := e.DN
	var steps []change.Request
	rdn := w.newRDN(e, wishes)
	if rdn != "" || place != "" {
		s, after := w.moveRequest(e, rdn, place)
		steps, dn = append(steps, s), after
		if rdn != "" {
			// What the name holds has changed with it.
			renamed := *e
			renamed.Values = map[string][][]byte{}
			for k, v := range e.Values {
				renamed.Values[k] = v
			}
			for _, a := range ldapdn.RDN(after) {
				key := strings.ToLower(a.Type)
				before := ldapdn.RDNValue(e.DN, a.Type)
				kept := slices.DeleteFunc(slices.Clone(e.Values[key]), func(v []byte) bool {
					return ldapdn.Fold(string(v)) == ldapdn.Fold(before)
				})
				renamed.Values[key] = append([][]byte{[]byte(a.Value)}, kept...)
				if a.Value != before {
					w.NoteChanged(a.Type, e.Values[key], renamed.Values[key])
				}
			}
			e = &renamed
		}
	}
	for _, s := range w.ModifyRequests(e, "change what goes with the name", w.differences(e, wishes)) {
		s.DN = dn
		steps = append(steps, s)
	}
	return steps, dn
}

// newRDN is the entry's new name, empty where it keeps its own. An attribute of the name takes its new value;
// a name that followed the template for new accounts follows it still; any other stays.
func (w *Writer) newRDN(e *lookup.Account, wishes []desired.Value) string {
	parts := ldapdn.RDN(e.DN)
	after := w.valuesAfter(e, wishes)
	var out []string
	changed := false
	for _, a := range parts {
		value := a.Value
		i := slices.IndexFunc(wishes, func(x desired.Value) bool {
			return strings.EqualFold(x.Attribute, a.Type) && len(x.Raw) > 0
		})
		switch {
		case i >= 0 && !slices.ContainsFunc(wishes[i].Raw, func(v []byte) bool { return string(v) == value }):
			value = desired.Text(wishes[i])
		case i < 0 && strings.EqualFold(a.Type, w.rdnAttribute()) &&
			w.fromTemplate(e.Username(), w.valuesAfter(e, nil)) == value:
			if v := w.fromTemplate(w.usernameAfter(e), after); v != "" {
				value = v
			}
		}
		changed = changed || value != a.Value
		out = append(out, a.Type+"="+goldap.EscapeDN(value))
	}
	if !changed {
		return ""
	}
	return strings.Join(out, "+")
}

// fromTemplate is the value of the entry's name by the template for new accounts (rdn_template), as
// it would be with these values.
func (w *Writer) fromTemplate(username string, values map[string][]desired.Value) string {
	return strings.TrimSpace(w.expand(w.Write.RDNTemplate, username, values))
}

// usernameAfter is the username that the account has after the change: the requested one, or else
// the one it has.
func (w *Writer) usernameAfter(e *lookup.Account) string {
	if a := w.Req.Account; a.Username != nil && *a.Username != "" {
		return *a.Username
	}
	return e.Username()
}

// valuesAfter are the values of an entry with the desired values written.
func (w *Writer) valuesAfter(e *lookup.Account, wishes []desired.Value) map[string][]desired.Value {
	out := map[string][]desired.Value{}
	for name, values := range e.Values {
		out[name] = []desired.Value{{Attribute: name, Raw: values}}
	}
	for _, x := range wishes {
		out[strings.ToLower(x.Attribute)] = []desired.Value{x}
	}
	return out
}

// moveRequest is the request that gives an entry another name, another place, or both, and the DN after it.
func (w *Writer) moveRequest(e *lookup.Account, rdn, place string) (change.Request, string) {
	s := change.Request{Op: wire.OpModifyDN, DN: e.DN, NewRDN: rdn, NewSuperior: place, Note: "rename the entry"}
	own, parent := ldapdn.Cut(e.DN)
	if rdn == "" {
		s.NewRDN, s.Note = own, "move the entry"
	}
	if place != "" {
		parent = place
	}
	dn := s.NewRDN + "," + parent
	w.Out.Changes = append(w.Out.Changes, v1.ChangedField{Field: "dn", Old: e.DN, New: dn})
	return s, dn
}
