package app_test

import (
	"strings"
	"testing"
)

func TestATransformIsTriedOutOverSamples(t *testing.T) {
	s := newSite(t)
	got := s.send("POST", "/api/v1/connectors/transforms/validate", s.token, `{
		"expression": "value.split('@')[0].replace('.', ' ').title() + f\" ({record['id']})\"",
		"samples": [{"value": "jane.doe@acme.test", "record": {"id": 9007199254740993, "status": "x"}}, {"value": null, "record": {"id": 1}}, {}]}`)
	if got.status != 200 || got.body["valid"] != true || got.body["error"] != nil {
		t.Fatalf("validate = %d %s", got.status, got.raw)
	}
	results := got.body["results"].([]any)
	if len(results) != 3 || results[0].(map[string]any)["value"] != "Jane Doe (9007199254740993)" ||
		results[0].(map[string]any)["error"] != nil {
		t.Errorf("results = %v", results)
	}
	want := "AttributeError: 'NoneType' object has no attribute 'split' (line 1, column 7); the value is None; ask first"
	if message, _ := results[1].(map[string]any)["error"].(string); !strings.HasPrefix(message, want) {
		t.Errorf("error = %q; want %q …", message, want)
	}
	got = s.send(
		"POST",
		"/api/v1/connectors/transforms/validate",
		s.token,
		`{"expression": "open('/etc/passwd').read()", "samples": [{"value": 1}]}`,
	)
	detail, _ := got.body["error_detail"].(map[string]any)
	if got.status != 200 || got.body["valid"] != false || detail["code"] != "not_allowed" || detail["column"] != 1.0 ||
		len(got.body["results"].([]any)) != 1 {
		t.Errorf("validate = %d %s", got.status, got.raw)
	}
	got = s.send(
		"POST",
		"/api/v1/connectors/transforms/validate",
		s.token,
		`{"expression": "value", "samples": [{"record": 5}], "more": 1}`,
	)
	if got.status != 422 {
		t.Errorf("a record that is a number, and an unknown member = %d %s; want 422", got.status, got.raw)
	}
	got = s.send(
		"POST",
		"/api/v1/connectors/transforms/validate",
		s.token,
		`{"expression": "value", "samples": [`+strings.Repeat(`{},`, 100)+`{}]}`,
	)
	if got.status != 422 {
		t.Errorf("101 samples = %d; want 422", got.status)
	}
}

func TestBombsOfOneTenantLeaveTheServiceAlive(t *testing.T) {
	s := newSite(t)
	for expression, code := range map[string]string{
		`'a'*(1<<29)`: "memory_limit", `list(range(1<<62))`: "memory_limit", `max(range(1<<40))`: "step_limit",
		`[[0]*10000 for _ in range(9000)]`: "memory_limit",
		`(lambda f: f(f))(lambda f: f(f))`: "nesting_limit",
	} {
		got := s.call(
			"POST",
			"/connectors/transforms/validate",
			map[string]any{"expression": expression, "samples": []any{map[string]any{"value": 1}}},
			200,
		)
		result := got["results"].([]any)[0].(map[string]any)
		if detail, _ := result["error_detail"].(map[string]any); got["valid"] != true || detail["code"] != code {
			t.Errorf("%s = %v; want %s", expression, got, code)
		}
	}
}
