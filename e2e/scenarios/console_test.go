package scenarios

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/e2e/harness"
)

// TestTheConsoleInABrowser goes through the web console in a real Chromium; see console/README.md. With
// GRANTWRIGHT_HOLD=FILE it only seeds, writes what journeys are told into the file, and keeps everything running until
// that is removed; with GRANTWRIGHT_MEASURE=1 it measures instead of judging.
func TestTheConsoleInABrowser(t *testing.T) {
	t.Parallel()
	h := harness.Open(t, "--pack-allow-unsigned") // packs of a journey's own are signed by nobody
	main := furnish(t, h, h.Admin, "main")
	main.Users["operator"] = operator(h)
	stranger(t, h, main)
	if file := os.Getenv("GRANTWRIGHT_HOLD"); file != "" {
		main.hold(file)
		return
	}
	if os.Getenv("GRANTWRIGHT_MEASURE") != "" {
		walk(t, filepath.Join(consoleDir, "measure.mjs"), main)
		return
	}
	policy(t, h.Plane.URL())
	t.Run("journeys", func(t *testing.T) {
		for name, path := range journeys(t) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := main
				if wantsOwn(t, path) {
					part := h.For(t)
					s = furnish(t, part, part.Tenant(name), name)
					s.Users["operator"] = main.Users["operator"]
				}
				walk(t, path, s)
			})
		}
	})
	t.Run("every screen", func(t *testing.T) {
		for _, who := range []string{"admin", "admin dark", "admin narrow", "auditor", "manager", "owner", "member",
			"operator"} {
			t.Run(who, func(t *testing.T) {
				t.Parallel()
				walk(t, filepath.Join(consoleDir, "crawl.mjs"), main, "GRANTWRIGHT_CRAWL="+who)
			})
		}
	})
}

// policy holds the page's content policy to be without exceptions.
func policy(t *testing.T, url string) {
	t.Helper()
	res, err := http.Get(url + "/")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if p := res.Header.Get("Content-Security-Policy"); !strings.Contains(p, "require-trusted-types-for 'script'") ||
		strings.Contains(p, "unsafe") {
		t.Errorf("the page's policy is %q", p)
	}
}

// operator administers the whole deployment.
func operator(h *harness.House) actor {
	h.Operator("ops")
	email, password := harness.Account("ops")
	return actor{Email: email, Password: password}
}
