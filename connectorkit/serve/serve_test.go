package serve_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/connectorkit/connectors"
	"github.com/grantwright/grantwright/connectorkit/connectortest"
	"github.com/grantwright/grantwright/connectorkit/serve"
	"github.com/grantwright/grantwright/connectorkit/signing"
	"github.com/grantwright/grantwright/protocol/schema/schematest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// caller is the custom connector as an agent has it.
func caller() connectorkit.Connector {
	c, err := connectors.Open(connectorkit.Env{
		Dial:      (&net.Dialer{}).DialContext,
		Now:       time.Now,
		Plaintext: func(context.Context, string) (bool, error) { return false, nil },
	}, catalog.Custom)
	if err != nil {
		panic(err)
	}
	return c
}

func read(url, region string) string {
	auth := v1.AuthConfig{
		"base_url":     url,
		"bearer_token": "correct-horse-battery-staple",
		"settings":     map[string]any{"region": region},
	}
	r, err := connectortest.Read(context.Background(), caller(), v1.SyncRequest{AuthConfig: auth}, nil)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d people, complete: %v", r.Count(v1.Identities), r.Last.Scopes[0].Complete)
}

// scripted is a connector that does as it is told.
type scripted struct {
	pages []v1.SyncResponse
	err   error
	wait  time.Duration
}

func (scripted) Test(context.Context, v1.TestRequest, connectorkit.Report) (v1.TestResponse, error) {
	return v1.TestResponse{Success: true}, nil
}

func (s scripted) Discover(context.Context, v1.DiscoverRequest, connectorkit.Report) (v1.DiscoverResponse, error) {
	return v1.DiscoverResponse{Success: s.err == nil}, s.err
}

