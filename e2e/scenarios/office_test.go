package scenarios

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// office is a company whose people ask for access: a directory through an agent, which knows them and their managers,
// and a workspace over SCIM that the control plane reaches itself.
type office struct {
	*harness.House
	t         *testing.T
	agent     *harness.Agent
	staff     *ldaptest.Server
	workspace string                    // its address
	people    map[string]string         // ids of identities by the name in the directory
	directory string                    // the connector
	members   map[string]harness.Member // who has signed in
	things    map[string]string         // ids of entitlements by name
}

// In the office u000 leads, u001 to u010 report to u000, and u011 to u020 to u001. u003 owns the payroll.
func openOffice(t *testing.T) *office {
	t.Helper()
	o := &office{
		House:   harness.Open(t),
		t:       t,
		people:  map[string]string{},
		members: map[string]harness.Member{},
		things:  map[string]string{},
	}
	o.agent = o.Agent(o.Admin, "cellar")
	o.staff = ldaptest.StartSlapd(
		t,
		ldaptest.Options{Org: ldaptest.Org{People: ldaptest.Staff(21), Groups: []ldaptest.Group{
			{
				Name:   "Payroll",
				People: []string{"u003"},
			},
			{Name: "Vault", People: []string{"u003"}},
			{Name: "Library", People: []string{"u000"}},
		}}, MemberOf: true, Refint: true},
	)
	settings := o.staff.AuthConfig()
	settings["bind_dn"], settings["security"], settings["port"], settings["ca_pem"] = o.staff.AdminDN, "ldaps",
		o.staff.TLSPort, o.staff.CAPEM
	delete(settings, "bind_password")
	o.directory = o.connect(
		map[string]any{
			"name":        "Staff directory",
			"business_id": "staff",
			"type":        "ldap",
			"mode":        "agent",
			"agent_id":    o.agent.ID,
			"connection":  settings,
			"credentials": map[string]any{"bind_password": o.staff.AdminPass},
		},
	)
	o.workspace = "http://" + targettest.StartNode(
		t,
		"../../connectorkit/scim/testdata/scimmy",
		"TOKEN="+recordsToken,
	) + "/scim/v2"
	o.scim(
		"POST",
		"/Groups",
		map[string]any{"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:Group"}, "displayName": "Editors"},
	)
	o.connect(map[string]any{
		"name":        "Workspace",
		"business_id": "workspace",
		"type":        "scim2",
		"purpose":     "target",
		"connection": map[string]any{
			"base_url":    o.workspace,
			"auth_method": "bearer",
		},
		"credentials": map[string]any{"bearer_token": recordsToken},
	})
	o.learn()
	return o
}

// connect connects a system and reads it.
func (o *office) connect(payload map[string]any) string {
	o.t.Helper()
	id := harness.Read[struct{ ID string }](o.House, o.Expect("201", o.Admin, "POST", "/connectors", payload)).ID
	o.Sync(o.Admin, id, api.Sync{})
	return id
}

// reports writes into the directory that somebody has another manager, and reads it.
func (o *office) reports(uid, manager string) {
	o.t.Helper()
	conn := o.staff.Admin(o.t)
	defer conn.Close()
	change := goldap.NewModifyRequest("uid="+uid+","+ldaptest.PeopleDN, nil)
	change.Replace("manager", []string{"uid=" + manager + "," + ldaptest.PeopleDN})
	if err := conn.Modify(change); err != nil {
		o.t.Fatal(err)
	}
	o.Sync(o.Admin, o.directory, api.Sync{})
}

// learn finds who and what there is, and lets the three groups and the editors be asked for.
func (o *office) learn() {
	o.t.Helper()
	type known struct {
		ID, Username, Name string
	}
	for _, p := range harness.All[known](o.House, o.Admin, "/identities", url.Values{"limit": {"500"}}) {
		o.people[p.Username] = p.ID
	}
	for _, e := range harness.All[known](o.House, o.Admin, "/entitlements", url.Values{"limit": {"500"}}) {
		o.things[e.Name] = e.ID
	}
	for thing, change := range map[string]map[string]any{
		"Payroll": {"risk_level": "high", "owner_ids": []string{o.people["u003"]}},
		"Vault":   {"risk_level": "critical", "owner_ids": []string{o.people["u003"]}},
		"Library": {}, "Editors": {},
	} {
		change["requestable"], change["business_description"] = true, "What the "+thing+" team works with."
		if o.things[thing] == "" {
			o.t.Fatalf("there is no %s among %v", thing, o.things)
		}
		o.Expect("200", o.Admin, "PATCH", "/entitlements/"+o.things[thing], change)
	}
}

func (o *office) scim(method, path string, in any) []byte {
	o.t.Helper()
	h := &hospital{House: o.House, t: o.t, records: o.workspace}
	status, body := h.send(method, o.workspace+path, recordsToken, in)
	if status/100 != 2 {
		o.t.Fatalf("%s %s: %d %s", method, path, status, body)
	}
	return body
}

// as is somebody of the office, who signs in when they are first needed, with these roles.
func (o *office) as(name string, roles ...string) *api.Client {
	o.t.Helper()
	if m, in := o.members[name]; in {
		return m.Client
	}
	if o.people[name] == "" {
		o.t.Fatalf("there is no %s among %v", name, o.people)
	}
	o.members[name] = o.Member(o.Admin, name+"@office.example", o.people[name], roles...)
	return o.members[name].Client
}

