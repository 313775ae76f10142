package lookup

import (
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/ldaperr"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/session"
	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Locate looks for an account where the connector reads, and then in all of the directory.
func (w *Finder) Locate(t v1.ProvisionTarget) (*Account, v1.Presence, error) {
	e, err := w.Find(t)
	if e != nil || err != nil {
		return e, v1.PresencePresent, err
	}
	if t.RemoteID == "" {
		return nil, v1.PresenceUnknown, nil // a user name is no key: it may have changed
	}
	outside, proven, err := w.SearchContexts([]string{w.KeyFilter(t.RemoteID)})
	switch {
	case err != nil:
		return nil, v1.PresenceUnknown, err
	case outside[t.RemoteID] != nil:
		return outside[t.RemoteID], v1.PresenceNotVisible, nil
	case proven && w.CanSeeContainerOf(t.NativeRef, w.UserBaseDN):
		return nil, v1.PresenceGone, nil
	}
	return nil, v1.PresenceUnknown, nil
}

// SearchContexts looks for entries by their keys in all naming contexts. proven says that an entry that is
// not among them is in none.
func (w *Finder) SearchContexts(keys []string) (seen map[string]*Account, proven bool, err error) {
	seen = map[string]*Account{}
	proven, err = w.searchContexts(keys, w.attributes(), func(e *wire.Entry) {
		if f := w.accountOf(e); f != nil {
			seen[f.Record.ExternalID] = f
		}
	})
	return seen, proven, err
}

// searchContexts searches all naming contexts for entries by their keys. A refusal, a limit and a part that
// another server keeps leave the search unproven.
func (w *Finder) searchContexts(keys, attributes []string, each func(*wire.Entry)) (proven bool, err error) {
	contexts := w.Root["namingcontexts"]
	proven = len(contexts) > 0
	filter := "(|" + strings.Join(keys, "") + ")"
	for _, base := range contexts {
		req := wire.Request{
			Base: base, Scope: goldap.ScopeWholeSubtree, Filter: filter, Attributes: attributes, TimeLimit: w.TimeLimit,
		}
		page, err := w.Conn.Search(req, func(e *wire.Entry) error { each(e); return nil })
		switch {
		case err != nil && w.Conn.Broken():
			return false, w.SearchError(w.Ctx, "presence", err)
		case err != nil:
			proven = false
		case page.References > contextsBelow(contexts, base):
			proven = false // another server keeps a part of it
		}
	}
	return proven, nil
}

// contextsBelow counts the naming contexts that lie below another. Active Directory refers to its own in a
// search above them.
func contextsBelow(contexts []string, base string) int {
	n := 0
	for _, dn := range contexts {
		if ldapdn.Normalize(dn) != ldapdn.Normalize(base) && ldapdn.IsWithin(dn, base) {
			n++
		}
	}
	return n
}

// CanSeeContainerOf says whether the login sees the place in which an entry lay. A login that has lost the
// place sees nothing of what is in it, and must not take that for gone.
func (w *Finder) CanSeeContainerOf(native, otherwise string) bool {
	place := otherwise
	if strings.Contains(native, "=") {
		_, place = ldapdn.Cut(native)
	}
	if place == "" {
		return false
	}
	if seen, known := w.visibleContainers[place]; known {
		return seen
	}
	count := 0
	req := wire.Request{
		Base: place, Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)", Attributes: []string{"1.1"},
		TimeLimit: w.TimeLimit,
	}
	_, err := w.Conn.Search(req, func(*wire.Entry) error { count++; return nil })
	if w.visibleContainers == nil {
		w.visibleContainers = map[string]bool{}
	}
	w.visibleContainers[place] = err == nil && count > 0
	return w.visibleContainers[place]
}

// HasStableKey says that the key is one that the directory itself gives and that no other entry of any naming
// context has.
func (w *Finder) HasStableKey() bool {
	stable := append(slices.Clone(session.KeyAttributes), w.Flavor.KeyAttribute)
	return slices.ContainsFunc(stable, func(name string) bool {
		return name != "" && strings.EqualFold(name, w.IdAttribute)
	})
}

// LastKnown is an account that is not seen, as far as groups may still list it: by its last DN and by its user name.
func (w *Finder) LastKnown(t v1.ProvisionTarget) (*Account, error) {
	e := &Account{Values: map[string][][]byte{}, Record: v1.RemoteAccount{ExternalID: t.RemoteID}}
	var err error
	if e.FormerDN, err = w.FormerDN(t, ""); err != nil {
		return nil, err
	}
	if t.Username != "" {
		holder, err := w.ByUsername(t.Username)
		switch {
		case ldaperr.HasCode(err, "username_ambiguous"): // others have it
		case err != nil:
			return nil, err
		case holder == nil:
			e.Record.Username = &t.Username
		}
	}
	return e, nil
}

// FormerDN is the DN by which groups may still list an account that lies elsewhere now, empty where there is
// none. Where another entry has that DN now, it is not this account that a group lists by it.
func (w *Finder) FormerDN(t v1.ProvisionTarget, now string) (string, error) {
	native := ldapdn.Normalize(t.NativeRef)
	if !strings.Contains(native, "=") || native == now {
		return "", nil
	}
	holder, err := w.Search(t.NativeRef, goldap.ScopeBaseObject, "(objectClass=*)")
	if err != nil && !ldaperr.HasCode(err, "no_key") || err == nil && len(holder) == 0 {
		return native, err
	}
	return "", nil
}
