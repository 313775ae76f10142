package rest

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// openEnv is the environment of an agent: it may dial anything and speak without TLS, with a warning.
func openEnv() connectorkit.Env {
	return connectorkit.Env{
		Dial:      (&net.Dialer{}).DialContext,
		Plaintext: func(context.Context, string) (bool, error) { return false, nil },
		Now:       time.Now,
	}
}

// newConnector makes a connector that does not really wait between tries.
func newConnector() *connector {
	c := New(openEnv()).(*connector)
	c.shared = &target.Shared{}
	c.sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	return c
}

// serve starts a target made for one test.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

// answers serves fixed documents by path and query.
func answers(t *testing.T, documents map[string]string) string {
	t.Helper()
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		key := r.URL.Path
		if r.URL.RawQuery != "" {
			key += "?" + r.URL.RawQuery
		}
		doc, ok := documents[key]
		if !ok {
			http.Error(w, `{"error":"nothing at `+key+`"}`, http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(doc))
	})
}

// settings is an auth_config for a target with streams as JSON text.
func settings(base, streams string, more ...any) v1.AuthConfig {
	auth := v1.AuthConfig{"base_url": base}
	if streams != "" {
		var list []any
		if err := json.Unmarshal([]byte(streams), &list); err != nil {
			panic(err)
		}
		auth["streams"] = list
	}
	for i := 0; i+1 < len(more); i += 2 {
		auth[more[i].(string)] = more[i+1]
	}
	return auth
}

// syncOnce runs a whole sync and gives all rows in one page, with the scopes, warnings and what is present of all
// pages.
func syncOnce(c connectorkit.Connector, req v1.SyncRequest) (v1.SyncResponse, error) {
	out := v1.SyncResponse{Page: &v1.Page{}}
	err := c.Sync(context.Background(), req, func(_ context.Context, page v1.SyncResponse) error {
		out.Identities = append(out.Identities, page.Identities...)
		out.Accounts = append(out.Accounts, page.Accounts...)
		out.Entitlements = append(out.Entitlements, page.Entitlements...)
		out.Grants = append(out.Grants, page.Grants...)
		warnings := append(out.Page.Warnings, page.Page.Warnings...)
		scopes := append(out.Page.Scopes, page.Page.Scopes...)
		present := append(out.Page.Present, page.Page.Present...)
		*out.Page = *page.Page
		out.Page.Warnings = warnings
		out.Page.Scopes = scopes
		out.Page.Present = present
		return nil
	})
	return out, err
}

func mustRead(t *testing.T, auth v1.AuthConfig) v1.SyncResponse {
	t.Helper()
	out, err := syncOnce(newConnector(), v1.SyncRequest{AuthConfig: auth})
	if err != nil {
		t.Fatalf("sync: %v", err)
	}
	return out
}

// failing gives the error of a sync that has to fail.
func failing(t *testing.T, auth v1.AuthConfig) *v1.ErrorDetail {
	t.Helper()
	_, err := syncOnce(newConnector(), v1.SyncRequest{AuthConfig: auth})
	var d *v1.ErrorDetail
	if !errors.As(err, &d) {
		t.Fatalf("sync = %v, want an ErrorDetail", err)
	}
	return d
}

func scopeOf(page v1.SyncResponse, kind v1.ObjectKind) string {
	for _, s := range page.Page.Scopes {
		if s.Kind == kind {
			b, _ := json.Marshal(s)
			return string(b)
		}
	}
	return ""
}

func warned(page v1.SyncResponse, code string) bool {
	for _, w := range page.Page.Warnings {
		if w.Code == code {
			return true
		}
	}
	return false
}

// ids are the keys of rows, joined.
func ids[T any](rows []T, id func(T) string) string {
	var out []string
	for _, r := range rows {
		out = append(out, id(r))
	}
	return strings.Join(out, " ")
}

func accountID(a v1.RemoteAccount) string { return a.ExternalID }

func grantID(g v1.RemoteGrant) string {
	principal := "?"
	switch {
	case g.AccountExternalID != nil:
		principal = *g.AccountExternalID
	case g.PrincipalEntitlementExternalID != nil:
		principal = "group:" + *g.PrincipalEntitlementExternalID
	case g.PrincipalRef != nil:
		principal = string(g.PrincipalRef.Kind) + ":" + g.PrincipalRef.Value
	}
	return principal + ">" + g.EntitlementExternalID
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func dialRefusing(err error) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) { return nil, err }
}
