package hrrest

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/grantwright/grantwright/e2e/targets/people"
)

// file is what HR knows. Lists handed out are copies or never changed again.
type file struct {
	departmentIDs map[string]string

	mu     sync.RWMutex
	people []people.Person // by number
	roles  []people.SecurityRole
}

func newFile(c people.Company) *file {
	f := &file{departmentIDs: map[string]string{}, people: slices.Clone(c.People), roles: slices.Clone(c.Roles)}
	for _, d := range c.Departments {
		f.departmentIDs[d.Name] = d.ID
	}
	slices.SortFunc(f.people, func(a, b people.Person) int { return strings.Compare(a.Number, b.Number) })
	return f
}

func everyone(people.Person) bool { return true }

// employees gives those who fit, by number.
func (f *file) employees(fits func(people.Person) bool) []people.Person {
	f.mu.RLock()
	defer f.mu.RUnlock()
	var found []people.Person
	for _, p := range f.people {
		if fits(p) {
			found = append(found, p)
		}
	}
	return found
}

func (f *file) employee(number string) (people.Person, bool) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	i, ok := f.find(number)
	if !ok {
		return people.Person{}, false
	}
	return f.people[i], true
}

// find gives somebody's place, or where they would stand; the caller holds the lock.
func (f *file) find(number string) (int, bool) {
	return slices.BinarySearchFunc(
		f.people,
		number,
		func(p people.Person, n string) int { return strings.Compare(p.Number, n) },
	)
}

func (f *file) allRoles() []people.SecurityRole {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return slices.Clone(f.roles)
}

func (f *file) role(id string) (people.SecurityRole, bool) {
	for _, r := range f.allRoles() {
		if r.ID == id {
			return r, true
		}
	}
	return people.SecurityRole{}, false
}

// AddEmployee hires somebody. A zero time of change means now.
func (s *Server) AddEmployee(p people.Person) error {
	f := s.file
	f.mu.Lock()
	defer f.mu.Unlock()
	i, there := f.find(p.Number)
	if there || p.Number == "" {
		return fmt.Errorf("employee %q has no number or is there already", p.Number)
	}
	if p.Modified.IsZero() {
		p.Modified = time.Now().UTC()
	}
	f.people = slices.Insert(f.people, i, p)
	return nil
}

// RemoveEmployee deletes somebody's record and security roles.
func (s *Server) RemoveEmployee(number string) error {
	f := s.file
	f.mu.Lock()
	defer f.mu.Unlock()
	i, there := f.find(number)
	if !there {
		return fmt.Errorf("no employee %s", number)
	}
	f.people = slices.Delete(f.people, i, i+1)
	for k := range f.roles {
		f.roles[k].Members = without(f.roles[k].Members, number)
	}
	return nil
}

// UpdateEmployee changes a record. The employee number must stay.
func (s *Server) UpdateEmployee(number string, change func(*people.Person)) error {
	f := s.file
	f.mu.Lock()
	defer f.mu.Unlock()
	i, there := f.find(number)
	if !there {
		return fmt.Errorf("no employee %s", number)
	}
	p := f.people[i]
	change(&p)
	if p.Number != number {
		return fmt.Errorf("employee %s: the number stays", number)
	}
	p.Modified = time.Now().UTC()
	f.people[i] = p
	return nil
}

// Terminate ends somebody's employment on a day.
func (s *Server) Terminate(number string, day time.Time) error {
	return s.UpdateEmployee(number, func(p *people.Person) { p.Status, p.EndDate = people.Terminated, day })
}

// AddRoleMember gives an employee a security role, by its id or name.
func (s *Server) AddRoleMember(role, number string) error {
	return s.changeRole(role, number, func(members []people.RoleMember) []people.RoleMember {
		return append(without(members, number), people.RoleMember{Number: number, Assigned: time.Now().UTC()})
	})
}

// RemoveRoleMember takes a security role from an employee.
func (s *Server) RemoveRoleMember(role, number string) error {
	return s.changeRole(
		role,
		number,
		func(members []people.RoleMember) []people.RoleMember { return without(members, number) },
	)
}

func (s *Server) changeRole(role, number string, change func([]people.RoleMember) []people.RoleMember) error {
	f := s.file
	f.mu.Lock()
	defer f.mu.Unlock()
	i := slices.IndexFunc(f.roles, func(r people.SecurityRole) bool { return r.ID == role || r.Name == role })
	if i < 0 {
		return fmt.Errorf("no security role %s", role)
	}
	if _, there := f.find(number); !there {
		return fmt.Errorf("no employee %s", number)
	}
	f.roles[i].Members = change(f.roles[i].Members)
	return nil
}

// without gives the members but one, in a new list: answers under way still read the old one.
func without(members []people.RoleMember, number string) []people.RoleMember {
	return slices.DeleteFunc(slices.Clone(members), func(m people.RoleMember) bool { return m.Number == number })
}
