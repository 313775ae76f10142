package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// TestTheConsoleInABrowser walks through the web console over a real directory's people; see console/journey.mjs.
func TestTheConsoleInABrowser(t *testing.T) {
	t.Parallel()
	h, s := open(t, 120, 0)
	h.Sync(h.Admin, h.Connect(h.Admin, s.state.Personnel()), api.Sync{})
	h.Sync(h.Admin, h.Connect(h.Admin, s.state.Directory()), api.Sync{})
	res, err := http.Get(h.Plane.URL() + "/")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if p := res.Header.Get("Content-Security-Policy"); !strings.Contains(p, "require-trusted-types-for 'script'") || strings.Contains(p, "unsafe") {
		t.Errorf("the page's policy is %q", p)
	}
	email, password := harness.Account("main")
	people := harness.All[struct {
		Name string `json:"first_name"`
	}](h, h.Admin, "/identities", nil)
	if len(people) == 0 {
		t.Fatal("nobody is known")
	}
	given, err := json.Marshal(map[string]string{"url": h.Plane.URL(), "email": email, "password": password, "search": people[0].Name})
	if err != nil {
		t.Fatal(err)
	}
	for _, failure := range walk(t, "journey.mjs", given) {
		t.Error(failure)
	}
}

// walk drives a browser by a script, and gives what it complained of.
func walk(t *testing.T, script string, given []byte) []string {
	t.Helper()
	dir, err := console()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
	defer cancel()
	var said, complained bytes.Buffer
	cmd := exec.CommandContext(ctx, "node", script, chromium(t))
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, bytes.NewReader(given), &said, &complained
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, complained.String())
	}
	var told struct{ Failures, Steps []string }
	if err := json.Unmarshal(said.Bytes(), &told); err != nil {
		t.Fatalf("%s said %s: %v", script, said.String(), err)
	}
	t.Logf("walked: %s", strings.Join(told.Steps, ", "))
	if len(told.Steps) == 0 {
		t.Fatal("it went nowhere")
	}
	return told.Failures
}
