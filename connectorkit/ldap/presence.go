package ldap

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// unproven is a change that cannot be said to be needless: what it names is not seen, and is not proven to be gone either.
type unproven struct{ detail *v1.ErrorDetail }

func (u *unproven) Error() string { return u.detail.Message }
func (u *unproven) Unwrap() error { return u.detail }

// locate looks for an account where the connector reads, and then in all of the directory.
func (w *writer) locate(t v1.ProvisionTarget) (*found, v1.Presence, error) {
	e, err := w.find(t)
	if e != nil || err != nil {
		return e, v1.PresencePresent, err
	}
	if t.RemoteID == "" {
		return nil, v1.PresenceUnknown, nil // a user name is no key: it may have changed
	}
	outside, proven, err := w.outside([]string{w.keyFilter(t.RemoteID)})
	switch {
	case err != nil:
		return nil, v1.PresenceUnknown, err
	case outside[t.RemoteID] != nil:
		return outside[t.RemoteID], v1.PresenceNotVisible, nil
	case proven && w.seesPlaceOf(t.NativeRef, w.userBase):
		return nil, v1.PresenceGone, nil
	}
	return nil, v1.PresenceUnknown, nil
}

// outside looks for entries by their keys in all naming contexts. proven says that an entry that is not among them is in none.
func (w *writer) outside(keys []string) (seen map[string]*found, proven bool, err error) {
	seen = map[string]*found{}
	proven, err = w.everywhere(keys, w.asked(), func(e *wire.Entry) {
		if f := w.taken(e); f != nil {
			seen[f.account.ExternalID] = f
		}
	})
	return seen, proven, err
}

// everywhere searches all naming contexts for entries by their keys. A refusal, a limit and a part that another server keeps
// leave the search unproven.
func (w *writer) everywhere(keys, attributes []string, each func(*wire.Entry)) (proven bool, err error) {
	contexts := w.root["namingcontexts"]
	proven = len(contexts) > 0
	filter := "(|" + strings.Join(keys, "") + ")"
	for _, base := range contexts {
		req := wire.Request{
			Base: base, Scope: goldap.ScopeWholeSubtree, Filter: filter, Attributes: attributes, TimeLimit: w.timeLimit,
		}
		page, err := w.conn.Search(req, func(e *wire.Entry) error { each(e); return nil })
		switch {
		case err != nil && w.conn.Broken():
			return false, w.searchError(w.ctx, "presence", err)
		case err != nil:
			proven = false
		case page.References > contextsBelow(contexts, base):
			proven = false // another server keeps a part of it
		}
	}
	return proven, nil
}

// contextsBelow counts the naming contexts that lie below another. Active Directory refers to its own in a search above them.
func contextsBelow(contexts []string, base string) int {
	n := 0
	for _, dn := range contexts {
		if NormalizeDN(dn) != NormalizeDN(base) && isWithin(dn, base) {
			n++
		}
	}
	return n
}

// seesPlaceOf says whether the login sees the place in which an entry lay. A login that has lost the place sees nothing of what is
// in it, and must not take that for gone.
func (w *writer) seesPlaceOf(native, otherwise string) bool {
	place := otherwise
	if strings.Contains(native, "=") {
		_, place = cutDN(native)
	}
	if place == "" {
		return false
	}
	if seen, known := w.placesSeen[place]; known {
		return seen
	}
	count := 0
	req := wire.Request{
		Base: place, Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)", Attributes: []string{"1.1"}, TimeLimit: w.timeLimit,
	}
	_, err := w.conn.Search(req, func(*wire.Entry) error { count++; return nil })
	if w.placesSeen == nil {
		w.placesSeen = map[string]bool{}
	}
	w.placesSeen[place] = err == nil && count > 0
	return w.placesSeen[place]
}

// locateTeam looks for a group where the connector reads, and then in all of the directory.
func (w *writer) locateTeam(t v1.ProvisionTarget) (*team, v1.Presence, error) {
	g, err := w.findTeam(t)
	if g != nil || err != nil {
		return g, v1.PresencePresent, err
	}
	outside := map[string]*team{}
	proven, err := w.everywhere([]string{w.keyFilter(t.RemoteID)}, teamAttributes(w.idAttribute), w.gatherTeams(outside))
	switch {
	case err != nil:
		return nil, v1.PresenceUnknown, err
	case outside[t.RemoteID] != nil:
		return outside[t.RemoteID], v1.PresenceNotVisible, nil
	case proven && w.seesPlaceOf(t.NativeRef, w.groupBase):
		return nil, v1.PresenceGone, nil
	}
	return nil, v1.PresenceUnknown, nil
}

