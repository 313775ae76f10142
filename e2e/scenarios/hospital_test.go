package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	goldap "github.com/go-ldap/ldap/v3"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// hospital is a tenant that was founded with the sector pack of hospitals, and its three systems: HR over REST and a
// staff directory, both through an agent, and the health records, a service over SCIM that the control plane reaches
// itself.
type hospital struct {
	*harness.House
	t         *testing.T
	admin     *api.Client
	agent     *harness.Agent
	staff     *ldaptest.Server
	hr        string // address of the HR system
	records   string // address of the health records
	connector struct{ hr, staff, records string }
}

const (
	hrToken      = "bearer-s3cret"
	recordsToken = "records-s3cret"
)

// openHospital founds it, connects its systems and reads each once. Five people work there.
func openHospital(t *testing.T, staff func(testing.TB, ldaptest.Org) *ldaptest.Server) *hospital {
	t.Helper()
	h := &hospital{House: harness.Open(t), t: t}
	h.admin = h.Tenant("mercy", "--sector-pack", "healthcare-provider")
	h.agent = h.Agent(h.admin, "basement")
	h.staff = staff(
		t,
		ldaptest.Org{
			People: ldaptest.Staff(3),
			Groups: []ldaptest.Group{{Name: "All-Staff", People: []string{"u000"}}},
		},
	)
	h.hr = "http://" + targettest.StartNode(
		t,
		"../../connectorkit/rest/testdata/jsonserver",
		"PEOPLE=0",
	) + "/bearer/users"
	h.records = "http://" + targettest.StartNode(
		t,
		"../../connectorkit/scim/testdata/scimmy",
		"TOKEN="+recordsToken,
	) + "/scim/v2"
	for _, group := range []string{"Nurses of the wards", "Billing office", "Physicians"} {
		h.record(
			"POST",
			"/Groups",
			map[string]any{"schemas": []string{"urn:ietf:params:scim:schemas:core:2.0:Group"}, "displayName": group},
		)
	}
	for i, unit := range []string{"Administration", "Surgery", "Pharmacy", "Kitchen", "Billing"} {
		h.hire(i+1, fmt.Sprintf("Given%d", i), fmt.Sprintf("Family%d", i), unit, "Clerk")
	}
	h.connectStaff()
	h.connectRecords()
	h.connectHR()
	return h
}

func (h *hospital) connectStaff() {
	settings := h.staff.AuthConfig()
	settings["bind_dn"], settings["security"], settings["port"], settings["ca_pem"] = h.staff.AdminDN, "ldaps",
		h.staff.TLSPort, h.staff.CAPEM
	delete(settings, "bind_password")
	h.connector.staff = h.connects(map[string]any{
		"name":        "Staff directory",
		"type":        "ldap",
		"mode":        "agent",
		"agent_id":    h.agent.ID,
		"purpose":     "target",
		"labels":      map[string]string{"tag": "directory"},
		"connection":  settings,
		"credentials": map[string]any{"bind_password": h.staff.AdminPass},
	})
	h.Sync(h.admin, h.connector.staff, api.Sync{})
}

func (h *hospital) connectRecords() {
	h.connector.records = h.connects(map[string]any{
		"name":    "Health records",
		"type":    "scim2",
		"purpose": "target",
		"labels":  map[string]string{"tag": "ehr"},
		"connection": map[string]any{
			"base_url":    h.records,
			"auth_method": "bearer",
		},
		"credentials": map[string]any{"bearer_token": recordsToken},
	})
	h.Sync(h.admin, h.connector.records, api.Sync{})
}

// connectHR goes through the wizard, which knows from the pack what the fields of HR systems are called.
func (h *hospital) connectHR() {
	w := way{h.t, h.House.For(h.t), ""}
	w.h.Admin = h.admin
	h.connector.hr = h.connects(map[string]any{
		"draft": true, "name": "HR", "type": "rest", "mode": "agent", "agent_id": h.agent.ID, "purpose": "source",
		"connection": map[string]any{
			"base_url":    strings.TrimSuffix(h.hr, "users"),
			"auth_method": "bearer",
			"probe_path":  "users?_limit=1",
			"streams": []any{
				map[string]any{
					"name":     "people",
					"object":   "identity",
					"key_path": "id",
					"request":  map[string]any{"path": "users"},
				},
			},
		},
		"credentials": map[string]any{"bearer_token": hrToken},
	})
	w.path = "/connectors/" + h.connector.hr
	w.tested("")
	w.do("200", "POST", "/discover", nil)
	w.do("200", "POST", "/wizard/accept-mappings", nil)
	w.first()
}

func (h *hospital) connects(payload map[string]any) string {
	h.t.Helper()
	return harness.Read[struct{ ID string }](h.House, h.Expect("201", h.admin, "POST", "/connectors", payload)).ID
}

