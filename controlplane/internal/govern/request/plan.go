package request

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// examine looks at drafts from every side and notes what stands against each. With lock, nobody else asks for the same
// people meanwhile.
func examine(ctx context.Context, tx *pg.Tx, drafts []*draft, lock bool, now time.Time) error {
	for _, d := range drafts {
		d.checkShape(now)
	}
	if err := findPeople(ctx, tx, drafts, lock); err != nil {
		return err
	}
	if err := findApprovers(ctx, tx, drafts); err != nil {
		return err
	}
	if err := findThings(ctx, tx, drafts); err != nil {
		return err
	}
	if err := findAccounts(ctx, tx, drafts); err != nil {
		return err
	}
	if err := findHeld(ctx, tx, drafts, now); err != nil {
		return err
	}
	refuseHeld(drafts)
	if err := findTargets(ctx, tx, drafts); err != nil {
		return err
	}
	if err := resolve(ctx, tx, drafts, now); err != nil {
		return err
	}
	for _, d := range drafts {
		if !d.lost() {
			d.checkTerms(now)
		}
	}
	return nil
}

// resolve finds who must agree to each thing that is known, all at once.
func resolve(ctx context.Context, tx *pg.Tx, drafts []*draft, now time.Time) error {
	var subjects []approval.Subject
	var of []*wish
	var by []*draft
	for _, d := range drafts {
		if d.lost() {
			continue
		}
		for _, w := range d.wishes {
			switch {
			case w.thing.ID == "":
			case d.in.Kind == Return || d.in.Kind == Revoke:
				w.plan = approval.Plan{
					Outcome: approval.AutoApprove,
					Stages:  []approval.PlanStage{},
					Log:     []approval.Step{},
					Rule:    approval.RuleRef{Name: "end of access", MatchedBecause: "ending access needs no approval"},
					Reason:  "ending access needs no approval",
				}
			default:
				subjects, of, by = append(subjects, d.subject(w, tx.Viewer)), append(of, w), append(by, d)
			}
		}
	}
	if len(subjects) == 0 {
		return nil
	}
	plans, err := approval.Resolve(ctx, tx, subjects, now)
	if err != nil {
		return err
	}
	choices, err := approval.CheckChoice(ctx, tx, subjects, plans, now)
	if err != nil {
		return err
	}
	for i, w := range of {
		w.plan = plans[i]
		if choices[i] != nil {
			by[i].refuseChoice(choices[i])
		}
	}
	return nil
}

// refuseChoice says once why the people that the requester chose, or did not, cannot be asked.
func (d *draft) refuseChoice(why error) {
	said := slices.ContainsFunc(d.faults, func(f *fault.Fault) bool {
		return slices.ContainsFunc(f.Fields, func(at fault.Field) bool { return at.Pointer == d.at+"/approvers" })
	})
	if !said {
		d.wrong(fault.Field{Pointer: d.at + "/approvers", Code: "invalid_choice", Detail: why.Error()})
	}
}

// subject is a wish as approval looks at it.
func (d *draft) subject(w *wish, v viewer.Viewer) approval.Subject {
	s := approval.Subject{
		BeneficiaryID: d.person.ID,
		RequesterID:   v.Identity,
		ForAnother:    v.ActsForAnother(),
		Kind:          d.in.Kind,
		Urgency:       d.in.Urgency,
		StartsAt:      w.starts,
		EndsAt:        w.ends,
		Justification: d.in.Justification,
		Approvers:     d.in.Approvers,
	}
	if w.in.RoleID != "" {
		s.RoleID = &w.in.RoleID
	} else {
		s.EntitlementID = &w.in.EntitlementID
	}
	if d.in.ExternalReference != nil {
		s.ExternalReference = *d.in.ExternalReference
	}
	switch {
	case w.duration > 0:
		s.Duration = span.Format(w.duration)
	case w.ends == nil && d.in.Kind == Grant:
		s.Duration = w.thing.DefaultDuration
	}
	return s
}

// checkTerms holds the draft against what its rules demand.
func (d *draft) checkTerms(now time.Time) {
	justify, refer := "", ""
	for _, w := range d.wishes {
		if w.thing.ID == "" || d.in.Kind != Grant && w.target == nil {
			continue
		}
		if w.plan.RequireJustification {
			justify = cmp.Or(justify, w.thing.Display)
		}
		if w.plan.RequireExternalReference {
			refer = cmp.Or(refer, w.thing.Display)
		}
		d.checkWay(w)
		var wrong *fault.Field
		switch {
		case d.in.Kind == Grant:
			wrong = w.settleDuration(d.in.Urgency, now)
		case d.in.Kind == Extend && w.target.bounded() && w.target.Review == nil:
			wrong = w.settleExtension(now)
		}
		if wrong != nil {
			d.wrong(*wrong)
		}
	}
	if justify != "" && d.in.Justification == "" && d.in.Urgency == Normal {
		d.wrong(
			fault.Field{
				Pointer: d.at + "/justification",
				Code:    "justification_required",
				Detail:  "say what " + justify + " is needed for: its rule demands it",
			},
		)
	}
	if refer != "" && d.in.ExternalReference == nil {
		d.wrong(
			fault.Field{
				Pointer: d.at + "/external_reference",
				Code:    "external_reference_required",
				Detail:  "name the ticket for " + refer + ": its rule demands it",
			},
		)
	}
}

// checkWay refuses ways that the rule does not open.
func (d *draft) checkWay(w *wish) {
	if d.in.Urgency == Emergency && !w.plan.Emergency.Allowed {
		d.against(
			fault.Coded(fault.Conflict, "emergency_not_allowed", "%s cannot be had in an emergency: %s does not "+
				"allow it", w.thing.Display, called(w.plan.Rule)).
				With(fault.Field{Pointer: d.at + "/urgency", Code: "emergency_not_allowed",
					Detail: "ask in the usual way, with urgency normal"}),
		)
	}
	if d.in.Kind == Extend && w.target.Review == nil && !w.plan.Terms.Extension {
		d.against(
			fault.Coded(
				fault.Conflict,
				"extension_not_allowed",
				"%s cannot be extended: %s does not allow it; request it again when it has ended",
				w.thing.Display,
				called(w.plan.Rule),
			),
		)
	}
}

// ttl is how long a request may stay unanswered.
func (w *wish) ttl() time.Duration {
	if d := length(w.plan.RequestTTL); d > 0 {
		return d
	}
	return 14 * span.Day
}
