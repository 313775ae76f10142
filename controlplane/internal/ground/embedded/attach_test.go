//go:build linux

package embedded_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded"
)

func TestOtherCommandsFindTheRunningServer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pg")
	if _, err := embedded.Attach(dir); !errors.Is(err, embedded.ErrNotRunning) {
		t.Fatalf("Attach before anything ran: %v", err)
	}
	cp := startControlPlane(t, dir, nil)
	e, err := embedded.Open(soon(t), embedded.Config{Dir: dir})
	check(t, err)
	if got, want := []string{e.OwnerURL(), e.AppURL()}, []string{cp.Owner, cp.App}; !slices.Equal(got, want) {
		t.Errorf("Open finds other URLs than the control plane's")
	}
	check(t, e.Close(soon(t)))
	connect(t, cp.App) // closing what is another's stops nothing
	cp.kill(t)
	within(t, 5*time.Second, "Attach sees the end", func() bool {
		_, err := embedded.Attach(dir)
		return errors.Is(err, embedded.ErrNotRunning)
	})

	own, err := embedded.Open(soon(t), embedded.Config{Dir: dir})
	check(t, err)
	connect(t, own.AppURL())
	check(t, own.Close(soon(t)))
	if _, err := embedded.Attach(dir); !errors.Is(err, embedded.ErrNotRunning) {
		t.Errorf("Attach after Close: %v", err)
	}
}

func TestOpenWaitsForAServerThatIsJustStarting(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pg")
	urls := make(chan string, 2)
	for range 2 {
		go func() {
			e, err := embedded.Open(soon(t), embedded.Config{Dir: dir, Fast: true})
			if err != nil {
				urls <- err.Error()
				return
			}
			urls <- e.AppURL()
			t.Cleanup(func() { _ = e.Close(t.Context()) })
		}()
	}
	first, second := <-urls, <-urls
	if first != second || !strings.HasPrefix(first, "postgres://") {
		t.Errorf("two at once get different servers or an error")
	}
}

// commandLines collects what the process table shows of PostgreSQL's programs until done is closed.
func commandLines(done <-chan struct{}) map[string]bool {
	seen := map[string]bool{}
	for {
		procs, _ := filepath.Glob("/proc/[0-9]*")
		for _, proc := range procs {
			for _, file := range []string{"/cmdline", "/environ"} {
				text, _ := os.ReadFile(proc + file)
				if strings.Contains(string(text), "postgres") || strings.Contains(string(text), "initdb") {
					seen[string(text)] = true
				}
			}
		}
		select {
		case <-done:
			return seen
		case <-time.After(2 * time.Millisecond):
		}
	}
}

func TestPasswordsShowNowhere(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "pg")
	done, table := make(chan struct{}), make(chan map[string]bool)
	go func() { table <- commandLines(done) }()
	var log lines
	srv, err := embedded.Start(
		soon(t),
		embedded.Config{Dir: dir, Fast: true, Log: slog.New(slog.NewTextHandler(&log, nil))},
	)
	close(done)
	seen := <-table
	check(t, err)
	owner := connect(t, srv.OwnerURL())
	_, _ = owner.Exec(soon(t), `select broken`) // leaves a statement in PostgreSQL's log
	stop(t, srv)

	secret, err := os.ReadFile(dir + ".control/secrets.json")
	check(t, err)
	words := []string{passwordOf(t, srv.OwnerURL()), passwordOf(t, srv.AppURL())}
	for _, w := range words {
		if len(w) < 20 || !strings.Contains(string(secret), w) {
			t.Fatalf("a password is short or not the stored one")
		}
	}
	words = append(
		words,
		strings.FieldsFunc(string(secret), func(r rune) bool { return strings.ContainsRune(`{}":,`, r) })[1],
	)
	places := map[string]string{"our log": log.String(), "the server's name": srv.String()}
	for line := range seen {
		places["process "+line] = line
	}
	for path, text := range listing(t, dir) {
		places[path] = text
	}
	for place, text := range places {
		for _, w := range words {
			if strings.Contains(text, w) {
				t.Errorf("a password stands in %s", place)
			}
		}
	}
	if len(seen) < 3 || !strings.Contains(strings.Join(slices.Collect(mapKeys(seen)), " "), "--pwfile=/dev/fd/3") {
		t.Errorf("the process table was not seen while initdb ran")
	}
	for _, path := range []string{"", "/secrets.json", "/runtime.json.gone"} {
		if info, err := os.Stat(dir + ".control" + path); err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("others may read .control%s: %v", path, info.Mode())
		}
	}
}

func mapKeys(m map[string]bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}
