package remote

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/remote/response"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// newConnector makes a connector as an agent has it, which does not really wait between tries.
func newConnector() *connector {
	c := New(connectorkit.Env{
		Dial: (&net.Dialer{}).DialContext, Now: time.Now,
		Plaintext: func(context.Context, string) (bool, error) { return false, nil },
	}).(*connector)
	c.shared = &target.Shared{}
	c.sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return c
}

// service is a custom connector made for one test. It keeps what it was asked.
type service struct {
	URL string

	mu     sync.Mutex
	bodies []v1.SyncRequest
	heads  []http.Header
	paths  []string
}

// start serves sync with what answer writes for the n-th request, from 1; other paths are not there.
func start(t *testing.T, answer func(w http.ResponseWriter, req v1.SyncRequest, n int)) *service {
	t.Helper()
	s := &service{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var req v1.SyncRequest
		bad := json.Unmarshal(body, &req)
		s.mu.Lock()
		s.paths = append(s.paths, r.Method+" "+r.URL.RequestURI())
		if r.URL.Path != "/v1/sync" {
			s.mu.Unlock()
			http.NotFound(w, r)
			return
		}
		s.bodies, s.heads = append(s.bodies, req), append(s.heads, r.Header)
		n := len(s.bodies)
		s.mu.Unlock()
		if bad != nil {
			t.Errorf("request %d is %s", n, body)
		}
		w.Header().Set("Content-Type", response.MediaJSON)
		answer(w, req, n)
	}))
	server.Config.ErrorLog = nil
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

func (s *service) asked() []v1.SyncRequest { s.mu.Lock(); defer s.mu.Unlock(); return s.bodies }

// says serves fixed texts, the last for all requests beyond.
func says(t *testing.T, media string, answers ...string) *service {
	t.Helper()
	return start(t, func(w http.ResponseWriter, _ v1.SyncRequest, n int) {
		w.Header().Set("Content-Type", media)
		_, _ = io.WriteString(w, answers[min(n, len(answers))-1])
	})
}

func (s *service) auth(more ...any) v1.AuthConfig {
	auth := v1.AuthConfig{"base_url": s.URL}
	for i := 0; i+1 < len(more); i += 2 {
		auth[more[i].(string)] = more[i+1]
	}
	return auth
}

// read runs a whole sync through what cuts it into chunks, and gives all in one page.
func read(t *testing.T, auth v1.AuthConfig, change func(*v1.SyncRequest)) (v1.SyncResponse, error) {
	t.Helper()
	req := v1.SyncRequest{ConnectorBusinessID: "b", AuthConfig: auth}
	if change != nil {
		change(&req)
	}
	all := v1.SyncResponse{Page: &v1.Page{}}
	err := connectorkit.Sync(
		t.Context(),
		newConnector(),
		req,
		connectorkit.LimitsOf(req, 0),
		func(_ context.Context, p v1.SyncResponse) error {
			all.Identities = append(all.Identities, p.Identities...)
			all.Accounts = append(all.Accounts, p.Accounts...)
			all.Entitlements = append(all.Entitlements, p.Entitlements...)
			all.Grants = append(all.Grants, p.Grants...)
			p.Page.Warnings, p.Page.Present = append(
				all.Page.Warnings,
				p.Page.Warnings...), append(
				all.Page.Present,
				p.Page.Present...)
			if p.Page.Checkpoint == "" {
				p.Page.Checkpoint = all.Page.Checkpoint
			}
			all.Page = p.Page
			return nil
		},
	)
	return all, err
}

func scopeOf(p *v1.Page, kind v1.ObjectKind) (found v1.Scope) {
	for _, s := range p.Scopes {
		if s.Kind == kind && s.Key == "*" {
			return s
		}
	}
	return found
}

func warned(p *v1.Page, code string) int {
	n := 0
	for _, w := range p.Warnings {
		if w.Code == code {
			n++
		}
	}
	return n
}

// account is the JSON of n accounts from a number on.
func accounts(from, n int) string {
	list := []map[string]any{}
	for i := range n {
		list = append(
			list,
			map[string]any{
				"external_id": "a" + string(rune('0'+(from+i)/100)) + string(
					rune('0'+(from+i)/10%10),
				) + string(rune('0'+(from+i)%10)),
			},
		)
	}
	b, _ := json.Marshal(list)
	return string(b)
}

// answer is a SyncResponse with accounts and a page member; empty: none.
func answer(accounts, page string) string {
	text := `{"success":true,"identities":[],"accounts":` + accounts + `,"entitlements":[],"grants":[],"error":null`
	if page != "" {
		text += `,"page":` + page
	}
	return text + "}"
}