// stableKey says that the key is one that the directory itself gives and that no other entry of any naming context has.
func (w *writer) stableKey() bool {
	stable := append(slices.Clone(keyAttributes), w.flavor.id)
	return slices.ContainsFunc(stable, func(name string) bool { return name != "" && strings.EqualFold(name, w.idAttribute) })
}

// reaches settles with which account a change goes on. Outside of what is read only what ends access is done, and only where the key
// proves that it is the same account; nothing there is deleted.
func (w *writer) reaches(e *found, presence v1.Presence, target v1.ProvisionTarget) error {
	w.out.Presence = presence
	switch {
	case presence == v1.PresencePresent:
		return nil
	case e == nil:
		return w.noAccount(target, presence)
	case w.endsAccess() && w.stableKey():
		w.warn("account_outside", w.liesOutside(e)+": a sync does not read it there")
		return nil
	}
	return complaint(v1.ClassConflict, "account_outside", w.liesOutside(e),
		"It was moved there. Widen user_base_dn, or make the change in the directory itself.")
}

// endsAccess says whether the change takes access away in a way that can be undone.
func (w *writer) endsAccess() bool {
	return w.req.Op == v1.OpAccountDisable || w.req.Op == v1.OpEntitlementRevoke
}

func (w *writer) liesOutside(e *found) string {
	return fmt.Sprintf("the account %s lies at %s, which is not where accounts are read (below %s, by the user filter)",
		e.account.ExternalID, e.dn, w.userBase)
}

func (w *writer) noAccount(t v1.ProvisionTarget, presence v1.Presence) error {
	name := t.RemoteID
	if name == "" {
		name = t.Username
	}
	if presence == v1.PresenceGone {
		return complaint(v1.ClassNotFound, "account_not_found", fmt.Sprintf("there is no account %s in the directory any more", name),
			"It was deleted. The next full sync reports it as removed.")
	}
	d := complaint(v1.ClassNotFound, "account_not_visible",
		fmt.Sprintf("the account %s is not found below %s, and it is not proven that it is gone", name, w.userBase),
		"It may have been moved to where the login sees nothing. Give the login the right to read all of the directory, or look for the account there.")
	if w.endsAccess() || w.req.Op == v1.OpAccountDelete {
		d.Retryable = true
		return &unproven{d}
	}
	return d
}

func (w *writer) noTeam(id string, presence v1.Presence) error {
	if presence == v1.PresenceGone {
		return complaint(v1.ClassNotFound, "entitlement_not_found", fmt.Sprintf("there is no group %s in the directory any more", id),
			"It was deleted. The next full sync reports it as removed.")
	}
	d := complaint(v1.ClassNotFound, "entitlement_not_visible",
		fmt.Sprintf("the group %s is not found below %s, and it is not proven that it is gone", id, w.groupBase),
		"It may have been moved to where the login sees nothing. Give the login the right to read all of the directory, or look for the group there.")
	if w.endsAccess() {
		d.Retryable = true
		return &unproven{d}
	}
	return d
}

// lastKnown is an account that is not seen, as far as groups may still list it: by its last DN and by its user name.
func (w *writer) lastKnown(t v1.ProvisionTarget) (*found, error) {
	e := &found{values: map[string][][]byte{}, account: v1.RemoteAccount{ExternalID: t.RemoteID}}
	var err error
	if e.formerly, err = w.formerDN(t, ""); err != nil {
		return nil, err
	}
	if t.Username != "" {
		holder, err := w.byUsername(t.Username)
		switch {
		case hasCode(err, "username_ambiguous"): // others have it
		case err != nil:
			return nil, err
		case holder == nil:
			e.account.Username = &t.Username
		}
	}
	return e, nil
}

// formerDN is the DN by which groups may still list an account that lies elsewhere now, empty where there is none. Where another
// entry has that DN now, it is not this account that a group lists by it.
func (w *writer) formerDN(t v1.ProvisionTarget, now string) (string, error) {
	native := NormalizeDN(t.NativeRef)
	if !strings.Contains(native, "=") || native == now {
		return "", nil
	}
	holder, err := w.look(t.NativeRef, goldap.ScopeBaseObject, "(objectClass=*)")
	if err != nil && !hasCode(err, "no_key") || err == nil && len(holder) == 0 {
		return native, err
	}
	return "", nil
}

func hasCode(err error, code string) bool {
	var d *v1.ErrorDetail
	return errors.As(err, &d) && d.Code == code
}
