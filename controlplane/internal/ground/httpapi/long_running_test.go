package httpapi_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// waiting is a route that says when it waits, and goes on when it is let.
func waiting(path string, in chan<- struct{}, let <-chan struct{}) httpapi.Route {
	return httpapi.Handle(
		"POST",
		path,
		"Wait",
		func(ctx context.Context, _ viewer.Viewer, _ *struct{}) (*httpapi.One[string], error) {
			in <- struct{}{}
			select {
			case <-let:
				return &httpapi.One[string]{Body: "x"}, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
	)
}

func TestWhoWaitsForTheWorldTakesNoPlaceOfThoseWhoWork(t *testing.T) {
	in, let := make(chan struct{}), make(chan struct{})
	s := serve(t, httpapi.Config{MaxInFlight: 2}, waiting("/outside", in, let).LongRunning(), echo("GET"))
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if res, body := call(t, s, "admin", "POST", "/api/v1/outside", ""); res.StatusCode != 200 {
				t.Errorf("who waited: %d %v", res.StatusCode, body)
			}
		})
		<-in
	}
	if res, body := call(
		t,
		s,
		"admin",
		"POST",
		"/api/v1/outside",
		"",
	); res.StatusCode != 503 || body["code"] != "temporarily_overloaded" ||
		res.Header.Get("Retry-After") == "" {
		t.Errorf("the third to wait: %d %v", res.StatusCode, body)
	}
	if res, _ := call(t, s, "admin", "GET", "/api/v1/echo", ""); res.StatusCode != 200 {
		t.Errorf("who works: %d", res.StatusCode)
	}
	close(let)
	all.Wait()
	all.Go(func() { <-in })
	if res, _ := call(t, s, "admin", "POST", "/api/v1/outside", ""); res.StatusCode != 200 {
		t.Errorf("afterwards: %d", res.StatusCode)
	}
	all.Wait()
}

// TestAnAnswerThatWasWaitedForArrives has a server whose answers must be written within a second, and waits longer. The
// same second bounds the handshake of TLS: with less, a busy machine fails there.
func TestAnAnswerThatWasWaitedForArrives(t *testing.T) {
	t.Parallel()
	const allowed = time.Second
	for _, http2 := range []bool{false, true} {
		in, let := make(chan struct{}, 1), make(chan struct{})
		a := httpapi.New(
			httpapi.Config{
				Title:   "test",
				Version: "1",
				Log:     slog.New(slog.DiscardHandler),
				User:    byName,
				Agent:   nobody,
			},
		)
		a.Add(waiting("/usual", in, let), waiting("/outside", in, let).LongRunning())
		s := httptest.NewUnstartedServer(a.Router)
		s.Config.ReadTimeout, s.Config.WriteTimeout, s.EnableHTTP2 = allowed, allowed, http2
		s.StartTLS()
		t.Cleanup(s.Close)
		send := func(path string) (answer string) {
			go func() {
				<-in
				time.Sleep(2 * allowed)
				let <- struct{}{}
			}()
			req, err := http.NewRequest("POST", s.URL+"/api/v1"+path, nil)
			if err != nil {
				t.Error(err)
				return ""
			}
			req.Header.Set("Authorization", "Bearer admin")
			res, err := s.Client().Do(req)
			if err != nil {
				return ""
			}
			defer res.Body.Close()
			b, _ := io.ReadAll(res.Body)
			return string(b)
		}
		if got := send("/outside"); got != "\"x\"\n" {
			t.Errorf("HTTP/2 %v: what waits answers %q", http2, got)
		}
		if !http2 { // there the stream ends before the work does, and nobody takes what lets it go on
			if got := send("/usual"); got != "" {
				t.Errorf("what does not wait outlasts the server's timeout: %q", got)
			}
		}
	}
}
