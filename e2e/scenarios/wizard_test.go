package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	"github.com/grantwright/grantwright/connectorkit/target/targettest"
	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// way is a connector on its way to the first sync.
type way struct {
	t    *testing.T
	h    *harness.House
	path string
}

// draft begins with a name and a type alone.
func draft(t *testing.T, h *harness.House, payload map[string]any) way {
	t.Helper()
	payload["draft"] = true
	made := harness.Read[struct{ ID, Status string }](h, h.Expect("201", h.Admin, "POST", "/connectors", payload))
	if made.Status != "draft" {
		t.Errorf("the connector is %s; want a draft", made.Status)
	}
	return way{t, h, "/connectors/" + made.ID}
}

func (w way) id() string { return strings.TrimPrefix(w.path, "/connectors/") }

// do calls below the connector and wants this outcome.
func (w way) do(want, method, path string, body any) api.Answer {
	w.t.Helper()
	return w.h.Expect(want, w.h.Admin, method, w.path+path, body)
}

// tested tests the connection and wants success, or this code of the target's own answer.
func (w way) tested(code string) {
	w.t.Helper()
	verdict, err := w.h.Admin.Test(harness.Context(w.t), w.id())
	got := ""
	if err == nil && verdict.Error != nil {
		got = verdict.Error.Code
	}
	if err != nil || got != code || verdict.Success != (code == "") {
		w.t.Errorf("the test said %+v, %v; want %q", verdict.Error, err, code)
	}
}

// stands wants the wizard at this step, with this first problem.
func (w way) stands(step int, problem string) {
	w.t.Helper()
	at := harness.Read[struct {
		Step  int `json:"step"`
		Steps []struct {
			Problems []struct{ Code string } `json:"problems"`
		} `json:"steps"`
	}](w.h, w.do("200", "GET", "/wizard", nil))
	got := ""
	if now := at.Steps[at.Step-1].Problems; len(now) > 0 {
		got = now[0].Code
	}
	if at.Step != step || got != problem {
		w.t.Errorf("the wizard stands at step %d with %q; want %d with %q", at.Step, got, step, problem)
	}
}

// first takes the first sync to its end and wants the connector connected.
func (w way) first() api.Run {
	w.t.Helper()
	started := harness.Read[struct {
		RunID string            `json:"run_id"`
		Links map[string]string `json:"links"`
	}](w.h, w.do("202", "POST", "/wizard/first-sync", nil))
	run := w.h.Well(w.h.End(w.h.Admin, w.id(), started.RunID))
	stream := w.h.Expect("200", w.h.Admin, "GET", strings.TrimPrefix(started.Links["events"], "/api/v1"), nil)
	if !strings.Contains(string(stream.Body), "event: sync.completed") ||
		!strings.Contains(string(stream.Body), `"identities_read":`) {
		w.t.Errorf("the stream of the first sync: %.400s", stream.Body)
	}
	connector := harness.Read[struct {
		Status string `json:"status"`
		Funnel string `json:"funnel_state"`
	}](w.h, w.do("200", "GET", "", nil))
	if connector.Status != "active" || connector.Funnel != "connected" {
		w.t.Errorf("after the first sync the connector is %s and %s", connector.Status, connector.Funnel)
	}
	return run
}

// later is a run that says nothing about how much to read: it asks for what has changed. It reads changes alone where
// the target can tell them, and says why it does not where it reads everything.
func (w way) later(changesAlone bool) {
	w.t.Helper()
	run := harness.Read[struct {
		RunID string `json:"run_id"`
	}](w.h, w.do("202", "POST", "/sync", nil))
	w.h.Well(w.h.End(w.h.Admin, w.id(), run.RunID))
	asked := harness.Read[struct {
		Incremental bool    `json:"incremental"`
		Effective   bool    `json:"effective_incremental"`
		Strategy    *string `json:"strategy"`
		Reason      *string `json:"fallback_reason"`
	}](w.h, w.do("200", "GET", "/sync-runs/"+run.RunID, nil))
	if !asked.Incremental || changesAlone && !asked.Effective || !asked.Effective && asked.Reason == nil {
		w.t.Errorf(
			"a later run asked for changes: %v, read changes alone: %v (want %v), by %v because of %v",
			asked.Incremental,
			asked.Effective,
			changesAlone,
			asked.Strategy,
			asked.Reason,
		)
	}
}

