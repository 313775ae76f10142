package httpapi

import (
	"net/http"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
)

// health is where the process says that it serves. Load balancers ask it often, and it is answered under any load: it
// needs no token, takes no place and counts for no limit.
const health = "/health"

// shed refuses requests that come on top of too many others, so that those are answered in time.
// Streams and agents' sockets give their place back once they stand. What is read outside of the API is small and at
// hand, and takes no place.
func (a *API) shed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := incoming.Of(r.Context())
		p.Leave = func() {}
		if !takesPlace(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		if err := a.enter(p, r); err != nil {
			a.Fail(w, r, err)
			return
		}
		defer func() { p.Leave() }() // the place that it has by then
		next.ServeHTTP(w, r)
	})
}

// takesPlace says whether a request is counted: not what is read outside of the API, but for its description, nor
// agents' sockets.
func takesPlace(path string) bool {
	return incoming.Under(path, "/api") && path != Prefix+"/agent" || path == "/openapi.json" || path == "/docs" ||
		path == "/redoc"
}

// enter gives a request a place in flight, or the fault for which there is none.
func (a *API) enter(p *incoming.Request, r *http.Request) (err error) {
	switch {
	case a.free[r.Method+" "+r.URL.Path]:
		p.Leave, err = a.places.EnterUnknown(p.Address)
	case urgent(r.URL.Path):
		p.Leave, err = a.places.EnterUrgent()
	default:
		p.Leave, err = a.places.Enter()
	}
	return err
}

// Shedding reports whether a request was turned away for want of a place within the last seconds.
func (a *API) Shedding() bool { return a.places.Shedding() }

// urgent is what has places of its own: signing in and out, and finding out whether the audit log is whole.
func urgent(path string) bool {
	return incoming.Under(path, Prefix+"/auth") || path == Prefix+"/audit-events/verify"
}