func (s scripted) Sync(ctx context.Context, _ v1.SyncRequest, emit connectorkit.Emit) error {
	for _, p := range s.pages {
		if err := emit(ctx, p); err != nil {
			return err
		}
	}
	select {
	case <-time.After(s.wait):
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.err
}

func ask(t *testing.T, h http.Handler, method, path, body string, header http.Header) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for name, values := range header {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const request = `{"connector_business_id":"a","incremental":false,"last_sync_at":null,"auth_config":{}}`

func TestOnlyWhoIsKnownIsLetIn(t *testing.T) {
	const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	key, err := signing.Key(secret)
	if err != nil {
		t.Fatal(err)
	}
	signed := func(at time.Time, token string) http.Header {
		h := http.Header{}
		signing.Sign(h, at, []byte(request), key)
		if token != "" {
			h.Set("Authorization", "Bearer "+token)
		}
		return h
	}
	bearer := func(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }
	now := time.Now()
	for name, tt := range map[string]struct {
		h      serve.Handler
		header http.Header
		want   int
	}{
		"nothing set":           {serve.Handler{}, nil, 401},
		"public":                {serve.Handler{Public: true}, nil, 200},
		"the token":             {serve.Handler{Token: "t0ken"}, bearer("t0ken"), 200},
		"another token":         {serve.Handler{Token: "t0ken"}, bearer("t0kem"), 401},
		"no token":              {serve.Handler{Token: "t0ken"}, nil, 401},
		"the signature":         {serve.Handler{SigningSecret: secret}, signed(now, ""), 200},
		"an old signature":      {serve.Handler{SigningSecret: secret}, signed(now.Add(-time.Hour), ""), 401},
		"no signature":          {serve.Handler{SigningSecret: secret}, nil, 401},
		"a secret that is none": {serve.Handler{SigningSecret: "x"}, signed(now, ""), 401},
		"both": {serve.Handler{SigningSecret: secret, Token: "t0ken"}, signed(now, "t0ken"),
			200},
		"both wanted, one given":      {serve.Handler{SigningSecret: secret, Token: "t0ken"}, signed(now, ""), 401},
		"both wanted, the other only": {serve.Handler{SigningSecret: secret, Token: "t0ken"}, bearer("t0ken"), 401},
	} {
		tt.h.Sync = func(context.Context, v1.SyncRequest) v1.SyncResponse { return v1.SyncResponse{Success: true} }
		if got := ask(t, &tt.h, "POST", "/v1/sync", request, tt.header); got.Code != tt.want {
			t.Errorf("%s: %d %s; want %d", name, got.Code, got.Body, tt.want)
		}
		if got := ask(t, &tt.h, "GET", "/v1/healthz", "", nil); got.Code != 200 {
			t.Errorf("%s: health %d", name, got.Code)
		}
	}
}

func TestRequestsThatAreNoneAreRefused(t *testing.T) {
	function := &serve.Handler{
		Public: true,
		Sync:   func(context.Context, v1.SyncRequest) v1.SyncResponse { return v1.SyncResponse{Success: true} },
	}
	connector := &serve.Handler{Public: true, Connector: scripted{}}
	for _, tt := range []struct {
		h                  http.Handler
		method, path, body string
		want               int
	}{
		{function, "GET", "/v1/sync", "", 405}, {function, "POST", "/v1/test", request, 404},
		{function, "POST", "/v1/discover", request, 404},
		{function, "POST", "/v2/sync", request, 404}, {function, "POST", "/v1/sync", "{", 400},
		{function, "POST", "/v1/sync", `{"incremental":"no"}`, 400},
		{function, "POST", "/v1/sync", strings.Repeat(" ", 5<<20), 413},
		{function, "POST", "/v1/sync", request + request, 400},
		{connector, "POST", "/v1/manifest", "", 405}, {connector, "POST", "/v1/test", "[]", 400},
		{connector, "POST", "/v1/discover", "nonsense", 400},
		{connector, "POST", "/v1/sync", "", 400},
	} {
		got := ask(t, tt.h, tt.method, tt.path, tt.body, nil)
		if got.Code != tt.want || got.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s: %d %s, want %d", tt.method, tt.path, got.Code, got.Body, tt.want)
		}
	}
	if got := ask(
		t,
		function,
		"POST",
		"/v1/sync",
		request,
		http.Header{"Content-Type": {"text/plain"}},
	); got.Code != 415 {
		t.Errorf("text/plain: %d", got.Code)
	}
}

func TestAnswersAreThoseOfTheProtocol(t *testing.T) {
	h := &serve.Handler{Public: true, Connector: scripted{}, Name: "staff", Version: "1.2"}
	for path, schema := range map[string]string{"/v1/test": "test_response", "/v1/discover": "discover_response"} {
		if err := schematest.Validate(schema, ask(t, h, "POST", path, request, nil).Body.Bytes()); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	var m serve.Manifest
	if err := json.Unmarshal(
		ask(t, h, "GET", "/v1/manifest", "", nil).Body.Bytes(),
		&m,
	); err != nil || m.Name != "staff" ||
		len(m.Capabilities) != 3 {
		t.Errorf("%+v, %v", m, err)
	}
	var log bytes.Buffer
	h = &serve.Handler{
		Public:    true,
		Connector: scripted{err: errors.New("CANARY at 10.0.0.1")},
		Log:       slog.New(slog.NewTextHandler(&log, nil)),
	}
	for _, path := range []string{"/v1/discover", "/v1/sync"} {
		got := ask(t, h, "POST", path, request, nil).Body.String()
		if !strings.Contains(got, `"internal"`) || strings.Contains(got, "CANARY") {
			t.Errorf("%s: %s", path, got)
		}
	}
	if !strings.Contains(log.String(), "CANARY") {
		t.Error("the log does not say what went wrong")
	}
}

func TestAStreamEndsWithItsLastPageOrItsError(t *testing.T) {
	page := v1.SyncResponse{Success: true, Accounts: []v1.RemoteAccount{{ExternalID: "1"}}}
	for name, tt := range map[string]struct {
		c    scripted
		last string
	}{
		"to its end": {scripted{pages: []v1.SyncResponse{page, page}}, `"has_more":false`},
		"an error": {scripted{pages: []v1.SyncResponse{page},
			err: &v1.ErrorDetail{Class: v1.ClassTransient, Code: "timeout", Message: "too slow"}}, `"timeout"`},
	} {
		got := ask(t, &serve.Handler{Public: true, Connector: tt.c}, "POST", "/v1/sync", request, nil)
		lines := strings.Split(strings.TrimSpace(got.Body.String()), "\n")
		if !strings.Contains(lines[len(lines)-1], tt.last) ||
			got.Header().Get("Content-Type") != "application/x-ndjson" {
			t.Errorf("%s: %s", name, got.Body)
		}
		for _, line := range lines {
			if err := schematest.Validate("sync_response", []byte(line)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestASilentStreamIsKeptAlive(t *testing.T) {
	server := httptest.NewServer(
		&serve.Handler{Public: true, Connector: scripted{wait: time.Hour}, Heartbeat: time.Millisecond},
	)
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "POST", server.URL+"/v1/sync", strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	in := bufio.NewReader(res.Body)
	for range 3 {
		if line, err := in.ReadString('\n'); line != "\n" || err != nil {
			t.Fatalf("%q, %v", line, err)
		}
	}
	cancel() // the server's Close waits for the connector: it must have heard of it
	_, _ = io.Copy(io.Discard, in)
}
