package httpapi

import (
	"mime"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/payload"
)

// MaxLines bounds the bodies of routes that take lines.
const MaxLines = 32 << 20 // bytes

// Lines lets the route take CSV or newline-delimited JSON as it is, beside a JSON object with the members format and
// data. Its handler sees the object either way.
func (r Route) Lines() Route { r.lines = true; return r }

// bringsLines reports whether a request sends lines to a route that takes them.
func (a *API) bringsLines(r *http.Request) bool {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || payload.LineMedia[media] == "" || len(a.lines) == 0 {
		return false
	}
	return a.lines[r.Method+" "+a.Router.Find(chi.NewRouteContext(), r.Method, r.URL.Path)]
}
