package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/agent/internal/doctor"
	"github.com/grantwright/grantwright/protocol/wire"
)

var enrolmentToken = "e30." + base64.RawURLEncoding.EncodeToString([]byte(`{"jti":"jti-1"}`)) + ".canary-signature"

// call runs the command and gives what it printed.
func call(t *testing.T, stdin string, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	code = command{in: strings.NewReader(stdin), out: &o, err: &e}.run(args)
	return code, o.String(), e.String()
}

// server registers every agent, and refuses its websocket with the given problem.
func server(t *testing.T, status int, code string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/agent/register" && r.Header.Get("Authorization") == "Bearer "+enrolmentToken {
			_ = json.NewEncoder(w).Encode(wire.RegisterResponse{
				AgentID:   "agent-1",
				Name:      "site",
				Token:     "canary-token",
				ExpiresAt: time.Now().Add(time.Hour),
				JoinSeq:   1,
			})
			return
		}
		if r.URL.Path == "/health" {
			_, _ = io.WriteString(w, `{"status":"ok"}`)
			return
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"code":%q,"detail":"the enrolment token was used already"}`, code)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestATokenAsAnArgumentIsRefusedWithTheReason(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"enroll", "--url", "https://x.example.org", "--data", dir, "--token", enrolmentToken},
		{"enroll", "--url", "https://x.example.org", "--data", dir, "--token=" + enrolmentToken},
		{"enroll", "--url", "https://x.example.org", "--data", dir, "--token-stdin", enrolmentToken},
	} {
		code, out, errs := call(t, enrolmentToken, args...)
		if code != exitUsage || !strings.Contains(errs, "--token-stdin") {
			t.Errorf("%d %q %q; want usage and the way to do it", code, out, errs)
		}
		if strings.Contains(errs, "canary") {
			t.Errorf("the refusal repeats the token: %s", errs)
		}
	}
}

func TestWrongUsageIsExitCode2(t *testing.T) {
	for _, args := range [][]string{
		{}, {"dance"}, {"enroll"}, {"enroll", "--url", "https://x"},
		{"enroll", "--url", "https://x", "--token-stdin", "--token-file", "y"},
		{"enroll", "--url", "http://x.example.org", "--token-stdin"}, {"run", "--log-level", "loud"},
		{"status", "--yaml"},
		{"service"}, {"service", "dance"},
	} {
		if code, _, errs := call(t, "token", args...); code != exitUsage || errs == "" {
			t.Errorf("%v = %d %q, want 2 and a reason", args, code, errs)
		}
	}
	if code, out, _ := call(t, "", "version"); code != exitOK || !strings.HasPrefix(out, "grantwright-agent ") {
		t.Errorf("version = %d %q", code, out)
	}
}

func TestAHostIsEnrolledOnceAndTellsItsStatus(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	if code, _, errs := call(
		t,
		"",
		"status",
		"--data",
		dir,
	); code != exitNotEnrolled ||
		!strings.Contains(errs, "enroll") {
		t.Errorf("status before = %d %q, want 3", code, errs)
	}
	if code, _, _ := call(t, "", "run", "--data", dir); code != exitNotEnrolled {
		t.Errorf("run before = %d, want 3", code)
	}
	if code, _, _ := call(t, "", "service", "start", "--data", dir); code != exitNotEnrolled {
		t.Errorf("service start before = %d, want 3", code)
	}
	url := server(t, 401, "invalid_token").URL
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(enrolmentToken+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := call(t, "", "enroll", "--url", url, "--data", dir, "--token-file", file)
	if code != exitOK || !strings.Contains(out, "enrolled as site (agent-1)") || !strings.Contains(out, "SHA256:") {
		t.Fatalf("enroll = %d %q %q", code, out, errs)
	}
	if code, _, errs := call(
		t,
		enrolmentToken,
		"enroll",
		"--url",
		url,
		"--data",
		dir,
		"--token-stdin",
	); code != exitFailed ||
		!strings.Contains(errs, "--replace") {
		t.Errorf("enrolled again = %d %q, want a refusal", code, errs)
	}
	code, out, _ = call(t, "", "status", "--json", "--data", dir)
	var r map[string]any
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exitFailed {
		t.Fatalf("status = %d %q, want 1 and JSON", code, out)
	}
	for name, want := range map[string]any{"state": "stopped", "online": false, "agent_id": "agent-1", "name": "site",
		"control_plane": url, "last_connected": nil} {
		if r[name] != want {
			t.Errorf("%s is %v, want %v", name, r[name], want)
		}
	}
	if !strings.HasPrefix(fmt.Sprint(r["sealing_fingerprint"]), "SHA256:") || strings.Contains(out, "canary") {
		t.Errorf("status %s", out)
	}
	before := r["identity_fingerprint"]
	if code, _, errs := call(
		t,
		enrolmentToken,
		"enroll",
		"--replace",
		"--url",
		url,
		"--data",
		dir,
		"--token-stdin",
	); code != exitOK {
		t.Fatalf("replace = %d %q", code, errs)
	}
	_, out, _ = call(t, "", "status", "--json", "--data", dir)
	if err := json.Unmarshal([]byte(out), &r); err != nil || r["identity_fingerprint"] == before {
		t.Errorf("--replace kept the key (%v)", err)
	}
	if code, out, _ := call(
		t,
		"",
		"status",
		"--data",
		dir,
	); code != exitFailed ||
		!strings.Contains(out, "control plane   "+url) {
		t.Errorf("status = %d %q", code, out)
	}
}

func TestWhyEnrollingFailedIsToldByTextAndExitCode(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)
	for _, tt := range []struct {
		name, url, token, want string
		code                   int
	}{
		{"used token", server(t, 401, "invalid_token").URL, "e30." +
			base64.RawURLEncoding.EncodeToString([]byte(`{"jti":"2"}`)) + ".x", "used already", exitFailed},
		{"no token", server(t, 401, "x").URL, "", "empty", exitFailed},
		{"half a token", server(t, 401, "x").URL, "e30.abc", "whole text", exitFailed},
		{"nobody there", "http://" + closed.Addr().String(), enrolmentToken, "refused", exitNetwork},
		{"unknown authority", secure.URL, enrolmentToken, "--ca-file", exitTLS},
	} {
		code, _, errs := call(
			t,
			tt.token,
			"enroll",
			"--url",
			tt.url,
			"--data",
			filepath.Join(t.TempDir(), "d"),
			"--token-stdin",
		)
		if code != tt.code || !strings.Contains(errs, tt.want) {
			t.Errorf("%s = %d %q, want %d and %q", tt.name, code, errs, tt.code, tt.want)
		}
		if strings.Contains(errs, "canary") {
			t.Errorf("%s: the token is in the message: %s", tt.name, errs)
		}
	}
}

func TestARevokedAgentEndsWithExitCode4AndNoTokenInItsLog(t *testing.T) {
	dir := config.Dir(filepath.Join(t.TempDir(), "data"))
	url := server(t, 403, "agent_revoked").URL
	if code, _, errs := call(
		t,
		enrolmentToken,
		"enroll",
		"--url",
		url,
		"--data",
		string(dir),
		"--token-stdin",
	); code != exitOK {
		t.Fatal(errs)
	}
	var logged bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	l, err := newLink(dir, "", logger)
	if err != nil {
		t.Fatal(err)
	}
	if code := run(context.Background(), l, dir, -1, logger); code != exitRevoked {
		t.Errorf("exit code %d, want 4", code)
	}
	if strings.Contains(logged.String(), "canary") || !strings.Contains(logged.String(), "agent_revoked") {
		t.Errorf("log %s", logged.String())
	}
	if _, out, _ := call(t, "", "status", "--data", string(dir)); !strings.Contains(out, "revoked") {
		t.Errorf("status %s", out)
	}
}

func TestOneDataDirectoryRunsOnce(t *testing.T) {
	dir := config.Dir(filepath.Join(t.TempDir(), "data"))
	if code, _, errs := call(
		t,
		enrolmentToken,
		"enroll",
		"--url",
		server(t, 403, "agent_revoked").URL,
		"--data",
		string(dir),
		"--token-stdin",
	); code != exitOK {
		t.Fatal(errs)
	}
	unlock, err := dir.Lock()
	if err != nil {
		t.Fatal(err)
	}
	if code, _, errs := call(
		t,
		"",
		"run",
		"--data",
		string(dir),
	); code != exitFailed ||
		!strings.Contains(errs, "another agent runs") {
		t.Errorf("second = %d %q", code, errs)
	}
	unlock()
	if code, _, _ := call(t, "", "run", "--data", string(dir)); code != exitRevoked {
		t.Errorf("after the first has ended = %d, want 4 from the control plane", code)
	}
}

func TestDoctorEndsWithTheCodeOfWhatItFound(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(secure.Close)
	enrolled := func(s *httptest.Server) string {
		dir := filepath.Join(t.TempDir(), "data")
		if code, _, errs := call(
			t,
			enrolmentToken,
			"enroll",
			"--url",
			s.URL,
			"--data",
			dir,
			"--token-stdin",
		); code != exitOK {
			t.Fatal(errs)
		}
		return dir
	}
	elsewhere := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(elsewhere.Close)
	none := filepath.Join(t.TempDir(), "none")
	revoked := enrolled(server(t, 403, "agent_revoked"))
	for _, tt := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"not enrolled", []string{"--data", none}, exitNotEnrolled, "SKIP  config"},
		{"a closed port", []string{"--data", none, "--url", "http://" + closed.Addr().String()}, exitNetwork,
			"FAIL  tcp"},
		{"no such name", []string{"--data", none, "--url", "https://control.invalid"}, exitNetwork, "FAIL  dns"},
		{"a certificate of nobody", []string{"--data", none, "--url", secure.URL}, exitTLS, "FAIL  tls"},
		{"revoked", []string{"--data", revoked}, exitRevoked, "FAIL  auth"},
		{"another server", []string{"--data", none, "--url", elsewhere.URL}, exitFailed, "FAIL  http"},
		{"a flag alone", []string{"--data", none, "--proxy", "http://proxy.example.org"}, exitUsage, ""},
	} {
		code, out, errs := call(t, "", append([]string{"doctor"}, tt.args...)...)
		if code != tt.code || !strings.Contains(out, tt.want) || strings.Contains(out, "canary") {
			t.Errorf("%s = %d %s%s; want %d and %q", tt.name, code, out, errs, tt.code, tt.want)
		}
	}
	code, out, _ := call(t, "", "doctor", "--json", "--data", revoked)
	var r doctor.Report
	if err := json.Unmarshal(
		[]byte(out),
		&r,
	); err != nil || code != exitRevoked || r.OK || !r.Enrolled ||
		len(r.Steps) == 0 {
		t.Errorf("doctor --json = %d %s (%v)", code, out, err)
	}
}

func TestDrainWaitsForTheAgentThatRuns(t *testing.T) {
	dir := config.Dir(filepath.Join(t.TempDir(), "data"))
	if code, _, _ := call(t, "", "drain", "--data", string(dir)); code != exitNotEnrolled {
		t.Errorf("drain before = %d; want 3", code)
	}
	if code, _, errs := call(
		t,
		enrolmentToken,
		"enroll",
		"--url",
		server(t, 403, "x").URL,
		"--data",
		string(dir),
		"--token-stdin",
	); code != exitOK {
		t.Fatal(errs)
	}
	if code, _, errs := call(
		t,
		"",
		"drain",
		"--data",
		string(dir),
	); code != exitFailed ||
		!strings.Contains(errs, "no agent runs") {
		t.Errorf("drain without an agent = %d %q", code, errs)
	}
	// An agent that runs: it heeds the wish, and has one task that ends a little later.
	tasks, stop, stopped := 1, make(chan struct{}), make(chan struct{})
	report := func() {
		s := config.Status{State: config.Online, Draining: dir.Drain(), InFlight: tasks, UpdatedAt: time.Now()}
		if err := dir.SaveStatus(s); err != nil {
			t.Error(err)
		}
	}
	report()
	go func() {
		defer close(stopped)
		ends := time.Now().Add(time.Second)
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
			if time.Now().After(ends) {
				tasks = 0
			}
			report()
		}
	}()
	if code, out, _ := call(
		t,
		"",
		"drain",
		"--wait",
		"0",
		"--data",
		string(dir),
	); code != exitOK ||
		!strings.Contains(out, "1 still run") {
		t.Errorf("drain --wait 0 = %d %q", code, out)
	}
	if code, out, _ := call(
		t,
		"",
		"drain",
		"--data",
		string(dir),
	); code != exitOK ||
		!strings.Contains(out, "can be stopped") {
		t.Errorf("drain = %d %q", code, out)
	}
	if code, out, _ := call(
		t,
		"",
		"drain",
		"--undo",
		"--data",
		string(dir),
	); code != exitOK || !strings.Contains(out, "again") ||
		dir.Drain() {
		t.Errorf("drain --undo = %d %q", code, out)
	}
	close(stop)
	<-stopped
}

func TestTheSpoolIsAsLargeAsTheSettingsSay(t *testing.T) {
	dir := config.Dir(filepath.Join(t.TempDir(), "data"))
	if err := dir.Prepare(); err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	seven, none := 7, 0
	for _, tt := range []struct {
		setting *int
		flag    int
		want    int64
	}{{nil, -1, 512 << 20}, {&seven, -1, 7 << 20}, {&seven, 9, 9 << 20}, {&none, -1, 0}, {nil, 0, 0}} {
		if err := dir.SaveSettings(config.Settings{URL: "https://x.example.org", SpoolMiB: tt.setting}); err != nil {
			t.Fatal(err)
		}
		var got int64
		if s := openSpool(dir, tt.flag, quiet); s != nil {
			got = s.Max()
		}
		if got != tt.want {
			t.Errorf("setting %v, flag %d: %d bytes; want %d", tt.setting, tt.flag, got, tt.want)
		}
	}
}

func TestTheUnitIsPrintedForPackages(t *testing.T) {
	code, out, _ := call(
		t,
		"",
		"service",
		"unit",
		"--data",
		"/var/lib/grantwright-agent",
		"--executable",
		"/usr/bin/grantwright-agent",
	)
	if code != exitOK ||
		!strings.Contains(
			out,
			"ExecStart=/usr/bin/grantwright-agent run --service --data /var/lib/grantwright-agent\n",
		) {
		t.Errorf("%d %s", code, out)
	}
}

func TestAFullLogFileIsPutAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent.log")
	l := &logFile{path: path, max: 100}
	for i := range 10 {
		if _, err := fmt.Fprintf(l, "line %d %s\n", i, strings.Repeat("x", 30)); err != nil {
			t.Fatal(err)
		}
	}
	now, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(now), "line 9") || len(now) > 100 {
		t.Errorf("%q (%v)", now, err)
	}
	if old, err := os.ReadFile(path + ".1"); err != nil || !strings.Contains(string(old), "line 7") {
		t.Errorf("%q (%v)", old, err)
	}
}
