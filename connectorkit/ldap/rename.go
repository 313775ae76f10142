package ldap

import (
	"fmt"
	"slices"
	"strings"

	goldap "github.com/go-ldap/ldap/v3"

	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// rename gives an account another user name, another place or both, and writes whatever else is given.
func (w *writer) rename(e *found) error {
	e, wishes, err := w.reread(e)
	if err != nil {
		return err
	}
	a := w.req.Account
	if a == nil {
		return complaint(v1.ClassData, "username_missing", "the change is to rename an account and says not how", "Give account.username, or account.container.")
	}
	if err := sensible("user name", w.nameAfter(e)); err != nil {
		return err
	}
	wishes = w.renamed(e, wishes)
	place := ""
	if a.Container != nil && *a.Container != "" && NormalizeDN(*a.Container) != parentOf(e.native) {
		place = *a.Container
		if err := w.checkPlace(place); err != nil {
			return err
		}
	}
	steps, after := w.renaming(e, wishes, place)
	if len(steps) == 0 {
		return w.finishRename(e)
	}
	for _, a := range nameOfEntry(after) {
		if err := sensible("name of an entry", a.Value); err != nil {
			return err
		}
	}
	if err := w.free(e, after); err != nil {
		return err
	}
	if err := w.performMove(e, steps, called{after, w.listedAs(e, wishes)}); err != nil {
		return err
	}
	return w.confirmMove(after, e.account.ExternalID, func(now *found) bool {
		return len(w.fulfilled(now, wishes)) == 0 && now.native == NormalizeDN(after)
	})
}

// listedAs is the user name by which groups are to list an account once the wishes are fulfilled.
func (w *writer) listedAs(e *found, wishes []wish) string {
	i := slices.IndexFunc(wishes, func(x wish) bool { return strings.EqualFold(x.name, "uid") && len(x.values) > 0 })
	switch {
	case i >= 0:
		return text(wishes[i])
	case e.first("uid") == "":
		return w.nameAfter(e)
	}
	return w.calledNow(e).user
}

// finishRename completes a rename that was made before: groups may still list the account by its old name.
func (w *writer) finishRename(e *found) error {
	if err := w.performMove(e, nil, w.calledNow(e)); err != nil {
		return err
	}
	w.out.Verified = true
	if len(w.follow) == 0 {
		w.out.Outcome = v1.OutcomeAlready
	}
	return w.rewrite(w.follow)
}

// free makes sure that nobody else has the new user name or the new DN. Not every directory refuses that by itself.
func (w *writer) free(e *found, dn string) error {
	var other *found
	var err error
	if name := w.nameAfter(e); !strings.EqualFold(name, e.username()) {
		other, err = w.byUsername(name)
	}
	if err == nil && other == nil && NormalizeDN(dn) != e.native {
		var list []*found
		list, err = w.look(dn, goldap.ScopeBaseObject, "(objectClass=*)")
		other = one(list)
	}
	if err != nil || other == nil || other.account.ExternalID == e.account.ExternalID {
		return err
	}
	return complaint(v1.ClassConflict, "account_exists", fmt.Sprintf("there is already an account %s", other.dn), "Choose another user name or another container. Neither account was touched.")
}

// renamed adds to the wishes what follows from a new user name.
func (w *writer) renamed(e *found, wishes []wish) []wish {
	a := w.req.Account
	if a.Username == nil || *a.Username == "" {
		return wishes
	}
	add := func(name, value string) {
		if !slices.ContainsFunc(wishes, func(x wish) bool { return strings.EqualFold(x.name, name) }) {
			wishes = append(wishes, wish{name, rawAll([]string{value})})
		}
	}
	add(w.loginAttribute(), *a.Username)
	// The part before the @ of a userPrincipalName follows where it has followed so far.
	if local, domain, ok := strings.Cut(e.first("userPrincipalName"), "@"); ok && w.flavor.activeDir && strings.EqualFold(local, e.username()) {
		add("userPrincipalName", *a.Username+"@"+domain)
	}
	return wishes
}

// renaming lists the requests: first the name, by which everything else finds the entry, then the attributes.
func (w *writer) renaming(e *found, wishes []wish, place string) ([]step, string) {
	dn := e.dn
	var steps []step
	rdn := w.newRDN(e, wishes)
	if rdn != "" || place != "" {
		s, after := w.moved(e, rdn, place)
		steps, dn = append(steps, s), after
		if rdn != "" {
			// What the name holds has changed with it.
			renamed := *e
			renamed.values = map[string][][]byte{}
			for k, v := range e.values {
				renamed.values[k] = v
			}
			for _, a := range nameOfEntry(after) {
				key := strings.ToLower(a.Type)
				before := oldValue(e.dn, a.Type)
				kept := slices.DeleteFunc(slices.Clone(e.values[key]), func(v []byte) bool { return foldValue(string(v)) == foldValue(before) })
				renamed.values[key] = append([][]byte{[]byte(a.Value)}, kept...)
				if a.Value != before {
					w.changed(a.Type, e.values[key], renamed.values[key])
				}
			}
			e = &renamed
		}
	}
	for _, s := range w.modifySteps(e, "change what goes with the name", w.differences(e, wishes)) {
		s.dn = dn
		steps = append(steps, s)
	}
	return steps, dn
}

func oldValue(dn, attribute string) string {
	for _, a := range nameOfEntry(dn) {
		if strings.EqualFold(a.Type, attribute) {
			return a.Value
		}
	}
	return ""
}

// newRDN is the entry's new name, empty where it keeps its own. An attribute of the name takes its new value; a name that followed
// the template for new accounts follows it still; any other stays.
func (w *writer) newRDN(e *found, wishes []wish) string {
	parts := nameOfEntry(e.dn)
	after := w.merged(e, wishes)
	var out []string
	changed := false
	for _, a := range parts {
		value := a.Value
		i := slices.IndexFunc(wishes, func(x wish) bool { return strings.EqualFold(x.name, a.Type) && len(x.values) > 0 })
		switch {
		case i >= 0 && !slices.ContainsFunc(wishes[i].values, func(v []byte) bool { return string(v) == value }):
			value = text(wishes[i])
		case i < 0 && strings.EqualFold(a.Type, w.rdnAttribute()) && w.fromTemplate(e.username(), w.merged(e, nil)) == value:
			if v := w.fromTemplate(w.nameAfter(e), after); v != "" {
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

func (w *writer) fromTemplate(username string, values map[string][]wish) string {
	return strings.TrimSpace(w.expand(w.writing.rdnTemplate, username, values))
}

func (w *writer) nameAfter(e *found) string {
	if a := w.req.Account; a.Username != nil && *a.Username != "" {
		return *a.Username
	}
	return e.username()
}

// merged are the values of an entry with the wishes fulfilled.
func (w *writer) merged(e *found, wishes []wish) map[string][]wish {
	out := map[string][]wish{}
	for name, values := range e.values {
		out[name] = []wish{{name, values}}
	}
	for _, x := range wishes {
		out[strings.ToLower(x.name)] = []wish{x}
	}
	return out
}

// moved is the request that gives an entry another name, another place, or both, and the DN after it.
func (w *writer) moved(e *found, rdn, place string) (step, string) {
	s := step{op: stepModifyDN, dn: e.dn, newRDN: rdn, newSuperior: place, note: "rename the entry"}
	own, parent := cutDN(e.dn)
	if rdn == "" {
		s.newRDN, s.note = own, "move the entry"
	}
	if place != "" {
		parent = place
	}
	dn := s.newRDN + "," + parent
	w.out.Changes = append(w.out.Changes, v1.ChangedField{Field: "dn", Old: e.dn, New: dn})
	return s, dn
}

// cutDN divides a DN, as it is written, behind its first part.
func cutDN(dn string) (rdn, parent string) {
	for i := 0; i < len(dn); i++ {
		switch dn[i] {
		case '\\':
			i++
		case ',', ';':
			return dn[:i], strings.TrimSpace(dn[i+1:])
		}
	}
	return dn, ""
}
