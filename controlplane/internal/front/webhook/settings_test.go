package webhook

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/front/webhook/subscription"
	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
)

const address = "http://127.0.0.1:9999/hook"

func TestAWebhookIsMadeReadChangedAndDeleted(t *testing.T) {
	h := open(t)
	owner := subscription.NewID()
	h.exec(`insert into app_user (tenant_id, id, email) values (current_tenant(), $1, 'o@acme.test')`, owner)
	made := h.call("admin", "POST", "", map[string]any{
		"name":    "tickets",
		"url":     address,
		"events":  []string{"request.approved", "sync.held"},
		"headers": map[string]string{"X-Key": "CANARY-header"},
		"filter": map[string]any{
			"match": "all",
			"rules": []any{map[string]any{"field": "status", "op": "eq", "value": "active"}},
		},
		"max_rps":   5,
		"format":    "cloudevents",
		"owner_ids": []string{owner},
	}, 201)
	id := made["id"].(string)
	if secret := made["secret"].(string); !strings.HasPrefix(secret, "whsec_") || len(secret) != len("whsec_")+44 {
		t.Errorf("secret %q is not 32 bytes as whsec_", secret)
	}
	read := h.call("auditor", "GET", "/"+id, nil, 200)
	if _, shown := read["secret"]; shown || read["enabled"] != true || read["api_version"] != "v1" ||
		read["max_rps"] != 5.0 ||
		!cmp.Equal(read["header_names"], []any{"X-Key"}) ||
		read["health"].(map[string]any)["state"] != "ok" ||
		len(read["secrets"].([]any)) != 1 {
		t.Errorf("read %v", read)
	}
	list := h.call("auditor", "GET", "?enabled=true", nil, 200)
	if list["total"] != 1.0 || list["items"].([]any)[0].(map[string]any)["id"] != id {
		t.Errorf("list %v", list)
	}
	status, _, _ := h.do("admin", "PATCH", "/"+id, map[string]any{"name": "x"}, http.Header{"If-Match": {`"7"`}})
	if status != 412 {
		t.Errorf("a change with an old ETag = %d; want 412", status)
	}
	changed := h.call(
		"admin",
		"PATCH",
		"/"+id,
		`{"name":"new name","filter":null,"max_rps":null,"events":["agent.online"],"headers":{"X-Other":"v"},"ordered_per_subject":true}`,
		200,
	)
	if changed["filter"] != nil || changed["max_rps"] != nil || changed["version"] != 2.0 ||
		changed["name"] != "new name" ||
		!cmp.Equal(changed["header_names"], []any{"X-Key", "X-Other"}) ||
		changed["ordered_per_subject"] != true {
		t.Errorf("changed %v", changed)
	}
	if h.call("admin", "PATCH", "/"+id, `{"name":"new name"}`, 200)["version"] != 2.0 {
		t.Error("a change of nothing made a new version")
	}
	if n := h.count(
		`select count(*) from event_wish where kind = 'agent.online'`,
	); n != 1 ||
		h.count(`select count(*) from event_wish`) != 1 {
		t.Error("events are not wanted as the webhook wants them")
	}
	h.call("admin", "DELETE", "/"+id, nil, 204)
	h.call("admin", "GET", "/"+id, nil, 404)
	if n := h.count(`select (select count(*) from event_wish) + (select count(*) from webhook_secret)`); n != 0 {
		t.Errorf("%d rows stayed of a deleted webhook", n)
	}
	if diff := cmp.Diff([]string{"webhook.created", "webhook.updated", "webhook.deleted"}, h.actions()); diff != "" {
		t.Error(diff)
	}
}

