package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/app"
	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

// operated is a control plane that serves as the program does, with its operators' address.
type operated struct {
	t        *testing.T
	app      *app.App
	db       *pg.DB
	url, ops string
	stop     context.CancelFunc
	ended    chan error
	client   *http.Client
}

func operate(t *testing.T, change func(*config.Config), mount func(*app.App)) *operated {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	o := &operated{
		t:      t,
		stop:   stop,
		ended:  make(chan error, 1),
		db:     pgtest.New(t),
		client: &http.Client{Timeout: 20 * time.Second},
	}
	ring, err := seal.New(bytes.Repeat([]byte("k3"), 16))
	if err != nil {
		t.Fatal(err)
	}
	c := testConfig()
	c.Listen, c.OpsListen, c.DrainDelay, c.EgressCIDRs = "127.0.0.1:0", freeAddress(t), 0, []string{"127.0.0.0/8"}
	if change != nil {
		change(&c)
	}
	if o.app, err = app.New(ctx, c, "test", o.db, ring, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	if mount != nil {
		mount(o.app)
	}
	ready := make(chan string, 1)
	go func() { o.ended <- o.app.Serve(ctx, c, nil, func(addr string) { ready <- addr }) }()
	o.url, o.ops = "http://"+<-ready, "http://"+c.OpsListen
	t.Cleanup(func() {
		stop()
		select {
		case err := <-o.ended:
			if err != nil {
				t.Errorf("Serve = %v", err)
			}
			o.ended <- nil
		case <-time.After(40 * time.Second):
			t.Error("the server does not stop")
		}
	})
	return o
}

// freeAddress is a port of the loopback address that was free a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// get gives status and body; status 0 where nobody answers.
func (o *operated) get(url string, headers ...string) (int, string) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		o.t.Error(err)
		return 0, ""
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if req.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	req.Close = true
	res, err := o.client.Do(req)
	if err != nil {
		if !errors.Is(err, syscall.ECONNREFUSED) {
			o.t.Logf("%s: %v", url, err)
		}
		return 0, ""
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(b)
}

func (o *operated) await(what string, done func() bool) {
	o.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			o.t.Fatalf("%s does not come", what)
		}
	}
}

func TestAServerThatStopsFinishesWhatItHasAndTakesNothingNew(t *testing.T) {
	begun, finish := make(chan bool), make(chan bool)
	streamed := make(chan bool)
	o := operate(t, func(c *config.Config) { c.DrainDelay = 700 * time.Millisecond }, func(a *app.App) {
		a.API.Mount(http.MethodGet, "/slow", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			begun <- true
			<-finish
			_, _ = io.WriteString(w, "whole")
		}))
		a.API.Mount(http.MethodGet, "/test/events", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			begun <- true
			<-r.Context().Done() // as every stream does
			close(streamed)
		}))
	})
	answers := make(chan string, 1)
	go func() {
		status, body := o.get(o.url + "/slow")
		answers <- fmt.Sprint(status, " ", body)
	}()
	<-begun
	go o.get(o.url + "/test/events")
	<-begun
	if status, body := o.get(o.ops + "/ready"); status != 200 {
		t.Fatalf("/ready before the stop = %d %s", status, body)
	}
	began := time.Now()
	o.stop()
	o.await("a /ready that says no", func() bool {
		status, body := o.get(o.ops + "/ready")
		return status == 503 && strings.Contains(body, "stopping")
	})
	if status, _ := o.get(o.url + "/health"); status != 200 {
		t.Errorf("/health within the drain delay = %d; want 200 still", status)
	}
	o.await("a refused connection", func() bool { status, _ := o.get(o.url + "/health"); return status == 0 })
	if took := time.Since(began); took < 600*time.Millisecond {
		t.Errorf("connections were refused after %s; the drain delay is 700 ms", took)
	}
	<-streamed
	select {
	case err := <-o.ended:
		t.Fatalf("the server ended (%v) before the request that it had", err)
	case <-time.After(300 * time.Millisecond):
	}
	close(finish)
	if got := <-answers; got != "200 whole" {
		t.Errorf("the request in flight got %q", got)
	}
	if err := <-o.ended; err != nil {
		t.Errorf("Serve = %v", err)
	}
	o.ended <- nil
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("stopping took %s", took)
	}
}

