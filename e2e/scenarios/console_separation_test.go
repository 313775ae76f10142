package scenarios

import (
	"net/url"

	"github.com/grantwright/grantwright/e2e/harness"
)

// apart makes duties and policies that keep them apart, all of which prevent nothing, and waits for a violation: the
// role of the manager's report gives both sides of one policy.
func (s *scene) apart() {
	s.t.Helper()
	duties := map[string]string{}
	for name, member := range map[string]map[string]any{
		"Keep the library":   {"kind": "entitlement", "entitlement_id": s.things["Library"]},
		"Write for the site": {"kind": "entitlement", "entitlement_id": s.things["Editors"]},
		"Run the payroll":    {"kind": "entitlement", "entitlement_id": s.things["Payroll"]},
		"Open the vault":     {"kind": "entitlement", "entitlement_id": s.things["Vault"]},
		"Maintain vendors": {"kind": "external", "connector_id": s.IDs["staff"],
			"external_id": "cn=Vendors,ou=groups"}, // which no sync run has read
	} {
		duties[name] = s.post("/policies/duties", map[string]any{
			"name":    name,
			"process": "Purchase to pay",
			"all_of":  []any{map[string]any{"members": []any{member}}},
		})
	}
	s.name("duty", duties["Keep the library"], "Keep the library")
	policy := func(name, kind, mode, severity string, more map[string]any, sides ...string) string {
		list := []any{}
		for _, side := range sides {
			list = append(list, map[string]any{"label": side, "duty_ids": []string{duties[side]}})
		}
		body := map[string]any{
			"name": name, "kind": kind, "mode": mode, "severity": severity, "sides": list,
			"context":     map[string]any{"same_environment": false},
			"remediation": "Ask the head of the department which of the two the person needs.",
		}
		for field, value := range more {
			body[field] = value
		}
		return s.post("/policies/separation-of-duties", body)
	}
	name := "Library and web site"
	s.name("separation", policy(name, "pair", "shadow", "high", nil, "Keep the library", "Write for the site"), name)
	name = "Vendors and payments"
	s.name("separationBlind", policy(name, "pair", "shadow", "critical", nil, "Maintain vendors", "Run the payroll"),
		name)
	name = "Duties of the treasury"
	s.name("separationMatrix", policy(name, "matrix", "draft", "medium", map[string]any{
		"matrix": map[string]any{"conflicts": [][]int{{0, 1}, {0, 3}, {1, 2}}},
	}, "Run the payroll", "Open the vault", "Keep the library", "Write for the site"), name)
	// The scan after a change of policies waits for further changes; one that is asked for does not.
	s.post("/policies/separation-of-duties/scan", nil)
	harness.Eventually(s.t, "a violation of "+s.Names["separation"], func() bool {
		found := harness.All[struct{ ID string }](s.House, s.admin, "/policies/violations",
			url.Values{"policy_id": {s.IDs["separation"]}, "identity_id": {s.IDs["report"]}})
		if len(found) == 1 {
			s.name("violation", found[0].ID, s.Names["separation"])
		}
		return len(found) == 1
	}, nil)
}
