package policy_test

import (
	"testing"
	"time"
)

// TestAccessComesAndGoesWithTheScheduleOfItsPolicy across the windows of a week in Zurich, and the end of the period.
func TestAccessComesAndGoesWithTheScheduleOfItsPolicy(t *testing.T) {
	h := open(t)
	h.at = time.Date(2027, 3, 1, 5, 0, 0, 0, time.UTC) // a Monday, 06:00 in Zurich
	h.Exec(`insert into lifecycle_policy (tenant_id, timezone) values (current_tenant(), 'Europe/Zurich')`)
	body := h.rule("shift", about("department", "eq", "Ward"), h.groups[0])
	body["lifecycle"] = map[string]any{"on_no_match": "grace", "grace": "P30D"}
	body["schedule"] = map[string]any{"to": "2027-03-08T09:00:00Z", "weekly": []any{
		map[string]any{"days": []string{"tue", "mon"}, "starts": "07:00", "ends": "19:00"}}}
	id := h.enforce(body)
	always := h.enforce(h.rule("always", about("department", "eq", "Ward"), h.groups[1]))
	ann := h.hire("ann", "Ward")
	h.settle()
	for _, step := range []struct {
		at   string
		want string
	}{
		{"2027-03-01T05:00:00Z", "[group-1]"},
		{"2027-03-01T05:59:00Z", "[group-1]"},
		{"2027-03-01T06:00:00Z", "[group-0 group-1]"},
		{"2027-03-01T17:59:00Z", "[group-0 group-1]"},
		{"2027-03-01T18:00:00Z", "[group-1]"}, // without the grace of 30 days
		{"2027-03-02T08:00:00Z", "[group-0 group-1]"},
		{"2027-03-05T08:00:00Z", "[group-1]"},
		{"2027-03-08T08:00:00Z", "[group-0 group-1]"},
		{"2027-03-08T09:00:00Z", "[group-1]"}, // the period is over
		{"2027-03-09T08:00:00Z", "[group-1]"},
	} {
		at, err := time.Parse(time.RFC3339, step.at)
		if err != nil {
			t.Fatal(err)
		}
		h.at = at
		h.settle()
		if got := h.holds(ann, "active"); got != step.want {
			t.Errorf("at %s: %s; want %s", step.at, got, step.want)
		}
	}
	found := h.Must(200, "admin", "GET", "/policies/access-grant/"+id, nil)
	weekly := found.Body["schedule"].(map[string]any)["weekly"].([]any)[0].(map[string]any)
	if days := weekly["days"].([]any); len(days) != 2 || days[0] != "mon" {
		t.Errorf("the days are stored as %v; want them from Monday", days)
	}
	// The plan of a policy that is closed now is about the times when it applies.
	plan := h.Must(200, "admin", "POST", "/policies/access-grant/"+id+"/simulate", nil)
	if plan.Body["grants_added"] != 1.0 || len(plan.Body["notes"].([]any)) == 0 {
		t.Errorf("simulated outside its schedule: %v", plan.Body)
	}
	h.Must(200, "admin", "PATCH", "/policies/access-grant/"+always, map[string]any{
		"schedule": map[string]any{"from": "2028-01-01T00:00:00Z"}})
	h.settle()
	h.expect(ann, "active", "[]")
	atAllTimes := map[string]any{"schedule": nil}
	asked := h.Refused(409, "confirmation_required", "admin", "PATCH", "/policies/access-grant/"+always, atAllTimes)
	h.Must(200, "admin", "PATCH", "/policies/access-grant/"+always+
		"?confirm="+asked.Body["impact"].(map[string]any)["plan_hash"].(string), atAllTimes)
	h.settle()
	h.expect(ann, "active", "[group-1]")
	h.Refused(422, "validation_failed", "admin", "PATCH", "/policies/access-grant/"+always, map[string]any{
		"schedule": map[string]any{"from": "2028-01-01T00:00:00Z", "to": "2027-01-01T00:00:00Z"}})
}

func TestConstraintsNarrowAnAssignment(t *testing.T) {
	h := open(t)
	body := h.rule("all", everybody, h.groups[0])
	body["constraints"] = map[string]any{"countries": []string{"CH", "DE"}, "needs_training": "GDPR 2026",
		"needs_manager": true, "employment_types": []string{"employee"}}
	id := h.enforce(body)
	boss := h.hire("boss", "Sales", "country", "CH", "employment_type", "employee")
	ann := h.hire("ann", "Sales", "country", "DE", "employment_type", "employee", "manager_external_id", "boss",
		"attributes", map[string]any{"trainings": []string{"gdpr 2026"}})
	bob := h.hire("bob", "Sales", "country", "FR", "employment_type", "employee", "manager_external_id", "boss",
		"attributes", map[string]any{"trainings": []string{"GDPR 2026"}})
	h.settle()
	h.expect(boss, "active", "[]")
	h.expect(ann, "active", "[group-0]")
	h.expect(bob, "active", "[]")
	h.patch(bob, map[string]any{"country": "de"})
	h.patch(ann, map[string]any{"attributes": map[string]any{"trainings": []string{"Fire"}}})
	h.settle()
	h.expect(ann, "active", "[]")
	h.expect(bob, "active", "[group-0]")

	versions := h.Must(200, "admin", "GET", "/policies/access-grant/"+id+"/versions", nil)
	content := versions.Items()[0]["content"].(map[string]any)
	if content["constraints"].(map[string]any)["needs_training"] != "GDPR 2026" {
		t.Errorf("the version has the constraints %v", content["constraints"])
	}
	for _, wrong := range []map[string]any{
		{"constraints": map[string]any{"max_duration": "P30D"}},
		{"constraints": map[string]any{"requires_mfa": true}},
		{"effect": "deny", "birthright": false},
		{"effect": "eligible"},
		{"effect": "eligible", "birthright": false, "circuit_breaker": map[string]any{"max_changes": 5, "window": "PT1H"}},
	} {
		h.Refused(422, "validation_failed", "admin", "PATCH", "/policies/access-grant/"+id, wrong)
	}
}
