package approval_test

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
)

// A delegate approves the requests that a limited delegation covers. The delegator approves the others.
func TestALimitedDelegationCoversSomeRequests(t *testing.T) {
	h := open(t)
	h.rule("Manager", askManager)
	other := h.Person("otto", h.lead)
	h.Exec(`update identity set department = 'Finance' where id = $1`, h.ada)
	h.Exec(`update identity set department = 'Sales' where id = $1`, other)
	h.Exec(`update entitlement set risk_level = 'high' where id = $1`, h.group)
	by := func(id string) approval.Subject {
		return h.subject(func(s *approval.Subject) { s.BeneficiaryID, s.RequesterID = id, id })
	}
	h.delegate(h.lead, h.olga)
	for _, tt := range []struct{ name, limit, ada, otto string }{
		{"no limit", `kinds = '{}'`, "1 of olga (delegate)", "1 of olga (delegate)"},
		{"another kind", `kinds = '{sync_hold}'`, "1 of lead", "1 of lead"},
		{"its system", `system_ids = array[(select connector_id from entitlement limit 1)]`, "1 of olga (delegate)",
			"1 of olga (delegate)"},
		{"another system", `system_ids = array[gen_random_uuid()]`, "1 of lead", "1 of lead"},
		{"its risk", `risk_levels = '{high}'`, "1 of olga (delegate)", "1 of olga (delegate)"},
		{"another risk", `risk_levels = '{low}'`, "1 of lead", "1 of lead"},
		{"a department", `condition = '{"field": "department", "op": "eq", "value": "Finance"}'`,
			"1 of olga (delegate)", "1 of lead"},
		{"people below a manager", `condition = jsonb_build_object('field', 'manager', 'op', 'in_tree', 'value',
			(select id from identity where external_id = 'lead'))`, "1 of olga (delegate)", "1 of olga (delegate)"},
		{"people below another manager", `condition = jsonb_build_object('field', 'manager', 'op', 'in_tree', 'value',
			(select id from identity where external_id = 'olga'))`, "1 of lead", "1 of lead"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h.T = t
			h.Exec(
				`update decision_delegation set kinds = '{}', system_ids = '{}', risk_levels = '{}', condition = null`,
			)
			h.Exec(`update decision_delegation set ` + tt.limit)
			h.expect(by(h.ada), tt.ada)
			h.expect(by(other), tt.otto)
		})
	}
	h.Exec(`update identity set status = 'on_leave' where id = $1`, h.lead)
	h.Exec(`update decision_delegation set system_ids = '{}', risk_levels = '{}', kinds = '{}',
		condition = '{"field": "department", "op": "eq", "value": "Finance"}'`)
	h.expect(by(h.ada), "1 of olga (delegate)")
	h.expect(by(other), "1 of administrators (fallback)")
}
