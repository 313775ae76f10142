// Package mishap makes an HTTP target misbehave on demand.
package mishap

import (
	"bytes"
	"math"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// Faults says what goes wrong. "Every n" counts requests since the faults were set: the n-th, the
// 2n-th and so on; 0 is never. When several fall on one request, the first in this order happens.
type Faults struct {
	TooManyEvery     int           // 429 with Retry-After
	RetryAfter       time.Duration // of the 429 and 503, in whole seconds, rounded up; default 1 s
	UnavailableEvery int           // 503 with Retry-After
	HTMLEvery        int           // 200 with an HTML page, as a captive portal or a proxy answers
	CutEvery         int           // the connection ends in the middle of the body
	Delay            time.Duration // before every answer

	// Edit changes answers that none of the others fell on: it gets what the target answers and gives what is sent.
	Edit func(r *http.Request, status int, body []byte) (int, []byte)
}

// Switch holds the faults of one target. The zero value is a healthy target.
type Switch struct {
	faults   atomic.Pointer[Faults]
	requests atomic.Int64
}

// Set replaces the faults from the next request on and restarts the counting.
func (s *Switch) Set(f Faults) {
	s.requests.Store(0)
	s.faults.Store(&f)
}

// Requests is how many requests arrived since the faults were last set.
func (s *Switch) Requests() int { return int(s.requests.Load()) }

// Wrap puts the faults before a handler.
func (s *Switch) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(s.requests.Add(1))
		f := s.faults.Load()
		if f == nil {
			next.ServeHTTP(w, r)
			return
		}
		if !wait(r, f.Delay) {
			return
		}
		hit := func(every int) bool { return every > 0 && n%every == 0 }
		switch {
		case hit(f.TooManyEvery):
			refuse(w, f, http.StatusTooManyRequests)
		case hit(f.UnavailableEvery):
			refuse(w, f, http.StatusServiceUnavailable)
		case hit(f.HTMLEvery):
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = w.Write([]byte("<!doctype html><title>Sign in</title><p>Please sign in to the network."))
		case hit(f.CutEvery):
			cut(w, r, next)
		case f.Edit != nil:
			edit(w, r, next, f.Edit)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// edit sends another answer than the target's.
func edit(
	w http.ResponseWriter,
	r *http.Request,
	next http.Handler,
	change func(*http.Request, int, []byte) (int, []byte),
) {
	whole := &recorder{header: w.Header(), status: http.StatusOK}
	next.ServeHTTP(whole, r)
	status, body := change(r, whole.status, whole.body.Bytes())
	w.Header().Del("Content-Length") // of the answer that was
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// wait sleeps, and says whether the client is still there.
func wait(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-r.Context().Done():
		return false
	}
}

func refuse(w http.ResponseWriter, f *Faults, status int) {
	seconds := max(1, int(math.Ceil(f.RetryAfter.Seconds())))
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(`{"status":"` + strconv.Itoa(status) + `","detail":"` + http.StatusText(status) + `"}`))
}

// cut promises the whole answer, sends half of it and drops the connection.
func cut(w http.ResponseWriter, r *http.Request, next http.Handler) {
	whole := &recorder{header: w.Header(), status: http.StatusOK}
	next.ServeHTTP(whole, r)
	w.Header().Set("Content-Length", strconv.Itoa(whole.body.Len()))
	w.WriteHeader(whole.status)
	_, _ = w.Write(whole.body.Bytes()[:whole.body.Len()/2])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// recorder keeps an answer instead of sending it.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }
