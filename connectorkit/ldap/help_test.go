package ldap_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/ldap"
	"github.com/grantwright/grantwright/connectorkit/ldap/ldaptest"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// all is everything a sync emitted, in one piece.
type all struct {
	v1.SyncResponse
	scopes   map[v1.ObjectKind]v1.Scope
	warnings []v1.Warning
	largest  int // records of the largest page
	pages    int
}

// read syncs and gathers. The error is that of Sync.
func read(t *testing.T, env connectorkit.Env, auth v1.AuthConfig, o *v1.SyncOptions) (all, error) {
	t.Helper()
	out := all{scopes: map[v1.ObjectKind]v1.Scope{}}
	err := ldap.New(env).Sync(t.Context(), v1.SyncRequest{
		AuthConfig: auth, Options: o,
	}, func(_ context.Context, p v1.SyncResponse) error {
		out.Identities = append(out.Identities, p.Identities...)
		out.Accounts = append(out.Accounts, p.Accounts...)
		out.Entitlements = append(out.Entitlements, p.Entitlements...)
		out.Grants = append(out.Grants, p.Grants...)
		for _, s := range p.Page.Scopes {
			out.scopes[s.Kind] = s
		}
		out.warnings = append(out.warnings, p.Page.Warnings...)
		out.largest = max(out.largest, p.Len())
		out.pages++
		return nil
	})
	return out, err
}

func mustRead(t *testing.T, auth v1.AuthConfig, o *v1.SyncOptions) all {
	t.Helper()
	out, err := read(t, agentEnv(), auth, o)
	if err != nil {
		t.Fatalf("Sync: %v", err)
	}
	return out
}

// with is the server's configuration with changes; a nil value takes a key away.
func with(s *ldaptest.Server, changes map[string]any) v1.AuthConfig {
	auth := v1.AuthConfig(s.AuthConfig())
	maps.Copy(auth, changes)
	maps.DeleteFunc(auth, func(_ string, v any) bool { return v == nil })
	return auth
}

func probe(t *testing.T, env connectorkit.Env, auth v1.AuthConfig) v1.TestResponse {
	t.Helper()
	out, err := ldap.New(env).Test(t.Context(), v1.TestRequest{AuthConfig: auth}, nil)
	if err != nil {
		t.Fatalf("Test: %v", err)
	}
	noSecrets(t, auth, out)
	return out
}

// noSecrets fails when an answer tells the password.
func noSecrets(t *testing.T, auth v1.AuthConfig, answer any) {
	t.Helper()
	b, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	if password, _ := auth["bind_password"].(string); password != "" && strings.Contains(string(b), password) {
		t.Errorf("the answer holds the password: %s", b)
	}
}

// steps is a short form of the steps taken: name and result, as in "bind 49".
func steps(r v1.TestResponse) []string {
	var out []string
	for _, s := range r.Steps {
		word := "ok"
		switch {
		case s.LDAP != nil && !s.OK:
			word = s.LDAP.Name
		case !s.OK:
			word = "failed"
		case s.LDAP != nil:
			word = "0"
		}
		out = append(out, s.Name+" "+word)
	}
	return out
}

func detailOf(t *testing.T, err error) *v1.ErrorDetail {
	t.Helper()
	var d *v1.ErrorDetail
	if !errors.As(err, &d) {
		t.Fatalf("error %v (%T) is no *v1.ErrorDetail", err, err)
	}
	return d
}

func hasWarning(list []v1.Warning, code string) bool {
	for _, w := range list {
		if w.Code == code {
			return true
		}
	}
	return false
}