func TestOnlyAdministratorsChangeWebhooksAndOnlyTheirOwn(t *testing.T) {
	h := open(t)
	id, _ := h.hook(address, nil)
	for _, as := range []string{"auditor", "manager", "resource_owner"} {
		for _, path := range []string{"", "/" + id + "/test", "/" + id + "/rotate-secret", "/" + id + "/enable", "/" +
			id + "/disable", "/" + id + "/replay"} {
			h.call(as, "POST", path, map[string]any{}, 403)
		}
		h.call(as, "PATCH", "/"+id, map[string]any{}, 403)
		h.call(as, "DELETE", "/"+id, nil, 403)
	}
	h.call("manager", "GET", "", nil, 403)
	for _, path := range []string{"", "/deliveries", "/deliveries/" + subscription.NewID()} {
		h.call("other", "GET", "/"+id+path, nil, 404)
	}
	for path, body := range map[string]any{"/test": nil, "/rotate-secret": nil, "/enable": nil, "/disable": nil,
		"/deliveries/" + subscription.NewID() + "/redeliver": nil,
		"/replay": map[string]any{"from": "2999-01-01T00:00:00Z",
			"to": "2999-01-02T00:00:00Z"}} {
		h.call("other", "POST", "/"+id+path, body, 404)
	}
	h.call("other", "PATCH", "/"+id, map[string]any{"name": "x"}, 404)
	h.call("other", "DELETE", "/"+id, nil, 404)
	if list := h.call("other", "GET", "", nil, 200); list["total"] != 0.0 {
		t.Errorf("another tenant sees %v", list)
	}
}

func TestAddressesThatMustNotBeCalledAreRefusedWhenTheyAreSaved(t *testing.T) {
	h := open(t)
	id, _ := h.hook(address, nil)
	for _, url := range []string{
		"https://10.0.0.1/", "https://169.254.169.254/latest", "https://[::ffff:7f00:1]/", "https://[::1%25lo]/",
		"https://2130706433/", "https://0x7f.1/",
		"https://017700000001/", "https://127.1/", "HTTPS://8.8.8.8/", "ftp://8.8.8.8/", "file:///etc/passwd",
		"gopher://8.8.8.8/", "ldap://8.8.8.8/", "http://8.8.8.8/",
		"https://a:b@8.8.8.8/", "https://a@b@127.0.0.1/", "https://8.8.8.8/#x", "https://①②⑦.0.0.1/",
		"https://8.8.8.8/\tx", "https://8.8.8.8:22/", "https://[64:ff9b::7f00:1]/",
		"https://[2002:7f00:1::]/", "https://[fd00:ec2::254]/", "https://100.100.100.200/", "https://168.63.129.16/",
		"https://192.0.0.192/", "https://" + strings.Repeat("a", 2100) + "/",
		"https://no-such-host.invalid/", "/hook", "https:8.8.8.8",
	} {
		for _, try := range []struct{ method, path string }{{"POST", ""}, {"PATCH", "/" + id}} {
			body := map[string]any{"url": url}
			if try.method == "POST" {
				body["name"], body["events"] = "n"+subscription.NewID(), []string{"agent.online"}
			}
			status, out, _ := h.do("admin", try.method, try.path, body, nil)
			if code := out["code"]; status != 422 || code != "destination_not_allowed" && code != "validation_failed" {
				t.Errorf("%s %.60q = %d %v; want 422 destination_not_allowed", try.method, url, status, out["code"])
			}
		}
	}
	if read := h.call("admin", "GET", "/"+id, nil, 200); read["url"] != address {
		t.Errorf("the URL became %v", read["url"])
	}
}

