package policy_test

import (
	"testing"
)

// TestAPolicyAssignsWhateverHasATag: an entitlement that gets the tag later, or comes with it, is assigned by itself, and
// one that loses it is no more. The breaker stops a tag that would change more than it allows.
func TestAPolicyAssignsWhateverHasATag(t *testing.T) {
	h := open(t)
	ann := h.hire("ann", "Finance")
	h.hire("bob", "Sales")
	h.Exec(`update entitlement set compliance_tags = '{SOX}' where id = $1`, h.groups[0])
	h.Exec(`update entitlement set duty_tags = '{SOX}', grantable = false where id = $1`, h.groups[1])
	body := map[string]any{
		"name":    "By tag",
		"mode":    "enforce",
		"subject": about("department", "eq", "Finance"),
		"resources": map[string]any{
			"tags": []string{" SOX", "SOX"},
		},
		"lifecycle":       map[string]any{"on_no_match": "end_now"},
		"circuit_breaker": map[string]any{"max_changes": 1, "window": "PT1H"},
	}
	plan := h.Must(200, "admin", "POST", "/policies/access-grant/simulate", body).Body
	if plan["grants_added"] != 1.0 {
		t.Errorf("the simulation adds %v", plan["grants_added"])
	}
	made := h.Must(201, "admin", "POST", "/policies/access-grant?confirm="+plan["plan_hash"].(string), body)
	if got := made.Body["resources"].(map[string]any); len(got["tags"].([]any)) != 1 ||
		len(got["entitlement_ids"].([]any)) != 0 {
		t.Errorf("stored are the resources %v", got)
	}
	at := "/policies/access-grant/" + made.Text("id")
	holds := func(want string) {
		t.Helper()
		h.settle()
		got := h.Strings(
			`select string_agg(e.name, ' ' order by e.name) from access_reason r join entitlement e on e.id = r.entitlement_id
			where r.identity_id = $1 and r.state = 'active' and r.ends_at is null`,
			ann,
		)
		if len(got) != 1 || got[0] != want {
			t.Errorf("ann holds %v; want %s", got, want)
		}
	}
	holds("group-0")
	// One that comes with the tag, as a sync run writes it.
	fresh := h.Entitlement(h.system, "group-9")
	h.Exec(`update entitlement set compliance_tags = '{PCI,SOX}' where id = $1`, fresh)
	holds("group-0 group-9")
	if n := h.Count(`select count(*) from access_reason where state = 'active'`); n != 2 {
		t.Errorf("%d reasons", n)
	}
	// A second change within the hour is beyond the breaker.
	h.Exec(`update entitlement set compliance_tags = '{SOX}' where id = $1`, h.groups[2])
	holds("group-0 group-9")
	if h.Must(200, "admin", "GET", at, nil).Body["tripped_at"] == nil {
		t.Error("the breaker did not stop the tag")
	}
	h.Must(200, "admin", "POST", at+"/breaker/reset", map[string]any{"accept": true})
	holds("group-0 group-2 group-9")
	h.Must(200, "admin", "PATCH", at+"?confirm=any", map[string]any{"circuit_breaker": nil})
	h.Exec(`update entitlement set compliance_tags = '{}' where id = $1`, fresh)
	holds("group-0 group-2")
	h.Exec(`update entitlement set grantable = true where id = $1`, h.groups[1])
	holds("group-0 group-1 group-2")
}

// TestARequirementOfATagThatNothingHasIsForNobody: it must not become one for everybody. A denial by tag denies.
func TestARequirementOfATagThatNothingHasIsForNobody(t *testing.T) {
	h := open(t)
	ann := h.hire("ann", "Finance")
	h.Must(
		201,
		"admin",
		"POST",
		"/policies/access-grant",
		map[string]any{
			"name":        "Trained",
			"mode":        "enforce",
			"effect":      "require",
			"subject":     everybody,
			"resources":   map[string]any{"tags": []string{"SOX"}},
			"constraints": map[string]any{"needs_training": "SOX"},
		},
	)
	h.settle()
	if n := h.Count(`select count(*) from requirement_gap`); n != 0 {
		t.Errorf("%d gaps, though nothing has the tag", n)
	}
	h.Exec(
		`insert into access_reason (tenant_id, id, identity_id, connector_id, entitlement_id, effect, kind, source_type,
		source_id, state) values (current_tenant(), gen_random_uuid(), $1, $2, $3, 'allow', 'manual', 'manual', gen_random_uuid(), 'active')`,
		ann,
		h.system,
		h.groups[0],
	)
	h.Exec(`update entitlement set duty_tags = '{SOX}' where id = $1`, h.groups[0])
	h.settle()
	if n := h.Count(`select count(*) from requirement_gap where state = 'open' and identity_id = $1`, ann); n != 1 {
		t.Errorf("%d gaps of ann", n)
	}
	h.Must(201, "admin", "POST", "/policies/access-grant?confirm=any", map[string]any{"name": "Never", "effect": "deny",
		"subject": everybody, "resources": map[string]any{"tags": []string{"SOX"}}})
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		"/policies/access-grant",
		map[string]any{"name": "None", "subject": everybody,
			"resources": map[string]any{"tags": []string{""}}},
	)
}
