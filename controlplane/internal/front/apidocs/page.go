package apidocs

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
)

// reader is a page that shows the description.
type reader struct {
	path, name, bundle string
	policy             func(nonce string) string
}

var readers = []reader{
	{"/docs", "docs", "swagger-ui-bundle.js", func(string) string { return policy + "; style-src 'self'" }},
	// ReDoc makes its styles while it runs, and searches in a worker that it makes itself. Two styles it makes without
	// the nonce: one that is empty, and one of the viewer that shows the samples; they are known by their digests.
	{"/redoc", "redoc", "redoc.standalone.js", func(nonce string) string {
		return policy + "; style-src 'self' 'nonce-" + nonce +
			"' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' " +
			"'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='; worker-src blob:"
	}},
}

// policy lets a viewer run its files and speak to this server, and nothing else.
const policy = "default-src 'none'; script-src 'self'; img-src 'self' data:; font-src 'self' data:; connect-src " +
	"'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// page answers a viewer's page: to whoever may read the description, and with 401 to a browser that has still to sign
// in.
func (s *site) page(v reader) http.HandlerFunc {
	there, missing := s.read(v.name+".html"), s.read("missing.html")
	access := "token"
	if s.opts.Public {
		access = "everybody"
	}
	return func(w http.ResponseWriter, r *http.Request) {
		status := http.StatusOK
		if err := s.allowed(r); err != nil {
			if !fault.Is(err, fault.Unauthenticated) || !wantsPage(r) {
				s.api.Fail(w, r, err)
				return
			}
			status = http.StatusUnauthorized
		}
		nonce, text := rand.Text(), there
		if _, err := fs.Stat(s.viewer, v.bundle+".gz"); err != nil {
			text = missing
		}
		base := basePath(r)
		text = strings.NewReplacer(`"./`, `"`+base+`/`, `content="base"`, `content="`+base+`"`, `content="access"`,
			`content="`+access+`"`,
			`nonce="nonce"`, `nonce="`+nonce+`"`).
			Replace(text)
		h := w.Header()
		h.Set("Content-Security-Policy", v.policy(nonce))
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		h.Set("Vary", "Accept, Authorization")
		if status == http.StatusUnauthorized {
			h.Set("WWW-Authenticate", `Bearer realm="grantwright"`)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}
}

// read gives a file of ours. It is always there.
func (s *site) read(name string) string {
	b, err := pages.ReadFile("pages/" + name)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// allowed judges the request's token where one is needed.
func (s *site) allowed(r *http.Request) error {
	if s.opts.Public {
		return nil
	}
	bearer := httpapi.BearerOf(r.Context())
	if bearer == "" {
		return fault.New(fault.Unauthenticated, "The header Authorization: Bearer <token> is required.")
	}
	_, err := s.opts.User(r.Context(), bearer, r)
	return err
}

// wantsPage reports whether the client is a browser that shows pages.
func wantsPage(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

// basePath is the path before ours, where a tenant is reached by one; it has no slash at its end.
func basePath(r *http.Request) string {
	at, err := url.Parse(incoming.AddressedBase(r.Context()))
	if err != nil {
		return ""
	}
	return strings.TrimRight(at.EscapedPath(), "/")
}

// etag names what a file holds.
func etag(b []byte) string { return fmt.Sprintf(`"%x"`, sha256.Sum256(b))[:34] + `"` }
