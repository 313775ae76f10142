package separation_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationtest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/access"
)

func TestPoliciesAndDutiesCountTheirViolations(t *testing.T) {
	w := separationtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		return (&separation.Service{DB: db, Cursors: cursors, Now: time.Now}).Routes()
	})
	w.Duty("Audit", "AUDIT")
	id := w.Policy("Vendors and payments", "shadow", "block", "Maintain vendors", "Pay")
	second := w.Policy("Audit and payments", "shadow", "block", "Audit", "Pay")
	for policy, states := range map[string][]string{id: {"open", "open", "false_positive", "remediated"}, second: {"open"}} {
		for i, state := range states {
			w.Exec(`insert into violation (tenant_id, id, policy_id, policy_version, identity_id, severity, grade,
				fingerprint, entitlement_ids, detected_by, conflict, state)
				values (current_tenant(), $1, $2, 1, $3, 'high', 'potential', '', '{}', 'scan', '{}', $4)`,
				separationtest.NewID(), policy, w.Person(fmt.Sprint(policy, i), ""), state)
		}
	}
	for age, request := range map[string]string{"1 day": separationtest.NewID(), "31 days": separationtest.NewID()} {
		w.Exec(`insert into separation_shadow_block (tenant_id, policy_id, request_id, at)
			values (current_tenant(), $1, $2, now() - $3::text::interval)`, id, request, age)
	}
	want := "map[false_positive:1 mitigated:0 open:2 would_block_30d:1]"
	got := w.Must(200, "admin", "GET", "/policies/separation-of-duties/"+id, nil).Body["stats"]
	if fmt.Sprint(got) != want {
		t.Errorf("the policy has %v; want %s", got, want)
	}
	all := w.Must(200, "admin", "GET", "/policies/separation-of-duties?sort=-name", nil).Items()
	if len(all) != 2 || fmt.Sprint(all[0]["stats"]) != want {
		t.Errorf("the list has %v; want %s first", all, want)
	}
	for duty, want := range map[string]float64{"Pay": 3, "Audit": 1, "Maintain vendors": 2} {
		got := w.Must(200, "admin", "GET", "/policies/duties/"+w.Duties[duty], nil).Body["open_violation_count"]
		if got != want {
			t.Errorf("%s has %v open violations; want %v", duty, got, want)
		}
	}
}

func TestDirectGrantThatViolatesAnEnforcedPolicyIsRefused(t *testing.T) {
	w := separationtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		return (&access.Service{DB: db, Cursors: cursors, Now: time.Now, Admit: separation.AdmitGrant}).Routes()
	})
	order := func(group string) map[string]any {
		return map[string]any{"identity_id": w.Ann, "entitlement_id": w.Groups[group], "justification": "needed"}
	}
	w.Grants("VENDOR-EDIT")
	w.Policy("Shadow", "shadow", "block", "Maintain vendors", "Pay")
	w.Must(202, "admin", "POST", "/entitlements/grants", order("AUDIT"))
	w.Policy("Vendors and payments", "enforce", "block", "Maintain vendors", "Pay")
	a := w.Refused(409, "separation_of_duties", "admin", "POST", "/entitlements/grants", order("FINANCE"))
	if !strings.Contains(a.Text("detail"), "VENDOR-EDIT; FINANCE") {
		t.Errorf("%q does not say the way out", a.Text("detail"))
	}
	if n := w.Count(`select count(*) from access_reason where entitlement_id = $1`, w.Groups["FINANCE"]); n != 0 {
		t.Errorf("%d reasons for what was refused", n)
	}
	w.Exec(
		`update separation_policy set version = version + 1, effects = '{"on_request": "block", "on_assign": "record"}'`,
	)
	w.Must(202, "admin", "POST", "/entitlements/grants", order("FINANCE"))
}

// An assignment asks no approver: access that needs an exception is requested.
func TestDirectGrantThatNeedsAnExceptionIsRefused(t *testing.T) {
	w := separationtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		return (&access.Service{DB: db, Cursors: cursors, Now: time.Now, Admit: separation.AdmitGrant}).Routes()
	})
	order := map[string]any{"identity_id": w.Ann, "entitlement_id": w.Groups["FINANCE"], "justification": "needed"}
	w.Grants("VENDOR-EDIT")
	policy := w.Policy("Vendors and payments", "enforce", "exception", "Maintain vendors", "Pay")
	a := w.Refused(409, "exception_required", "admin", "POST", "/entitlements/grants", order)
	if !strings.Contains(a.Text("detail"), "Submit an access request") {
		t.Errorf("%q does not say what to do", a.Text("detail"))
	}
	w.Except(policy, "fulfilled", "VENDOR-EDIT", "PAY-RUN")
	w.Must(202, "admin", "POST", "/entitlements/grants", order)
}
