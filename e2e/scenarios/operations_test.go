package scenarios

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/targets/mishap"
)

// asks gets a page as an operator, with headers, names and values in turn, and gives 0 when nobody answers.
func asks(t *testing.T, url string, header ...string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(harness.Context(t), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
			continue
		}
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err.Error()
	}
	return answer.StatusCode, string(raw)
}

// metrics that the manual promises.
var metrics = []string{
	"grantwright_http_requests_total",
	"grantwright_http_request_duration_seconds_bucket",
	"grantwright_http_requests_in_flight",
	"grantwright_http_rate_limited_total",
	"grantwright_http_replayed_total",
	"grantwright_http_unavailable_total",
	"grantwright_db_connections",
	"grantwright_db_connections_max",
	"grantwright_db_connections_in_use",
	"grantwright_db_waits_total",
	"grantwright_db_wait_seconds_total",
	"grantwright_sync_runs",
	"grantwright_agents_online",
	"grantwright_webhook_backlog",
	"grantwright_webhook_oldest_overdue_seconds",
	"grantwright_audit_events_total",
	"grantwright_tenants",
	"grantwright_readings_failed_total",
	"grantwright_build_info",
	"go_goroutines",
	"process_resident_memory_bytes",
}

func TestOperatorsAreServedOnThisMachineAloneAndNobodyElseIs(t *testing.T) {
	t.Parallel()
	ops := freeAddress(t)
	h, s := open(t, 100, 0, "--ops-listen", ops)
	connector := h.Connect(h.Admin, s.state.Workspace())
	h.Sync(h.Admin, connector, api.Sync{})
	h.Agent(h.Admin, "site")
	c := s.state.Personnel()
	c.Mode, c.AgentID = "agent", h.Invite(h.Admin, "away", "").ID
	waits := h.Connect(h.Admin, c)
	h.Reach(
		h.Admin,
		waits,
		h.Begin(h.Admin, waits, api.Sync{}),
		func(r api.Run) bool { return r.Status == "waiting_agent" },
	)

	status, body := asks(t, "http://"+ops+"/ready")
	if status != 200 || !strings.Contains(body, `"status":"ready"`) ||
		!strings.Contains(body, `"database":{"ok":true`) ||
		!strings.Contains(body, `"migrations":{"ok":true`) {
		t.Errorf("/ready answers %d %s", status, body)
	}
	if status, body := asks(t, "http://"+ops+"/live"); status != 200 {
		t.Errorf("/live answers %d %s", status, body)
	}
	if status, body := asks(
		t,
		"http://"+ops+"/debug/pprof/heap?debug=1",
	); status != 200 ||
		!strings.Contains(body, "heap profile") {
		t.Errorf("/debug/pprof/heap answers %d %.200s", status, body)
	}
	status, body = asks(t, "http://"+ops+"/metrics")
	if status != 200 {
		t.Errorf("/metrics answers %d %.200s", status, body)
	}
	for _, name := range metrics {
		if !regexp.MustCompile(`(?m)^` + name + `(\{[^}]*\})? [-+.0-9e]+$`).MatchString(body) {
			t.Errorf("/metrics has no %s", name)
		}
	}
	if !strings.Contains(body, `grantwright_agents_online 1`) ||
		!strings.Contains(body, `grantwright_sync_runs{state="waiting_agent"} 1`) ||
		!regexp.MustCompile(`grantwright_http_requests_total\{method="POST",route="/api/v1/connectors/\{id\}/sync",`+
			`status="202"\} 2`).
			MatchString(body) {
		t.Errorf(
			"/metrics does not count the agent, or the sync that was asked for:\n%s",
			grep(body, "agents_online|sync_runs|/sync\""),
		)
	}
	for _, secret := range []string{connector, "main.example", "127.0.0.1"} {
		if strings.Contains(body, secret) {
			t.Errorf("/metrics has the label %s: %s", secret, grep(body, regexp.QuoteMeta(secret)))
		}
	}
	// Not from a web page, not by another name, not on another address, and none of it on the API's.
	for _, header := range [][]string{{"Origin", "https://evil.example"}, {"Host", "evil.example"}} {
		if status, _ := asks(t, "http://"+ops+"/metrics", header...); status != 403 {
			t.Errorf("with %v /metrics answers %d; want 403", header, status)
		}
	}
	for _, address := range elsewhere(t) {
		_, port, _ := net.SplitHostPort(ops)
		if conn, err := net.DialTimeout("tcp", net.JoinHostPort(address, port), 2*time.Second); err == nil {
			_ = conn.Close()
			t.Errorf("operators are served on %s as well", address)
		}
	}
	for _, path := range []string{"/ready", "/live", "/metrics", "/debug/pprof/", "/debug/pprof/heap"} {
		if status, _ := asks(t, h.Plane.URL()+path); status != 404 {
			t.Errorf("the API answers %s without a token: %d", path, status)
		}
		if status, _, _, err := h.Admin.Raw(harness.Context(t), "GET", path, nil); err != nil || status != 404 {
			t.Errorf("the API answers %s to an administrator: %d, %v", path, status, err)
		}
	}
	if status, _ := asks(t, "http://"+ops+"/api/v1/identities"); status != 404 {
		t.Errorf("the operators' address serves the API: %d", status)
	}
	for _, wrong := range []string{"0.0.0.0:9464", ":9464"} {
		if out, code := h.Operate(
			"serve",
			"--listen",
			freeAddress(t),
			"--ops-listen",
			wrong,
		); code != 2 ||
			!strings.Contains(out, "ops-listen") {
			t.Errorf("serve with --ops-listen %s ended with %d: %s", wrong, code, out)
		}
	}
}

