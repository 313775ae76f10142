package contract

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/npm"
)

func TestTheDescriptionIsWhatPublicToolsCallGood(t *testing.T) {
	t.Parallel()
	h := harness.Open(t, "--public-docs")
	tools, err := npm.Install(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	description := filepath.Join(dir, "openapi.json")
	fetch(t, h, description)
	if os.Getenv("GRANTWRIGHT_RENEW_BASELINE") != "" {
		renewBaseline(t, description)
	}
	t.Run("every body has an example", func(t *testing.T) { examples(t, description) })
	t.Run("a linter finds nothing", func(t *testing.T) { lint(t, tools, description) })
	t.Run("nothing that was released is broken", func(t *testing.T) {
		baselineCovers(t, description)
		compare(t, description)
	})
	t.Run("a generated client works", func(t *testing.T) { generate(t, h, tools, dir) })
	t.Run("the console asks for what there is", func(t *testing.T) { consoleTypes(t, description) })
}

func fetch(t *testing.T, h *harness.House, into string) {
	t.Helper()
	status, _, body, err := api.New(h.Plane.URL()).Raw(harness.Context(t), "GET", "/openapi.json", nil)
	if err != nil || status != 200 {
		t.Fatalf("/openapi.json answered %d, %v", status, err)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, body, "", " "); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(into, pretty.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

type content map[string]struct {
	Example  json.RawMessage `json:"example"`
	Examples json.RawMessage `json:"examples"`
}

func examples(t *testing.T, description string) {
	var d struct {
		Paths map[string]map[string]struct {
			RequestBody struct{ Content content }
			Responses   map[string]struct{ Content content }
		}
	}
	readJSON(t, description, &d)
	bodies := 0
	for path, operations := range d.Paths {
		for method, o := range operations {
			all := []content{o.RequestBody.Content}
			for _, r := range o.Responses {
				all = append(all, r.Content)
			}
			for _, c := range all {
				for media, m := range c {
					bodies++
					if strings.Contains(media, "json") && len(m.Example) == 0 && len(m.Examples) == 0 {
						t.Errorf("%s %s has no example of %s", method, path, media)
					}
				}
			}
		}
	}
	if bodies < 100 {
		t.Errorf("only %d bodies were looked at", bodies)
	}
}

func lint(t *testing.T, tools, description string) {
	out, err := tool(
		t,
		tools,
		"redocly",
		"lint",
		"--config",
		filepath.Join(tools, "redocly.yaml"),
		"--max-problems",
		"50",
		"--format",
		"stylish",
		description,
	)
	if err != nil {
		t.Errorf("the linter: %v\n%s", err, out)
	}
}

// compare holds the description against the one of the baseline. Only what breaks a client counts: lists of words are
// open for readers (severity.txt), and accepted.txt names what was changed on purpose.
func compare(t *testing.T, description string) {
	oasdiff, err := filepath.Abs(filepath.Join("..", "..", "bin", "oasdiff"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(oasdiff); err != nil {
		t.Fatalf("%v; `make bin/oasdiff` builds it", err)
	}
	out, err := exec.Command(oasdiff, "breaking", "--fail-on", "ERR", "--severity-levels", "severity.txt",
		"--err-ignore", "accepted.txt", "released.json", description).
		CombinedOutput()
	if err != nil {
		t.Errorf("this would break clients of the last release: %v\n%s", err, out)
	}
}

func generate(t *testing.T, h *harness.House, tools, dir string) {
	for _, name := range []string{"smoke.ts", "tsconfig.json"} {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(tools, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type":"commonjs"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, step := range [][]string{
		{"openapi-ts", "-i", filepath.Join(dir, "openapi.json"), "-o", filepath.Join(dir, "client"), "-c",
			"@hey-api/client-fetch"},
		{"tsc", "-p", filepath.Join(dir, "tsconfig.json")},
	} {
		if out, err := tool(t, tools, step[0], step[1:]...); err != nil {
			t.Fatalf("%s: %v\n%s", step[0], err, out)
		}
	}
	smoke(t, h, dir)
}

func smoke(t *testing.T, h *harness.House, dir string) {
	cmd := exec.CommandContext(harness.Context(t), "node", filepath.Join(dir, "built", "smoke.js"))
	email, password := harness.Account("main")
	cmd.Env = append(
		os.Environ(),
		"GRANTWRIGHT_URL="+h.Plane.URL(),
		"GRANTWRIGHT_EMAIL="+email,
		"GRANTWRIGHT_PASSWORD="+password,
	)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("the client: %v\n%s", err, out)
	}
	var got struct {
		Created, Refused string
		Listed           []string
		Total, Status    int
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("the client printed %s", out)
	}
	if got.Total != 1 || strings.Join(got.Listed, " ") != got.Created || got.Refused != "duplicate_external_id" ||
		got.Status != 409 {
		t.Errorf("the client saw %+v", got)
	}
}

func tool(t *testing.T, tools, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(harness.Context(t), filepath.Join(tools, "node_modules", ".bin", name), args...)
	cmd.Dir = tools
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "CI=true", "NO_COLOR=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}
