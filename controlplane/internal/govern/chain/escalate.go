package chain

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/batch"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

// escalate does the next escalation of a stage that is open.
func (w *work) escalate(ctx context.Context, f *state.Flow, st *state.Stage) error {
	e := f.Definition(st.Stage).Escalation[st.Escalated]
	st.Escalated++
	w.Touch(f)
	var people []approval.PlanSlot
	if e.Action == "add" || e.Action == "replace" {
		var err error
		if people, err = w.escalateTo(ctx, f, st, e); err != nil {
			return err
		}
	}
	done := state.EscalationDone{At: w.Now, Action: e.Action, To: []string{}}
	for _, p := range people {
		to := p.IdentityID
		if to == "" {
			to = "role:" + p.Role
		}
		done.To = append(done.To, to)
	}
	st.Escalations = append(st.Escalations, done)
	w.Audit(f, batch.DidEscalate, "", map[string]any{"action": e.Action, "to": done.To})
	const silence = "no approver decided in time; "
	if allowsException(f, st) && (e.Action == "skip" || e.Action == "approve") {
		w.reject(f, st, "exception_not_approved", silence+"an exception needs an approval")
		return nil
	}
	switch e.Action {
	case "add", "replace":
		w.addApprovers(f, st, people, e.Action == "replace")
		return nil
	case "skip":
		return w.endUnanswered(ctx, f, st, state.StageSkipped, silence+"the rule skips this stage in that case")
	case "approve":
		return w.endUnanswered(ctx, f, st, state.StageApproved, silence+"the rule approves then")
	case "use_rule":
		return w.useRule(ctx, f, st, e.RuleID)
	}
	w.reject(f, st, "rejected_by_rule", silence+"the rule rejects then")
	return nil
}

// endUnanswered ends a stage without an answer, and goes on.
func (w *work) endUnanswered(ctx context.Context, f *state.Flow, st *state.Stage, state, why string) error {
	w.shut(f, st, state, decision.Superseded, why)
	w.Log(f, st.Stage, "escalated", why)
	return w.nextStage(ctx, f)
}

// escalateTo finds the people whom an escalation names, without those who may not decide or are asked already.
func (w *work) escalateTo(
	ctx context.Context,
	f *state.Flow,
	st *state.Stage,
	e approval.EscalationStep,
) ([]approval.PlanSlot, error) {
	found, err := w.s.approvers().People(ctx, w.Tx, f.Subject, f.Plan, e.To, decision.Escalation, w.Now)
	if err != nil {
		return nil, err
	}
	barred := f.Barred(st.Stage)
	var people []approval.PlanSlot
	for _, p := range found {
		if p.IdentityID != "" && slices.Contains(barred, p.IdentityID) {
			continue
		}
		p.Via = decision.Escalation
		if !slices.ContainsFunc(
			people,
			func(o approval.PlanSlot) bool { return o.IdentityID == p.IdentityID && o.Role == p.Role },
		) {
			people = append(people, p)
		}
	}
	return people, nil
}

// addApprovers adds people to every group of a stage that still waits for answers, or puts them in the place of those
// who have not answered. Who is added stands in for one of those: it does not become more who must agree.
func (w *work) addApprovers(f *state.Flow, st *state.Stage, people []approval.PlanSlot, instead bool) {
	if len(people) == 0 {
		w.Log(f, st.Stage, "escalated", "no one was found to escalate to; the approvers stay the same")
		return
	}
	before, asked := st.OpenTasks(), state.AskedNames(st.Slots)
	for g, t := range f.Tallies(st) {
		if t.Verdict() != state.Pending {
			continue
		}
		var coming []approval.PlanSlot
		for _, p := range people {
			if !slices.ContainsFunc(
				st.Slots,
				func(s *state.Slot) bool {
					return s.Group == g && s.State != state.SlotSuperseded && (s.Is(p) || s.StandsFor(p))
				},
			) {
				coming = append(coming, p)
			}
		}
		if instead {
			st.Replace(g, people)
		}
		for _, p := range coming {
			st.Slots = append(st.Slots, f.NewSlot(st.Stage, g, p))
		}
		if t = f.Tallies(st)[g]; t.Short() {
			st.Needed[g] = int32(max(1, t.Approved+t.Open))
		}
	}
	w.askWhoCame(f, st)
	w.endUnused(f, st, before, "it was escalated to another approver")
	w.Log(f, st.Stage, "escalated", "asked: %s; before: %s", state.AskedNames(st.Slots), asked)
	if !f.Short(st) {
		w.unblock(f)
	}
}

// useRule goes on by another rule, whose stages come in the place of this one and all that follow.
func (w *work) useRule(ctx context.Context, f *state.Flow, st *state.Stage, ruleID string) error {
	plan, err := w.s.approvers().Rule(ctx, w.Tx, f.Subject, ruleID, w.Now)
	if fault.Is(err, fault.NotFound) {
		w.Log(
			f,
			st.Stage,
			"escalated",
			"the rule that should decide now is not there any more; those who were asked stay asked",
		)
		return nil
	}
	if err != nil {
		return err
	}
	why := "no approver decided in time; the rule " + state.Quoted(plan.Rule.Name) + " decides now"
	switch plan.Outcome {
	case approval.AutoReject:
		w.reject(f, st, "rejected_by_rule", why+": "+plan.Reason)
		return nil
	case approval.AutoApprove:
		if allowsException(f, st) {
			w.reject(f, st, "exception_not_approved", why+", and an exception needs an approval")
			return nil
		}
		if stages := exceptionStages(f, st.Stage); len(stages) > 0 {
			return w.replaceStages(ctx, f, st, stages, why)
		}
		w.shut(f, st, state.StageSkipped, decision.Superseded, why)
		w.Log(f, st.Stage, "escalated", why)
		for f.Stage++; f.Current() != nil; f.Stage++ {
			f.Current().State, f.Current().ClosedAt = state.StageSkipped, &w.Now
		}
		w.conclude(f, Approved, "", plan.Reason)
		return nil
	}
	f.Plan.Distinct = plan.Distinct || f.Plan.Distinct && f.Plan.HasExceptions()
	f.Plan.Rule, f.Plan.SelfApproval = plan.Rule, f.Plan.SelfApproval && plan.SelfApproval
	for i := range plan.Stages {
		plan.Stages[i].Exceptions = f.Plan.Stages[st.Stage].Exceptions
	}
	return w.replaceStages(ctx, f, st, append(plan.Stages, exceptionStages(f, st.Stage)...), why)
}

// replaceStages ends a stage without an answer, and goes on with others in the place of those after it.
func (w *work) replaceStages(
	ctx context.Context,
	f *state.Flow,
	st *state.Stage,
	stages []approval.PlanStage,
	why string,
) error {
	f.Plan.Stages = append(slices.Clone(f.Plan.Stages[:st.Stage+1]), stages...)
	f.Plan.Stages[st.Stage].Exceptions = nil // the stages that replace it allow them
	f.PlanChanged = true
	w.shut(f, st, state.StageSkipped, decision.Superseded, why)
	w.Log(f, st.Stage, "escalated", why)
	f.Stages = f.Stages[:st.Stage+1]
	f.AddStages(st.Stage + 1)
	return w.nextStage(ctx, f)
}
