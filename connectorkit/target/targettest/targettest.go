// Package targettest starts target systems that others wrote, for tests: Node.js servers from the npm
// registry, pinned by a lock file. What they need is installed once, into GRANTWRIGHT_TEST_CACHE or the
// user's cache folder, and used again.
package targettest

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startWithin is how long a server may take to listen. It is no measure of speed: on a busy machine with a cold disk,
// Node.js takes half a minute to read the packages.
const startWithin = 2 * time.Minute

//go:embed oidc/package.json oidc/package-lock.json oidc/server.mjs
var oidc embed.FS

// OIDC is a running OAuth2 authorization server with the client credentials grant. Its tokens are JWTs for urn:target.
type OIDC struct {
	TokenURL     string
	JWKSURL      string
	BasicClient  string // authenticates by client_secret_basic
	PostClient   string // authenticates by client_secret_post
	ClientSecret string
	Scope        string
}

// StartOIDC starts an authorization server whose tokens live for ttl. It stops with the test.
func StartOIDC(t testing.TB, ttl time.Duration) OIDC {
	t.Helper()
	files, err := fs.Sub(oidc, "oidc")
	if err != nil {
		t.Fatalf("embedded server: %v", err)
	}
	base := "http://" + start(t, files, fmt.Sprintf("TTL=%d", int(ttl.Seconds())))
	return OIDC{
		TokenURL: base + "/token", JWKSURL: base + "/jwks",
		BasicClient: "iga", PostClient: "iga-post", ClientSecret: "s3cret-value", Scope: "scim",
	}
}

// StartNode starts dir/server.mjs with the packages that dir/package-lock.json pins, and gives the host:port
// it listens on. The server must listen on the port in PORT and print "listening <port>". env are further
// variables as KEY=value. It stops with the test. Without npm the test fails: what it would prove must not be
// skipped.
func StartNode(t testing.TB, dir string, env ...string) (addr string) {
	t.Helper()
	return start(t, os.DirFS(dir), env...)
}

func start(t testing.TB, files fs.FS, env ...string) string {
	t.Helper()
	home := install(t, files)
	cmd := exec.Command("node", "server.mjs")
	cmd.Dir = home
	cmd.Env = append(append(os.Environ(), "PORT=0", "NODE_NO_WARNINGS=1"), env...)
	stderr := &tail{}
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatalf("start node: %v", err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("start node: %v; tests need Node.js 20 or later and npm in PATH", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended by itself
		_ = cmd.Wait()
	})
	port := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			if p, ok := strings.CutPrefix(lines.Text(), "listening "); ok {
				port <- strings.TrimSpace(p)
			}
		}
		close(port)
	}()
	select {
	case p, ok := <-port:
		if !ok {
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // then all of stderr is there
			t.Fatalf("the server ended before it listened:\n%s", stderr)
		}
		return "127.0.0.1:" + p
	case <-time.After(startWithin):
		t.Fatalf("the server does not listen after %s", startWithin)
	}
	return ""
}

// install puts the server and its packages into the cache, under a name made of their content. Two processes
// that install at once do not meet: each works in a folder of its own, and the first rename wins.
func install(t testing.TB, files fs.FS) string {
	t.Helper()
	cache := os.Getenv("GRANTWRIGHT_TEST_CACHE")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			t.Fatalf("no cache folder; set GRANTWRIGHT_TEST_CACHE: %v", err)
		}
		cache = filepath.Join(user, "grantwright-test")
	}
	contents := map[string][]byte{}
	sum := sha256.New()
	for _, name := range []string{"package.json", "package-lock.json", "server.mjs"} {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatalf("read the server: %v", err)
		}
		contents[name] = b
		fmt.Fprintf(sum, "%s %d\n%s", name, len(b), b)
	}
	home := filepath.Join(cache, "node-"+hex.EncodeToString(sum.Sum(nil))[:16])
	if _, err := os.Stat(filepath.Join(home, "node_modules")); err == nil {
		return home
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		t.Fatalf("make the cache folder: %v", err)
	}
	work, err := os.MkdirTemp(cache, "installing-")
	if err != nil {
		t.Fatalf("make the cache folder: %v", err)
	}
	defer os.RemoveAll(work)
	for name, b := range contents {
		if err := os.WriteFile(filepath.Join(work, name), b, 0o644); err != nil {
			t.Fatalf("copy the server: %v", err)
		}
	}
	npmCI(t, work)
	if err := os.Rename(work, home); err != nil {
		if _, there := os.Stat(filepath.Join(home, "node_modules")); there != nil {
			t.Fatalf("keep the installed packages: %v", err)
		}
	}
	return home
}

func npmCI(t testing.TB, dir string) {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Fatalf(
			"npm is not in PATH: these tests read from servers of the npm registry and need Node.js 20 or " +
				"later with npm",
		)
	}
	cmd := exec.Command(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
}

// tail keeps the last of what a server complains of.
type tail struct{ b []byte }

// Write keeps the last 8 KiB.
func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if len(t.b) > 8<<10 {
		t.b = t.b[len(t.b)-8<<10:]
	}
	return len(p), nil
}

// String is what was kept.
func (t *tail) String() string { return string(t.b) }
