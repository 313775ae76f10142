package catalog

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestEveryVendorSaysWhatItKnows(t *testing.T) {
	seen := map[string]bool{}
	n := 0
	for _, e := range Entries() {
		if seen[e.Key] {
			t.Errorf("%s is there twice", e.Key)
		}
		seen[e.Key] = true
		if e.Type != VendorType {
			continue
		}
		n++
		if e.Name == "" || e.Vendor == "" || e.Description == "" || e.DocsURL == "" || len(e.Mapping) == 0 ||
			len(e.Quirks) < 2 ||
			!e.Capabilities.Test {
			t.Errorf("%s leaves something out: %+v", e.Key, e)
		}
		if _, ok := find(e.Engine); !ok || e.Engine == VendorType {
			t.Errorf("%s is served by %q", e.Key, e.Engine)
		}
		secrets := 0
		for _, f := range e.Fields {
			if f.Secret {
				secrets++
			}
			if f.Label == "" {
				t.Errorf("%s.%s has no label", e.Key, f.Key)
			}
		}
		if secrets == 0 {
			t.Errorf("%s has no secret", e.Key)
		}
		for _, q := range e.Quirks {
			if _, err := time.Parse(
				time.DateOnly,
				q.Date,
			); err != nil || !strings.HasPrefix(q.Source, "https://") ||
				q.Text == "" {
				t.Errorf("%s: quirk %+v has no source or date", e.Key, q)
			}
		}
		text, err := json.Marshal(e.Schema())
		if err != nil || bytes.Count(text, []byte(`"x-secret":true`)) != secrets {
			t.Errorf("%s: schema %s, %v", e.Key, text, err)
		}
	}
	if n < 12 {
		t.Errorf("%d vendors; want 12 at least", n)
	}
}

func TestAVendorsMistakesAreToldAtTheUsersOwnSettings(t *testing.T) {
	for _, tt := range []struct {
		key                     string
		connection, credentials map[string]any
		at, code                string
	}{
		{"okta", map[string]any{}, map[string]any{"api_token": "x"}, "org_url", Required},
		{"okta", map[string]any{"org_url": "https://a.okta.com", "api_token": "x"}, nil, "api_token",
			SecretInConnection},
		{"okta", map[string]any{"org_url": "https://a.okta.com", "base_url": "https://b"},
			map[string]any{"api_token": "x"}, "base_url", UnknownKey},
		{"gitlab", map[string]any{"group_id": "acme"}, map[string]any{"token": "x"}, "group_id", WrongType},
		{"entra-id", map[string]any{"tenant_id": "t", "client_id": "c", "page_size": 1000},
			map[string]any{"client_secret": "s"}, "page_size", OutOfRange},
	} {
		problems := Validate(tt.key, tt.connection, tt.credentials)
		if len(problems) != 1 || problems[0].Key != tt.at || problems[0].Code != tt.code {
			t.Errorf("%s %v: %+v; want %s at %s", tt.key, tt.connection, problems, tt.code, tt.at)
		}
	}
}

func TestATemplateIsFilledFromSettings(t *testing.T) {
	_, got := Resolve("bamboohr", map[string]any{"company": "acme", "api_key": "k"})
	if got["base_url"] != "https://api.bamboohr.com/api/gateway.php/acme/v1" || got["bearer_token"] != "azp4" ||
		got["token_prefix"] != "Basic" {
		t.Errorf("settings = %v", got)
	}
	_, got = Resolve("active-directory", map[string]any{"host": "dc1", "base_dn": "DC=x"})
	if got["port"] != float64(636) || got["host"] != "dc1" {
		t.Errorf("settings = %v", got)
	}
	if _, there := got["bind_password"]; there {
		t.Error("a setting that is not given must not be made up")
	}
	if f := Feeds("okta", "base_url"); f != "org_url" {
		t.Errorf("base_url comes from %s", f)
	}
}
