package read

import (
	"maps"
	"slices"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldapdn"
)

// maxUndeclared is how many undeclared containers are watched one by one.
const maxUndeclared = 100

// undeclaredContainers are entries with people or groups below them that containers does not list: no class
// of theirs says that they hold others, as where a person's devices lie below the person.
type undeclaredContainers struct {
	listed   *Containers // nil: none are known, and nothing is noted
	last     string      // the parent noted last: entries of one container come together
	dns      map[string]bool
	seen     map[string]bool // of them, those that the login can see
	Overflow bool            // there are more than can be watched
}

// Note looks at where an entry lies, which is given in normal form.
func (o *undeclaredContainers) Note(dn string) {
	parent := ldapdn.Parent(dn)
	if o.listed == nil || parent == o.last {
		return
	}
	o.last = parent
	switch {
	case o.dns[parent], o.listed.Has(HashOf(parent)):
	case len(o.dns) == maxUndeclared:
		o.Overflow = true
	default:
		o.dns[parent] = true
	}
}

// Start begins noting, with what was noted before, be it seen already or not.
func (o *undeclaredContainers) Start(listed *Containers, before []string, seen bool) {
	*o = undeclaredContainers{dns: map[string]bool{}, seen: map[string]bool{}}
	if listed != nil && (len(listed.Hashes) > 0 || listed.Count == 0) {
		o.listed = listed
	}
	for _, dn := range before {
		o.dns[dn], o.seen[dn] = true, seen
	}
}

// Add notes places that an interrupted read has noted.
func (o *undeclaredContainers) Add(dns []string) {
	for _, dn := range dns {
		o.dns[dn] = true
	}
}

// UndeclaredContainers lists the undeclared containers that can be watched. One that the login cannot see is
// none of them.
func (r *Run) UndeclaredContainers() ([]string, error) {
	var list []string
	for _, dn := range slices.Sorted(maps.Keys(r.Undeclared.dns)) {
		if !r.Undeclared.seen[dn] {
			there, err := r.Exists(r.Ctx, dn)
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
