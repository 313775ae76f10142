package chain

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// allowed gives the slots that an answer fills, or the fault for which it cannot be taken. The inbox has looked who may
// decide its task; here stands what a chain asks beyond, and once more what must never happen.
func (w *work) allowed(f *flow, a decision.Answered) ([]*slot, error) {
	st := f.now()
	if !f.live() || st == nil || st.State != stageOpen {
		return nil, f.decidedAlready()
	}
	slots := slotsFor(st, a.Task.ID, a.Decision.By)
	if len(slots) == 0 {
		return nil, f.decidedAlready()
	}
	d := f.definition(st.Stage)
	switch a.Decision.Action {
	case approve, reject:
	default:
		return nil, fault.Coded(
			fault.Invalid,
			"unknown_action",
			"an approval is answered by approve or reject, and not by %q",
			a.Decision.Action,
		)
	}
	if err := w.mayDecide(f, st, a.Decision); err != nil {
		return nil, err
	}
	if opens := d.DecisionWindow.Opens(w.now).UTC(); opens.After(w.now) {
		return nil, fault.Coded(fault.Conflict, "outside_decision_window", "this stage is only decided within its "+
			"hours, which begin again at %s",
			opens.Format(time.RFC3339)).
			Also("opens_at", opens.Format(time.RFC3339))
	}
	if demands(d, a.Decision.Action) && a.Decision.Comment == "" {
		return nil, fault.Coded(fault.Invalid, "comment_required", "to %s needs a comment here that says why",
			a.Decision.Action).
			With(fault.Field{Pointer: "#/comment", Code: "required", Detail: "a comment is required"})
	}
	if a.Decision.Action == approve {
		if err := f.mayBound(a.Decision.Inputs, w.now); err != nil {
			return nil, err
		}
	}
	return slots, nil
}

// mayDecide refuses whoever decides about their own matter, under whatever hat, and whoever has decided before where
// approvers are to be distinct.
func (w *work) mayDecide(f *flow, st *step, d decision.Decision) error {
	by := d.By
	switch {
	case w.tx.Viewer.Home != "":
		return fault.Coded(
			fault.Forbidden,
			"approver_required",
			"who works in this tenant from outside approves nothing in it",
		)
	case by.IdentityID == "" && by.Type != "user":
		return fault.Coded(
			fault.Forbidden,
			"approver_required",
			"approvals are decided by people, and this token is not linked to an identity",
		)
	}
	if !f.Plan.SelfApproval && f.own(by) {
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
	for _, other := range f.steps {
		for _, s := range other.slots {
			if s.DecidedBy == nil || !same(*s.DecidedBy, by) || s.State != slotApproved && s.State != slotRejected {
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
					f.definition(other.Stage).Name,
				)
			}
		}
	}
	return nil
}

// own reports whether a request is for the decider or was made by them, or by one for whom they act.
func (f *flow) own(by decision.Actor) bool {
	return viewer.SamePerson(f.notFor(), by.Parties())
}

// decidedAlready says what became of what somebody still wants to answer.
func (f *flow) decidedAlready() error {
	say := "this needs no answer any more"
	switch f.State {
	case Approved:
		say = "this was approved already"
	case Rejected:
		say = "this was rejected already"
	case Expired:
		say = "this was not answered in time, and has expired"
	case cancelled:
		say = "this is not asked for any more"
	default:
		if by := f.deciders(); len(by) > 0 {
			say = "this was decided already, by " + by[len(by)-1].Display
		}
	}
	return fault.Coded(fault.Conflict, "already_decided", "%s", say).Also("allowed", []string{})
}

// bounds are the times that an approver sets.
func bounds(inputs map[string]any) (starts, ends *time.Time, err error) {
	for name, to := range map[string]**time.Time{"starts_at": &starts, "ends_at": &ends} {
		raw, given := inputs[name]
		if !given || raw == nil {
			continue
		}
		text, _ := raw.(string)
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return nil, nil, badInput(name, "invalid_format", "an instant such as 2026-12-31T18:00:00Z is expected")
		}
		t = t.UTC()
		*to = &t
	}
	return starts, ends, nil
}

func badInput(name, code, detail string) error {
	return fault.Coded(fault.Invalid, "validation_failed", "%s: %s", name, detail).
		With(fault.Field{Pointer: "#/inputs/" + name, Code: code, Detail: detail})
}

// mayBound checks the times that an approver sets: they may shorten what was asked for, and never give more.
func (f *flow) mayBound(inputs map[string]any, now time.Time) error {
	starts, ends, err := bounds(inputs)
	if err != nil {
		return err
	}
	begins := now
	if asked := f.begins(); asked != nil {
		begins = *asked
	}
	if starts != nil {
		if starts.Before(begins.Truncate(time.Second)) && !(f.begins() == nil && starts.After(now.Add(-time.Minute))) {
			return badInput(
				"starts_at",
				"only_later",
				"an approver may let it begin later than was asked, and not earlier, nor in the past",
			)
		}
		begins = *starts
	}
	if most := f.endsBy(now); most != nil && starts != nil && !starts.Before(*most) {
		return badInput("starts_at", "after_end", "it would begin after its end")
	}
	if ends == nil {
		return nil
	}
	if !ends.After(begins) || !ends.After(now) {
		return badInput("ends_at", "in_the_past", "it would end before it begins")
	}
	if most := f.endsBy(begins); most != nil && ends.After(*most) {
		return badInput(
			"ends_at",
			"only_shorter",
			"an approver may shorten it, and not make it longer: it was asked for until "+most.UTC().
				Format(time.RFC3339),
		)
	}
	return nil
}

// begins is when it begins as it stands, where that was said.
func (f *flow) begins() *time.Time {
	if f.StartsAt != nil {
		return f.StartsAt
	}
	return f.Subject.StartsAt
}

// endsBy is when it ends as it stands; nil: never. A length counts from when it begins.
func (f *flow) endsBy(begins time.Time) *time.Time {
	switch {
	case f.EndsAt != nil:
		return f.EndsAt
	case f.Subject.EndsAt != nil:
		return f.Subject.EndsAt
	}
	if lasts, err := span.Parse(f.Subject.Duration); err == nil && lasts > 0 {
		return pointer(begins.Add(lasts))
	}
	return nil
}

// bound takes the times that an approver sets, which were checked.
func (f *flow) bound(inputs map[string]any) {
	starts, ends, err := bounds(inputs)
	if err != nil {
		return
	}
	if starts != nil {
		f.StartsAt = starts
	}
	if ends != nil {
		f.EndsAt = ends
	}
}
