// Package harness gives a test a deployment of its own: the built programs, a control plane with a private PostgreSQL,
// agents and sample systems, all on free ports and in a directory that goes away with the test.
//
// The programs are those of the directory named by GRANTWRIGHT_BIN, or are built once for the whole test run.
package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/canary"
	"github.com/grantwright/grantwright/e2e/rig"
)

// Patience bounds every wait. It is no measure of speed: a slow machine is no failure.
const Patience = 3 * time.Minute

// House is one deployment.
type House struct {
	Dir   string
	Plane *rig.ControlPlane
	Admin *api.Client // administrator of the tenant "main"

	// Secrets are those that passed between the test and the service. They are looked for at the end, see Sweep.
	Secrets *canary.Jar

	t testing.TB
}

// Open starts a control plane with one tenant. flags are further flags of serve. It ends with the test.
func Open(t testing.TB, flags ...string) *House {
	t.Helper()
	return OpenBuilt(t, Programs(t), flags...)
}

// OpenBuilt is Open with the programs of a directory.
func OpenBuilt(t testing.TB, bin string, flags ...string) *House {
	t.Helper()
	h := &House{t: t, Dir: shortDir(t), Secrets: &canary.Jar{}}
	port, err := rig.FreePort()
	h.check(err)
	h.check(os.Mkdir(filepath.Join(h.Dir, "logs"), 0o700))
	h.Plane = &rig.ControlPlane{
		Bin:    bin,
		Data:   filepath.Join(h.Dir, "controlplane"),
		Listen: fmt.Sprintf("127.0.0.1:%d", port),
		Log:    h.log("controlplane"),
		Flags:  append([]string{"--egress-allow-cidrs", "127.0.0.0/8"}, flags...),
	}
	h.bootstrap("main")
	t.Cleanup(h.close)
	h.Start()
	h.Admin = h.signIn("main")
	return h
}

// For is the same deployment for a part of the test that fails by itself.
func (h *House) For(t testing.TB) *House {
	part := *h
	part.t = t
	return &part
}

// shortDir is like t.TempDir, whose names grow with the test's: a Unix socket's path may have a hundred bytes only.
func shortDir(t testing.TB) string {
	dir, err := os.MkdirTemp("", "gw-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() && os.Getenv("GRANTWRIGHT_KEEP") != "" {
			t.Logf("kept: %s", dir)
			return
		}
		_ = os.RemoveAll(dir)
	})
	return dir
}

func (h *House) log(name string) string { return filepath.Join(h.Dir, "logs", name+".log") }

// Logs is the directory of all logs.
func (h *House) Logs() string { return filepath.Join(h.Dir, "logs") }

func (h *House) check(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// Context ends after Patience or with the test.
func Context(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeoutCause(
		context.Background(),
		Patience,
		errors.New("the test's patience has run out"),
	)
	t.Cleanup(cancel)
	return ctx
}

// Start starts the control plane, after a Kill or Stop too.
func (h *House) Start() {
	h.t.Helper()
	h.check(h.Plane.Start(Context(h.t)))
}

// StopPlane stops the control plane as an operator would.
func (h *House) StopPlane() {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	h.check(h.Plane.Stop(ctx))
}

func (h *House) close() {
	if h.Plane.Child == nil {
		return
	}
	h.Sweep()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	select {
	case <-h.Plane.Done():
	default:
		if err := h.Plane.Stop(ctx); err != nil {
			h.t.Error(err)
		}
	}
	if h.t.Failed() {
		h.t.Logf("the end of the control plane's log:\n%s", strings.Join(h.Plane.Tail(25), "\n"))
	}
}

// Account is how the administrator of a tenant signs in.
func Account(slug string) (email, password string) {
	return "admin@" + slug + ".example", "correct horse " + slug
}

func (h *House) bootstrap(slug string, flags ...string) {
	h.t.Helper()
	email, password := Account(slug)
	_, err := h.Plane.Bootstrap(Context(h.t), slug, slug, email, password, flags...)
	h.check(err)
}

func (h *House) signIn(slug string) *api.Client {
	h.t.Helper()
	c := h.Client()
	email, password := Account(slug)
	h.check(c.Login(Context(h.t), email, password))
	return c
}

// Client is one that has not signed in, and whose secrets are looked for at the end.
func (h *House) Client() *api.Client {
	c := api.New(h.Plane.URL())
	c.Watch = watch(h.Secrets)
	return c
}

// Tenant makes a further tenant and signs in as its administrator. flags are further flags of bootstrap.
func (h *House) Tenant(slug string, flags ...string) *api.Client {
	h.t.Helper()
	h.bootstrap(slug, flags...)
	return h.signIn(slug)
}

// Operator makes a further tenant and signs in as its administrator, who administers the whole deployment.
func (h *House) Operator(slug string) *api.Client {
	h.t.Helper()
	h.bootstrap(slug, "--control-plane-admin")
	return h.signIn(slug)
}

var built = sync.OnceValues(build)

// Programs is the directory of the built programs.
func Programs(t testing.TB) string {
	t.Helper()
	bin, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// build finds the programs or builds them into the user's cache.
func build() (string, error) {
	// Tests use the private PostgreSQL, whatever the developer's own settings are.
	for _, name := range []string{"DATABASE_URL", "DATABASE_OWNER_URL"} {
		if err := os.Unsetenv(name); err != nil {
			return "", err
		}
	}
	if bin := os.Getenv("GRANTWRIGHT_BIN"); bin != "" {
		return bin, rig.Programs(bin)
	}
	root, err := sources()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return compile(root, filepath.Join(cache, "grantwright-e2e"))
}

var mortal = sync.OnceValues(func() (string, error) {
	root, err := sources()
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return compile(
		root,
		filepath.Join(cache, "grantwright-e2e-mortal"),
		"-tags",
		"crashpoints",
	)
})

// MortalPrograms is a directory of programs that die where they are told to; see package crashpoint.
func MortalPrograms(t testing.TB) string {
	t.Helper()
	bin, err := mortal()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// sources is the directory with go.work, above the one that a test runs in. The place that the compiler notes would
// not do: it is shortened when programs are built with -trimpath.
func sources() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir, nil
		}
		above := filepath.Dir(dir)
		if above == dir {
			return "", errors.New("no directory above this one has a go.work; run the tests in a checkout")
		}
		dir = above
	}
}

func compile(root, bin string, flags ...string) (string, error) {
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return "", err
	}
	args := append(append([]string{"build"}, flags...), "-o", bin+string(filepath.Separator))
	cmd := exec.Command(
		"go",
		append(
			args,
			"./controlplane/cmd/grantwright",
			"./agent/cmd/grantwright-agent",
			"./e2e/targets/cmd/targets",
			"./e2e/cmd/demo",
		)...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the programs: %w\n%s", err, out)
	}
	return bin, nil
}
