package scenarios

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/targets/mishap"
)

// fault is a target, or a setting, that is wrong.
type fault struct {
	name   string
	change func(*api.Connector)
	code   string // of the error, in test and run
	status int    // the target's own HTTP status; 0: none
	result int    // the target's own LDAP result code; 0: none
}

// faults of a directory, a SCIM application and an HR system; ill is where something answers
// wrongly in the way of the path, secure an https address with a certificate of its own making.
func faults(s *samples, ill, secure string) map[string]struct {
	connector func() api.Connector
	faults    []fault
} {
	set := func(key string, value any) func(*api.Connector) {
		return func(c *api.Connector) { c.Connection[key] = value }
	}
	secret := func(key string) func(*api.Connector) {
		return func(c *api.Connector) { c.Credentials[key] = "wrong-" + c.Credentials[key].(string) }
	}
	http := []fault{{"nobody listens", set("base_url", "http://127.0.0.1:1/api"), "connection_refused", 0, 0}}
	for _, status := range []int{401, 403, 404, 429, 500} {
		http = append(
			http,
			fault{
				"answers " + strconv.Itoa(status),
				set("base_url", fmt.Sprintf("%s/%d", ill, status)),
				fmt.Sprintf("http_%d", status),
				status,
				0,
			},
		)
	}
	http = append(http,
		fault{"a web page instead of JSON", set("base_url", ill+"/page"), "not_json", 200, 0},
		fault{"ends in the middle", set("base_url", ill+"/cut"), "connection_closed", 0, 0},
		fault{"a certificate of nobody we know", set("base_url", secure), "tls_unknown_authority", 0, 0})
	type kind = struct {
		connector func() api.Connector
		faults    []fault
	}
	return map[string]kind{
		"directory": {
			s.state.Directory,
			[]fault{
				{"wrong password", secret("bind_password"), "ldap_49", 0, 49},
				{"wrong base DN", set("base_dn", "dc=nowhere,dc=example"), "ldap_32", 0, 32},
				{"nobody listens", set("port", 1), "tcp_refused", 0, 0},
				{
					"a web server",
					func(c *api.Connector) { c.Connection["port"], c.Connection["timeout_s"] = portOf(ill), 2 },
					"ldap_timeout",
					0,
					0,
				},
			},
		},
		"workspace": {
			s.state.Workspace,
			append([]fault{{"wrong token", secret("bearer_token"), "http_401", 401, 0}}, http...),
		},
		"hr": {
			s.state.Personnel,
			append([]fault{{"wrong key", secret("api_key"), "http_401", 401, 0}}, http...),
		},
	}
}

func portOf(url string) int {
	port, _ := strconv.Atoi(url[strings.LastIndexByte(url, ':')+1:]) // a test server's address ends in its port
	return port
}

// illServer answers wrongly, in the way that the first part of the path says. What it answers repeats the credentials
// it got.
func illServer(t *testing.T) string {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		way, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		w.Header().Set("Content-Type", "application/json")
		switch status, _ := strconv.Atoi(way); {
		case way == "page":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(
				w,
				"<!doctype html><title>Sign in</title><p>%s %s",
				r.Header.Get("Authorization"),
				r.Header.Get("X-API-Key"),
			)
		case way == "cut":
			w.Header().Set("Content-Length", "5000")
			fmt.Fprint(w, `{"data":[{"employeeId":"1"},{"emp`)
			panic(http.ErrAbortHandler)
		default:
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(status)
			_ = json.NewEncoder(w).
				Encode(map[string]string{"error": "no to " + r.Header.Get("Authorization") + r.Header.Get("X-API-Key")})
		}
	}))
	t.Cleanup(web.Close)
	return web.URL
}

func TestEveryFaultIsToldWithTheTargetsOwnCodeAndWithoutASecret(t *testing.T) {
	t.Parallel()
	h, s := open(t, 150, 0)
	agent := h.Agent(h.Admin, "site")
	told := &answers{}
	var all sync.WaitGroup
	few := make(chan struct{}, 4) // an agent refuses more calls than it can work on
	n := 0
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // of refused handshakes
	secure.StartTLS()
	defer secure.Close()
	for name, kind := range faults(s, illServer(t), secure.URL) {
		for _, f := range kind.faults {
			for _, mode := range []string{"hosted", "agent"} {
				c := kind.connector()
				f.change(&c)
				n++
				c.BusinessID, c.Mode = fmt.Sprintf("%s-%d", name, n), mode
				if mode == "agent" {
					c.AgentID = agent.ID
				}
				all.Go(func() {
					few <- struct{}{}
					defer func() { <-few }()
					f.hold(t, h, c, told)
				})
			}
		}
	}
	all.Wait()
	for path, want := range map[string]int64{"/identities": 0, "/accounts": 0, "/entitlements": 0} {
		if got := h.Total(h.Admin, path); got != want {
			t.Errorf("%s has %d items after nothing but faults; want %d", path, got, want)
		}
	}
	for _, secret := range []string{ldapSecret, scimSecret, restSecret} {
		if told.contain(secret) {
			t.Errorf("an answer of the service shows the secret %s", secret)
		}
	}
	h.NoSecret(ldapSecret, scimSecret, restSecret)
}

// answers gathers what the service said.
type answers struct {
	mu   sync.Mutex
	text strings.Builder
}

func (a *answers) add(text []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.text.Write(text)
}