func TestReadinessTellsWhatIsWrongAndLifeDoesNot(t *testing.T) {
	o := operate(t, nil, nil)
	var state struct {
		Status string
		Checks map[string]struct {
			OK     bool
			Detail string
		}
	}
	status, body := o.get(o.ops + "/ready")
	if err := json.Unmarshal(
		[]byte(body),
		&state,
	); err != nil || status != 200 || state.Status != "ready" ||
		len(state.Checks) != 4 {
		t.Errorf("/ready = %d %s", status, body)
	}
	for _, check := range []string{"database", "migrations", "process", "capacity"} {
		if !state.Checks[check].OK {
			t.Errorf("/ready: the check %s is missing or not ok: %s", check, body)
		}
	}
	o.db.Close() // as if the database had gone
	began := time.Now()
	status, body = o.get(o.ops + "/ready")
	if err := json.Unmarshal(
		[]byte(body),
		&state,
	); err != nil || status != 503 || state.Checks["database"].OK ||
		time.Since(began) > 3*time.Second {
		t.Errorf("/ready without a database = %d %s after %s", status, body, time.Since(began))
	}
	if status, _ := o.get(o.ops + "/live"); status != 200 {
		t.Errorf("/live without a database = %d", status)
	}
	if status, body := o.get(o.url + "/health"); status != 200 || body != `{"status":"ok"}`+"\n" {
		t.Errorf("/health without a database = %d %s; it asks nobody", status, body)
	}
}

func TestMetricsHoldWhatOperatorsLookForAndNobodysNames(t *testing.T) {
	o := operate(t, nil, nil)
	v := pgtest.Tenant(t, o.db, "canary-tenant")
	o.get(o.url + "/api/v1/identities")
	o.get(o.url + "/api/v1/nothing?token=CANARY")
	_, got := o.get(o.ops + "/metrics")
	for _, want := range []string{
		`grantwright_http_requests_total{method="GET",route="/api/v1/identities",status="401"} 1`,
		`grantwright_http_requests_total{method="GET",route="unmatched",status="401"} 1`,
		"grantwright_db_connections_max 12", "grantwright_db_connections_in_use", "grantwright_db_waits_total",
		"grantwright_agents_online 0",
		"grantwright_webhook_backlog 0", "grantwright_webhook_oldest_overdue_seconds 0",
		"grantwright_audit_events_total", `grantwright_tenants{state="active"} 1`,
		"grantwright_connections ", `grantwright_connections_refused_total{limit="address"} 0`,
		`grantwright_connections_refused_total{limit="total"} 0`,
		"grantwright_readings_failed_total 0", `grantwright_build_info{version="test"} 1`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("metrics lack %s", want)
		}
	}
	for _, name := range []string{"CANARY", "canary-tenant", v.Tenant} {
		if strings.Contains(got, name) {
			t.Errorf("metrics hold %s", name)
		}
	}
}

func TestOperatorsAreServedOnThisMachineAlone(t *testing.T) {
	o := operate(t, nil, nil)
	for _, tt := range []struct {
		name    string
		headers []string
		want    int
	}{
		{"by the address", nil, 200},
		{"by localhost", []string{"Host", "localhost:9464"}, 200},
		{"by a name that somebody points here", []string{"Host", "rebound.example"}, 403},
		{"from a page", []string{"Origin", "http://localhost:3000"}, 403},
	} {
		if status, _ := o.get(o.ops+"/metrics", tt.headers...); status != tt.want {
			t.Errorf("%s: %d; want %d", tt.name, status, tt.want)
		}
	}
	for _, path := range []string{"/metrics", "/ready", "/debug/pprof/", "/live"} {
		if status, _ := o.get(o.url + path); status != 404 {
			t.Errorf("the API's address answers %s with %d; want 404", path, status)
		}
	}
	for address, ok := range map[string]bool{
		"127.0.0.1:9464": true, "[::1]:9464": true, "localhost:9464": true, "unix:/run/x.sock": true,
		"0.0.0.0:9464": false, ":9464": false, "10.0.0.1:9464": false, "example.com:9464": false, "9464": false,
	} {
		c := testConfig()
		c.OpsListen = address
		if err := c.Check(); (err == nil) != ok {
			t.Errorf("ops-listen %s: %v; want ok %v", address, err, ok)
		}
	}
}

// A HEAD is answered as the reading would be, by the whole of what a server does with a request.
func TestWhatCanBeReadHasAHead(t *testing.T) {
	o := operate(t, nil, nil)
	for path, want := range map[string]int{"/health": 200, "/": 200, "/people": 200, "/docs": 401, "/openapi.json": 401,
		"/api/v1/identities": 401, "/docs/page.css": 200, "/assets/none.js": 404} {
		req, err := http.NewRequest(http.MethodHead, o.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", "text/html")
		res, err := o.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if status, _ := o.get(o.url+path, "Accept", "text/html"); res.StatusCode != want || status != want {
			t.Errorf("HEAD %s = %d, GET %d; want %d", path, res.StatusCode, status, want)
		}
	}
}

func TestASocketServesOperatorsAndIsTakenOverFromAnEarlierLife(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ops.sock")
	left, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	left.Close()
	o := operate(t, func(c *config.Config) { c.OpsListen = "unix:" + path }, nil)
	o.client.Transport = &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", path) },
	}
	if status, body := o.get("http://grantwright/ready"); status != 200 {
		t.Errorf("/ready by the socket = %d %s", status, body)
	}
}