func TestADirectoryIsConnectedStepByStepThroughAnAgent(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	slapd := ldaptest.StartSlapd(t, ldaptest.Options{Users: 60, Groups: 3, PerGroup: 5, Syncprov: true})
	settings := slapd.AuthConfig()
	password, host := settings["bind_password"], settings["host"]
	delete(settings, "bind_password")
	w := draft(
		t,
		h,
		map[string]any{"name": "OpenLDAP", "type": "ldap", "mode": "agent", "agent_id": h.Agent(h.Admin, "site").ID},
	)
	w.stands(2, "required")
	w.do("409 connector_incomplete", "POST", "/test", nil)

	settings["host"] = "directory.invalid" // a host that is none
	w.do(
		"200",
		"PATCH",
		"",
		map[string]any{"connection": settings, "credentials": map[string]any{"bind_password": "not the canary"}},
	)
	w.stands(2, "test_required")
	w.tested("dns_not_found")
	w.stands(2, "dns_not_found")
	w.do("422 credentials_required", "PATCH", "", map[string]any{"connection": map[string]any{"host": host}})
	w.do(
		"200",
		"PATCH",
		"",
		map[string]any{
			"connection":  map[string]any{"host": host},
			"credentials": map[string]any{"bind_password": "not the canary"},
		},
	)
	w.tested("ldap_49") // and a password that is wrong
	w.do("409 test_required", "POST", "/wizard/first-sync", nil)
	w.do("200", "PATCH", "", map[string]any{"credentials": map[string]any{"bind_password": password}})
	w.tested("")
	w.stands(3, "")

	w.do("200", "POST", "/discover", nil)
	w.stands(4, "")
	w.do("409 mapping_required", "POST", "/wizard/first-sync", nil)
	w.do("200", "POST", "/mappings/preview", map[string]any{"sample": 5})
	w.do("200", "POST", "/wizard/accept-mappings", nil)
	w.stands(5, "")
	if run := w.first(); run.Counters.Accounts != 60 || run.Counters.Entitlements < 3 || run.Counters.Grants == 0 {
		t.Errorf("the first sync counted %+v", run.Counters)
	}
	w.later(true)
}

func TestAnApplicationIsConnectedStepByStepWithClientCredentials(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	idp := targettest.StartOIDC(t, 10*time.Minute)
	service := targettest.StartNode(
		t,
		"../../connectorkit/scim/testdata/scimmy",
		"JWKS_URL="+idp.JWKSURL,
		"USERS=40",
		"GROUPS=3",
	)
	w := draft(
		t,
		h,
		map[string]any{
			"name":       "SaaS",
			"type":       "scim2",
			"connection": map[string]any{"auth_method": "oauth2_client_credentials"},
		},
	)
	w.stands(2, "required")
	w.do("200", "PATCH", "", map[string]any{
		"connection": map[string]any{
			"base_url":  "http://" + service + "/scim/v2",
			"token_url": idp.TokenURL,
			"client_id": idp.BasicClient,
			"scope":     idp.Scope,
		},
		"credentials": map[string]any{"client_secret": "not the canary"},
	})
	w.tested("oauth_invalid_client")
	w.stands(2, "oauth_invalid_client")
	w.do("200", "PATCH", "", map[string]any{"credentials": map[string]any{"client_secret": idp.ClientSecret}})
	w.tested("")
	w.do("200", "POST", "/discover", nil)
	w.do("200", "POST", "/wizard/accept-mappings", nil)
	w.stands(5, "")
	if run := w.first(); run.Counters.Identities != 40 || run.Counters.Accounts != 40 ||
		run.Counters.Entitlements < 3 ||
		run.Counters.Grants == 0 {
		t.Errorf("the first sync counted %+v", run.Counters)
	}
	w.later(false)
	if p := w.person("user7@example.test"); p.Department != "D0" || p.Number != "1007" || p.Manager == "" {
		t.Errorf("of the enterprise extension came %+v", p)
	}
}

// mapped is somebody as the mappings made them.
type mapped struct {
	Name       string         `json:"display_name"`
	Department string         `json:"department"`
	Number     string         `json:"employee_number"`
	Manager    string         `json:"manager_external_id"`
	Hired      string         `json:"hire_date"`
	Attributes map[string]any `json:"attributes"`
}

func (w way) person(email string) mapped {
	w.t.Helper()
	found := harness.Read[struct{ Items []mapped }](
		w.h,
		w.h.Expect("200", w.h.Admin, "GET", "/identities?email="+email, nil),
	).Items
	if len(found) != 1 {
		w.t.Fatalf(
			"%d people have the address %s; %s",
			len(found),
			email,
			w.h.Expect("200", w.h.Admin, "GET", "/identities?q=7&limit=3", nil).Body,
		)
	}
	return found[0]
}