// elsewhere are this machine's addresses but the loopback ones.
func elsewhere(t *testing.T) (all []string) {
	t.Helper()
	found, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range found {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && n.IP.IsGlobalUnicast() {
			all = append(all, n.IP.String())
		}
	}
	return all
}

// grep gives the lines of a text that match.
func grep(text, pattern string) string {
	return strings.Join(regexp.MustCompile(`(?m)^.*(?:`+pattern+`).*$`).FindAllString(text, 20), "\n")
}

func TestHealthSaysTheSameWhateverBecomesOfTheDatabaseAndReadinessDoesNot(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	line, ops := h.Line(), freeAddress(t)
	second := h.SecondOver(line, "--ops-listen", ops, "--drain-delay", "0s")
	there := h.Admin.At(second.URL())
	ready := func(want int, why string) {
		t.Helper()
		var saw string
		harness.Eventually(t, fmt.Sprintf("/ready answers %d, because %s", want, why), func() bool {
			status, body := asks(t, "http://"+ops+"/ready")
			saw = fmt.Sprint(status, " ", body)
			return status == want
		}, &saw)
	}
	healthy := func(when string) {
		t.Helper()
		if status, body := asks(
			t,
			second.URL()+"/health",
		); status != 200 ||
			strings.TrimSpace(body) != `{"status":"ok"}` {
			t.Errorf("%s /health answers %d %s", when, status, body)
		}
		if status, _ := asks(t, "http://"+ops+"/live"); status != 200 {
			t.Errorf("%s /live answers %d", when, status)
		}
	}
	ready(200, "all is well")
	healthy("when all is well")
	h.Expect("200", there, "GET", "/identities", nil)
	for what, disturb := range map[string]func(){"is gone": line.Cut, "says nothing": line.Silence} {
		disturb()
		ready(503, "the database "+what)
		healthy("while the database " + what)
		if a := h.Ask(there, "GET", "/identities", nil); a.Status != 503 || a.Header.Get("Retry-After") == "" {
			t.Errorf("while the database %s, the API answers %s", what, harness.Outcome(a))
		}
		line.Mend()
		ready(200, "the database is back")
		harness.Eventually(
			t,
			"the API answers again",
			func() bool { return h.Ask(there, "GET", "/identities", nil).Status == 200 },
			nil,
		)
		healthy("when the database is back")
	}
	select {
	case <-second.Done():
		t.Errorf("the process has ended: %v", second.Err())
	default:
	}
	line.Silence()
	if err := second.Stop(harness.Context(t)); err != nil && !strings.Contains(err.Error(), "exit status 1") {
		t.Errorf("told to stop while the database says nothing, it ends with: %v", err)
	}
}

