package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/agent/internal/config"
	"github.com/grantwright/grantwright/agent/internal/policy"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestNoConnectorReachesTheAgentsOwnHostUnlessItIsAllowed(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		http.Error(w, "an inner service", http.StatusTeapot)
	}))
	defer server.Close()
	at := strings.TrimPrefix(server.URL, "http://")
	host, port, _ := strings.Cut(at, ":")
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]v1.AuthConfig{
		"rest": {
			"base_url":    server.URL,
			"accounts":    map[string]any{"path": "/a", "id": "$.id"},
			"auth_method": "none",
		},
		"scim2":  {"base_url": server.URL, "bearer_token": "x"},
		"custom": {"base_url": server.URL},
		"ldap": {
			"host":          host,
			"port":          number,
			"security":      "none",
			"bind_dn":       "cn=x",
			"bind_password": "y",
			"base_dn":       "dc=x",
		},
	}
	allowed, err := policy.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	for kind, auth := range settings {
		for _, p := range []policy.Policy{{}, allowed} {
			asked = 0
			r := newRunner("a", config.Dir(t.TempDir()), p, slog.New(slog.DiscardHandler))
			c, err := r.Open(r.Env, kind)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Test(t.Context(), v1.TestRequest{ConnectorBusinessID: "X", AuthConfig: auth}, nil)
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			refused := got.Error != nil && got.Error.Class == v1.ClassPolicy && got.Error.Code == policy.Code
			if open := len(p.Allowed()) > 0; refused == open || asked > 0 && !open {
				t.Errorf("%s, allowed %v: %+v after %d requests", kind, open, got.Error, asked)
			}
			if refused && !strings.Contains(got.Error.Hint, "allow_targets") {
				t.Errorf("%s: the hint %q does not name the setting", kind, got.Error.Hint)
			}
		}
	}
}
