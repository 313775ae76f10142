package main_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "grantwright-program-")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "grantwright")
	out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput()
	if err != nil {
		err = errors.New(string(out))
	}
	return program, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if program, err := build(); err == nil {
		_ = os.RemoveAll(filepath.Dir(program))
	}
	os.Exit(code)
}

// lines is what a program wrote, readable while it writes.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// program prepares a run of the built program, without the settings of whoever runs the tests.
func program(t *testing.T, args ...string) (*exec.Cmd, *lines) {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "GRANTWRIGHT_") && !strings.HasPrefix(e, "DATABASE_") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	out := &lines{}
	cmd.Stdout, cmd.Stderr = out, out
	return cmd, out
}

// run runs a command to its end.
func run(t *testing.T, wantCode int, args ...string) string {
	t.Helper()
	cmd, out := program(t, args...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != wantCode {
		t.Fatalf("grantwright %s ends with %d; want %d:\n%s", strings.Join(args, " "), got, wantCode, out)
	}
	return out.String()
}

// dataDir is a directory that the private server's account gets through to.
func dataDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "grantwright-program-")
	if err != nil {
		t.Fatal(err)
	}
	// A server that was told twice to end leaves its PostgreSQL behind, which is still writing while it stops.
	t.Cleanup(func() {
		for deadline := time.Now().Add(30 * time.Second); os.RemoveAll(dir) != nil && time.Now().Before(deadline); {
			time.Sleep(200 * time.Millisecond)
		}
	})
	for d := dir; len(d) > len(os.TempDir()); d = filepath.Dir(d) {
		_ = os.Chmod(d, 0o755)
	}
	return filepath.Join(dir, "data")
}

// serving is a server that runs.
type serving struct {
	t      *testing.T
	cmd    *exec.Cmd
	out    *lines
	url    string
	client *http.Client // speaks to the operators' socket
}

var address = regexp.MustCompile(`address=(http://\S+)`)

func serve(t *testing.T, data string, more ...string) *serving {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "ops.sock")
	s := &serving{t: t}
	s.cmd, s.out = program(
		t,
		append(
			[]string{"serve", "--data", data, "--listen", "127.0.0.1:0", "--ops-listen", "unix:" + socket},
			more...)...)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_, _ = s.cmd.Process.Wait()
	})
	s.client = &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}}}
	for deadline := time.Now().Add(90 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if m := address.FindStringSubmatch(s.out.String()); m != nil {
			s.url = m[1]
			return s
		}
		if time.Now().After(deadline) {
			t.Fatalf("the server does not come up:\n%s", s.out)
		}
	}
}

// ready is the status of /ready; 0 when nobody answers.
func (s *serving) ready() int {
	res, err := s.client.Get("http://ops/ready")
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body)
	return res.StatusCode
}

// signal sends a signal.
func (s *serving) signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// ended waits for the end, and gives the exit code and how long it took.
func (s *serving) ended() (code int, took time.Duration) {
	s.t.Helper()
	began := time.Now()
	done := make(chan struct{})
	go func() {
		_ = s.cmd.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(45 * time.Second):
		s.t.Fatalf("the server does not end:\n%s", s.out)
	}
	return s.cmd.ProcessState.ExitCode(), time.Since(began)
}

func TestTheServerStopsWithinThirtySecondsAndWell(t *testing.T) {
	s := serve(t, dataDir(t), "--drain-delay", "1s")
	if got := s.ready(); got != 200 {
		t.Errorf("/ready = %d; want 200", got)
	}
	s.signal(syscall.SIGTERM)
	for deadline := time.Now().Add(5 * time.Second); s.ready() != 503; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("/ready does not say that the server stops")
		}
	}
	if res, err := http.Get(s.url + "/health"); err != nil || res.StatusCode != 200 {
		t.Errorf("/health within the drain delay: %v, %v", res, err)
	} else {
		res.Body.Close()
	}
	if code, took := s.ended(); code != 0 || took > 30*time.Second {
		t.Errorf("ended with %d after %s:\n%s", code, took, s.out)
	}
}

func TestASecondSignalEndsTheServerAtOnce(t *testing.T) {
	s := serve(t, dataDir(t), "--drain-delay", "20s")
	s.signal(syscall.SIGTERM)
	time.Sleep(500 * time.Millisecond)
	s.signal(syscall.SIGTERM)
	if code, took := s.ended(); code != 130 || took > 5*time.Second {
		t.Errorf("ended with %d after %s; want 130 at once", code, took)
	}
}

var fingerprint = regexp.MustCompile(`(?m)^([0-9a-f]{8})\s+(seals|opens|missing)\s+(\d+)`)

// keyStatus reads what `keys status` prints of master keys: role and count by fingerprint.
func keyStatus(text string) map[string][2]string {
	out := map[string][2]string{}
	for _, m := range fingerprint.FindAllStringSubmatch(text, -1) {
		out[m[1]] = [2]string{m[2], m[3]}
	}
	return out
}

