package ldap

import (
	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/internal/wire"
)

// maxOddPlaces is how many places that are none by their class are watched one by one.
const maxOddPlaces = 100

// oddPlaces are entries with people or groups below them that containers does not list: no class of theirs says that they hold others,
// as where a person's devices lie below the person.
type oddPlaces struct {
	listed *containers // nil: none are known, and nothing is noted
	last   string      // the parent noted last: entries come in heaps
	dns    map[string]bool
	seen   map[string]bool // of them, those that the login can see
	more   bool            // than can be watched
}

// note looks at where an entry lies, which is given in normal form.
func (o *oddPlaces) note(dn string) {
	parent := parentOf(dn)
	if o.listed == nil || parent == o.last {
		return
	}
	o.last = parent
	switch {
	case o.dns[parent], o.listed.has(hashOf(parent)):
	case len(o.dns) == maxOddPlaces:
		o.more = true
	default:
		o.dns[parent] = true
	}
}

// watch begins noting, with what was noted before, be it seen already or not.
func (o *oddPlaces) watch(listed *containers, before []string, seen bool) {
	*o = oddPlaces{dns: map[string]bool{}, seen: map[string]bool{}}
	if listed != nil && (len(listed.Hashes) > 0 || listed.Count == 0) {
		o.listed = listed
	}
	for _, dn := range before {
		o.dns[dn], o.seen[dn] = true, seen
	}
}

// add notes places that an interrupted read has noted.
func (o *oddPlaces) add(dns []string) {
	for _, dn := range dns {
		o.dns[dn] = true
	}
}

// parentOf cuts the first part off a DN in normal form.
func parentOf(dn string) string {
	for i := 0; i < len(dn); i++ {
		switch dn[i] {
		case '\\':
			i++
		case ',':
			return dn[i+1:]
		}
	}
	return ""
}

// checkOdd makes sure that the odd places are where they were. What lay in one that has gone has another DN now, or none.
func (r *run) checkOdd(dns []string) error {
	for _, dn := range dns {
		there, err := r.isThere(dn)
		if err != nil {
			return err
		}
		if !there {
			return &fallback{reason: dn + ", which has others below it, was renamed or removed"}
		}
	}
	return nil
}

// oddPlaces lists the odd places that can be watched. One that the login cannot see is none of them.
func (r *run) oddPlaces() ([]string, error) {
	var list []string
	for _, dn := range sortedKeys(r.odd.dns) {
		if !r.odd.seen[dn] {
			there, err := r.isThere(dn)
			if err != nil {
				return nil, err
			}
			if !there {
				continue
			}
		}
		list = append(list, dn)
	}
	return list, nil
}

// isThere tells whether the login can see an entry. Its error is that of a lost connection.
func (r *run) isThere(dn string) (bool, error) {
	seen, _, err := r.first(wire.Request{Base: dn, Scope: goldap.ScopeBaseObject, Filter: "(objectClass=*)", Attributes: []string{"1.1"}}, 1, func(*wire.Entry) {})
	return err == nil && seen == 1, r.lost(err)
}
