package scenarios

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// view is what a browser saw of a page, see console/look.mjs.
type view struct {
	Found    int      `json:"found"`
	Text     string   `json:"text"`
	Requests []string `json:"requests"`
	Errors   []string `json:"errors"`
}

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
			if !strings.HasPrefix(r, h.Plane.URL()+"/") && !strings.HasPrefix(r, "data:") && !strings.HasPrefix(r, "blob:"+h.Plane.URL()) {
				t.Errorf("%s asks for %s", path, r)
			}
		}
		if len(v.Requests) < 3 {
			t.Errorf("%s made the requests %v only", path, v.Requests)
		}
		for _, e := range v.Errors {
			t.Errorf("%s: %s", path, e)
		}
	}
}

// operations are the summaries of all reading operations that the description lists.
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
	for _, methods := range d.Paths {
		if s := methods["get"].Summary; s != "" {
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
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "/usr/bin/chromium"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Fatal("there is no Chromium; these tests look at pages with a real browser: install the package chromium")
	return ""
}

// console installs what drives the browser, once for each lock file.
var console = sync.OnceValues(func() (string, error) {
	sources := filepath.Join("..", "console")
	sum := sha256.New()
	contents := map[string][]byte{}
	for _, name := range []string{"package.json", "package-lock.json", "look.mjs"} {
		b, err := os.ReadFile(filepath.Join(sources, name))
		if err != nil {
			return "", err
		}
		contents[name] = b
		_, _ = sum.Write(b) // a hash takes everything
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "grantwright-console-"+hex.EncodeToString(sum.Sum(nil))[:12])
	if _, err := os.Stat(filepath.Join(dir, "installed")); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	for name, b := range contents {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			return "", err
		}
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	if err := cmd.Run(); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "installed"), nil, 0o600)
})
