package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit"
)

func TestEveryEntryCanBeFoundAndDescribesItsSettings(t *testing.T) {
	var keys []string
	for _, e := range Entries() {
		keys = append(keys, e.Key)
		if found, ok := Find(e.Key); !ok || found.Name != e.Name {
			t.Errorf("Find(%s) = %v, %v", e.Key, found.Name, ok)
		}
		seen := map[string]connectorkit.Field{}
		for _, f := range e.Fields {
			if _, twice := seen[f.Key]; twice {
				t.Errorf("%s describes %s twice", e.Key, f.Key)
			}
			seen[f.Key] = f
			if f.Label == "" ||
				!slices.Contains(
					[]string{"string", "integer", "boolean", "enum", "string_list", "object", "object_list"},
					f.Type,
				) {
				t.Errorf("%s: field %+v has no label or an unknown type", e.Key, f)
			}
		}
		for _, f := range e.Fields {
			on, ok := seen[f.DependsOn]
			if f.DependsOn != "" &&
				(!ok || slices.ContainsFunc(f.DependsVals,
					func(v string) bool { return !slices.Contains(on.Enum, v) })) {
				t.Errorf("%s: %s hangs on %s = %v, which cannot be", e.Key, f.Key, f.DependsOn, f.DependsVals)
			}
		}
		k, _ := find(e.Type)
		for alias, name := range k.aliases {
			if _, ok := seen[name]; !ok {
				t.Errorf("%s: %s stands for %s, which is no setting", e.Key, alias, name)
			}
			if _, ok := seen[alias]; ok {
				t.Errorf("%s: %s is a setting and another name of %s", e.Key, alias, name)
			}
		}
	}
	if diff := cmp.Diff([]string{"scim2", "ldap", "rest", "custom"}, keys[:4]); diff != "" {
		t.Error(diff)
	}
	if _, ok := Find("punch-cards"); ok {
		t.Error("Find(punch-cards) found something")
	}
}

func TestSplitKeepsSecretsApart(t *testing.T) {
	connection, credentials := Split(REST, map[string]any{
		"base_url":      "https://x",
		"auth_method":   "bearer",
		"token":         "s",
		"client_secret": "s",
		"api_key_value": "s",
		"extra_headers": map[string]any{"a": "s"},
		"odd":           1,
	})
	if diff := cmp.Diff(
		map[string]any{"base_url": "https://x", "auth_method": "bearer", "odd": 1},
		connection,
	); diff != "" {
		t.Error(diff)
	}
	if len(credentials) != 4 {
		t.Errorf("credentials = %v", credentials)
	}
	if !slices.Contains(SecretKeys(LDAP), "bind_password") || slices.Contains(SecretKeys(LDAP), "bind_dn") ||
		len(SecretKeys("punch-cards")) != 0 {
		t.Errorf("secret keys of ldap = %v", SecretKeys(LDAP))
	}
}

func TestValidateFindsEveryMistake(t *testing.T) {
	type settings = map[string]any
	for _, tt := range []struct {
		name, connectorType     string
		connection, credentials settings
		want                    []string // key and code
	}{
		{"rest without anything", REST, settings{}, nil, []string{"base_url required"}},
		{"rest", REST, settings{"base_url": "https://x"}, nil, nil},
		{"rest with a user", REST, settings{"base_url": "https://x", "auth_method": "basic"},
			settings{"username": "u", "password": "p"}, nil},
		{"rest without a password", REST, settings{"base_url": "https://x", "auth_method": "basic", "username": "u"},
			settings{"password": ""}, []string{"password required"}},
		{"rest, method left open", REST, settings{"base_url": "https://x"}, settings{"token": "t"}, nil},
		{"rest, forgotten secret", REST, settings{"base_url": "https://x", "token_url": "https://t", "client_id": "c"},
			nil, []string{"auth_method required"}},
		{"rest with an old name", REST, settings{"base_url": "https://x", "auth_method": "api_key",
			"api_key_in": "query"}, settings{"api_key_value": "k"}, nil},
		{"rest all wrong", REST, settings{"base_url": 7, "auth_method": "magic", "page_size": 0, "max_pages": 1.5,
			"streams": "x", "headers": []any{}, "tls_insecure_skip_verify": "yes", "colour": 1}, nil,
			[]string{"auth_method not_allowed", "base_url wrong_type", "colour unknown_key", "headers wrong_type",
				"max_pages wrong_type", "page_size out_of_range", "streams wrong_type",
				"tls_insecure_skip_verify wrong_type"}},
		{"rest with a bad stream", REST, settings{"base_url": "https://x",
			"streams": []any{settings{"name": "a", "object": "person"}}}, nil, []string{" invalid"}},
		{"secret shown", SCIM2, settings{"base_url": "https://x", "auth_method": "bearer", "token": "hunter22"},
			settings{"bearer_token": "hunter23"}, []string{"bearer_token given_twice", "token secret_in_connection"}},
		{"scim without credentials", SCIM2, settings{"base_url": "https://x",
			"auth_method": "oauth2_client_credentials"}, nil,
			[]string{"client_id required", "client_secret required", "token_url required"}},
		{"scim", SCIM2, settings{"base_url": "https://x", "page_size": float64(50)}, settings{"bearer_token": "t"},
			nil},
		{"ldap", LDAP, settings{"host": "dc1", "port": 636, "tls": "ldaps", "bind_dn": "cn=x",
			"user_object_classes": []any{"person"}}, settings{"bind_password": "p"}, nil},
		{"ldap wrong", LDAP, settings{"port": 99999, "security": "ssl", "user_object_classes": []any{1}},
			settings{"password": "p"},
			[]string{"host required", "password unknown_key", "port out_of_range", "security not_allowed",
				"user_object_classes wrong_type"}},
		{"custom", Custom, settings{"base_url": "https://x", "settings": settings{"region": "eu"}},
			settings{"token": "t", "secret_settings": settings{"key": "hunter22"}}, nil},
		{"custom by its other names", Custom, settings{"base_url": "https://x"},
			settings{"hmac_secret": "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}, nil},
		{"custom, unsigned", Custom, settings{"base_url": "https://x", "auth_method": "signature"}, nil,
			[]string{"signing_secret required"}},
		{"custom, a short secret", Custom, settings{"base_url": "https://x"}, settings{"signing_secret": "hunter22"},
			[]string{" invalid"}},
		{"custom, a setting twice", Custom, settings{"base_url": "https://x", "settings": settings{"key": "a"}},
			settings{"secret_settings": settings{"key": "hunter22"}}, []string{" invalid"}},
		{"custom, secrets shown", Custom, settings{"base_url": "https://x",
			"secret_settings": settings{"key": "hunter22"}}, nil, []string{"secret_settings secret_in_connection"}},
		{"custom, a path elsewhere", Custom,
			settings{"base_url": "https://x", "sync_path": "https://y/z", "settings": "all"}, nil,
			[]string{"settings wrong_type"}},
		{"unknown", "punch-cards", nil, nil, []string{"type unknown_type"}},
	} {
		var got []string
		for _, p := range Validate(tt.connectorType, tt.connection, tt.credentials) {
			got = append(got, p.Key+" "+p.Code)
			if p.Message == "" || strings.Contains(p.Message, "hunter") {
				t.Errorf("%s: message %q", tt.name, p.Message)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tt.name, diff)
		}
	}
}