// inGroup says whether the directory itself has somebody in a group.
func (o *office) inGroup(group, uid string) bool {
	o.t.Helper()
	conn := o.staff.Admin(o.t)
	defer conn.Close()
	found, err := conn.Search(
		goldap.NewSearchRequest(ldaptest.Suffix, goldap.ScopeWholeSubtree, goldap.NeverDerefAliases, 0, 0, false,
			"(&(cn="+group+")(member=*))", []string{"member"}, nil),
	)
	if err != nil {
		o.t.Fatal(err)
	}
	return slices.ContainsFunc(found.Entries, func(e *goldap.Entry) bool {
		return slices.ContainsFunc(
			e.GetAttributeValues("member"),
			func(dn string) bool { return strings.Contains(strings.ToLower(dn), "uid="+uid+",") },
		)
	})
}

// asked is a request as its readers see it.
type asked struct {
	ID, Number, Status string
	ReasonCode         string `json:"reason_code"`
	ExternalReference  string `json:"external_reference"`
	Items              []askedItem
}

type askedItem struct {
	ID, Status     string
	DecisionReason string     `json:"decision_reason"`
	EndsAt         *time.Time `json:"ends_at"`
	Stages         []struct {
		Name, State string
		Groups      []struct {
			Needed, Approved int
			Slots            []askedSlot
		}
	}
	Provisioning struct {
		VerifiedAt *time.Time `json:"verified_at"`
	}
}

type askedSlot struct {
	IdentityID string `json:"identity_id"`
	Role       string
	Display    string
	Via        string
	State      string
	ActingFor  string `json:"acting_for"`
}

// asks has somebody ask for something for themselves.
func (o *office) asks(name, thing string, more ...any) asked {
	o.t.Helper()
	resource := map[string]any{"entitlement_id": o.things[thing]}
	payload := map[string]any{
		"requested_for_identity_id": o.people[name],
		"requested_resources":       []any{resource},
		"justification":             "I look after the books of March.",
	}
	for i := 0; i < len(more); i += 2 {
		if key := more[i].(string); key == "duration" {
			resource[key] = more[i+1]
		} else {
			payload[key] = more[i+1]
		}
	}
	return harness.Read[asked](o.House, o.Expect("201", o.as(name), "POST", "/access-requests", payload))
}

func (o *office) request(id string) asked {
	o.t.Helper()
	return harness.Read[asked](o.House, o.Expect("200", o.Admin, "GET", "/access-requests/"+id, nil))
}

// becomes waits until a request is in a status.
func (o *office) becomes(r asked, status string) (now asked) {
	o.t.Helper()
	saw := ""
	harness.Eventually(o.t, "the request to be "+status, func() bool {
		now = o.request(r.ID)
		saw = fmt.Sprintf("%+v", now)
		return now.Status == status
	}, &saw)
	return now
}

// waiting is a task in somebody's inbox.
type waiting struct {
	ID, Kind, Title, State string
	Source                 struct{ ID string }
	Links                  []struct{ Type, ID string }
}

// tasks are what waits for somebody.
func (o *office) tasks(name string, query ...string) []waiting {
	o.t.Helper()
	q := url.Values{}
	for i := 0; i < len(query); i += 2 {
		q.Set(query[i], query[i+1])
	}
	return harness.All[waiting](o.House, o.as(name), "/decision-tasks", q)
}

// decides has somebody answer the one task of a kind that waits for them, and waits for it where it has still to come.
func (o *office) decides(name, kind, action string, more ...any) waiting {
	o.t.Helper()
	var found []waiting
	saw := ""
	harness.Eventually(o.t, "a task of "+name, func() bool {
		found = o.tasks(name, "kind", kind)
		saw = fmt.Sprintf("%+v", found)
		return len(found) > 0
	}, &saw)
	if len(found) != 1 {
		o.t.Fatalf("%d tasks wait for %s: %+v", len(found), name, found)
	}
	payload := map[string]any{"action": action, "comment": "As agreed with " + name}
	for i := 0; i < len(more); i += 2 {
		payload[more[i].(string)] = more[i+1]
	}
	o.Expect("200", o.as(name), "POST", "/decision-tasks/"+found[0].ID+"/decide", payload)
	return found[0]
}

// sees waits for what the target itself shows.
func (o *office) sees(what string, is func() bool) {
	o.t.Helper()
	saw := ""
	harness.Eventually(o.t, what, func() bool {
		if is() {
			return true
		}
		saw = string(
			o.Expect(
				"200",
				o.Admin,
				"GET",
				"/accounts/provisioning-tasks?state=queued,blocked,running,verifying,retrying,failed,manual",
				nil,
			).Body,
		)
		return false
	}, &saw)
}

// rule makes an approval rule for one thing.
func (o *office) rule(name, thing string, more map[string]any, stages ...map[string]any) {
	o.t.Helper()
	payload := map[string]any{"name": name, "applies_to": map[string]any{"entitlement_ids": []string{o.things[thing]}},
		"branches": []any{map[string]any{"outcome": map[string]any{"kind": "chain", "stages": stages}}}}
	for key, value := range more {
		payload[key] = value
	}
	if a := o.Expect("201", o.Admin, http.MethodPost, "/approval-rules", payload); a.Status != http.StatusCreated {
		o.t.FailNow()
	}
}

// person is a resolver that names one.
func (o *office) person(name string) map[string]any {
	return map[string]any{"kind": "identity", "identity_id": o.people[name]}
}
