package httpapi

import (
	"math/rand/v2"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/limit"
)

const (
	// usualPlaces is how many requests one process works on at once.
	usualPlaces = 512
	// keptPlaces are those beyond, for what must work while everything else is too much.
	keptPlaces = 64
)

// health is where the process says that it serves. Load balancers ask it often, and it is answered under any load: it
// needs no token, takes no place and counts for no limit.
const health = "/health"

// freePlaces are those of requests without a token. They are no others': a flood of sign-ins leaves the API, and the
// API's load leaves sign-ins.
const (
	freePlaces  = 128
	freeFromOne = 64 // for one address
)

// shed turns requests away that come on top of too many others: an answer that is late for everybody helps nobody.
// Streams and agents' sockets give their place back once they stand. What is read outside of the API is small and at
// hand, and takes no place.
func (a *API) shed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := passageOf(r.Context())
		p.leave = func() {}
		if !takesPlace(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		if err := a.enter(p, r); err != nil {
			a.Fail(w, r, err)
			return
		}
		defer func() { p.leave() }() // the place that it has by then
		next.ServeHTTP(w, r)
	})
}

// takesPlace says whether a request is counted: not what is read outside of the API, but for its description, nor
// agents' sockets.
func takesPlace(path string) bool {
	return under(path, "/api") && path != Prefix+"/agent" || path == "/openapi.json" || path == "/docs" ||
		path == "/redoc"
}

// enter gives a request a place in flight, or the fault for which there is none.
func (a *API) enter(p *passage, r *http.Request) error {
	taken, may := &a.inFlight, a.places()
	switch {
	case a.free[r.Method+" "+r.URL.Path]:
		taken, may = &a.unknown, freePlaces
	case urgent(r.URL.Path):
		may += keptPlaces
	}
	from := netip.Prefix{}
	if taken == &a.unknown {
		if from = limit.Network(p.address); !a.fromOne.take(from, freeFromOne) {
			return overloaded("too many requests without a token come from your network at once; try again in a moment")
		}
	}
	if taken.Add(1) > may {
		taken.Add(-1)
		a.fromOne.give(from)
		a.shedAt.Store(time.Now().UnixNano())
		return overloaded("too much is asked at once; try again in a moment")
	}
	p.leave = sync.OnceFunc(func() { taken.Add(-1); a.fromOne.give(from) })
	return nil
}

// tally counts what networks have at once.
type tally struct {
	mu sync.Mutex
	by map[netip.Prefix]int
}

// take counts one more of a network, unless it has the most.
func (t *tally) take(from netip.Prefix, most int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by[from] >= most {
		return false
	}
	if t.by == nil {
		t.by = map[netip.Prefix]int{}
	}
	t.by[from]++
	return true
}

// give counts one less. What was not counted stays so.
func (t *tally) give(from netip.Prefix) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n, counted := t.by[from]; counted && n > 1 {
		t.by[from]--
	} else {
		delete(t.by, from)
	}
}

// Shedding reports whether a request was turned away for want of a place within the last seconds.
func (a *API) Shedding() bool {
	return time.Since(time.Unix(0, a.shedAt.Load())) < 5*time.Second
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
