package app_test

import (
	"strings"
	"testing"
)

func TestATenantSettingLimitsTheHostsOfCallbacks(t *testing.T) {
	b := besiege(t)
	for _, name := range []string{"hooks.acme.test", "other.acme.test", "acme.test",
		"evilhooks.acme.test.hostile.test"} {
		b.names.set(name, "8.8.8.8")
	}
	patch := func(hosts string) reply {
		return b.as(b.token, "PATCH", "/settings/tenant", `{"settings":{"callback_hosts":`+hosts+`}}`)
	}
	patch(`["https://hooks.acme.test/"]`).is(t, "an address for a host", 422, "validation_failed")
	patch(`["Hooks.acme.test","*.partner.test"]`).is(t, "two hosts", 200, "")
	connector := "/connectors/" + b.call("POST", "/connectors", map[string]any{"name": "C", "type": "scim2",
		"connection":  map[string]any{"base_url": b.opened.URL},
		"credentials": map[string]any{"bearer_token": "CANARY-x"}}, 201)["id"].(string)
	sync := func(host string) reply {
		return b.as(b.token, "POST", connector+"/sync", `{"callback_url":"https://`+host+`/run"}`)
	}
	for _, host := range []string{"other.acme.test", "acme.test", "evilhooks.acme.test.hostile.test"} {
		got := sync(host).is(t, host, 422, "destination_not_allowed")
		if !strings.Contains(got.raw, "callback_hosts") || !strings.Contains(got.raw, host) {
			t.Errorf("%s: the error names neither the setting nor the host: %s", host, got.raw)
		}
	}
	sync("HOOKS.acme.test").is(t, "an allowed host", 202, "")
	patch(`null`).is(t, "no list", 200, "")
}
