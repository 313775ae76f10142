package scenarios

import (
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/targets/people"
)

const scimUser, scimGroup = "urn:ietf:params:scim:schemas:core:2.0:User", "urn:ietf:params:scim:schemas:core:2.0:Group"

// systems connects an HR system, a large directory that cannot be written to, and two systems that can: a directory
// through an agent, and an application over SCIM. Thirty people have accounts in these two.
func (s *scene) systems(slug string) {
	s.t.Helper()
	some := s.employed(30)
	agent := s.Agent(s.admin, "cellar-"+slug)
	s.name("agent", agent.ID, "cellar-"+slug)
	s.staff = ldaptest.StartSlapd(s.t, ldaptest.Options{LDIF: staffed(some), MemberOf: true, Refint: true})
	s.apps = "http://" + targettest.StartNode(
		s.t,
		"../../connectorkit/scim/testdata/scimmy",
		"TOKEN="+recordsToken,
	) + "/scim/v2"
	for _, p := range some {
		s.scim(
			"/Users",
			map[string]any{
				"schemas":     []string{scimUser},
				"userName":    p.Mail,
				"displayName": p.DisplayName,
				"active":      true,
				"name": map[string]any{
					"givenName":  p.GivenName,
					"familyName": p.FamilyName,
				},
				"emails": []any{map[string]any{"value": p.Mail, "primary": true}},
			},
		)
	}
	for _, group := range []string{"Editors", "Publishers", "Translators", "Archive"} {
		s.scim("/Groups", map[string]any{"schemas": []string{scimGroup}, "displayName": group})
	}
	s.connects("hr", s.hr.state.PersonnelWithRoles(), nil)
	s.connects("connector", s.hr.state.Directory(), nil)
	login := s.staff.AuthConfig()
	login["bind_dn"], login["security"], login["port"], login["ca_pem"] = s.staff.AdminDN, "ldaps", s.staff.TLSPort,
		s.staff.CAPEM
	delete(login, "bind_password")
	s.connects("staff", api.Connector{
		Name: "Staff directory", BusinessID: "staff", Type: "ldap", Mode: "agent", AgentID: agent.ID, Purpose: "target",
		Connection: login, Credentials: map[string]any{"bind_password": s.staff.AdminPass},
	}, map[string]any{"tag": "logins"})
	s.connects("apps", api.Connector{
		Name: "Publishing", BusinessID: "publishing", Type: "scim2", Purpose: "target",
		Connection:  map[string]any{"base_url": s.apps, "auth_method": "bearer"},
		Credentials: map[string]any{"bearer_token": recordsToken},
	}, nil)
	s.learn()
}

// connects makes a connector, reads the system, and remembers how it is reached.
func (s *scene) connects(kind string, c api.Connector, labels map[string]any) {
	s.t.Helper()
	id := s.name(kind, s.Connect(s.admin, c), c.Name)
	if labels == nil {
		labels = map[string]any{
			"tag": "sample",
		} // without a tag a directory counts as that of the staff, which packs would fill
	}
	s.Patch(s.admin, id, map[string]any{"labels": labels})
	s.Sync(s.admin, id, api.Sync{})
	s.Systems[kind] = map[string]any{
		"type":        c.Type,
		"purpose":     c.Purpose,
		"connection":  c.Connection,
		"credentials": c.Credentials,
	}
}

func (s *scene) scim(path string, in any) {
	s.t.Helper()
	(&office{House: s.House, t: s.t, workspace: s.apps}).scim("POST", path, in)
}

// employed are n people who work for the company.
func (s *scene) employed(n int) (some []people.Person) {
	for _, p := range s.hr.company.People {
		if p.Status == people.Active && p.EndDate.IsZero() && p.Mail != "" && len(some) < n {
			some = append(some, p)
		}
	}
	return some
}

