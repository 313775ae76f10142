//go:build linux

package embedded_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded"
)

// helperDir names the data directory to a test binary that plays a control plane of its own.
const helperDir = "EMBEDDED_TEST_SERVE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperDir); dir != "" {
		if err := serve(dir); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// hello is what the playing control plane says when its server is up.
type hello struct {
	PID        int
	Owner, App string
}

// serve runs a server until standard input ends.
func serve(dir string) error {
	ctx := context.Background()
	srv, err := embedded.Start(ctx, embedded.Config{Dir: dir})
	if err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(hello{srv.PID(), srv.OwnerURL(), srv.AppURL()}); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
	return srv.Stop(ctx)
}

// controlPlane is a process of its own that runs a server.
type controlPlane struct {
	hello
	cmd   *exec.Cmd
	stdin io.Closer
}

// startControlPlane runs this test binary as a control plane, as another user when cred is given.
func startControlPlane(t *testing.T, dir string, cred *syscall.Credential) *controlPlane {
	t.Helper()
	cp := &controlPlane{cmd: exec.Command(testBinary(t, cred))}
	cp.cmd.Env = append(os.Environ(), helperDir+"="+dir)
	cp.cmd.Dir = "/"
	cp.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: cred}
	stdin, err := cp.cmd.StdinPipe()
	check(t, err)
	stdout, err := cp.cmd.StdoutPipe()
	check(t, err)
	check(t, cp.cmd.Start())
	cp.stdin = stdin
	t.Cleanup(func() { _ = cp.cmd.Process.Kill(); _ = cp.cmd.Wait() })
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &cp.hello) != nil {
		t.Fatalf("the control plane says %q, %v", line, err)
	}
	return cp
}

// kill ends the control plane as kill -9 does.
func (cp *controlPlane) kill(t *testing.T) {
	t.Helper()
	check(t, cp.cmd.Process.Kill())
	_ = cp.cmd.Wait()
}

// testBinary is this program where the given user can run it.
func testBinary(t *testing.T, cred *syscall.Credential) string {
	t.Helper()
	self, err := os.Executable()
	check(t, err)
	if cred == nil {
		return self
	}
	text, err := os.ReadFile(self)
	check(t, err)
	path := filepath.Join(openFolder(t), "control-plane")
	check(t, os.WriteFile(path, text, 0o755))
	return path
}

// openFolder is a folder that every user can enter; t.TempDir's are closed.
func openFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "embedded")
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	check(t, os.Chmod(dir, 0o755))
	return dir
}

// lines collects a log.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// start starts a server for a test and stops it at the test's end.
func start(t *testing.T, c embedded.Config) *embedded.Server {
	t.Helper()
	c.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	srv, err := embedded.Start(soon(t), c)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() { stop(t, srv) })
	return srv
}

func stop(t *testing.T, srv *embedded.Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := srv.Stop(ctx); err != nil {
		t.Errorf("Stop: %v", err)
	}
}

// soon is a context for what must not hang.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(soon(t), url)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func run(t *testing.T, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(soon(t), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// value is the one value that a query answers.
func value[T any](t *testing.T, conn *pgx.Conn, sql string, args ...any) T {
	t.Helper()
	var v T
	if err := conn.QueryRow(soon(t), sql, args...).Scan(&v); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return v
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// alive reports whether a process still does something.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

// within waits until a condition holds.
func within(t *testing.T, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}

// listing is a folder's files with their contents.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	check(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir)] = string(text)
		return err
	}))
	return files
}

// passwordOf is the password in a connection URL.
func passwordOf(t *testing.T, url string) string {
	t.Helper()
	c, err := pgx.ParseConfig(url)
	check(t, err)
	return c.Password
}