func TestWhatCannotBeUsedIsRefused(t *testing.T) {
	h := open(t)
	h.hook(address, map[string]any{"name": "Taken"})
	good := func() map[string]any {
		return map[string]any{"name": "n", "url": address, "events": []any{"agent.online"}}
	}
	rule := func(field, op string, value any) map[string]any {
		return map[string]any{"match": "all", "rules": []any{map[string]any{"field": field, "op": op, "value": value}}}
	}
	for name, bad := range map[string]struct {
		member string
		value  any
		status int
	}{
		"no events":            {"events", []any{}, 422},
		"unknown event":        {"events", []any{"identity.*"}, 422},
		"event twice":          {"events", []any{"agent.online", "agent.online"}, 422},
		"the test's own event": {"events", []any{"webhook.ping"}, 422},
		"taken name":           {"name", "taken", 409},
		"blank name":           {"name", "  ", 422},
		"format":               {"format", "xml", 422},
		"rate":                 {"max_rps", 0, 422},
		"host header":          {"headers", map[string]any{"host": "x"}, 422},
		"signature header":     {"headers", map[string]any{"Webhook-Signature": "x"}, 422},
		"our header":           {"headers", map[string]any{"grantwright-attempt": "9"}, 422},
		"split header":         {"headers", map[string]any{"X-A": "x\r\nX-B: y"}, 422},
		"header name":          {"headers", map[string]any{"X A": "x"}, 422},
		"operator":             {"filter", rule("status", "like", "x"), 422},
		"field":                {"filter", rule("status;", "eq", "x"), 422},
		"value":                {"filter", rule("status", "in", "x"), 422},
		"match":                {"filter", map[string]any{"match": "some", "rules": []any{}}, 422},
		"no rules":             {"filter", map[string]any{"match": "all", "rules": []any{}}, 422},
		"unknown member":       {"verify_tls", false, 422},
		"owner":                {"owner_ids", []any{"me"}, 422},
		"unknown owner":        {"owner_ids", []any{subscription.NewID()}, 422},
		"secret":               {"secret", "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", 422},
		"secrets":              {"secrets", []any{}, 422},
		"health":               {"health", map[string]any{}, 422},
		"id":                   {"id", subscription.NewID(), 422},
		"tenant":               {"tenant_id", h.other.Tenant, 422},
		"version":              {"version", 3, 422},
	} {
		body := good()
		body[bad.member] = bad.value
		if status, out, _ := h.do("admin", "POST", "", body, nil); status != bad.status {
			t.Errorf("%s: %d %v; want %d", name, status, out, bad.status)
		}
	}
	if list := h.call("admin", "GET", "", nil, 200); list["total"] != 1.0 {
		t.Errorf("%v webhooks; want the first alone", list["total"])
	}
}

func TestHeadersAreNotSentToAnotherAddressUnlessTheyAreGivenAgain(t *testing.T) {
	h := open(t)
	id, _ := h.hook(address, map[string]any{"headers": map[string]string{"X-Key": "one", "X-Two": "two"}})
	for _, try := range []struct {
		body string
		want int
	}{
		{`{"url":"http://127.0.0.1:9998/"}`, 422},
		{`{"url":"http://127.0.0.1:9998/","headers":{"x-key":"again"}}`, 422},
		{`{"url":"http://127.0.0.1:9999/other"}`, 200},
		{`{"url":"http://127.0.0.1:9998/","headers":{"x-key":"again","X-Two":null}}`, 200},
	} {
		h.call("admin", "PATCH", "/"+id, try.body, try.want)
	}
	if read := h.call("admin", "GET", "/"+id, nil, 200); !cmp.Equal(read["header_names"], []any{"x-key"}) {
		t.Errorf("headers %v", read["header_names"])
	}
}

func TestTheKindsOfEventAreListed(t *testing.T) {
	h := open(t)
	list := h.call("auditor", "GET", "/event-types", nil, 200)
	var names []string
	for _, item := range list["items"].([]any) {
		if m := item.(map[string]any); m["opt_in"] == false {
			names = append(names, m["type"].(string))
		}
	}
	if len(names) != 9 || !slices.Contains(names, string(event.CertificationCompleted)) {
		t.Errorf("kinds %v", names)
	}
}

func TestListsArePagedByCursor(t *testing.T) {
	h := open(t)
	for range 5 {
		h.hook(address, nil)
	}
	seen := map[string]bool{}
	path := "?limit=2"
	for {
		list := h.call("admin", "GET", path, nil, 200)
		for _, item := range list["items"].([]any) {
			seen[item.(map[string]any)["id"].(string)] = true
		}
		next, more := list["next_cursor"].(string)
		if !more {
			break
		}
		path = "?limit=2&cursor=" + next
	}
	if len(seen) != 5 {
		t.Errorf("saw %d webhooks; want 5", len(seen))
	}
}