// hire writes somebody into the HR system, or writes them anew.
func (h *hospital) hire(id int, first, last, unit, title string, more ...any) {
	h.t.Helper()
	person := map[string]any{
		"id":              id,
		"personnelNo":     strconv.Itoa(1000 + id),
		"workEmail":       strings.ToLower(first + "." + last + "@mercy.test"),
		"legalFirstName":  first,
		"legalLastName":   last,
		"orgUnit":         unit,
		"positionTitle":   title,
		"contractType":    "FT",
		"firstWorkingDay": "2024-05-01",
		"lastWorkingDay":  nil,
	}
	for i := 0; i < len(more); i += 2 {
		person[more[i].(string)] = more[i+1]
	}
	if status, _ := h.send("PUT", fmt.Sprintf("%s/%d", h.hr, id), hrToken, person); status == http.StatusNotFound {
		if status, body := h.send("POST", h.hr, hrToken, person); status != http.StatusCreated {
			h.t.Fatalf("HR answered %d: %s", status, body)
		}
	}
}

// record asks the health records directly, past the product.
func (h *hospital) record(method, path string, in any) []byte {
	h.t.Helper()
	status, body := h.send(method, h.records+path, recordsToken, in)
	if status/100 != 2 {
		h.t.Fatalf("%s %s: %d %s", method, path, status, body)
	}
	return body
}

func (h *hospital) send(method, url, token string, in any) (int, []byte) {
	h.t.Helper()
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			h.t.Fatal(err)
		}
	}
	req, err := http.NewRequestWithContext(harness.Context(h.t), method, url, &body)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	if strings.HasPrefix(url, h.records) && h.records != "" {
		req.Header.Set("Content-Type", "application/scim+json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return res.StatusCode, out
}

// hrSays reads the HR system.
func (h *hospital) hrSays() { h.t.Helper(); h.Sync(h.admin, h.connector.hr, api.Sync{}) }

// hrKnows is the identity of somebody.
func (h *hospital) hrKnows(email string) (id, status string) {
	h.t.Helper()
	found := harness.Read[struct {
		Items []struct{ ID, Status string }
	}](h.House, h.Expect("200", h.admin, "GET", "/identities?email="+email, nil)).Items
	if len(found) != 1 {
		h.t.Fatalf("%d people have the address %s", len(found), email)
	}
	return found[0].ID, found[0].Status
}

// badge is somebody's account as the staff directory itself has it.
type badge struct {
	dn       string
	groups   []string
	disabled bool
}

func (h *hospital) loginOf(email string) (l badge) {
	h.t.Helper()
	conn := h.staff.Admin(h.t)
	defer conn.Close()
	search := func(filter string, attributes ...string) []*goldap.Entry {
		found, err := conn.Search(
			goldap.NewSearchRequest(
				ldaptest.Suffix,
				goldap.ScopeWholeSubtree,
				goldap.NeverDerefAliases,
				0,
				0,
				false,
				filter,
				attributes,
				nil,
			),
		)
		if err != nil {
			h.t.Fatal(err)
		}
		return found.Entries
	}
	people := search("(mail="+goldap.EscapeFilter(email)+")", "userAccountControl", "pwdAccountLockedTime")
	if len(people) == 0 {
		return l
	}
	if len(people) > 1 {
		h.t.Errorf("%s has %d entries in the directory", email, len(people))
	}
	l.dn = people[0].DN
	control, _ := strconv.Atoi(people[0].GetAttributeValue("userAccountControl"))
	l.disabled = control&2 > 0 || people[0].GetAttributeValue("pwdAccountLockedTime") != ""
	for _, g := range search("(member="+goldap.EscapeFilter(l.dn)+")", "cn") {
		l.groups = append(l.groups, g.GetAttributeValue("cn"))
	}
	return l
}

// chart is somebody's user as the health records themselves have it.
type chart struct {
	id     string
	active bool
	groups []string
}

func (h *hospital) chartOf(email string) (c chart) {
	h.t.Helper()
	var users struct {
		Resources []struct {
			ID, UserName string
			Active       *bool
			Emails       []struct{ Value string }
		}
	}
	h.decode(h.record("GET", "/Users?count=200", nil), &users)
	for _, u := range users.Resources {
		if strings.EqualFold(u.UserName, email) || len(u.Emails) > 0 && strings.EqualFold(u.Emails[0].Value, email) {
			if c.id != "" {
				h.t.Errorf("%s is twice in the health records", email)
			}
			c.id, c.active = u.ID, u.Active == nil || *u.Active
		}
	}
	var groups struct {
		Resources []struct {
			DisplayName string
			Members     []struct{ Value string }
		}
	}
	h.decode(h.record("GET", "/Groups?count=200", nil), &groups)
	for _, g := range groups.Resources {
		for _, m := range g.Members {
			if m.Value == c.id && c.id != "" {
				c.groups = append(c.groups, g.DisplayName)
			}
		}
	}
	return c
}

func (h *hospital) decode(body []byte, out any) {
	h.t.Helper()
	if err := json.Unmarshal(body, out); err != nil {
		h.t.Fatalf("%v: %s", err, body)
	}
}