func (a *answers) contain(word string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Contains(a.text.String(), word)
}

// hold tests and reads a connector with a fault, and checks what is told about it.
func (f fault) hold(t *testing.T, h *harness.House, c api.Connector, told *answers) {
	ctx := harness.Context(t)
	who := c.BusinessID + " (" + c.Mode + ", " + f.name + ")"
	id, err := h.Admin.CreateConnector(ctx, c)
	if err != nil {
		t.Errorf("%s: %v", who, err)
		return
	}
	var verdict api.Test
	_, _, body, err := h.Admin.Raw(ctx, http.MethodPost, api.Prefix+"/connectors/"+id+"/test", nil)
	if err = errors.Join(err, json.Unmarshal(body, &verdict)); err != nil || verdict.Success {
		t.Errorf("%s: the test ended with success %v, %v; want a failure", who, verdict.Success, err)
	}
	told.add(body)
	f.check(t, who+" test", verdict.Error)
	started, err := h.Admin.Start(ctx, id, api.Sync{})
	if err != nil {
		t.Errorf("%s: %v", who, err)
		return
	}
	run, err := h.Admin.Follow(ctx, id, started.RunID, pause, nil)
	if err != nil || run.Status != "failed" {
		t.Errorf("%s: the run ended %s, %v; want failed", who, run.Status, err)
	}
	f.check(t, who+" run", run.Error)
	for _, path := range []string{
		"/connectors/" + id, "/connectors/" + id + "/sync-runs", started.Links["self"], started.Links["errors"],
		started.Links["events"],
	} {
		_, _, body, err := h.Admin.Raw(ctx, http.MethodGet, api.Prefix+strings.TrimPrefix(path, api.Prefix), nil)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		told.add(body)
	}
}

func (f fault) check(t *testing.T, who string, e *api.Failure) {
	if e == nil {
		t.Errorf("%s: there is no error", who)
		return
	}
	if e.Code != f.code || e.Message == "" || e.Hint == "" {
		t.Errorf(
			"%s: error %q, message %q, hint %q; want %q with message and hint",
			who,
			e.Code,
			e.Message,
			e.Hint,
			f.code,
		)
	}
	status, result := 0, 0
	if e.Target != nil && e.Target.HTTP != nil {
		status = e.Target.HTTP.Status
	}
	if e.Target != nil && e.Target.LDAP != nil {
		result = e.Target.LDAP.ResultCode
	}
	if status != f.status || result != f.result {
		t.Errorf(
			"%s: the target's own codes are HTTP %d and LDAP %d; want %d and %d",
			who,
			status,
			result,
			f.status,
			f.result,
		)
	}
}

// breaks are ways in which a target stops to answer in the middle of a reading. Those that may pass are tried again for
// more than a minute before the run gives up, so they are for those who have the time.
func breaks() map[string]mishap.Faults {
	all := map[string]mishap.Faults{
		"forbidden": {
			Edit: func(*http.Request, int, []byte) (int, []byte) {
				return http.StatusForbidden,
					[]byte(`{"error":"no"}`)
			},
		},
		"web page": {HTMLEvery: 1},
	}
	if os.Getenv("GRANTWRIGHT_E2E") == "long" {
		all["cut"], all["503"] = mishap.Faults{CutEvery: 1}, mishap.Faults{UnavailableEvery: 1}
	}
	return all
}

func TestAReadingThatBreaksOffHarmsNothingThatWasReadBefore(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	for name, f := range breaks() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, s := h.For(t), serve(t, 1200, 100)
			c := h.Tenant(strings.ReplaceAll(name, " ", "-"))
			connector := h.Connect(c, s.state.PersonnelWithRoles())
			h.Sync(c, connector, api.Sync{})
			s.hr.SetFaults(mishap.Faults{Delay: 200 * time.Millisecond})
			run := h.Begin(c, connector, api.Sync{ChunkSize: 50})
			h.Reach(c, connector, run, func(r api.Run) bool { return r.Counters.Identities > 0 })
			s.hr.SetFaults(f)
			if r := h.End(c, connector, run); r.Status != "failed" || r.Error == nil {
				t.Errorf("the run is %s with error %v; want failed", r.Status, r.Error)
			}
			for path, want := range map[string]int64{
				"/identities": int64(len(s.company.People)), "/accounts": int64(len(s.company.People)),
				"/accounts?status=missing,deleted": 0,
			} {
				if got := h.Total(c, path); got != want {
					t.Errorf("%s has %d items; want %d", path, got, want)
				}
			}
			s.hr.SetFaults(mishap.Faults{})
			// A target that failed again and again is let be for a while; a test that goes well ends that.
			if verdict, err := c.Test(harness.Context(t), connector); err != nil || !verdict.Success {
				t.Errorf("when the target was well again, the test said %+v, %v", verdict.Error, err)
			}
			h.Sync(c, connector, api.Sync{})
		})
	}
}

func TestATargetThatStumblesNowAndThenIsReadWhole(t *testing.T) {
	t.Parallel()
	h, s := open(t, 1200, 100)
	connector := h.Connect(h.Admin, s.state.PersonnelWithRoles())
	for _, f := range []mishap.Faults{{CutEvery: 5}, {TooManyEvery: 9}, {UnavailableEvery: 11}} {
		s.hr.SetFaults(f)
		whole(t, h, s, connector, h.Sync(h.Admin, connector, api.Sync{ChunkSize: 100}))
	}
}
