package scenarios

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
	"github.com/grantwright/grantwright/e2e/npm"
)

// view is what a browser saw of a page, see console/look.mjs.
type view struct {
	Found    int      `json:"found"`
	Text     string   `json:"text"`
	Requests []string `json:"requests"`
	Errors   []string `json:"errors"`
}

// How they are behind a sign-in is told by the journey docs, see TestTheConsoleInABrowser.
func TestTheViewersOfTheDescriptionWorkInABrowserWithoutTheInternet(t *testing.T) {
	t.Parallel()
	h := harness.Open(t, "--public-docs")
	summaries := operations(t, h)
	for path, selectors := range map[string][]string{
		"/docs":  {".opblock", ".opblock-tag"},
		"/redoc": {`[data-section-id^="tag/"], [data-section-id^="operation/"]`},
	} {
		v := look(t, h.Plane.URL()+path, selectors...)
		if v.Found == 0 {
			t.Errorf("%s shows no operation; it shows %s", path, shorten(v.Text))
		}
		for _, s := range summaries[:min(5, len(summaries))] {
			if !strings.Contains(v.Text, s) {
				t.Errorf("%s does not show the operation %q", path, s)
			}
		}
		for _, r := range v.Requests {
			if !strings.HasPrefix(r, h.Plane.URL()+"/") && !strings.HasPrefix(r, "data:") &&
				!strings.HasPrefix(r, "blob:"+h.Plane.URL()) {
				t.Errorf("%s asks for %s", path, r)
			}
		}
		if slices.ContainsFunc(v.Requests, func(r string) bool { return strings.Contains(r, "/auth/") }) {
			t.Errorf("%s is open to everybody and signs in all the same: %v", path, v.Requests)
		}
		if len(v.Requests) < 3 {
			t.Errorf("%s made the requests %v only", path, v.Requests)
		}
		for _, e := range v.Errors {
			t.Errorf("%s: %s", path, e)
		}
	}
}

// operations are the summaries of all reading operations that the description lists, by their paths.
func operations(t *testing.T, h *harness.House) []string {
	t.Helper()
	status, _, body, err := api.New(h.Plane.URL()).Raw(harness.Context(t), "GET", "/openapi.json", nil)
	if err != nil || status != 200 {
		t.Fatalf("/openapi.json answered %d, %v", status, err)
	}
	var d struct {
		Paths map[string]map[string]struct {
			Summary string `json:"summary"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(body, &d); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		if s := d.Paths[path]["get"].Summary; s != "" {
			all = append(all, s)
		}
	}
	if len(all) == 0 {
		t.Fatal("the description has no operations")
	}
	return all
}

// look opens a page in Chromium.
func look(t *testing.T, url string, selectors ...string) (v view) {
	t.Helper()
	dir, err := console()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append([]string{"look.mjs", chromium(t), url}, selectors...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		complaint := ""
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			complaint = string(exit.Stderr)
		}
		t.Fatalf("look at %s: %v\n%s", url, err, complaint)
	}
	if err := json.Unmarshal(out, &v); err != nil {
		t.Fatalf("look at %s: %v", url, err)
	}
	return v
}

func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "/usr/bin/chromium"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("there is no Chromium; these tests look at pages with a real browser: install the package chromium")
	return ""
}

// console is where what drives the browser is installed.
func console() (string, error) { return npm.Install(filepath.Join("..", "console")) }
