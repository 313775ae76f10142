package apidocs

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const script = "window.viewer = 'ünïcode'"

// viewers is a packed set of files like the real one.
func viewers(t *testing.T) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	for _, name := range []string{"swagger-ui.css", "swagger-ui-bundle.js", "notices.txt", "redoc.standalone.js"} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(script)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		out[name+".gz"] = &fstest.MapFile{Data: b.Bytes()}
	}
	return out
}

func server(t *testing.T, public bool, files fs.FS) *httptest.Server {
	t.Helper()
	user := func(_ context.Context, bearer string, _ *http.Request) (viewer.Viewer, error) {
		if bearer != "good" {
			return viewer.Viewer{}, fault.Coded(fault.Unauthenticated, "invalid_token", "no")
		}
		return viewer.Viewer{Kind: viewer.User}, nil
	}
	a := httpapi.New(
		httpapi.Config{
			Title:      "Grantwright",
			Version:    "1.2.3",
			Log:        slog.New(slog.DiscardHandler),
			User:       user,
			Agent:      user,
			PublicDocs: public,
		},
	)
	mount(a, Options{Public: public, User: user}, files)
	a.Add(httpapi.Handle("GET", "/things/{id}", "Read a thing", func(context.Context, viewer.Viewer, *struct {
		ID string `path:"id"`
	}) (*struct{}, error) {
		return nil, nil
	}))
	s := httptest.NewServer(a.Router)
	t.Cleanup(s.Close)
	return s
}

