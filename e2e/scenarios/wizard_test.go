package scenarios

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
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
	if !strings.Contains(string(stream.Body), "event: sync.completed") || !strings.Contains(string(stream.Body), `"identities_read":`) {
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

// later is a run that says nothing about how much to read, which must be what has changed.
func (w way) later() {
	w.t.Helper()
	run := harness.Read[struct {
		RunID string `json:"run_id"`
	}](w.h, w.do("202", "POST", "/sync", nil))
	w.h.Well(w.h.End(w.h.Admin, w.id(), run.RunID))
	asked := harness.Read[struct {
		Incremental bool `json:"incremental"`
	}](w.h, w.do("200", "GET", "/sync-runs/"+run.RunID, nil))
	if !asked.Incremental {
		w.t.Error("a later run reads everything")
	}
}

func TestADirectoryIsConnectedStepByStepThroughAnAgent(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	slapd := ldaptest.StartSlapd(t, ldaptest.Options{Users: 60, Groups: 3, PerGroup: 5, Syncprov: true})
	settings := slapd.AuthConfig()
	password, host := settings["bind_password"], settings["host"]
	delete(settings, "bind_password")
	w := draft(t, h, map[string]any{"name": "OpenLDAP", "type": "ldap", "mode": "agent", "agent_id": h.Agent(h.Admin, "site").ID})
	w.stands(2, "required")
	w.do("409 connector_incomplete", "POST", "/test", nil)

	settings["host"] = "directory.invalid" // a host that is none
	w.do("200", "PATCH", "", map[string]any{"connection": settings, "credentials": map[string]any{"bind_password": "not the canary"}})
	w.stands(2, "test_required")
	w.tested("dns_not_found")
	w.stands(2, "dns_not_found")
	w.do("422 credentials_required", "PATCH", "", map[string]any{"connection": map[string]any{"host": host}})
	w.do("200", "PATCH", "", map[string]any{"connection": map[string]any{"host": host}, "credentials": map[string]any{"bind_password": "not the canary"}})
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
	w.later()
}

// guarded is a service behind an authorization server: /token gives a token for the client's secret, and all else passes with it.
func guarded(t *testing.T, service, token, secret string) *httptest.Server {
	t.Helper()
	behind, err := url.Parse(service)
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: behind.Scheme, Host: behind.Host})
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/token" {
			pass.ServeHTTP(rw, r)
			return
		}
		_, given, _ := r.BasicAuth()
		rw.Header().Set("Content-Type", "application/json")
		if r.FormValue("client_secret") != secret && given != secret {
			rw.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprint(rw, `{"error":"invalid_client"}`)
			return
		}
		_, _ = fmt.Fprintf(rw, `{"access_token":%q,"token_type":"Bearer","expires_in":3600}`, token)
	}))
	t.Cleanup(server.Close)
	return server
}

func TestAnApplicationIsConnectedStepByStepWithClientCredentials(t *testing.T) {
	t.Parallel()
	h, s := open(t, 80, 0)
	front := guarded(t, s.state.SCIM.BaseURL, scimSecret, "canary-client-4471c0")
	at, err := url.Parse(s.state.SCIM.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	w := draft(t, h, map[string]any{"name": "SaaS", "type": "scim2", "connection": map[string]any{"auth_method": "oauth2_client_credentials"}})
	w.do("200", "PATCH", "", map[string]any{
		"connection":  map[string]any{"base_url": front.URL + at.Path, "token_url": front.URL + "/token", "client_id": "grantwright"},
		"credentials": map[string]any{"client_secret": "not the canary"},
	})
	w.tested("oauth_invalid_client")
	w.do("200", "PATCH", "", map[string]any{"credentials": map[string]any{"client_secret": "canary-client-4471c0"}})
	w.tested("")
	w.do("200", "POST", "/discover", nil)
	w.do("200", "POST", "/wizard/accept-mappings", nil)
	w.stands(5, "")
	if run := w.first(); run.Counters.Accounts == 0 || run.Counters.Entitlements == 0 {
		t.Errorf("the first sync counted %+v", run.Counters)
	}
	w.later()
}

func TestAnAPIIsConnectedStepByStepAndItsFieldsChange(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	var changed atomic.Bool
	hr := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer canary-hr-88aa10" {
			rw.WriteHeader(http.StatusUnauthorized)
			return
		}
		people := []map[string]any{}
		for i := range 30 {
			p := map[string]any{"id": fmt.Sprint(i), "mail": fmt.Sprintf("p%d@acme.test", i), "cn": fmt.Sprintf("Person %d", i), "desk": fmt.Sprintf("d%d", i), "dept": "Sales"}
			if changed.Load() {
				p["desk"], p["phone"] = i, fmt.Sprintf("+49 %d", i)
				delete(p, "dept")
			}
			people = append(people, p)
		}
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(people)
	}))
	t.Cleanup(hr.Close)
	w := draft(t, h, map[string]any{"name": "HR", "type": "rest", "mode": "agent", "agent_id": h.Agent(h.Admin, "site").ID, "purpose": "source"})
	w.do("200", "PATCH", "", map[string]any{
		"connection": map[string]any{"base_url": hr.URL, "auth_method": "bearer", "probe_path": "people", "streams": []any{map[string]any{
			"name": "people", "object": "identity", "key_path": "id", "request": map[string]any{"path": "people"},
		}}},
		"credentials": map[string]any{"bearer_token": "canary-hr-88aa10"},
	})
	w.tested("")
	w.do("200", "POST", "/discover", nil)
	w.do("200", "PUT", "/mappings", map[string]any{"mappings": []map[string]any{
		{"object": "identity", "source_path": "mail", "target_field": "email", "transform": "value.lower()"}, {"object": "identity", "source_path": "cn", "target_field": "display_name"},
		{"object": "identity", "source_path": "desk", "target_field": "attributes.desk", "transform": "value.upper()"}, {"object": "identity", "source_path": "dept", "target_field": "department"},
	}})
	if run := w.first(); run.Counters.Identities != 30 {
		t.Errorf("the first sync counted %+v", run.Counters)
	}

	changed.Store(true)
	type ref struct{ Path string }
	again := harness.Read[struct {
		Diff struct {
			ID             string
			Added, Removed []ref
			Retyped        []ref `json:"type_changed"`
		} `json:"diff"`
	}](h, w.do("200", "POST", "/rediscover", nil)).Diff
	if fmt.Sprint(again.Added, again.Removed, again.Retyped) != "[{phone}] [{dept}] [{desk}]" {
		t.Errorf("the fields differ by %+v", again)
	}
	w.do("200", "POST", "/schema-diffs/"+again.ID+"/decide", map[string]any{"decisions": []map[string]any{
		{"object": "identity", "path": "desk", "decision": "override", "mapping": map[string]any{"target_field": "attributes.desk", "transform": "'D' + str(value)"}},
		{"object": "identity", "path": "phone", "decision": "override", "mapping": map[string]any{"target_field": "attributes.phone"}},
		{"object": "identity", "path": "dept", "decision": "accept"},
	}})
	w.later()
	person := harness.Read[struct {
		Items []struct {
			Attributes map[string]any
		}
	}](h, h.Expect("200", h.Admin, "GET", "/identities?q=p7@acme.test", nil))
	if len(person.Items) != 1 || person.Items[0].Attributes["desk"] != "D7" || person.Items[0].Attributes["phone"] != "+49 7" {
		t.Errorf("after the change: %+v", person.Items)
	}
}
