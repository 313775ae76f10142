package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth"
)

// open are the operations that need no token: whoever signs in has none yet.
var open = map[string]bool{
	"post /api/v1/auth/login": true, "post /api/v1/auth/sign-in-link": true,
	"get /api/v1/auth/oidc/start": true, "get /api/v1/auth/oidc/callback": true, "post /api/v1/auth/oidc/token": true,
}

// TestEveryOperationRefusesWhoeverHasNoRightToIt walks the API's own description, so that a new operation is tried as well.
func TestEveryOperationRefusesWhoeverHasNoRightToIt(t *testing.T) {
	s := newSite(t)
	var described struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal([]byte(s.get("/openapi.json", "")), &described); err != nil {
		t.Fatal(err)
	}
	agent := s.agentToken()
	tried := 0
	for path, operations := range described.Paths {
		for method := range operations {
			tried++
			name := method + " " + path
			for kind, token := range map[string]string{
				"no token": "", "garbage": "x.y.z", "a token cut short": s.token[:len(s.token)-3], "an agent's token": agent,
			} {
				if open[name] || (kind == "an agent's token" && strings.HasPrefix(path, "/api/v1/agent/")) {
					continue
				}
				if got := s.status(method, path, token); got != http.StatusUnauthorized {
					t.Errorf("%s with %s = %d; want 401", name, kind, got)
				}
			}
			if strings.HasPrefix(path, "/api/v1/agent/") {
				if got := s.status(method, path, s.token); got != http.StatusUnauthorized {
					t.Errorf("%s with a user's token = %d; want 401", name, got)
				}
			}
		}
	}
	if tried < 50 {
		t.Errorf("only %d operations are described", tried)
	}
}

// agentToken is a valid token of an agent.
func (s *site) agentToken() (token string) {
	s.t.Helper()
	tx := &pg.Tx{Viewer: viewer.System(s.tenant.Tenant)}
	token, _, err := s.app.Auth.IssueAgentToken(s.t.Context(), tx, auth.AgentClaims{AgentID: "01a1f99f-1d39-767a-8283-ef45f2482195", KeyThumb: "x", Epoch: 1})
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

var tries atomic.Uint32

func (s *site) request(method, path, token string) *http.Response {
	s.t.Helper()
	path = strings.NewReplacer("{id}", "01a1f99f-1d39-767a-8283-ef45f2482195", "{run_id}", "01a1f99f-1d39-767a-8283-ef45f2482195", "{key}", "ldap").Replace(path)
	req, err := http.NewRequest(strings.ToUpper(method), s.url+path, strings.NewReader("{}"))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	// Who tries many invalid tokens is told to wait, so each comes from somewhere else.
	n := tries.Add(1)
	req.Header.Set("X-Forwarded-For", netip.AddrFrom4([4]byte{198, 18, byte(n >> 8), byte(n)}).String())
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	return res
}

func (s *site) status(method, path, token string) int {
	res := s.request(method, path, token)
	res.Body.Close()
	return res.StatusCode
}

func (s *site) get(path, token string) string {
	res := s.request(http.MethodGet, path, token)
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}