// get asks without following or unpacking anything. extra are header names and values.
func get(t *testing.T, url string, extra ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest("GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(extra); i += 2 {
		r.Header.Set(extra[i], extra[i+1])
	}
	resp, err := (&http.Transport{DisableCompression: true}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(b)
}

func TestPublicDocsNeedNoToken(t *testing.T) {
	s := server(t, true, viewers(t))
	for path, want := range map[string]struct{ media, part string }{
		"/openapi.json":              {"application/openapi+json", `"openapi":"3.1.0"`},
		"/docs":                      {"text/html; charset=utf-8", `name="access" content="everybody"`},
		"/docs/start.js":             {"text/javascript; charset=utf-8", "validatorUrl: null"},
		"/docs/session.js":           {"text/javascript; charset=utf-8", "grantwright-refresh"},
		"/docs/look.js":              {"text/javascript; charset=utf-8", "dark-mode"},
		"/docs/page.css":             {"text/css; charset=utf-8", "margin"},
		"/docs/viewer.css":           {"text/css; charset=utf-8", ".swagger-ui"},
		"/docs/swagger-ui-bundle.js": {"text/javascript; charset=utf-8", script},
		"/docs/swagger-ui.css":       {"text/css; charset=utf-8", script},
		"/docs/notices.txt":          {"text/plain; charset=utf-8", script},
		"/redoc":                     {"text/html; charset=utf-8", "/redoc/start.js"},
		"/redoc/start.js":            {"text/javascript; charset=utf-8", "Redoc.init"},
		"/redoc/viewer.css":          {"text/css; charset=utf-8", "#viewer"},
		"/redoc/redoc.standalone.js": {"text/javascript; charset=utf-8", script},
	} {
		resp, body := get(t, s.URL+path)
		if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != want.media ||
			!strings.Contains(body, want.part) {
			t.Errorf(
				"%s: %d %s %.80q; want %s with %q",
				path,
				resp.StatusCode,
				resp.Header.Get("Content-Type"),
				body,
				want.media,
				want.part,
			)
		}
		if path != "/docs" && path != "/redoc" { // a page is made for each request
			if again, _ := get(t, s.URL+path, "If-None-Match", resp.Header.Get("ETag")); again.StatusCode != 304 {
				t.Errorf("%s asked for again: %d; want 304", path, again.StatusCode)
			}
		}
		head, err := http.Head(s.URL + path)
		if err != nil || head.StatusCode != 200 || head.Header.Get("Content-Type") != want.media {
			t.Errorf("HEAD %s: %v, %v", path, head, err)
		}
	}
}

func TestTheDescriptionIsThatOfTheRoutes(t *testing.T) {
	s := server(t, true, viewers(t))
	_, body := get(t, s.URL+"/openapi.json")
	var doc struct {
		OpenAPI string
		Info    struct{ Title, Version string }
		Paths   map[string]any
	}
	if err := json.Unmarshal([]byte(body), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" || doc.Info.Title != "Grantwright" || doc.Info.Version != "1.2.3" ||
		len(doc.Paths) != 1 ||
		doc.Paths["/api/v1/things/{id}"] == nil {
		t.Errorf("description: %+v", doc)
	}
}

func TestPackedFilesGoOutPackedToWhoCanUnpackThem(t *testing.T) {
	s := server(t, true, viewers(t))
	for accept, want := range map[string]string{"gzip, deflate, br": "gzip", "br;q=1, gzip;q=0.5": "gzip", "": "",
		"br": "", "gzip;q=0": ""} {
		resp, body := get(t, s.URL+"/redoc/redoc.standalone.js", "Accept-Encoding", accept)
		if got := resp.Header.Get("Content-Encoding"); got != want || (want == "") != (body == script) ||
			resp.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: encoding %q, %d bytes; want %q", accept, got, len(body), want)
		}
	}
}

func TestWithoutATokenABrowserGetsThePageAndAProgramAProblem(t *testing.T) {
	s := server(t, false, viewers(t))
	for _, path := range []string{"/docs", "/redoc"} {
		resp, body := get(t, s.URL+path, "Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
		if resp.StatusCode != 401 || resp.Header.Get("Content-Type") != "text/html; charset=utf-8" ||
			!strings.Contains(body, `src="`+path+`/start.js"`) {
			t.Errorf("%s as a browser: %d %s", path, resp.StatusCode, body)
		}
		if !strings.HasPrefix(resp.Header.Get("WWW-Authenticate"), "Bearer") ||
			resp.Header.Get("Cache-Control") != "no-store" ||
			!strings.Contains(body, `content="token"`) {
			t.Errorf("%s as a browser: headers %v", path, resp.Header)
		}
		for bearer, code := range map[string]string{"": "authentication_required", "Bearer bad": "invalid_token"} {
			resp, body := get(t, s.URL+path, "Authorization", bearer, "Accept", "*/*")
			if bearer == "" {
				resp, body = get(t, s.URL+path)
			}
			if resp.StatusCode != 401 || resp.Header.Get("Content-Type") != "application/problem+json" ||
				!strings.Contains(body, code) {
				t.Errorf("%s as a program with %q: %d %s", path, bearer, resp.StatusCode, body)
			}
		}
		with, same := get(t, s.URL+path, "Authorization", "Bearer good", "Accept", "text/html")
		if with.StatusCode != 200 || withoutNonce(same) != withoutNonce(body) {
			t.Errorf("%s with a token: %d %s", path, with.StatusCode, same)
		}
	}
	if resp, _ := get(
		t,
		s.URL+"/openapi.json",
		"Accept",
		"text/html",
	); resp.StatusCode != 401 ||
		resp.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("/openapi.json without a token: %d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
}

var nonce = regexp.MustCompile(`nonce="([A-Z2-7]{26})"`)

func withoutNonce(page string) string { return nonce.ReplaceAllString(page, "") }

func TestAPageMayDoWhatItsViewerNeedsAndNoMore(t *testing.T) {
	s := server(t, true, viewers(t))
	docs, _ := get(t, s.URL+"/docs")
	if p := docs.Header.Get(
		"Content-Security-Policy",
	); strings.Contains(p, "unsafe") || strings.Contains(p, "nonce") || strings.Contains(p, "blob") ||
		!strings.Contains(p, "script-src 'self';") {
		t.Errorf("/docs has the policy %q", p)
	}
	seen := map[string]bool{}
	for range 2 {
		redoc, body := get(t, s.URL+"/redoc")
		found := nonce.FindStringSubmatch(body)
		p := redoc.Header.Get("Content-Security-Policy")
		if found == nil || !strings.Contains(p, "style-src 'self' 'nonce-"+found[1]+"' 'sha256-") ||
			strings.Contains(p, "unsafe") ||
			!strings.Contains(p, "script-src 'self';") {
			t.Fatalf("/redoc has the policy %q and the nonce %v", p, found)
		}
		seen[found[1]] = true
	}
	if len(seen) != 2 {
		t.Errorf("a nonce came twice: %v", seen)
	}
}

// Whoever came by a tenant's path stays on it, with every file and link of the page.
func TestAPageBelongsToTheAddressThatItWasAskedForAt(t *testing.T) {
	address := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(
				w,
				r.WithContext(incoming.WithAddressedTenant(r.Context(), "acme", "https://iga.example/t/acme")),
			)
		})
	}
	a := httpapi.New(
		httpapi.Config{
			Title:      "Grantwright",
			Version:    "1",
			Log:        slog.New(slog.DiscardHandler),
			PublicDocs: true,
			Address:    address,
		},
	)
	mount(a, Options{Public: true}, viewers(t))
	s := httptest.NewServer(a.Router)
	t.Cleanup(s.Close)
	for _, path := range []string{"/docs", "/redoc"} {
		_, body := get(t, s.URL+path)
		if !strings.Contains(body, `content="/t/acme"`) || !strings.Contains(body, `href="/t/acme/help"`) ||
			!strings.Contains(body, `src="/t/acme`+path+`/start.js"`) {
			t.Errorf("%s at a tenant's path: %s", path, body)
		}
		if astray := regexp.MustCompile(`(href|src)="(\./|/[^t])[^"]*"`).FindString(body); astray != "" {
			t.Errorf("%s leads astray by %s", path, astray)
		}
	}
}

