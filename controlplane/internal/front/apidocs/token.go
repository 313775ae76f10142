package apidocs

import (
	"net/http"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
)

// allowed judges the request's token where one is needed.
func (s *site) allowed(r *http.Request) error {
	if s.opts.Public {
		return nil
	}
	bearer := httpapi.BearerOf(r.Context())
	if bearer == "" {
		return fault.New(fault.Unauthenticated, "this needs the header Authorization: Bearer <token>")
	}
	_, err := s.opts.User(r.Context(), bearer, r)
	return err
}

// turnAway answers a problem document, or to a browser without a good token a page with the same status.
func (s *site) turnAway(w http.ResponseWriter, r *http.Request, err error) {
	if !fault.Is(err, fault.Unauthenticated) || !wantsPage(r) {
		s.api.Fail(w, r, err)
		return
	}
	b, readErr := pages.ReadFile("pages/token.html")
	if readErr != nil {
		s.api.Fail(w, r, readErr)
		return
	}
	h := w.Header()
	h.Set("WWW-Authenticate", `Bearer realm="grantwright"`)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = w.Write(b)
}

// wantsPage reports whether the client is a browser that shows pages.
func wantsPage(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }
