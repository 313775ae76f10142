package httpapi_test

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/sse"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// endless is a route whose stream lasts until its context ends.
func endless() httpapi.Route {
	return httpapi.Stream(
		"GET",
		"/stream",
		"Stream",
		func(context.Context, viewer.Viewer, *struct{}) (func(context.Context, *sse.Events) error, error) {
			return func(ctx context.Context, e *sse.Events) error {
				if err := e.Ping(); err != nil {
					return err
				}
				<-ctx.Done()
				return nil
			}, nil
		},
	)
}

// listen opens a stream, and gives the response once its head is there.
func listen(t *testing.T, s string) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", s+"/api/v1/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer admin")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

func TestAStreamEndsWithItsToken(t *testing.T) {
	var revoked atomic.Bool
	auth := func(_ context.Context, _ string, _ *http.Request) (viewer.Viewer, error) {
		if revoked.Load() {
			return viewer.Viewer{}, fault.New(fault.Unauthenticated, "revoked")
		}
		return viewer.Viewer{
			Tenant:  "t",
			Kind:    viewer.User,
			ID:      "u",
			Session: "s",
			Roles:   []viewer.Role{viewer.Admin},
		}, nil
	}
	s := serve(t, httpapi.Config{User: auth}, endless())
	res := listen(t, s.URL)
	revoked.Store(true)
	began := time.Now()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatalf("the stream goes on after its token was revoked: %v after %s", err, time.Since(began))
	}
}

func TestASessionHasOnlySoManyStreams(t *testing.T) {
	s := serve(t, httpapi.Config{}, endless())
	var first *http.Response
	for i := range 20 {
		res := listen(t, s.URL)
		if res.StatusCode != 200 {
			t.Fatalf("stream %d: %d", i, res.StatusCode)
		}
		if first == nil {
			first = res
		}
	}
	if res, body := call(
		t,
		s,
		"admin",
		"GET",
		"/api/v1/stream",
		"",
	); res.StatusCode != 429 ||
		body["code"] != "too_many_streams" {
		t.Errorf("one stream too many: %d %v", res.StatusCode, body)
	}
	_ = first.Body.Close()
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if res := listen(t, s.URL); res.StatusCode == 200 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("a stream that was closed still counts")
		}
	}
}
