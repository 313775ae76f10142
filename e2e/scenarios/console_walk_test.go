package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/rig"
)

// consoleDir is the folder of what drives the browser.
var consoleDir = filepath.Join("..", "console")

// journeys are the scripts of console/journeys by their names.
func journeys(t *testing.T) map[string]string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(consoleDir, "journeys", "*.mjs"))
	if err != nil || len(found) == 0 {
		t.Fatalf("there are no journeys: %v", err)
	}
	named := map[string]string{}
	for _, path := range found {
		if says(t, path, atLength) && os.Getenv("GRANTWRIGHT_E2E") != "long" {
			continue
		}
		named[strings.TrimSuffix(filepath.Base(path), ".mjs")] = path
	}
	return named
}

var (
	ownSeed  = regexp.MustCompile(`(?m)^// seed: own$`)
	atLength = regexp.MustCompile(`(?m)^// when: long$`) // only in `make e2e`: the whole test run has half an hour
)

// wantsOwn reports whether a journey changes so much that it needs a tenant of its own.
func wantsOwn(t *testing.T, path string) bool {
	t.Helper()
	return says(t, path, ownSeed)
}

// says reports whether a line of a journey is the one that is looked for.
func says(t *testing.T, path string, line *regexp.Regexp) bool {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return line.Match(b)
}

// walk drives a browser by a script over a scene, and fails for each thing that it complains of. env are further
// variables.
func walk(t *testing.T, script string, s *scene, env ...string) {
	t.Helper()
	installed, err := console()
	if err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Abs(script)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*harness.Patience)
	defer cancel()
	var said, complained bytes.Buffer
	cmd := exec.CommandContext(ctx, "node", path)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(s.json()), &said, &complained
	cmd.Env = append(append(os.Environ(), "GRANTWRIGHT_CONSOLE_NPM="+installed, "GRANTWRIGHT_CHROMIUM="+chromium(t),
		"GRANTWRIGHT_AGENT="+filepath.Join(harness.Programs(t), rig.AgentProgram)), env...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, complained.String())
	}
	var told struct {
		Failures, Steps, Slowest, Figures []string
		Seconds                           float64
	}
	if err := json.Unmarshal(said.Bytes(), &told); err != nil {
		t.Fatalf("%s said %.2000s: %v", script, said.String(), err)
	}
	t.Logf("%d steps in %.1f s: %s", len(told.Steps), told.Seconds, shorten(strings.Join(told.Steps, ", ")))
	t.Logf("slowest: %s", strings.Join(told.Slowest, ", "))
	for _, figure := range told.Figures {
		t.Log(figure)
	}
	if len(told.Steps) == 0 {
		t.Fatal("it went nowhere")
	}
	for _, failure := range told.Failures {
		t.Error(failure)
	}
}
