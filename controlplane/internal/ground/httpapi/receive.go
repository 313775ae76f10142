package httpapi

import (
	"bytes"
	"io"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/incoming"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/payload"
)

// How bodies arrive. A request takes no place in flight until its body is whole, so that slow senders block no one from
// being answered.
const (
	maxFreeBody = 16 << 10        // bytes of a request without a token
	freeTime    = 5 * time.Second // for such a body
	bodyTime    = 25 * time.Second
)

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
		p := incoming.Of(r.Context())
		p.Leave()
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
	n := a.arriving.Enter(incoming.Of(r.Context()).Address, func() { _ = control.SetReadDeadline(time.Unix(1, 0)) })
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	a.arriving.Leave(n)
	if err != nil {
		w.Header().Set("Connection", "close")
		return payload.ReadFault(err)
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
	return incoming.Under(r.URL.Path, "/api") && r.Method != http.MethodGet && r.Method != http.MethodHead &&
		r.Body != nil &&
		r.Body != http.NoBody
}

// bringsArchive says whether the body is an archive as it is.
func (a *API) bringsArchive(r *http.Request) bool {
	_, _, archive := payload.ArchiveIn(r)
	return archive && a.archives[r.Method+" "+a.Router.Find(chi.NewRouteContext(), r.Method, r.URL.Path)]
}
