package connector_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAVendorsConnectorTakesItsFewSettingsAndCallsItsEngineWithAll(t *testing.T) {
	h := open(t)
	payload := object{
		"type": "vendor", "vendor_key": "okta", "name": "Okta",
		"connection": object{"org_url": "https://acme.okta.com/"}, "credentials": object{"api_token": canary},
	}
	path := h.made(payload)
	shown := h.want(200, h.call("admin", "GET", path, nil))
	if shown.body["type"] != "vendor" || shown.body["vendor_key"] != "okta" {
		t.Errorf("shown as %v %v", shown.body["type"], shown.body["vendor_key"])
	}
	o := h.opened(path)
	if o.Target.Type != "rest" || o.Auth["base_url"] != "https://acme.okta.com/api/v1" ||
		o.Auth["bearer_token"] != canary ||
		o.Auth["streams"] == nil {
		t.Errorf("opened as %s with %v", o.Target.Type, o.Auth["base_url"])
	}
	moved := h.call("admin", "PATCH", path, object{"connection": object{"org_url": "https://evil.example.com"}})
	if diff := cmp.Diff(
		map[string]string{"#/credentials/api_token": "credentials_required"},
		moved.pointers(),
	); moved.status != 422 ||
		diff != "" {
		t.Errorf("another address: %d\n%s", moved.status, diff)
	}
	h.noCanary()
}

func TestAVendorThatNobodyKnowsIsRefusedWithTheOnesThereAre(t *testing.T) {
	h := open(t)
	for _, tt := range []struct {
		payload object
		at      string
	}{
		{object{"type": "vendor", "name": "x"}, "#/vendor_key"},
		{object{"type": "vendor", "vendor_key": "punch-cards", "name": "x"}, "#/vendor_key"},
		{object{"type": "vendor", "vendor_key": "rest", "name": "x"}, "#/vendor_key"},
		{object{"type": "okta", "name": "x"}, "#/type"},
		{object{"type": "rest", "vendor_key": "okta", "name": "x",
			"connection": object{"base_url": "https://x.example.com", "auth_method": "none"}}, "#/vendor_key"},
		{object{"type": "vendor", "vendor_key": "okta", "name": "x", "connection": object{"org_url": "ftp://x"},
			"credentials": object{"api_token": canary}}, "#/connection/org_url"},
	} {
		a := h.call("admin", "POST", "/connectors", tt.payload)
		if _, told := a.pointers()[tt.at]; a.status != 422 || !told {
			t.Errorf("%v: %d %v; want it told at %s", tt.payload, a.status, a.pointers(), tt.at)
		}
	}
}