// staffed is a directory of some people, in which the last ones are in groups.
func staffed(some []people.Person) string {
	var b strings.Builder
	dn := func(p people.Person) string { return "uid=" + p.Login + "," + ldaptest.PeopleDN }
	for _, p := range some {
		fmt.Fprintf(&b, "dn: %s\nobjectClass: inetOrgPerson\n", dn(p))
		for _, a := range [][2]string{
			{"uid", p.Login}, {"cn", p.DisplayName}, {"sn", p.FamilyName}, {"givenName", p.GivenName},
			{"displayName", p.DisplayName}, {"mail", p.Mail},
			{"employeeNumber", p.Number}, {"departmentNumber", p.Department},
		} {
			b.WriteString(ldaptest.Attr(a[0], a[1]))
		}
		b.WriteString("\n")
	}
	for i, group := range []string{"Payroll", "Vault", "Library", "Remote access", "Printers"} {
		fmt.Fprintf(
			&b,
			"dn: cn=%s,%s\nobjectClass: groupOfNames\ncn: %s\ndescription: What %s is for\n",
			group,
			ldaptest.GroupsDN,
			group,
			group,
		)
		for _, p := range some[len(some)-1-3*i:] {
			fmt.Fprintf(&b, "member: %s\n", dn(p))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// unfinished leaves connectors on their way: a draft at each end of the wizard, one that fails, one that is paused, and
// a run of the large directory that waits because half of its accounts have gone.
func (s *scene) unfinished() {
	s.t.Helper()
	s.name(
		"draft",
		s.post("/connectors", map[string]any{"name": "Warehouse", "type": "ldap", "draft": true}),
		"Warehouse",
	)
	mapped := s.post("/connectors", map[string]any{
		"name": "Branch office", "type": "rest", "draft": true, "purpose": "source",
		"connection": s.Systems["hr"]["connection"], "credentials": s.Systems["hr"]["credentials"],
	})
	s.Expect("200", s.admin, "POST", "/connectors/"+mapped+"/test", nil)
	s.Expect("200", s.admin, "POST", "/connectors/"+mapped+"/discover", nil)
	s.name("mapped", mapped, "Branch office")

	payroll := api.Connector{
		Name:       "Old payroll",
		BusinessID: "payroll",
		Type:       "rest",
		Purpose:    "source",
		Connection: map[string]any{
			"base_url":    s.broken,
			"auth_method": "bearer",
			"probe_path":  "people",
			"streams": []any{map[string]any{
				"name": "people", "object": "identity", "key_path": "id", "request": map[string]any{"path": "people"},
			}},
		},
		Credentials: map[string]any{"bearer_token": "payroll-s3cret-of-old"},
	}
	failing := s.name("failing", s.Connect(s.admin, payroll), payroll.Name)
	if r := s.Try(s.admin, failing, api.Sync{}); r.Status != "failed" {
		s.t.Errorf("a system that is down is read, and the run is %s", r.Status)
	} else {
		s.name("failedRun", r.ID, r.Status)
	}
	for i, a := range s.hr.company.Directory.Accounts {
		if i%2 == 0 {
			if err := s.hr.ldap.RemoveAccount(a.Login); err != nil {
				s.t.Fatal(err)
			}
		}
	}
	held := s.Try(s.admin, s.IDs["connector"], api.Sync{})
	if held.Status != "held" {
		s.t.Errorf("half of the accounts have gone, and the run is %s", held.Status)
	}
	s.name("heldRun", held.ID, held.Status)
	paused := s.Connect(s.admin, api.Connector{
		Name:       "Library loans",
		BusinessID: "loans",
		Type:       "scim2",
		Purpose:    "target",
		Connection: map[string]any{
			"base_url":    s.apps,
			"auth_method": "bearer",
		},
		Credentials: map[string]any{"bearer_token": recordsToken},
	})
	s.Expect("200", s.admin, "POST", "/connectors/"+paused+"/pause", map[string]any{"reason": "the vendor moves"})
	s.name("paused", paused, "Library loans")
}
