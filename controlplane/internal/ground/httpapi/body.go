package httpapi

import (
	"bytes"
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/payload"
)

// Limits of a request's body.
const (
	MaxBody = 1 << 20  // bytes
	MaxBulk = 10 << 20 // bytes, of routes that are made for many things at once

	maxElements     = 10_000  // members and elements, all together
	maxBulkElements = 500_000 // of routes that take MaxBulk
)

// owned are the members of a body that only the service sets.
func owned(path string) []string {
	if incoming.Under(path, Prefix+"/auth") || incoming.Under(path, Prefix+"/agent") ||
		incoming.Under(path, Prefix+"/sector-packs") { // a pack's version is asked for
		return nil
	}
	return serverOwned
}

var serverOwned = []string{"id", "tenant_id", "status", "version", "created_at", "updated_at", "created_by"}

// checkBody refuses what a lenient JSON decoder would let through: another media type, duplicate members, trailing
// data, NUL, invalid UTF-8, extreme nesting, and members that belong to the server.
func (a *API) checkBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !incoming.Under(r.URL.Path, "/api") || r.Method == http.MethodGet || r.Method == http.MethodHead {
			next.ServeHTTP(w, r)
			return
		}
		most, elements := a.bodyLimits(r)
		lines := a.bringsLines(r)
		if lines {
			most = MaxLines
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
		if err != nil {
			a.Fail(w, r, payload.ReadFault(err))
			return
		}
		incoming.Of(r.Context()).Body = body
		if lines {
			if body, err = payload.EncloseLines(r, body); err != nil {
				a.Fail(w, r, err)
				return
			}
		}
		if len(body) > 0 {
			if err := payload.CheckJSON(r, body, elements, owned(r.URL.Path)); err != nil {
				a.Fail(w, r, err)
				return
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}

// bodyLimits are the most bytes and elements of a body. Few routes take many, so they are looked for only when a body
// is large, or does not say how large it is.
func (a *API) bodyLimits(r *http.Request) (bytes int64, elements int) {
	if len(a.bulk) > 0 && (r.ContentLength < 0 || r.ContentLength > smallBody) {
		if a.bulk[r.Method+" "+a.Router.Find(chi.NewRouteContext(), r.Method, r.URL.Path)] {
			return MaxBulk, maxBulkElements
		}
	}
	return MaxBody, maxElements
}

// smallBody has no room for maxElements.
const smallBody = 16 << 10