func TestAServerThatIsToldToStopFinishesWhatItHasBegun(t *testing.T) {
	t.Parallel()
	ops := freeAddress(t)
	h, s := open(t, 50, 0, "--ops-listen", ops, "--drain-delay", "1s")
	connector := h.Connect(h.Admin, s.state.Personnel())
	if _, err := h.Admin.Test(harness.Context(t), connector); err != nil {
		t.Fatal(err)
	}
	s.hr.SetFaults(mishap.Faults{Delay: 4 * time.Second})
	slow := make(chan error, 1)
	go func() {
		verdict, err := h.Admin.Test(harness.Context(t), connector)
		if err == nil && !verdict.Success {
			err = fmt.Errorf("the test says %+v", verdict.Error)
		}
		slow <- err
	}()
	harness.Eventually(t, "the slow request is under way", func() bool { return s.hr.Requests() > 0 }, nil)
	h.Plane.Signal(syscall.SIGTERM)
	var saw string
	harness.Eventually(t, "the server says that it is stopping", func() bool {
		status, body := asks(t, "http://"+ops+"/ready")
		saw = fmt.Sprint(status, " ", body)
		return status == 503 && strings.Contains(body, "stopping")
	}, &saw)
	select {
	case err := <-slow:
		t.Fatalf("the request has ended already (%v): nothing is shown by that", err)
	default:
	}
	if err := <-slow; err != nil {
		t.Errorf("the request that was under way: %v", err)
	}
	select {
	case <-h.Plane.Done():
	case <-time.After(harness.Patience):
		t.Fatal("the server does not end")
	}
	if err := h.Plane.Err(); err != nil {
		t.Errorf("the server ended with %v; want exit code 0", err)
	}
}

func TestALogIsLinesOfJSONThatSayWhoseTheyAre(t *testing.T) {
	t.Parallel()
	h, s := open(t, 50, 0, "--log-format", "json", "--log-level", "debug")
	me := harness.Read[struct {
		Tenant string `json:"tenant_id"`
	}](h, h.Expect("200", h.Admin, "GET", "/audit-events/1", nil))
	asked := h.Expect("200", h.Admin, "GET", "/identities?q=canary-in-a-query", nil).Header.Get("X-Request-Id")
	h.Ask(h.Admin, "GET", "/nothing%0A%1b[31mforged%0d%0a%7B%22level%22:%22ERROR%22%7D", nil)
	run := h.Sync(h.Admin, h.Connect(h.Admin, s.state.Personnel()), api.Sync{})
	told, ran := 0, 0
	for _, line := range strings.Split(strings.TrimSpace(h.Plane.Output()), "\n") {
		var said struct {
			Time, Level, Msg, Tenant, Run, Route string
			Request                              string `json:"request_id"`
			Status                               int
		}
		if err := json.Unmarshal(
			[]byte(line),
			&said,
		); err != nil || said.Time == "" || said.Level == "" ||
			said.Msg == "" {
			t.Errorf("no line of a log: %s (%v)", line, err)
		}
		if said.Request == asked && said.Route == "/api/v1/identities" && said.Status == 200 &&
			said.Tenant == me.Tenant {
			told++
		}
		if said.Run == run.ID && said.Tenant == me.Tenant {
			ran++
		}
		if strings.Contains(line, "canary-in-a-query") || strings.ContainsAny(line, "\r\x1b") || said.Level == "ERROR" {
			t.Errorf("the log has the line %s", line)
		}
	}
	if told != 1 || ran == 0 {
		t.Errorf("%d lines tell of the request %s, %d of the run %s; want one, and some", told, asked, ran, run.ID)
	}
}

func TestConfigTellsWhatHoldsAndWhereFromAndNoSecret(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	file := filepath.Join(h.Dir, "grantwright.conf")
	settings := "max_runs = 4 # four\ndatabase-url = " +
		"postgres://app:canary-in-a-file@db.example:5432/g?password=canary-in-a-query&sslpassword=canary-of-a-key\nlog_level = debug\n"
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	out, code := h.Program([]string{
		"GRANTWRIGHT_LOG_LEVEL=warn",
		"DATABASE_OWNER_URL=host=db.example user=owner password=canary-in-a-variable",
		"OTEL_EXPORTER_OTLP_HEADERS=key=canary-of-a-collector",
	}, "config", "--config", file, "--listen", "127.0.0.1:9")
	if code != 0 || strings.Contains(out, "canary") {
		t.Errorf("config ended with %d: %s", code, out)
	}
	out = regexp.MustCompile(` +`).ReplaceAllString(out, " ")
	for _, want := range []string{
		"listen = 127.0.0.1:9 # the command line", "max-runs = 4 # " + file, "log-level = warn # GRANTWRIGHT_LOG_LEVEL",
		"log-format = text # default",
		"database-url = postgres://app:xxxxx@db.example:5432/g # " + file, "# DATABASE_OWNER_URL",
		"OTEL_EXPORTER_OTLP_HEADERS is set",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("config does not say %q:\n%s", want, out)
		}
	}
	if out, code := h.Program(nil, "config", "--ops-listen", "0.0.0.0:9464"); code != 2 {
		t.Errorf("config with settings that are refused ended with %d: %s", code, out)
	}
}
