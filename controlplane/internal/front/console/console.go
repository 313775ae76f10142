// Package console serves the web console: a page that speaks to the API as every other client does, and its files.
// Every address outside of the API that nothing else answers is the page's for browsers, so that each of its screens
// can be linked and reloaded.
package console

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/response"
)

// policy lets the page run its own files and speak to this server; nothing else, and no text becomes a script.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; base-uri 'none'; " +
	"form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

//go:embed missing.html
var missing []byte

type site struct {
	api   *httpapi.API
	files fs.FS
}

// Mount serves the console for requests without another handler. files are those of the build.
func Mount(api *httpapi.API, files fs.FS) {
	s := &site{api: api, files: files}
	api.Otherwise(http.HandlerFunc(s.answer))
	api.Mount(http.MethodGet, "/", http.HandlerFunc(s.page))
	api.Mount(http.MethodHead, "/", http.HandlerFunc(s.page))
}

func (s *site) answer(w http.ResponseWriter, r *http.Request) {
	if name := strings.TrimPrefix(
		path.Clean(r.URL.Path),
		"/",
	); strings.Contains(path.Base(name), ".") ||
		strings.HasPrefix(name, "assets/") {
		s.file(w, r, name)
		return
	}
	if !strings.Contains(r.Header.Get("Accept"), "text/html") { // a program: it is told that there is nothing
		s.api.Fail(w, r, fault.New(fault.NotFound, "Path %s was not found.", r.URL.Path))
		return
	}
	s.page(w, r)
}

// page answers the one page, for every screen. Its addresses are written for the path that the tenant is reached at.
func (s *site) page(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Type", "text/html; charset=utf-8")
	text, err := fs.ReadFile(s.files, "index.html")
	if errors.Is(err, fs.ErrNotExist) {
		_, _ = w.Write(missing)
		return
	}
	if err != nil {
		s.api.Fail(w, r, fmt.Errorf("read the console's page: %w", err))
		return
	}
	base := basePath(r)
	page := strings.NewReplacer(`"./`, `"`+base+`/`, `content="base"`, `content="`+base+`"`).Replace(string(text))
	_, _ = w.Write([]byte(page))
}

// basePath is the path before the console's own, where a tenant is reached by one; it has no slash at its end.
func basePath(r *http.Request) string {
	at, err := url.Parse(incoming.AddressedBase(r.Context()))
	if err != nil {
		return ""
	}
	return strings.TrimRight(at.EscapedPath(), "/")
}

// file answers a file of the build. What is named by its content never changes.
func (s *site) file(w http.ResponseWriter, r *http.Request, name string) {
	b, err := fs.ReadFile(s.files, name)
	if err != nil || name == "index.html" {
		s.api.Fail(w, r, fault.New(fault.NotFound, "Path %s was not found.", r.URL.Path))
		return
	}
	h := w.Header()
	h.Set("Content-Type", media(name))
	h.Set("Cache-Control", "no-cache")
	if strings.HasPrefix(name, "assets/") {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if packed, err := fs.ReadFile(s.files, name+".gz"); err == nil {
		h.Set("Vary", "Accept-Encoding")
		if response.TakesGzip(r) {
			h.Set("Content-Encoding", "gzip")
			b = packed
		}
	}
	_, _ = w.Write(b)
}

// media is what a file is; mime alone asks the machine, and machines differ.
func media(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json":
		return "application/json"
	case ".woff2":
		return "font/woff2"
	case ".svg":
		return "image/svg+xml"
	}
	if known := mime.TypeByExtension(path.Ext(name)); known != "" {
		return known
	}
	return "application/octet-stream"
}
