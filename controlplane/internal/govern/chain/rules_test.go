package chain_test

import (
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resolution"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// company is a house in which the tenant's rules say who is asked: boss over mia over ben, olaf owns the thing, root
// administrates.
func company(t testing.TB) *house {
	t.Helper()
	h := open(t)
	h.chains.Approvers = nil
	for _, name := range []string{"boss", "mia", "nina", "olaf", "dora"} {
		h.person(name)
	}
	h.person("root", viewer.Admin)
	h.Exec(`update identity set manager_id = $2 where id = $1`, h.people["mia"], h.people["boss"])
	h.Exec(`update identity set manager_id = $2 where id = $1`, h.people["ben"], h.people["mia"])
	h.Exec(`update entitlement set owner_ids = array[$2::uuid] where id = $1`, h.thing, h.people["olaf"])
	return h
}

// ruled is an item with the plan that the rules give it.
func (h *house) ruled() chain.Item {
	h.T.Helper()
	m := h.item(approval.Plan{})
	err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error {
		plans, err := resolution.Plans(ctx, tx, []approval.Subject{m.Subject}, h.now())
		if err == nil {
			m.Plan = plans[0]
		}
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return m
}

// defined is an item with a plan of stages that are defined so.
func (h *house) defined(stages ...approval.ApprovalStage) chain.Item {
	h.T.Helper()
	m := h.item(approval.Plan{Rule: approval.RuleRef{Name: "a rule"}, Outcome: approval.Chain, Distinct: true})
	for _, d := range stages {
		m.Plan.Stages = append(m.Plan.Stages, approval.PlanStage{Definition: d})
	}
	err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error {
		for i := range m.Plan.Stages {
			resolved, err := resolution.Stage(ctx, tx, m.Subject, m.Plan, i, nil, h.now())
			if err != nil {
				return err
			}
			m.Plan.Stages[i] = resolved
		}
		return nil
	})
	if err != nil {
		h.T.Fatal(err)
	}
	return m
}

func asks(mode string, quorum int, kinds ...string) approval.ApproverGroup {
	g := approval.ApproverGroup{Mode: mode, Quorum: quorum}
	for _, k := range kinds {
		g.Approvers = append(g.Approvers, approval.ApproverResolver{Kind: k})
	}
	return g
}

func TestTheUsualRuleAsksTheManagerAndForRiskTheOwner(t *testing.T) {
	h := company(t)
	item := h.startItem(h.ruled())
	h.expect("asked", h.asked(item, 0), "mia")
	h.yes(item, "mia")
	h.expect("rung", h.results(item), "approved")
	h.Exec(`update entitlement set risk_level = 'high' where id = $1`, h.thing)
	item = h.startItem(h.ruled())
	h.yes(item, "mia")
	h.expect("asked", h.asked(item, 1), "olaf")
	h.yes(item, "olaf")
	h.expect("rung", h.results(item), "approved")
}

func TestTwoApprovalsInParallel(t *testing.T) {
	h := company(t)
	item := h.startItem(
		h.defined(
			approval.ApprovalStage{
				Name:          "both",
				RespondWithin: "P3D",
				Groups:        []approval.ApproverGroup{asks("any", 0, "manager"), asks("all", 0, "entitlement_owner")},
			},
		),
	)
	h.expect("asked", h.asked(item, 0), "mia olaf")
	mia, olaf := h.tasks(item, "mia")[0], h.tasks(item, "olaf")[0]
	for _, err := range atOnce(func() error { return h.answer(mia, h.users["mia"], "approve") },
		func() error { return h.answer(olaf, h.users["olaf"], "approve") }) {
		if err != nil {
			t.Error(err)
		}
	}
	h.expect("rung", h.results(item), "approved")
	if by := h.last(item).By; len(by) != 2 {
		t.Errorf("approved by %v; want both", by)
	}
}

func TestTheNewManagerIsAskedWhenTheOldOneLeavesHalfWay(t *testing.T) {
	h := company(t)
	h.Exec(`update entitlement set risk_level = 'critical' where id = $1`, h.thing)
	item := h.startItem(h.ruled())
	later := h.startItem(h.ruled())
	h.yes(later, "mia")
	h.Exec(`update identity set status = 'deactivated', manager_id = null where id = $1`, h.people["mia"])
	h.Exec(`update identity set manager_id = $2 where id = $1`, h.people["ben"], h.people["nina"])
	h.work()
	h.expect("asked", h.asked(item, 0), "nina")
	h.yes(item, "nina")
	h.yes(item, "olaf")
	h.expect("rung", h.results(item), "approved")
	h.expect("what mia decided stays", h.states(later), "approved open")
	h.yes(later, "olaf")
	h.expect("rung", h.results(later), "approved")
	if by := h.last(later).By; by[0].IdentityID != h.people["mia"] {
		t.Errorf("approved by %v; want mia first", by)
	}
}

func TestAnApproverOnLeaveIsStoodInFor(t *testing.T) {
	h := company(t)
	delegated := h.startItem(h.ruled())
	h.Exec(
		`insert into decision_delegation (tenant_id, id, delegator_id, delegate_id, state) values (current_tenant(), $1,
			$2, $3, 'active')`,
		newID(),
		h.people["mia"],
		h.people["dora"],
	)
	h.Exec(`update identity set status = 'on_leave' where id = $1`, h.people["mia"])
	h.work()
	h.expect("asked", h.asked(delegated, 0), "dora")
	h.yes(delegated, "dora")
	h.expect("rung", h.results(delegated), "approved")
	s := h.stages(delegated)[0].Groups[0].Slots
	if last := s[len(s)-1]; last.ActingFor == nil || *last.ActingFor != h.people["mia"] {
		t.Errorf("slots are %+v; want dora acting for mia", s)
	}
	fresh := h.startItem(h.ruled())
	h.expect("asked afterwards", h.asked(fresh, 0), "dora")
	h.Exec(`update decision_delegation set state = 'ended', ends_at = now() - interval '1 hour'`)
	h.work()
	if got := h.asked(fresh, 0); got == "dora" || got == "mia" || got == "" {
		t.Errorf("asked is %q; want whom the fallback names", got)
	}
	h.yes2(fresh, "role:admin", "root")
	h.expect("rung", h.results(fresh), "approved")
}

func TestAnEscalationAsksWhomItNames(t *testing.T) {
	h := company(t)
	d := approval.ApprovalStage{
		Name:          "manager",
		RespondWithin: "P3D",
		Groups:        []approval.ApproverGroup{asks("any", 0, "manager")},
		Escalation: []approval.EscalationStep{
			{After: "P1D", Action: "add", To: []approval.ApproverResolver{{Kind: "manager", Level: 2}}},
		},
	}
	item := h.startItem(h.defined(d))
	h.later(26 * time.Hour)
	h.work()
	h.expect("asked", h.asked(item, 0), "boss mia")
	h.yes(item, "boss")
	h.expect("rung", h.results(item), "approved")
}

func TestTimesAreCountedInWorkingTime(t *testing.T) {
	h := company(t) // it is Monday morning
	h.later(4 * day)
	item := h.startItem(h.ruled())
	due := h.stages(item)[0].DueAt
	if due == nil || due.Before(h.now().Add(4*day)) {
		t.Errorf("asked on a Friday, three working days are over at %v", due)
	}
}

func TestWithoutAnybodyTheRulesBlock(t *testing.T) {
	h := company(t)
	h.Exec(`update identity set manager_id = null where id = $1`, h.people["ben"])
	h.Exec(`update app_user set status = 'disabled'`)
	item := h.startItem(h.ruled())
	h.expect("rung", h.results(item), "blocked")
	h.Exec(`update identity set manager_id = $2 where id = $1`, h.people["ben"], h.people["nina"])
	h.work()
	h.expect("rung", h.results(item), "blocked unblocked")
	h.yes(item, "nina")
	h.expect("rung", h.results(item), "blocked unblocked approved")
}

func TestAnEscalationGoesOnByAnotherRule(t *testing.T) {
	h := company(t)
	rule := newID()
	h.Exec(
		`insert into approval_rule (tenant_id, id, name, branches) values (current_tenant(), $1, 'Owners decide', $2)`,
		rule,
		`[{"outcome": {"kind": "chain", "stages": [{"name": "owner", "groups": [{"mode": "any", "approvers": [{"kind": "entitlement_owner"}]}]}]}}]`,
	)
	d := approval.ApprovalStage{
		Name:          "manager",
		RespondWithin: "P3D",
		Groups:        []approval.ApproverGroup{asks("any", 0, "manager")},
		Escalation:    []approval.EscalationStep{{After: "P1D", Action: "use_rule", RuleID: rule}},
	}
	item := h.startItem(h.defined(d))
	h.later(26 * time.Hour)
	h.work()
	h.expect("stages", h.states(item), "skipped open")
	h.yes(item, "olaf")
	h.expect("rung", h.results(item), "approved")
}