func TestMasterKeysAreExchangedWhileTheServerRuns(t *testing.T) {
	data := dataDir(t)
	s := serve(t, data)
	before := keyStatus(run(t, 0, "keys", "status", "--data", data))
	if len(before) != 1 {
		t.Fatalf("status = %v", before)
	}
	var old string
	for old = range before {
	}
	if text := run(t, 1, "keys", "drop", old, "--data", data); !strings.Contains(text, "in use") {
		t.Errorf("dropping the only key: %s", text)
	}
	newKey := filepath.Join(t.TempDir(), "new.key")
	run(t, 0, "keys", "rotate", "master", "--add-only", "--new-key-file", newKey, "--data", data)
	after := keyStatus(run(t, 0, "keys", "rotate", "master", "--new-key-file", newKey, "--data", data))
	if len(after) != 2 || after[old] != [2]string{"opens", "0"} {
		t.Fatalf("status after the rotation = %v", after)
	}
	run(t, 0, "keys", "drop", old, "--data", data)
	if got := keyStatus(run(t, 0, "keys", "status", "--data", data)); len(got) != 1 || got[old] != [2]string{} {
		t.Errorf("status after the drop = %v", got)
	}
	run(t, 0, "keys", "rotate", "data", "--data", data)
	if got := s.ready(); got != 200 {
		t.Errorf("/ready after all that = %d", got)
	}
	s.signal(syscall.SIGTERM)
	if code, _ := s.ended(); code != 0 {
		t.Fatalf("ended with %d:\n%s", code, s.out)
	}
	if text := s.out.String(); strings.Contains(text, "level=ERROR") || strings.Contains(text, "master key") {
		t.Errorf("the running server had trouble:\n%s", text)
	}
	// The new key alone opens everything at the next start.
	again := serve(t, data, "--drain-delay", "0s")
	again.signal(syscall.SIGTERM)
	if code, _ := again.ended(); code != 0 {
		t.Errorf("with the new key alone, the server ends with %d:\n%s", code, again.out)
	}
}

func TestABackupCommandSaysLoudlyWhatIsNotInIt(t *testing.T) {
	data, dir := dataDir(t), filepath.Join(t.TempDir(), "backup")
	run(t, 0, "migrate", "--data", data)
	if text := run(
		t,
		0,
		"backup",
		"--data",
		data,
		"--to",
		dir,
	); !strings.Contains(
		text,
		"THE MASTER KEY IS NOT IN THE BACKUP",
	) {
		t.Errorf("backup says %s", text)
	}
	run(t, 2, "backup", "--data", data)
	if text := run(
		t,
		1,
		"restore",
		"--data",
		dataDir(t),
		"--from",
		dir,
	); !strings.Contains(
		text,
		"put the master key",
	) {
		t.Errorf("restore without a key says %s", text)
	}
}

func TestConfigTellsWhereSettingsComeFromAndKeepsSecrets(t *testing.T) {
	file := filepath.Join(t.TempDir(), "grantwright.conf")
	if err := os.WriteFile(
		file,
		[]byte(
			"# ours\nmax_runs = 4 # four\ndatabase-url = "+
				"postgres://app:CANARY1@db:5432/g?password=CANARY2\nlog_level=debug\n",
		),
		0o600,
	); err != nil {
		t.Fatal(err)
	}
	cmd, out := program(t, "config", "--config", file, "--listen", "127.0.0.1:9", "--ops-listen", "127.0.0.1:9464")
	cmd.Env = append(
		cmd.Env,
		"GRANTWRIGHT_LOG_LEVEL=warn",
		"GRANTWRIGHT_OTEL_ENDPOINT=http://tempo:CANARY4@127.0.0.1:4318",
		"DATABASE_OWNER_URL=host=db user=owner password=CANARY3",
	)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text := regexp.MustCompile(` +`).ReplaceAllString(out.String(), " ")
	for _, want := range []string{
		"listen = 127.0.0.1:9 # the command line", "max-runs = 4 # " + file, "log-level = warn # GRANTWRIGHT_LOG_LEVEL",
		"log-format = text # default",
		"database-url = postgres://app:xxxxx@db:5432/g # " + file, "database-owner-url = " +
			"postgres://owner:xxxxx@db:5432/", "# DATABASE_OWNER_URL",
		"drain-delay = 5s # default", "ops-listen = 127.0.0.1:9464 # the command line", "master-key-file = # default",
		"otel-endpoint = http://tempo:xxxxx@127.0.0.1:4318 # GRANTWRIGHT_OTEL_ENDPOINT",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("config lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "CANARY") {
		t.Errorf("config shows a password:\n%s", text)
	}
	// What it prints is a file that says the same.
	again := filepath.Join(t.TempDir(), "again.conf")
	if err := os.WriteFile(
		again,
		[]byte(strings.ReplaceAll(out.String(), "\ndatabase-", "\n# database-")),
		0o600,
	); err != nil {
		t.Fatal(err)
	}
	if text := regexp.MustCompile(` +`).
		ReplaceAllString(run(t, 0, "config", "--config", again), " "); !strings.Contains(
		text,
		"max-runs = 4 # "+again,
	) {
		t.Errorf("its own output does not read back:\n%s", text)
	}
	run(t, 2, "config", "--ops-listen", "0.0.0.0:9464")
	run(t, 2, "config", "--min-agent-version", "newest")
	run(t, 0, "config", "--min-agent-version", "1.4.2")
}
