package scimsvc

import (
	"fmt"
	"slices"
	"time"

	"github.com/elimity-com/scim"

	"github.com/grantwright/grantwright/e2e/targets/people"
)

// enterprise is the schema of the enterprise extension (RFC 7643 section 4.3).
const enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"

// fill writes a system's accounts and groups. Managers and members stand by SCIM id; a nested group
// is a member of type Group.
func (s *Server) fill(system people.System) {
	ids := make(map[string]string, len(system.Accounts))
	for _, a := range system.Accounts {
		ids[a.Login] = a.ID
	}
	groupIDs := map[string]string{}
	for _, g := range system.Groups {
		groupIDs[g.Name] = g.ID
	}
	for _, a := range system.Accounts {
		// The generator's logins and group names are unique, the one thing that put refuses.
		_, _ = s.users.put(a.ID, s.user(a, ids[a.Manager]), a.Created, a.Modified)
	}
	for _, g := range system.Groups {
		members := make([]any, 0, len(g.Members)+len(g.Groups))
		for _, login := range g.Members {
			if id := ids[login]; id != "" {
				members = append(members, member(id, "User", login))
			}
		}
		for _, name := range g.Groups {
			members = append(members, member(groupIDs[name], "Group", name))
		}
		_, _ = s.groups.put(
			g.ID,
			scim.ResourceAttributes{"displayName": g.Name, "members": members},
			g.Created,
			g.Modified,
		)
	}
}

func member(id, kind, display string) map[string]any {
	return map[string]any{"value": id, "type": kind, "display": display}
}

// user writes an account as a SCIM user.
func (s *Server) user(a people.Account, managerID string) scim.ResourceAttributes {
	u := scim.ResourceAttributes{
		"userName":    s.userName(a.Login),
		"displayName": a.DisplayName,
		"active":      a.Enabled,
		"userType":    string(a.Kind),
		"name": compact(
			map[string]any{"givenName": a.GivenName, "familyName": a.FamilyName, "formatted": a.DisplayName},
		),
	}
	set(u, "title", a.Title)
	set(u, "externalId", a.Number)
	if a.Mail != "" {
		u["emails"] = []any{map[string]any{"value": a.Mail, "type": "work", "primary": true}}
	}
	if a.Phone != "" {
		u["phoneNumbers"] = []any{map[string]any{"value": a.Phone, "type": "work"}}
	}
	if a.Location != "" {
		u["addresses"] = []any{map[string]any{"locality": a.Location, "type": "work"}}
	}
	work := compact(map[string]any{"employeeNumber": a.Number, "department": a.Department, "costCenter": a.CostCenter})
	if managerID != "" {
		work["manager"] = map[string]any{"value": managerID}
	}
	if len(work) > 0 {
		u[enterprise] = work
	}
	return u
}

func set(a map[string]any, name, value string) {
	if value != "" {
		a[name] = value
	}
}

// compact drops empty texts.
func compact(a map[string]any) map[string]any {
	for k, v := range a {
		if v == "" {
			delete(a, k)
		}
	}
	return a
}

func (s *Server) userName(login string) string { return login + "@" + s.domain }

// UserID gives the SCIM id of a login.
func (s *Server) UserID(login string) (string, error) {
	s.users.mu.RLock()
	defer s.users.mu.RUnlock()
	r, err := s.users.find(s.userName(login))
	if err != nil {
		return "", err
	}
	return r.ID, nil
}

// AddUser adds a user. An empty id is made, zero times mean now; a manager without a user is left out.
func (s *Server) AddUser(a people.Account) error {
	manager, _ := s.UserID(a.Manager)
	s.users.mu.Lock()
	defer s.users.mu.Unlock()
	if _, err := s.users.find(s.userName(a.Login)); err == nil {
		return fmt.Errorf("user %s is there already", a.Login)
	}
	if a.ID == "" {
		a.ID = people.UUID("saas", a.Login, time.Now().String())
	}
	_, err := s.users.put(a.ID, s.user(a, manager), a.Created, a.Modified)
	return err
}

// RemoveUser deletes a user, and the user's memberships.
func (s *Server) RemoveUser(login string) error {
	id, err := s.UserID(login)
	if err != nil {
		return err
	}
	s.groups.mu.Lock()
	for _, gid := range s.groups.order {
		s.groups.exclude(s.groups.byID[gid], id)
	}
	s.groups.mu.Unlock()
	return s.users.Delete(nil, id)
}

// UpdateUser changes attributes of a user, named as SCIM names them, at the top level.
func (s *Server) UpdateUser(login string, change map[string]any) error {
	s.users.mu.Lock()
	defer s.users.mu.Unlock()
	r, err := s.users.find(s.userName(login))
	if err != nil {
		return err
	}
	a := deepCopy(r.Attributes)
	for k, v := range change {
		a[k] = v
	}
	_, err = s.users.put(r.ID, a, time.Time{}, time.Time{})
	return err
}

// SetActive activates or deactivates a user.
func (s *Server) SetActive(login string, active bool) error {
	return s.UpdateUser(login, map[string]any{"active": active})
}

// AddMember puts a user into a group.
func (s *Server) AddMember(group, login string) error {
	id, err := s.UserID(login)
	if err != nil {
		return err
	}
	s.groups.mu.Lock()
	defer s.groups.mu.Unlock()
	g, err := s.groups.find(group)
	if err != nil {
		return err
	}
	members := membersOf(g)
	if slices.ContainsFunc(members, isMember(id)) {
		return nil
	}
	return s.groups.regroup(g, append(slices.Clone(members), member(id, "User", login)))
}

// RemoveMember takes a user out of a group.
func (s *Server) RemoveMember(group, login string) error {
	id, err := s.UserID(login)
	if err != nil {
		return err
	}
	s.groups.mu.Lock()
	defer s.groups.mu.Unlock()
	g, err := s.groups.find(group)
	if err != nil {
		return err
	}
	s.groups.exclude(g, id)
	return nil
}

// exclude takes a member out of a group it may be in; the caller holds the lock.
func (s *store) exclude(g *scim.Resource, id string) {
	members := membersOf(g)
	if slices.ContainsFunc(members, isMember(id)) {
		_ = s.regroup(g, slices.DeleteFunc(slices.Clone(members), isMember(id)))
	}
}

// regroup writes a group with other members; the caller holds the lock.
func (s *store) regroup(g *scim.Resource, members []any) error {
	a := copied(g).Attributes
	a["members"] = members
	_, err := s.put(g.ID, a, time.Time{}, time.Time{})
	return err
}

func membersOf(g *scim.Resource) []any {
	members, _ := g.Attributes["members"].([]any)
	return members
}

func isMember(id string) func(any) bool {
	return func(m any) bool {
		fields, _ := m.(map[string]any)
		return fields["value"] == id
	}
}
