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

// health is where the process says that it serves. Whoever watches it asks often, and must be told so even when everything else
// is too much: nobody is looked at there, nothing is counted, and nothing turned away.
const health = "/health"

// shed turns requests away that come on top of too many others: an answer that is late for everybody helps nobody. Streams and
// agents' sockets give their place back once they stand.
func (a *API) shed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == Prefix+"/agent" || r.URL.Path == health {
			next.ServeHTTP(w, r)
			return
		}
		may := a.places()
		if urgent(r.URL.Path) {
			may += keptPlaces
		}
		leave := sync.OnceFunc(func() { a.inFlight.Add(-1) })
		defer leave()
		if a.inFlight.Add(1) > may {
			a.Fail(w, r, overloaded("too much is asked at once; try again in a moment"))
			return
		}
		passageOf(r.Context()).leave = leave
		next.ServeHTTP(w, r)
	})
}

// places is how many requests may be worked on at once, and how many more may wait for the world outside.
func (a *API) places() int64 {
	if a.cfg.MaxInFlight > 0 {
		return int64(a.cfg.MaxInFlight)
	}
	return usualPlaces
}

// overloaded sends requests away for a moment, each for another one, so that they do not come back together.
func overloaded(why string) error {
	f := fault.Coded(fault.Unavailable, "temporarily_overloaded", "%s", why)
	f.RetryAfter = time.Duration(1+rand.IntN(5)) * time.Second
	return f
}

// urgent is what has places of its own: signing in and out, and finding out whether the audit log is whole.
func urgent(path string) bool {
	return under(path, Prefix+"/auth") || path == Prefix+"/audit-events/verify"
}
