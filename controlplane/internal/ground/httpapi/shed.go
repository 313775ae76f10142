package httpapi

import (
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

const (
	// usualPlaces is how many requests one process works on at once.
	usualPlaces = 512
	// keptPlaces are those beyond, for what must work while everything else is too much.
	keptPlaces = 64
)

// shed turns requests away that come on top of too many others: an answer that is late for everybody helps nobody. Streams and
// agents' sockets give their place back once they stand.
func (a *API) shed(next http.Handler) http.Handler {
	most := int64(a.cfg.MaxInFlight)
	if most == 0 {
		most = usualPlaces
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == Prefix+"/agent" {
			next.ServeHTTP(w, r)
			return
		}
		may := most
		if urgent(r.URL.Path) {
			may += keptPlaces
		}
		leave := sync.OnceFunc(func() { a.inFlight.Add(-1) })
		defer leave()
		if a.inFlight.Add(1) > may {
			f := fault.Coded(fault.Unavailable, "temporarily_overloaded", "too much is asked at once; try again in a moment")
			f.RetryAfter = time.Duration(1+rand.IntN(5)) * time.Second
			a.Fail(w, r, f)
			return
		}
		passageOf(r.Context()).leave = leave
		next.ServeHTTP(w, r)
	})
}

// urgent is what has places of its own: signing in and out, and finding out whether the audit log is whole.
func urgent(path string) bool {
	return path == "/health" || under(path, Prefix+"/auth") || path == Prefix+"/audit-events/verify"
}