func TestAnAPIIsConnectedStepByStepAndItsFieldsChange(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	const people, token = 30, "bearer-s3cret"
	hr := "http://" + targettest.StartNode(
		t,
		"../../connectorkit/rest/testdata/jsonserver",
		fmt.Sprintf("PEOPLE=%d", people),
	) + "/bearer/"
	w := draft(
		t,
		h,
		map[string]any{
			"name":     "HR",
			"type":     "rest",
			"mode":     "agent",
			"agent_id": h.Agent(h.Admin, "site").ID,
			"purpose":  "source",
		},
	)
	w.do("200", "PATCH", "", map[string]any{
		"connection": map[string]any{
			"base_url":    hr,
			"auth_method": "bearer",
			"probe_path":  "users?_limit=1",
			"streams": []any{map[string]any{
				"name": "people", "object": "identity", "key_path": "id", "request": map[string]any{"path": "users"},
			}},
		},
		"credentials": map[string]any{"bearer_token": "not the canary"},
	})
	w.tested("http_401")
	w.do("200", "PATCH", "", map[string]any{"credentials": map[string]any{"bearer_token": token}})
	w.tested("")
	w.do("200", "POST", "/discover", nil)
	w.do("200", "PUT", "/mappings", map[string]any{"mappings": []map[string]any{
		{"object": "identity", "source_path": "mail", "target_field": "email", "transform": "value.lower()"},
		{"object": "identity", "source_path": "displayName", "target_field": "display_name"},
		{"object": "identity", "source_path": "hired", "target_field": "hire_date"},
		{
			"object":       "identity",
			"source_path":  "dept.code",
			"target_field": "department",
			"transform":    "f'Department {value[1:]}'",
		},
		{"object": "identity", "source_path": "score", "target_field": "attributes.score", "transform": "round(value)"},
	}})
	if run := w.first(); run.Counters.Identities != people {
		t.Errorf("the first sync counted %+v", run.Counters)
	}
	if p := w.person(
		"user7@example.test",
	); p.Name != "User 7" || p.Department != "Department 0" || p.Hired != "2015-01-08" ||
		p.Attributes["score"] != 1.0 {
		t.Errorf("after the first sync: %+v", p)
	}

	for i := range people { // the system's owner changes it: a field is new, one has gone, one is of another type
		putJSON(t, fmt.Sprintf("%susers/%d", hr, i+1), token, map[string]any{
			"id":          i + 1,
			"login":       fmt.Sprintf("user%d", i),
			"mail":        fmt.Sprintf("user%d@example.test", i),
			"displayName": fmt.Sprintf("User %d", i),
			"hired":       "2015-01-08",
			"enabled":     true,
			"score":       "high",
			"phone":       fmt.Sprintf("+49 %d", i),
			"roles":       []string{"r"},
			"updatedAt":   "2026-11-01T00:00:00Z",
			"apiToken":    "t0ken",
		})
	}
	type ref struct{ Path string }
	again := harness.Read[struct {
		Diff struct {
			ID             string
			Added, Removed []ref
			Retyped        []ref `json:"type_changed"`
		} `json:"diff"`
	}](h, w.do("200", "POST", "/rediscover", nil)).Diff
	if fmt.Sprint(again.Added, again.Removed, again.Retyped) != "[{phone}] [{dept.code} {dept.site}] [{score}]" {
		t.Errorf("the fields differ by %+v", again)
	}
	w.do("200", "POST", "/schema-diffs/"+again.ID+"/decide", map[string]any{"decisions": []map[string]any{
		{
			"object":   "identity",
			"path":     "score",
			"decision": "override",
			"mapping":  map[string]any{"target_field": "attributes.score", "transform": "value.upper()"},
		},
		{
			"object":   "identity",
			"path":     "phone",
			"decision": "override",
			"mapping":  map[string]any{"target_field": "attributes.phone"},
		},
		{
			"object":   "identity",
			"path":     "dept.code",
			"decision": "accept",
		},
		{"object": "identity", "path": "dept.site", "decision": "accept"},
	}})
	w.later(false)
	if p := w.person("user7@example.test"); p.Attributes["score"] != "HIGH" || p.Attributes["phone"] != "+49 7" {
		t.Errorf("after the change: %+v", p)
	}
}

// putJSON replaces a record of the system as its owner would.
func putJSON(t *testing.T, url, token string, record map[string]any) {
	t.Helper()
	body, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(harness.Context(t), http.MethodPut, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("PUT %s = %d", url, res.StatusCode)
	}
}
