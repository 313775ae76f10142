package state

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Allow gives the slots that an answer fills, or the fault for which it cannot be taken. The inbox has checked who may
// decide its task; this checks what a chain demands beyond, and once more what must never happen.
func (f *Flow) Allow(v viewer.Viewer, now time.Time, a decision.Answered) ([]*Slot, error) {
	st := f.Current()
	if !f.Live() || st == nil || st.State != StageOpen {
		return nil, f.decidedAlready()
	}
	slots := SlotsFor(st, a.Task.ID, a.Decision.By)
	if len(slots) == 0 {
		return nil, f.decidedAlready()
	}
	d := f.Definition(st.Stage)
	switch a.Decision.Action {
	case Approve, Reject:
	default:
		return nil, fault.Coded(
			fault.Invalid,
			"unknown_action",
			"an approval is answered by approve or reject, and not by %q",
			a.Decision.Action,
		)
	}
	if err := f.mayDecide(v, st, a.Decision); err != nil {
		return nil, err
	}
	if opens := d.DecisionWindow.Opens(now).UTC(); opens.After(now) {
		return nil, fault.Coded(fault.Conflict, "outside_decision_window", "this stage is only decided within its "+
			"hours, which begin again at %s",
			opens.Format(time.RFC3339)).
			Also("opens_at", opens.Format(time.RFC3339))
	}
	if Demands(d, a.Decision.Action) && a.Decision.Comment == "" {
		return nil, fault.Coded(fault.Invalid, "comment_required", "to %s needs a comment here that says why",
			a.Decision.Action).
			With(fault.Field{Pointer: "#/comment", Code: "required", Detail: "a comment is required"})
	}
	if a.Decision.Action == Approve {
		if err := f.mayBound(a.Decision.Inputs, now); err != nil {
			return nil, err
		}
	}
	return slots, nil
}

// mayDecide refuses whoever decides about their own request, under whatever hat, and whoever has decided before where
// approvers are to be distinct.
func (f *Flow) mayDecide(v viewer.Viewer, st *Stage, d decision.Decision) error {
	by := d.By
	switch {
	case v.Home != "":
		return fault.Coded(
			fault.Forbidden,
			"approver_required",
			"Control-plane administrators who act in another tenant cannot approve its requests.",
		)
	case by.IdentityID == "" && by.Type != "user":
		return fault.Coded(
			fault.Forbidden,
			"approver_required",
			"approvals are decided by people, and this token is not linked to an identity",
		)
	}
	if !f.Plan.SelfApproval && f.OwnRequest(by) {
		return fault.Coded(
			fault.Forbidden,
			"own_request",
			"you cannot decide your own request or about your own access, also not as a delegate or through a role",
		)
	}
	if by.Type == string(viewer.Service) && by.IdentityID != by.MakerIdentityID {
		return fault.Coded(
			fault.Forbidden,
			"approver_required",
			"This token is bound to the identity of another person than its creator, so it approves nothing.",
		)
	}
	for _, other := range f.Stages {
		for _, s := range other.Slots {
			if s.DecidedBy == nil || !SamePerson(*s.DecidedBy, by) ||
				s.State != SlotApproved && s.State != SlotRejected {
				continue
			}
			switch {
			case other.Stage == st.Stage:
				return fault.Coded(
					fault.Conflict,
					"distinct_approvers",
					"you have already decided in this stage; another approver must decide too",
				)
			case f.Plan.Distinct:
				return fault.Coded(
					fault.Conflict,
					"distinct_approvers",
					"you approved this in the stage %q; the rule requires a different approver in each stage",
					f.Definition(other.Stage).Name,
				)
			}
		}
	}
	return nil
}

// decidedAlready says what became of what somebody still wants to answer.
func (f *Flow) decidedAlready() error {
	say := "this needs no answer any more"
	switch f.State {
	case StateApproved:
		say = "this was approved already"
	case StateRejected:
		say = "this was rejected already"
	case StateExpired:
		say = "this was not answered in time, and has expired"
	case Cancelled:
		say = "this is not asked for any more"
	default:
		if by := f.Deciders(); len(by) > 0 {
			say = "this was decided already, by " + by[len(by)-1].Display
		}
	}
	return fault.Coded(fault.Conflict, "already_decided", "%s", say).Also("allowed", []string{})
}

// Answers that tasks of chains take.
const (
	Approve  = "approve"
	Reject   = "reject"
	GoOn     = "continue"
	Retry    = "retry"
	Reassign = "reassign"
)

// Demands says whether an answer must come with a comment. Where the stage does not say, a rejection must.
func Demands(d approval.ApprovalStage, action string) bool {
	switch d.RequireComment {
	case "", "reject":
		return action == Reject
	case "both":
		return true
	}
	return d.RequireComment == action
}
