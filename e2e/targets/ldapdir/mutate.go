package ldapdir

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/e2e/targets/people"
)

// AddAccount adds an account. Its times are set when they are zero, and its id when it is empty.
func (s *Server) AddAccount(a people.Account) error {
	d := s.dir
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.accounts[a.Login]; ok {
		return fmt.Errorf("account %s is there already", a.Login)
	}
	now := time.Now().UTC()
	if a.Created.IsZero() {
		a.Created = now
	}
	if a.Modified.IsZero() {
		a.Modified = now
	}
	if a.ID == "" {
		a.ID = people.UUID("directory", a.Login, now.String())
	}
	d.accounts[a.Login] = a
	d.put(d.accountEntry(a))
	return nil
}

// RemoveAccount deletes an account and its memberships, as a directory with referential integrity does.
func (s *Server) RemoveAccount(login string) error {
	d := s.dir
	d.mu.Lock()
	defer d.mu.Unlock()
	a, ok := d.accounts[login]
	if !ok {
		return fmt.Errorf("no account %s", login)
	}
	for _, g := range d.groups {
		if slices.Contains(g.Members, login) {
			d.leave(g, login)
		}
	}
	dn, _ := accountDN(d.base, a)
	delete(d.accounts, login)
	delete(d.parents, key(dn))
	d.drop(key(dn))
	return nil
}

// UpdateAccount changes an account in place. Its login and kind must stay: they make its DN.
func (s *Server) UpdateAccount(login string, change func(*people.Account)) error {
	d := s.dir
	d.mu.Lock()
	defer d.mu.Unlock()
	a, ok := d.accounts[login]
	if !ok {
		return fmt.Errorf("no account %s", login)
	}
	before := a
	change(&a)
	if a.Login != before.Login || a.Kind != before.Kind {
		return fmt.Errorf("account %s: its login and kind make its DN and stay", login)
	}
	a.Modified = time.Now().UTC()
	d.accounts[login] = a
	d.put(d.accountEntry(a))
	return nil
}

// SetEnabled locks or unlocks an account.
func (s *Server) SetEnabled(login string, enabled bool) error {
	return s.UpdateAccount(login, func(a *people.Account) { a.Enabled = enabled })
}

// AddMember puts an account into a group.
func (s *Server) AddMember(group, login string) error {
	return s.change(group, login, func(d *directory, g people.Group) { d.enter(g, login) })
}

// RemoveMember takes an account out of a group. The last member cannot leave: a groupOfNames has one.
func (s *Server) RemoveMember(group, login string) error {
	var last error
	err := s.change(group, login, func(d *directory, g people.Group) {
		if len(g.Members)+len(g.Groups) == 1 && slices.Contains(g.Members, login) {
			last = fmt.Errorf("%s is the last member of %s", login, group)
			return
		}
		d.leave(g, login)
	})
	if err != nil {
		return err
	}
	return last
}

// AddGroup adds a group with its members; groups inside it must be there already.
func (s *Server) AddGroup(g people.Group) error {
	d := s.dir
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.groups[strings.ToLower(g.Name)]; ok {
		return fmt.Errorf("group %s is there already", g.Name)
	}
	if len(g.Members)+len(g.Groups) == 0 {
		return fmt.Errorf("group %s has no member", g.Name)
	}
	for _, inner := range g.Groups {
		if _, ok := d.groups[strings.ToLower(inner)]; !ok {
			return fmt.Errorf("no group %s", inner)
		}
	}
	now := time.Now().UTC()
	if g.Created.IsZero() {
		g.Created, g.Modified = now, now
	}
	if g.ID == "" {
		g.ID = people.UUID("directory", "group", g.Name, now.String())
	}
	d.groups[strings.ToLower(g.Name)] = g
	d.put(d.groupEntry(g))
	d.relink(g, true)
	return nil
}

// RemoveGroup deletes a group and its own memberships.
func (s *Server) RemoveGroup(name string) error {
	d := s.dir
	d.mu.Lock()
	defer d.mu.Unlock()
	g, ok := d.groups[strings.ToLower(name)]
	if !ok {
		return fmt.Errorf("no group %s", name)
	}
	for lower, outer := range d.groups {
		if i := slices.Index(outer.Groups, g.Name); i >= 0 {
			outer.Groups = slices.Concat(outer.Groups[:i], outer.Groups[i+1:])
			outer.Modified = time.Now().UTC()
			d.groups[lower] = outer
			d.put(d.groupEntry(outer))
		}
	}
	e := d.groupEntry(g)
	delete(d.groups, strings.ToLower(name))
	delete(d.parents, e.norm)
	d.drop(e.norm)
	d.relink(g, false)
	return nil
}

// change runs a step on a group under the lock.
func (s *Server) change(group, login string, step func(*directory, people.Group)) error {
	d := s.dir
	d.mu.Lock()
	defer d.mu.Unlock()
	g, ok := d.groups[strings.ToLower(group)]
	if !ok {
		return fmt.Errorf("no group %s", group)
	}
	if _, ok := d.accounts[login]; !ok {
		return fmt.Errorf("no account %s", login)
	}
	step(d, g)
	return nil
}

func (d *directory) enter(g people.Group, login string) {
	if slices.Contains(g.Members, login) {
		return
	}
	g.Members = append(slices.Clone(g.Members), login)
	d.regroup(g)
	d.link(g, login, true)
}

func (d *directory) leave(g people.Group, login string) {
	i := slices.Index(g.Members, login)
	if i < 0 {
		return
	}
	g.Members = slices.Concat(g.Members[:i], g.Members[i+1:])
	d.regroup(g)
	d.link(g, login, false)
}

// regroup writes a changed group.
func (d *directory) regroup(g people.Group) {
	g.Modified = time.Now().UTC()
	d.groups[strings.ToLower(g.Name)] = g
	d.put(d.groupEntry(g))
}

// link keeps an account's memberOf true to a membership.
func (d *directory) link(g people.Group, login string, in bool) {
	a, ok := d.accounts[login]
	if !ok {
		return
	}
	dn, _ := accountDN(d.base, a)
	d.mark(key(dn), g, in)
	d.put(d.accountEntry(a))
}

// relink keeps memberOf of all members true to a group that came or went.
func (d *directory) relink(g people.Group, in bool) {
	for _, login := range g.Members {
		d.link(g, login, in)
	}
	for _, name := range g.Groups {
		inner := d.groups[strings.ToLower(name)]
		d.mark(d.groupEntry(inner).norm, g, in)
		d.put(d.groupEntry(inner))
	}
}

// mark notes in parents that a member is in a group, or no longer.
func (d *directory) mark(member string, g people.Group, in bool) {
	dn, _ := groupDN(d.base, g.Name)
	groups := slices.DeleteFunc(slices.Clone(d.parents[member]), func(x string) bool { return x == dn })
	if in {
		groups = append(groups, dn)
	}
	d.parents[member] = groups
}