func TestABuildWithoutViewersSaysSoAndStillLinksTheDescription(t *testing.T) {
	s := server(t, true, fstest.MapFS{})
	for _, path := range []string{"/docs", "/redoc"} {
		resp, body := get(t, s.URL+path)
		if resp.StatusCode != 200 || !strings.Contains(body, "make build") || !strings.Contains(body, "/openapi.json") {
			t.Errorf("%s: %d %s", path, resp.StatusCode, body)
		}
	}
	if resp, _ := get(t, s.URL+"/redoc/redoc.standalone.js"); resp.StatusCode != 404 {
		t.Errorf("a file that was not packed: %d; want 404", resp.StatusCode)
	}
}

func TestPagesRunNoTextOfTheirOwnAndFetchNothingFromElsewhere(t *testing.T) {
	elsewhere := regexp.MustCompile(`(?i)(src|href|url)\s*[=:(]\s*["']?(https?:)?//`)
	inline := regexp.MustCompile(`(?is)<script[^>]*>\s*[^<\s]|\son[a-z]+\s*=|javascript:|<style`)
	entries, err := pages.ReadDir("pages")
	if err != nil || len(entries) < 6 {
		t.Fatalf("%d pages, %v", len(entries), err)
	}
	for _, e := range entries {
		b, err := pages.ReadFile("pages/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if elsewhere.Match(b) {
			t.Errorf("%s fetches %q", e.Name(), elsewhere.Find(b))
		}
		if strings.HasSuffix(e.Name(), ".html") && inline.Match(b) {
			t.Errorf("%s runs %q", e.Name(), inline.Find(b))
		}
	}
}

// The lock file must pin what fetch.sh packs, with a digest for each package and no address of a registry.
func TestTheViewersArePinned(t *testing.T) {
	b, err := os.ReadFile("assets/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct{ Version, Integrity, Resolved string }
	}
	if err := json.Unmarshal(b, &lock); err != nil {
		t.Fatal(err)
	}
	for name, version := range map[string]string{"redoc": "2.5.4", "swagger-ui-dist": "5.35.0"} {
		if p := lock.Packages["node_modules/"+name]; p.Version != version || p.Integrity == "" {
			t.Errorf("%s is locked to %+v; want %s", name, p, version)
		}
	}
	for name, p := range lock.Packages {
		if name != "" && (p.Integrity == "" || p.Resolved != "") {
			t.Errorf("%s: integrity %q, resolved %q", name, p.Integrity, p.Resolved)
		}
	}
}
