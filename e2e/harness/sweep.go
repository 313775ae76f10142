package harness

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/e2e/canary"
)

// Sweep looks for the secrets that the test has given or got wherever they must not be: in answers that showed one
// again, in logs, in the database, and in the files of agents. Every deployment of a test is swept at its end.
func (h *House) Sweep() {
	h.t.Helper()
	for _, leak := range h.Secrets.Leaks() {
		h.t.Errorf("a secret in an answer: %s", leak)
	}
	for _, dir := range h.swept() {
		h.sweepDir(dir)
	}
	h.sweepDatabase()
}

// swept are the logs and the directories of agents. Those of the control plane hold the database, which is looked at as
// a dump, and the master key.
func (h *House) swept() []string {
	dirs := []string{h.Logs()}
	agents, _ := filepath.Glob(filepath.Join(h.Dir, "agent-*"))
	return append(dirs, agents...)
}

func (h *House) sweepDir(dir string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // it may have gone meanwhile
		}
		if b, err := os.ReadFile(path); err == nil {
			h.sweepBytes(strings.TrimPrefix(path, h.Dir), b)
		}
		return nil
	})
	h.check(err)
}

func (h *House) sweepBytes(where string, b []byte) {
	for _, what := range h.Secrets.Find(b) {
		h.t.Errorf("a secret in %s: %s", where, what)
	}
}

// sweepDatabase looks at everything that a backup would hold, while the database runs.
func (h *House) sweepDatabase() {
	if h.Plane.Child == nil {
		return
	}
	select {
	case <-h.Plane.Done():
		return // killed by the test, and its database with it
	default:
	}
	if _, err := h.databaseURL(); err != nil {
		return // a database of the test's own
	}
	dump, err := h.dump()
	if err != nil {
		h.t.Error(err)
		return
	}
	for _, table := range bytes.Split(dump, []byte("\nCOPY ")) {
		name, _, _ := bytes.Cut(table, []byte(" "))
		// A dump writes every backslash twice, those before the quotes of JSON as well.
		h.sweepBytes("the table "+string(name), bytes.ReplaceAll(table, []byte(`\\`), []byte(`\`)))
	}
}

// Dump is everything that a backup would hold now.
func (h *House) Dump() []byte {
	h.t.Helper()
	dump, err := h.dump()
	h.check(err)
	return dump
}

func (h *House) dump() ([]byte, error) {
	address, err := h.databaseURL()
	if err != nil {
		return nil, err
	}
	password, _ := address.User.Password()
	withoutPassword := address
	withoutPassword.User = nil
	cmd := exec.Command(
		pgDump(),
		"--dbname",
		withoutPassword.String(),
		"--username",
		address.User.Username(),
		"--no-password",
	)
	cmd.Env = append(os.Environ(), "PGPASSWORD="+password)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	dump, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the database cannot be dumped: %w\n%s", err, complaint.String())
	}
	return dump, nil
}

// pgDump is the program of the newest PostgreSQL that is installed.
func pgDump() string {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pg_dump")
	if len(found) == 0 {
		return "pg_dump"
	}
	slices.Sort(found)
	return found[len(found)-1]
}

// watch learns what passes between the test and the service.
func watch(j *canary.Jar) func(request string, bearer string, sent, answered []byte) {
	return func(request, bearer string, sent, answered []byte) {
		j.Sent(bearer, sent)
		j.Answered(time.Now().Format("15:04:05 ")+request, answered)
	}
}
