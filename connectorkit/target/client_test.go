package target_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// onSite is what an agent lends: any address, plain http with a warning.
func onSite() connectorkit.Env {
	var d net.Dialer
	return connectorkit.Env{
		Dial:             d.DialContext,
		Plaintext:        func(context.Context, string) (bool, error) { return true, nil },
		AllowInsecureTLS: true,
		Now:              time.Now,
	}
}

// sleeper remembers the waits it was asked for and returns at once.
type sleeper struct {
	mu    sync.Mutex
	waits []time.Duration
}

func (s *sleeper) sleep(ctx context.Context, d time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits = append(s.waits, d)
	return ctx.Err()
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

func client(t *testing.T, o target.Options) *target.Client {
	t.Helper()
	c, err := target.New(t.Context(), onSite(), o)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	t.Cleanup(c.Close)
	return c
}

// detail fails the test unless err is a *v1.ErrorDetail.
func detail(t *testing.T, err error) *v1.ErrorDetail {
	t.Helper()
	var d *v1.ErrorDetail
	if !errors.As(err, &d) {
		t.Fatalf("error = %v (%T), want a *v1.ErrorDetail", err, err)
	}
	return d
}

func TestRefusalsCarryTheTargetsOwnAnswer(t *testing.T) {
	for _, tt := range []struct {
		name, body, kind string
		status           int
		header           map[string]string
		class            v1.ErrorClass
		code, says       string
	}{
		{
			"wrong credentials",
			`{"schemas":["urn:ietf:params:scim:api:messages:2.0:Error"],"status":"401","detail":"token unknown"}`,
			"application/scim+json", 401, nil, v1.ClassAuth, "http_401", "401 Unauthorized: token unknown",
		},
		{
			"no right", `{"message":"read scope missing"}`, "application/json", 403, nil, v1.ClassPermission,
			"http_403", "read scope missing",
		},
		{"not there", "<html>not here</html>", "text/html", 404, nil, v1.ClassNotFound, "http_404", "404 Not Found"},
		{
			"redirect", "moved", "text/plain", 302,
			map[string]string{"Location": "https://elsewhere.example/secret-path"}, v1.ClassConfig, "http_302",
			"redirect",
		},
		{"fault", "boom", "text/plain", 500, nil, v1.ClassTargetFault, "http_500", "500 Internal Server Error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := serve(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tt.kind)
				for k, v := range tt.header {
					w.Header().Set(k, v)
				}
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.body))
			})
			var v any
			d := detail(
				t,
				client(t, target.Options{BaseURL: base, Tries: 1}).JSON(
					t.Context(), target.Request{URL: "/x", Phase: "users"}, &v,
				),
			)
			if d.Class != tt.class || d.Code != tt.code || d.Phase != "users" {
				t.Errorf(
					"class, code, phase = %s, %s, %s; want %s, %s, users", d.Class, d.Code, d.Phase, tt.class, tt.code,
				)
			}
			if !strings.Contains(d.Message, tt.says) || d.Hint == "" {
				t.Errorf("message %q, hint %q; want %q and a hint", d.Message, d.Hint, tt.says)
			}
			if d.Target.HTTP.Status != tt.status || strings.Contains(d.Message+d.Target.HTTP.BodyExcerpt, "elsewhere") {
				t.Errorf("http = %+v", d.Target.HTTP)
			}
		})
	}
}
