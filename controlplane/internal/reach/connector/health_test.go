package connector_test

import (
	"fmt"
	"testing"
)

// TestHealthIsTheWorseOfReadingAndWriting and the list is narrowed by it.
func TestHealthIsTheWorseOfReadingAndWriting(t *testing.T) {
	h := open(t)
	a, b := h.made(ldapPayload("A")), h.made(ldapPayload("B"))
	for _, path := range []string{a, b} {
		h.ran(path, "succeeded", "")
	}
	of := func(path string) string {
		t.Helper()
		health := h.want(200, h.call("admin", "GET", path, nil)).body["health"].(map[string]any)
		part := func(name string) any { return health[name].(map[string]any)["state"] }
		return fmt.Sprint(part("reading"), " ", part("writing"), " ", health["overall"])
	}
	listed := func(states string) string {
		t.Helper()
		answer := h.want(200, h.call("admin", "GET", "/connectors?sort=name&health="+states, nil)).body
		names := ""
		for _, item := range answer["items"].([]any) {
			names += item.(map[string]any)["name"].(string)
		}
		if int(answer["total"].(float64)) != len(answer["items"].([]any)) {
			t.Errorf("health=%s: total %v of %d", states, answer["total"], len(answer["items"].([]any)))
		}
		return names
	}
	expect := func(step, healthA string, lists map[string]string) {
		t.Helper()
		if got := of(a); got != healthA {
			t.Errorf("%s: %s; want %s", step, got, healthA)
		}
		for states, want := range lists {
			if got := listed(states); got != want {
				t.Errorf("%s: health=%s lists %q; want %q", step, states, got, want)
			}
		}
	}
	expect(
		"both work",
		"healthy healthy healthy",
		map[string]string{"healthy": "AB", "stopped": "", "stopped,failing": ""},
	)
	h.exec(
		`insert into connector_provisioning (tenant_id, connector_id, write_mode, breaker_open_since, breaker_reason)
			values (current_tenant(), $1, 'auto', now(), 'ten failed')`,
		id(a),
	)
	expect(
		"the breaker is open",
		"healthy stopped stopped",
		map[string]string{"healthy": "B", "stopped": "A", "healthy,stopped": "AB"},
	)
	h.ran(a, "failed", "no route")
	expect("reading fails, too", "failing stopped stopped", map[string]string{"stopped": "A", "failing": ""})
	h.exec(`update connector_provisioning set breaker_open_since = null`)
	expect(
		"the breaker was reset",
		"failing healthy failing",
		map[string]string{"failing": "A", "stopped": "", "healthy": "B"},
	)
	h.exec(`update connector_provisioning set write_mode = 'off'`)
	h.ran(a, "succeeded", "")
	expect("nothing is written", "healthy off healthy", map[string]string{"healthy": "AB"})
	h.exec(`update connector set status = 'paused' where id = $1`, id(a))
	expect("it is paused", "paused off paused", map[string]string{"paused": "A", "healthy": "B"})
	h.want(400, h.call("admin", "GET", "/connectors?health=fine", nil))
}
