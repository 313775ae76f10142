package approval_test

import (
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
)

func TestWithoutRulesTheManagerIsAskedAndTheOwnerOfWhatIsRisky(t *testing.T) {
	h := open(t)
	p := h.expect(h.subject(), "1 of lead")
	if p.Rule.Name != "Built-in rule" ||
		p.Rule.MatchedBecause != "No rule of the tenant is for it; no earlier branch is for this." {
		t.Errorf("rule = %+v", p.Rule)
	}
	if due := p.Stages[0].DueAt; due == nil || !due.Equal(aTuesday.Add(72*time.Hour)) || !p.ExpectedAt.Equal(*due) {
		t.Errorf("due at %v; want Friday at ten", due)
	}
	if !p.Distinct || p.SelfApproval || !p.RequireJustification || p.RequestTTL != "P14D" || !p.Terms.AllowPermanent ||
		p.Blocked {
		t.Errorf("plan = %+v", p)
	}
	h.Exec(
		`update entitlement set risk_level = 'high', max_duration = 'P30D', default_duration = 'P90D' where id = $1`,
		h.group,
	)
	p = h.expect(h.subject(), "1 of lead | 1 of olga")
	if p.Terms.MaxDuration != "P30D" || p.Terms.DefaultDuration != "P30D" || p.Terms.AllowPermanent {
		t.Errorf("terms = %+v; want at most 30 days", p.Terms)
	}
	h.expect(h.subject(func(s *approval.Subject) { s.EntitlementID, s.RoleID = nil, &h.role }), "1 of lead")
	h.Exec(
		`insert into role_entitlement (tenant_id, role_id, entitlement_id) values (current_tenant(), $1, $2)`,
		h.role,
		h.group,
	)
	h.expect(h.subject(func(s *approval.Subject) { s.EntitlementID, s.RoleID = nil, &h.role }), "1 of lead | 1 of olga")
}

func TestWhoCannotOrMayNotDecideIsPassedOver(t *testing.T) {
	for _, tt := range []struct {
		about string
		do    func(h *house, s *approval.Subject)
		want  string
	}{
		{"a manager who has left", func(h *house, _ *approval.Subject) {
			h.Exec(`update identity set status = 'deactivated' where id = $1`, h.lead)
		}, "1 of administrators (fallback) | 1 of olga"},
		{"a manager on leave", func(h *house, _ *approval.Subject) {
			h.Exec(`update identity set status = 'on_leave' where id = $1`, h.lead)
		}, "1 of administrators (fallback) | 1 of olga"},
		{"a manager on leave with a delegate", func(h *house, _ *approval.Subject) {
			h.Exec(`update identity set status = 'on_leave' where id = $1`, h.lead)
			h.delegate(h.lead, h.boss)
		}, "1 of boss (delegate) | 1 of olga"},
		{"a manager whose delegate is the beneficiary",
			func(h *house, _ *approval.Subject) { h.delegate(h.lead, h.ada) }, "1 of lead | 1 of olga"},
		{"a manager on leave whose delegate is the beneficiary", func(h *house, _ *approval.Subject) {
			h.Exec(`update identity set status = 'on_leave' where id = $1`, h.lead)
			h.delegate(h.lead, h.ada)
		}, "1 of administrators (fallback) | 1 of olga"},
		{"a manager who asks", func(h *house, s *approval.Subject) { s.RequesterID = h.lead }, "1 of lead | 1 of olga"},
		{"a manager who asks, and has a delegate", func(h *house, s *approval.Subject) {
			s.RequesterID = h.lead
			h.delegate(h.lead, h.boss)
		}, "1 of lead | 1 of olga"},
		{"an owner who asks for themselves",
			func(h *house, s *approval.Subject) { s.BeneficiaryID, s.RequesterID = h.olga, h.olga },
			"1 of boss | 1 of administrators (fallback)"},
		{"an owner who is the manager", func(h *house, _ *approval.Subject) {
			h.Exec(`update entitlement set owner_ids = array[$1::uuid] where id = $2`, h.lead, h.group)
		}, "1 of lead | 1 of administrators (fallback)"},
		{"two owners of whom one is the manager", func(h *house, _ *approval.Subject) {
			h.Exec(`update entitlement set owner_ids = array[$1::uuid,
				$2::uuid] where id = $3`, h.lead, h.olga, h.group)
		}, "1 of lead | 1 of olga"},
		{"a backup owner", func(h *house, _ *approval.Subject) {
			h.Exec(`update entitlement set owner_ids = array[$1::uuid],
				backup_owner_ids = array[$2::uuid] where id = $3`, h.lead, h.boss, h.group)
		}, "1 of lead | 1 of boss (fallback)"},
		{"nobody but the administrator, who asks", func(h *house, s *approval.Subject) {
			h.Exec(`update identity set manager_id = null`)
			s.RequesterID = h.root
		}, "1 of  | 1 of olga"},
	} {
		t.Run(tt.about, func(t *testing.T) {
			h := open(t)
			h.Exec(`update entitlement set risk_level = 'critical' where id = $1`, h.group)
			s := h.subject()
			tt.do(h, &s)
			p := h.expect(s, tt.want)
			if p.Blocked != (len(p.Stages[0].Groups[0].Slots) == 0) {
				t.Errorf("blocked: %v in %s", p.Blocked, said(p))
			}
		})
	}
}
