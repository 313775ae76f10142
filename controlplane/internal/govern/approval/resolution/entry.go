package resolution

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Plans finds the rule for each subject and resolves it, in the order of the subjects. It writes nothing. What a rule
// demands and a subject lacks (a justification, a shorter duration) is not refused here: the plan says what it
// demands.
func Plans(ctx context.Context, tx *pg.Tx, subjects []approval.Subject, at time.Time) ([]approval.Plan, error) {
	b, err := rule.LoadBook(ctx, tx)
	if err != nil {
		return nil, err
	}
	cases, err := Cases(ctx, tx, b, subjects, nil, at)
	return PlansOf(cases), err
}

// PlansOf are the plans of cases, in their order.
func PlansOf(cases []*Case) []approval.Plan {
	list := make([]approval.Plan, len(cases))
	for i, c := range cases {
		list[i] = c.Plan
	}
	return list
}

// Stage resolves the approvers of one stage of a plan anew, as the plan has defined it. approved are the identities
// that have approved in stages before, for plans that want distinct approvers.
func Stage(
	ctx context.Context,
	tx *pg.Tx,
	s approval.Subject,
	p approval.Plan,
	stage int,
	approved []string,
	at time.Time,
) (approval.PlanStage, error) {
	if stage < 0 || stage >= len(p.Stages) {
		return approval.PlanStage{}, fmt.Errorf("the plan has no stage %d", stage)
	}
	def := p.Stages[stage].Definition
	c, o, err := again(ctx, tx, s, p, def, at)
	if err != nil {
		return approval.PlanStage{}, err
	}
	for _, id := range approved {
		c.sure[id] = 0
	}
	c.stage, c.excepts = stage+1, len(p.Stages[stage].Exceptions) > 0
	out := approval.PlanStage{Definition: def, Exceptions: p.Stages[stage].Exceptions}
	out.Blocked = o.seats(c, &out)
	if out.Satisfied == "" {
		due := o.Clock.StageDue(def, at)
		out.DueAt = &due
	}
	out.Log = c.log
	return out, nil
}

// People resolves whom an escalation names, without those who may not decide. If no person is left, it
// returns administrators, if there are any.
func People(
	ctx context.Context,
	tx *pg.Tx,
	s approval.Subject,
	p approval.Plan,
	to []approval.ApproverResolver,
	via string,
	at time.Time,
) ([]approval.PlanSlot, error) {
	def := approval.ApprovalStage{Groups: []approval.ApproverGroup{{Approvers: to}}}
	c, o, err := again(ctx, tx, s, p, def, at)
	if err != nil {
		return nil, err
	}
	c.excepts = p.HasExceptions()
	b := &groupBuilder{o: o, c: c, delegation: true, slots: []approval.PlanSlot{}}
	for _, r := range to {
		n := o.name(c, r)
		if found, _ := b.seat(n, via, 0); found == 0 && len(n.reserve) > 0 {
			b.seat(nominees{ids: n.reserve, because: n.because}, via, 0)
		}
	}
	if len(b.slots) == 0 {
		b.seat(nominees{role: approval.Admin, because: "fallback: there is no other approver"}, decision.Fallback, 0)
	}
	return b.slots, nil
}

// again reads what resolving a stage of a plan needs that was made before.
func again(
	ctx context.Context,
	tx *pg.Tx,
	s approval.Subject,
	p approval.Plan,
	def approval.ApprovalStage,
	at time.Time,
) (*Case, *resolver, error) {
	b, err := rule.LoadBook(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	cases, o, err := begin(ctx, tx, b, []approval.Subject{s}, at)
	if err != nil {
		return nil, nil, err
	}
	c := cases[0]
	c.Plan = p
	c.Plan.Stages = []approval.PlanStage{{Definition: def}}
	return c, o, o.gather(ctx, tx, cases, at)
}

// ByRule resolves a subject by one rule of the tenant, whatever its scope: an escalation names it. If there is no such
// rule, it is a fault of kind NotFound.
func ByRule(ctx context.Context, tx *pg.Tx, s approval.Subject, ruleID string, at time.Time) (approval.Plan, error) {
	b, err := rule.LoadBook(ctx, tx)
	if err != nil {
		return approval.Plan{}, err
	}
	r := b.ByID[ruleID]
	if r == nil {
		return approval.Plan{}, fault.New(fault.NotFound, "Approval rule %s was not found.", ruleID)
	}
	cases, err := Cases(ctx, tx, b, []approval.Subject{s}, r, at)
	if err != nil {
		return approval.Plan{}, err
	}
	return cases[0].Plan, nil
}
