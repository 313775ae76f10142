package target_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/grantwright/grantwright/connectorkit/target"
	"github.com/grantwright/grantwright/connectorkit/target/internal/outcome"
	"github.com/grantwright/grantwright/connectorkit/target/internal/shared"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestAChangeIsSentOnceAndItsLostAnswerIsKnownForOne(t *testing.T) {
	var asked atomic.Int32
	var how atomic.Pointer[http.HandlerFunc]
	answer := func(h http.HandlerFunc) { how.Store(&h) }
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		(*how.Load())(w, r)
	}))
	defer srv.Close()
	cut := func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}
	status := func(code int, header ...string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
			fmt.Fprint(w, `{}`)
		}
	}
	for _, tt := range []struct {
		name          string
		how           func(http.ResponseWriter, *http.Request)
		arrived, lost bool
	}{
		{"cut", cut, true, true},
		{"500", status(500), true, false}, {"502", status(502), true, false}, {"504", status(504), true, false},
		{"408", status(408), true, false},
		{"503", status(503), true, false}, {"503 with a time", status(503, "Retry-After", "3"), false, false},
		{"429", status(429), false, false}, {"400", status(400), false, false}, {"409", status(409), false, false},
		{"501", status(501), false, false}, {"302", status(302), false, false},
	} {
		for _, method := range []string{"POST", "PATCH", "PUT", "DELETE"} {
			asked.Store(0)
			answer(tt.how)
			c := changing(t, srv.URL)
			_, err := c.Do(
				t.Context(),
				target.Request{
					Method: method, URL: "x", Body: []byte(`{}`), Header: http.Header{"Idempotency-Key": {"k"}},
				},
			)
			if outcome.MayHaveArrived(err) != tt.arrived || outcome.Unanswered(err) != tt.lost || asked.Load() != 1 {
				t.Errorf(
					"%s, %s: may have arrived %t, unanswered %t, asked %d times: %v", tt.name, method,
					outcome.MayHaveArrived(err), outcome.Unanswered(err), asked.Load(), err,
				)
			}
		}
	}
	answer(cut)
	if _, err := changing(t, srv.URL).Do(t.Context(), target.Request{URL: "x"}); outcome.Unanswered(err) ||
		outcome.MayHaveArrived(err) {
		t.Errorf("a read was taken for a change: %v", err)
	}
	entered := make(chan struct{})
	answer(func(_ http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-entered; cancel() }()
	var d *v1.ErrorDetail
	if _, err := changing(t, srv.URL).Do(ctx, target.Request{Method: "POST", URL: "x"}); !outcome.Unanswered(err) ||
		!errors.As(err, &d) || d.Class != v1.ClassCancelled {
		t.Errorf("cancelled in the middle: %v", err)
	}
	cancelled, stop := context.WithCancel(t.Context())
	stop()
	if _, err := changing(
		t,
		srv.URL,
	).Do(cancelled, target.Request{Method: "POST", URL: "x"}); outcome.Unanswered(err) ||
		err == nil {
		t.Errorf("cancelled before: %v", err)
	}
	srv.Close()
	if _, err := changing(t, srv.URL).Do(
		t.Context(), target.Request{Method: "POST", URL: "x"},
	); outcome.MayHaveArrived(err) || err == nil {
		t.Errorf("nobody there: %v", err)
	}
}

func changing(t *testing.T, base string, more ...func(*target.Options)) *target.Client {
	t.Helper()
	o := target.Options{BaseURL: base, Shared: &shared.State{}, Sleep: (&sleeper{}).sleep}
	for _, change := range more {
		change(&o)
	}
	return client(t, o)
}

func TestAPlanShowsARequestWithoutItsSecrets(t *testing.T) {
	for _, auth := range []target.Auth{target.Bearer{Token: "t0ken-secret"}, target.Basic{
		Username: "u", Password: "t0ken-secret",
	}, target.APIKey{Name: "x-key", Key: "t0ken-secret"}, target.APIKey{
		Name: "key", Key: "t0ken-secret", InQuery: true,
	},
		target.ClientCredentials{TokenURL: "https://example.com/t", ClientID: "c", ClientSecret: "t0ken-secret"}} {
		c := changing(t, "https://example.com/api", func(o *target.Options) {
			o.Auth, o.Headers = auth, map[string]string{"x-tenant": "t3nant-secret"}
		})
		c.Hide(`n3w-"secret"`)
		body, _ := json.Marshal(map[string]any{
			"a": []any{1, `it is n3w-"secret"!`}, "password": "whatever", "client_secret": "other",
		})
		p, err := c.Plan(target.Request{
			Method: "PUT", URL: "/x/1", Body: body, Header: http.Header{"If-Match": {`W/"1"`}},
		})
		text, _ := json.Marshal(p)
		if err != nil || strings.Contains(string(text), `-secret`) || strings.Contains(string(text), `n3w`) ||
			strings.Contains(string(text), "whatever") || strings.Contains(string(text), "other") ||
			p.Method != "PUT" || !strings.HasPrefix(p.URL, "https://example.com/api/x/1") ||
			p.Headers["If-Match"] != `W/"1"` || p.Headers["X-Tenant"] != "[secret]" {
			t.Errorf("%T: %s, %v", auth, text, err)
		}
	}
}
