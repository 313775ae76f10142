package httpapi

import (
	"bytes"
	"container/list"
	"io"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/limit"
)

// How bodies arrive. A request takes no place in flight until its body is whole, so that slow senders keep nobody from
// being answered.
const (
	maxFreeBody = 16 << 10        // bytes of a request without a token
	freeTime    = 5 * time.Second // for such a body
	bodyTime    = 25 * time.Second

	mostFromOne  = 256  // bodies on their way from one address
	mostArriving = 4096 // bodies on their way altogether
)

// arrivals are the bodies on their way. When there are too many, the oldest is cut off and not the newest refused: a
// body that is sent at once is whole before it can become the oldest.
type arrivals struct {
	mu    sync.Mutex
	order *list.List // of *arrival, the oldest first
	by    map[netip.Prefix]*list.List
}

// arrival is a body on its way.
type arrival struct {
	from       netip.Prefix
	cut        func()
	all, among *list.Element
}

func newArrivals() *arrivals { return &arrivals{order: list.New(), by: map[netip.Prefix]*list.List{}} }

// enter takes note of a body, and cuts the oldest off where there are too many from its address or altogether.
func (a *arrivals) enter(address string, cut func()) *arrival {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := &arrival{from: limit.Network(address), cut: cut}
	mine := a.by[n.from]
	if mine == nil {
		mine = list.New()
		a.by[n.from] = mine
	}
	n.all, n.among = a.order.PushBack(n), mine.PushBack(n)
	switch {
	case mine.Len() > mostFromOne:
		a.drop(mine.Front().Value.(*arrival)) //nolint:forcetypeassert // nothing else is in it
	case a.order.Len() > mostArriving:
		a.drop(a.order.Front().Value.(*arrival)) //nolint:forcetypeassert // nothing else is in it
	}
	return n
}

func (a *arrivals) leave(n *arrival) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.remove(n)
}

func (a *arrivals) drop(n *arrival) {
	a.remove(n)
	n.cut()
}

// remove forgets an arrival; once more is nothing.
func (a *arrivals) remove(n *arrival) {
	if n.all == nil {
		return
	}
	mine := a.by[n.from]
	a.order.Remove(n.all)
	mine.Remove(n.among)
	if mine.Len() == 0 {
		delete(a.by, n.from)
	}
	n.all, n.among = nil, nil
}

// receiveFree reads the body of a request that needs no token, before anything else is done for it.
func (a *API) receiveFree(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.free[r.Method+" "+r.URL.Path] && hasBody(r) {
			if err := a.receive(w, r, maxFreeBody, freeTime); err != nil {
				a.Fail(w, r, err)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// receiveKnown reads the body of a request whose sender is known. Meanwhile it holds no place in flight.
func (a *API) receiveKnown(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.free[r.Method+" "+r.URL.Path] || !hasBody(r) {
			next.ServeHTTP(w, r)
			return
		}
		p := passageOf(r.Context())
		p.leave()
		if err := a.receive(w, r, a.mostBody(r), bodyTime); err != nil {
			a.Fail(w, r, err)
			return
		}
		if err := a.enter(p, r); err != nil {
			a.Fail(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// receive reads a body into memory, and refuses it when it is too large or not whole in time.
func (a *API) receive(w http.ResponseWriter, r *http.Request, most int64, within time.Duration) error {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(within))
	n := a.arriving.enter(passageOf(r.Context()).address, func() { _ = control.SetReadDeadline(time.Unix(1, 0)) })
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	a.arriving.leave(n)
	if err != nil {
		w.Header().Set("Connection", "close")
		return readFault(err)
	}
	_ = control.SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(body))
	return nil
}

// mostBody is how large a body of a known sender may be.
func (a *API) mostBody(r *http.Request) int64 {
	switch most, _ := a.bodyLimits(r); {
	case a.bringsLines(r):
		return MaxLines
	case a.bringsArchive(r):
		return MaxArchive
	default:
		return most
	}
}

// hasBody says whether a request brings a body that is looked at.
func hasBody(r *http.Request) bool {
	return under(r.URL.Path, "/api") && r.Method != http.MethodGet && r.Method != http.MethodHead && r.Body != nil &&
		r.Body != http.NoBody
}

// bringsArchive says whether the body is an archive as it is.
func (a *API) bringsArchive(r *http.Request) bool {
	_, _, archive := archiveIn(r)
	return archive && a.archives[r.Method+" "+a.Router.Find(chi.NewRouteContext(), r.Method, r.URL.Path)]
}

// tooSlow is the fault of a body that is not whole in time, or was cut off for being the oldest of too many.
func tooSlow() error {
	return fault.Coded(fault.Malformed, "request_timeout", "The body did not arrive in time. Send it at once.")
}
