package catalog_test

import (
	"slices"
	"testing"

	"github.com/grantwright/grantwright/connectorkit/catalog"
)

func TestOnlyTheFieldsThatApplyAreVisible(t *testing.T) {
	for _, tt := range []struct {
		key        string
		settings   map[string]any
		seen, gone []string
	}{
		{"rest", map[string]any{"auth_method": "basic"}, []string{"base_url", "auth_method", "username", "password"},
			[]string{"client_secret", "bearer_token"}},
		{"rest", map[string]any{"auth_method": "bearer"}, []string{"bearer_token"},
			[]string{"username", "password", "token_url"}},
		{"rest", map[string]any{"auth_method": "bearer", "username": "left over"}, []string{"bearer_token", "username"},
			[]string{"password"}},
		{"scim2", map[string]any{"auth_method": "oauth2_client_credentials"},
			[]string{"base_url", "token_url", "client_id", "client_secret"}, []string{"bearer_token"}},
		{"ldap", nil, []string{"host", "port", "base_dn", "bind_dn", "bind_password"}, []string{"base_url"}},
		{"nothing", nil, nil, []string{"host"}},
	} {
		fields, _ := catalog.Visible(tt.key, tt.settings)
		var keys []string
		for _, f := range fields {
			keys = append(keys, f.Key)
		}
		for _, key := range tt.seen {
			if !slices.Contains(keys, key) {
				t.Errorf("%s %v lacks %s: %v", tt.key, tt.settings, key, keys)
			}
		}
		for _, key := range tt.gone {
			if slices.Contains(keys, key) {
				t.Errorf("%s %v shows %s: %v", tt.key, tt.settings, key, keys)
			}
		}
	}
}

func TestSettingsAreKnownByAllTheirNames(t *testing.T) {
	if _, given := catalog.Visible(
		"scim2",
		map[string]any{"token": "t", "none": 1},
	); given["bearer_token"] != "t" ||
		len(given) != 1 {
		t.Errorf("given = %v", given)
	}
}
