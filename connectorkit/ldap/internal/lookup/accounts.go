package lookup

import (
	"fmt"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Search reads accounts, made into the records that a sync makes of them. What does not exist, or cannot be a
// place, has none.
func (w *Finder) Search(base string, scope int, filter string) ([]*Account, error) {
	var list []*Account
	keyless := 0
	req := wire.Request{Base: base, Scope: scope, Filter: filter, Attributes: w.attributes(), TimeLimit: w.TimeLimit}
	_, err := w.Conn.Search(req, func(e *wire.Entry) error {
		if f := w.accountOf(e); f != nil {
			list = append(list, f)
		} else {
			keyless++
		}
		return nil
	})
	switch {
	case ldaperr.IsResult(err, goldap.LDAPResultNoSuchObject), ldaperr.IsResult(err, goldap.LDAPResultInvalidDNSyntax):
		return nil, nil
	case err != nil:
		return nil, w.SearchError(w.Ctx, "account", err)
	case keyless > 0 && len(list) == 0:
		return nil, ldaperr.NotSent(
			v1.ClassPermission, "no_key",
			fmt.Sprintf("the entry has no %s, or the login cannot read it", w.IdAttribute),
			"Give the login the right to read it, or set id_attribute.",
		)
	}
	return list, nil
}

// Find looks for an account by its key, first where it was last seen, or by user name where no key is known.
// nil: it is not there.
func (w *Finder) Find(t v1.ProvisionTarget) (*Account, error) {
	if t.RemoteID == "" {
		return w.ByUsername(t.Username)
	}
	filter := w.KeyFilter(t.RemoteID) // the key proves who it is, whatever class and filter say by now
	if strings.Contains(t.NativeRef, "=") {
		list, err := w.Search(t.NativeRef, goldap.ScopeBaseObject, filter)
		if err != nil || len(list) > 0 {
			return First(list), err
		}
	}
	for _, base := range w.Bases() {
		list, err := w.Search(base, goldap.ScopeWholeSubtree, filter)
		if err != nil || len(list) > 0 {
			return First(list), err
		}
	}
	return nil, nil
}

// ByUsername finds the one account with a user name.
func (w *Finder) ByUsername(name string) (*Account, error) {
	if name == "" {
		return nil, ldaperr.NotSent(
			v1.ClassConfig, "target_missing", "the change names no account",
			"Give the account's external_id as remote_id, or its user name.",
		)
	}
	value := goldap.EscapeFilter(name)
	filter := "(|(uid=" + value + ")(cn=" + value + "))"
	if w.UsernameAttribute != "" {
		filter = "(" + w.UsernameAttribute + "=" + value + ")"
	}
	var same []*Account
	for _, base := range w.Bases() {
		list, err := w.Search(base, goldap.ScopeWholeSubtree, "(&"+filter+w.anyPerson()+")")
		if err != nil {
			return nil, err
		}
		for _, f := range list {
			if strings.EqualFold(f.Username(), name) {
				same = append(same, f)
			}
		}
	}
	if len(same) > 1 {
		return nil, ldaperr.NotSent(
			v1.ClassConflict, "username_ambiguous",
			fmt.Sprintf(
				"%d accounts have the user name %s, %s and %s among them", len(same), name, same[0].DN, same[1].DN,
			),
			"Give the account's external_id, or make the user names unique.",
		)
	}
	return First(same), nil
}
