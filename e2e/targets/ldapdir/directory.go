package ldapdir

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/grantwright/grantwright/e2e/targets/people"
)

// directory is the tree of entries. Readers take a snapshot and hold no lock while they answer.
type directory struct {
	base string // as configured
	norm string

	mu       sync.RWMutex
	entries  []*entry // by seq; never changed in place
	byDN     map[string]*entry
	accounts map[string]people.Account // by login
	groups   map[string]people.Group   // by lower-case name
	parents  map[string][]string       // norm of a member: DNs of the groups it is in
	next     uint64
}

// newDirectory builds the tree of a system below base.
func newDirectory(base string, s people.System) (*directory, error) {
	norm, err := normalDN(base)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(norm, "dc=") {
		return nil, fmt.Errorf("base %q: a naming context of dc components is needed", base)
	}
	d := &directory{
		base: base,
		norm: norm,
		byDN: make(map[string]*entry, len(s.Accounts)+len(s.Groups)+8),
		accounts: make(
			map[string]people.Account,
			len(s.Accounts),
		),
		groups:  make(map[string]people.Group, len(s.Groups)),
		parents: map[string][]string{},
	}
	for _, a := range s.Accounts {
		d.accounts[a.Login] = a
	}
	for _, g := range s.Groups {
		d.groups[strings.ToLower(g.Name)] = g
	}
	for _, g := range s.Groups {
		dn, _ := groupDN(base, g.Name)
		for _, m := range d.memberDNs(g) {
			d.parents[key(m)] = append(d.parents[key(m)], dn)
		}
	}
	d.grow(s)
	return d, nil
}

// grow writes the first entries, containers before what stands in them.
func (d *directory) grow(s people.System) {
	above := "ou=people," + d.base
	first := []*entry{
		root(d.base),
		container(d.base, "people", ""),
		container(d.base, "employees", above),
		container(d.base, "contractors", above),
		container(d.base, "groups", ""),
		container(d.base, "services", ""),
		reader(d.base),
	}
	for _, e := range first {
		d.put(e)
	}
	for _, a := range s.Accounts {
		d.put(d.accountEntry(a))
	}
	for _, g := range s.Groups {
		d.put(d.groupEntry(g))
	}
}

// put adds an entry, or replaces the one of the same name in its place. The caller holds the lock, or
// is alone.
func (d *directory) put(e *entry) {
	if old, ok := d.byDN[e.norm]; ok {
		e.seq = old.seq
		at, _ := d.at(old.seq)
		d.entries = slices.Clone(d.entries)
		d.entries[at] = e
	} else {
		d.next++
		e.seq = d.next
		// Appending is safe beside readers: they never look behind the end of their own slice.
		d.entries = append(d.entries, e)
	}
	d.byDN[e.norm] = e
}

func (d *directory) drop(norm string) {
	old, ok := d.byDN[norm]
	if !ok {
		return
	}
	at, _ := d.at(old.seq)
	d.entries = slices.Concat(d.entries[:at], d.entries[at+1:])
	delete(d.byDN, norm)
}

func (d *directory) at(seq uint64) (int, bool) { return position(d.entries, seq) }

// position finds the first entry whose place is seq or later.
func position(entries []*entry, seq uint64) (int, bool) {
	return slices.BinarySearchFunc(entries, seq, func(e *entry, seq uint64) int {
		switch {
		case e.seq < seq:
			return -1
		case e.seq > seq:
			return 1
		default:
			return 0
		}
	})
}

// snapshot gives the entry of a name, nil when absent, and all entries of this moment.
func (d *directory) snapshot(norm string) (*entry, []*entry) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.byDN[norm], d.entries
}

func (d *directory) size() int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return len(d.entries)
}

func (d *directory) accountEntry(a people.Account) *entry {
	dn, _ := accountDN(d.base, a)
	manager := ""
	if boss, ok := d.accounts[a.Manager]; ok {
		manager, _ = accountDN(d.base, boss)
	}
	return accountEntry(d.base, a, manager, d.parents[key(dn)])
}

func (d *directory) groupEntry(g people.Group) *entry {
	dn, _ := groupDN(d.base, g.Name)
	return groupEntry(d.base, g, d.memberDNs(g), d.parents[key(dn)])
}

// memberDNs gives the DNs of a group's members. A login that no account bears stands where an
// employee's account would: the dangling reference of a directory without referential integrity.
func (d *directory) memberDNs(g people.Group) []string {
	all := make([]string, 0, len(g.Members)+len(g.Groups))
	for _, login := range g.Members {
		a, ok := d.accounts[login]
		if !ok {
			a = people.Account{Login: login, Kind: people.Employee}
		}
		dn, _ := accountDN(d.base, a)
		all = append(all, dn)
	}
	for _, name := range g.Groups {
		dn, _ := groupDN(d.base, name)
		all = append(all, dn)
	}
	return all
}
