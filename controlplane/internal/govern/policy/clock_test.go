package policy_test

import (
	"testing"
	"time"
)

// TestDaysAreCountedByTheTenantsCalendar across the change of the clocks on 31 October 2027 in Zurich.
func TestDaysAreCountedByTheTenantsCalendar(t *testing.T) {
	h := open(t)
	h.at = time.Date(2027, 10, 25, 10, 0, 0, 0, time.UTC)
	h.Exec(
		`insert into lifecycle_policy (tenant_id, timezone, pre_hire_lead, mover_grace) values (current_tenant(),
			'Europe/Zurich', '72 hours', '240 hours')`,
	)
	usual, own := h.rule(
		"usual",
		about("department", "eq", "Sales"),
		h.groups[0],
	), h.rule(
		"own",
		about("department", "eq", "Sales"),
		h.groups[1],
	)
	usual["lifecycle"] = map[string]any{"on_no_match": "grace"}
	own["lifecycle"] = map[string]any{"lead_time": "P3D", "on_no_match": "grace", "grace": "P10D"}
	h.enforce(usual)
	h.enforce(own)
	ann := h.hire("ann", "Sales", "start_date", "2027-11-02")
	bob := h.hire("bob", "Sales")
	h.settle()
	begins := `select (starts_at at time zone 'Europe/Zurich')::text from access_reason where identity_id = $1
		order by 1`
	for _, got := range h.Strings(begins, ann) {
		if got != "2027-10-30 00:00:00" {
			t.Errorf("three days before 2 November it is %s; want midnight of 30 October", got)
		}
	}
	h.patch(bob, map[string]any{"department": "IT"})
	h.settle()
	all := h.Strings(
		`select (ends_at at time zone 'Europe/Zurich')::text from access_reason where identity_id = $1
			and state = 'active' order by 1`,
		bob,
	)
	if len(all) != 2 {
		t.Fatalf("%d reasons end after a grace; want 2", len(all))
	}
	for _, got := range all {
		if got != "2027-11-04 12:00:00" {
			t.Errorf("ten days after 25 October at noon it is %s", got)
		}
	}
}
