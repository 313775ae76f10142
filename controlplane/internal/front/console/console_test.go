package console_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/grantwright/grantwright/controlplane/internal/front/console"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
)

func serve(t *testing.T, files fstest.MapFS) func(path string, header ...string) (*http.Response, string) {
	t.Helper()
	ask := server(t, files)
	return func(path string, header ...string) (*http.Response, string) {
		t.Helper()
		return ask(http.MethodGet, path, header...)
	}
}

func server(t *testing.T, files fstest.MapFS) func(method, path string, header ...string) (*http.Response, string) {
	t.Helper()
	api := httpapi.New(httpapi.Config{Title: "test", Version: "1", Log: slog.New(slog.DiscardHandler)})
	console.Mount(api, files)
	server := httptest.NewServer(api.Router)
	t.Cleanup(server.Close)
	return func(method, path string, header ...string) (*http.Response, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept-Encoding", "identity")
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res, string(b)
	}
}

func TestBrowsersGetThePageAndProgramsATrueAnswer(t *testing.T) {
	get := serve(t, fstest.MapFS{
		"index.html":             {Data: []byte(`<meta name="base" content="base"><script src="./assets/a-1.js">`)},
		"assets/a-1.js":          {Data: []byte("1")},
		"assets/a-1.js.gz":       {Data: []byte("packed")},
		"theme.js":               {Data: []byte("2")},
		"assets/letters-1.woff2": {Data: []byte("3")},
	})
	for _, path := range []string{"/", "/people", "/people/x?q=42"} {
		res, body := get(path, "Accept", "text/html,*/*;q=0.8")
		if res.StatusCode != 200 || !strings.Contains(body, `src="/assets/a-1.js"`) ||
			!strings.Contains(body, `content=""`) {
			t.Errorf("%s = %d %s", path, res.StatusCode, body)
		}
		if p := res.Header.Get("Content-Security-Policy"); !strings.Contains(p, "trusted-types 'none'") ||
			strings.Contains(p, "unsafe") {
			t.Errorf("%s has the policy %q", path, p)
		}
	}
	for path, accept := range map[string]string{"/people": "application/json", "/assets/none.js": "text/html",
		"/index.html": "text/html", "/../console.go": "text/html"} {
		if res, body := get(
			path,
			"Accept",
			accept,
		); res.StatusCode != 404 ||
			!strings.Contains(res.Header.Get("Content-Type"), "problem+json") {
			t.Errorf("%s for %s = %d %s; want a problem that says so", path, accept, res.StatusCode, body)
		}
	}
	if res, body := get(
		"/assets/a-1.js",
	); body != "1" || !strings.Contains(res.Header.Get("Cache-Control"), "immutable") ||
		!strings.HasPrefix(res.Header.Get("Content-Type"), "text/javascript") {
		t.Errorf("a file of the build = %q, %v", body, res.Header)
	}
	if res, body := get(
		"/assets/a-1.js",
		"Accept-Encoding",
		"gzip",
	); body != "packed" ||
		res.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("packed = %q, %v", body, res.Header)
	}
	if res, body := get("/theme.js"); body != "2" || res.Header.Get("Cache-Control") != "no-cache" {
		t.Errorf("what keeps its name = %q, %v", body, res.Header)
	}
}

func TestTheDocumentationComesWithTheConsole(t *testing.T) {
	ask := server(t, fstest.MapFS{
		"index.html": {
			Data: []byte("page"),
		},
		"assets/help/console-1.json":    {Data: []byte(`{"title":"The console"}`)},
		"assets/help/console-1.json.gz": {Data: []byte("packed")},
	})
	const file = "/assets/help/console-1.json"
	for _, method := range []string{"GET", "HEAD"} {
		res, body := ask(method, file)
		h := res.Header
		if res.StatusCode != 200 || h.Get("Content-Type") != "application/json" ||
			h.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			h.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s %s = %d %v", method, file, res.StatusCode, h)
		}
		if (method == "HEAD") != (body == "") {
			t.Errorf("%s %s has the body %q", method, file, body)
		}
		if res, body := ask(
			method,
			file,
			"Accept-Encoding",
			"gzip",
		); res.Header.Get("Content-Encoding") != "gzip" || res.Header.Get("Content-Type") != "application/json" ||
			(method == "GET") != (body == "packed") {
			t.Errorf("%s %s packed = %q %v", method, file, body, res.Header)
		}
		for _, path := range []string{"/help", "/help/sector-packs", "/help/console?tab=x"} {
			res, body := ask(method, path, "Accept", "text/html")
			if res.StatusCode != 200 || res.Header.Get("Cache-Control") != "no-cache" ||
				(method == "GET") != (body == "page") {
				t.Errorf("%s %s = %d %q %v", method, path, res.StatusCode, body, res.Header)
			}
		}
		if res, _ := ask(
			method,
			"/assets/help/none-1.json",
			"Accept",
			"text/html",
		); res.StatusCode != 404 ||
			strings.Contains(res.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s of a page that there is not = %d %v", method, res.StatusCode, res.Header)
		}
	}
	if res, _ := ask("POST", "/help"); res.StatusCode != 404 && res.StatusCode != 405 {
		t.Errorf("POST /help = %d", res.StatusCode)
	}
}

func TestProgramBuiltWithoutTheConsoleSaysSo(t *testing.T) {
	if res, body := serve(
		t,
		fstest.MapFS{},
	)("/"); res.StatusCode != 200 ||
		!strings.Contains(body, "built without its web console") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}
