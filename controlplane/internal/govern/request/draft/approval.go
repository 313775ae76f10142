package draft

import (
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resolution"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// resolve finds who must agree to each thing that is known, all at once.
func resolve(ctx context.Context, tx *pg.Tx, drafts []*Draft, now time.Time) error {
	var subjects []approval.Subject
	var of []*Item
	var by []*Draft
	for _, d := range drafts {
		if d.lost() {
			continue
		}
		for _, w := range d.Items {
			switch {
			case w.Resource.ID == "":
			case d.In.Kind == accessrequest.Return || d.In.Kind == accessrequest.Revoke:
				w.Plan = approval.Plan{
					Outcome: approval.AutoApprove,
					Stages:  []approval.PlanStage{},
					Log:     []approval.Step{},
					Rule:    approval.RuleRef{Name: "end of access", MatchedBecause: "ending access needs no approval"},
					Reason:  "ending access needs no approval",
				}
			default:
				subjects, of, by = append(subjects, d.Subject(w, tx.Viewer)), append(of, w), append(by, d)
			}
		}
	}
	if len(subjects) == 0 {
		return nil
	}
	plans, err := resolution.Plans(ctx, tx, subjects, now)
	if err != nil {
		return err
	}
	choices, err := resolution.CheckChoice(ctx, tx, subjects, plans, now)
	if err != nil {
		return err
	}
	for i, w := range of {
		w.Plan = plans[i]
		if choices[i] != nil {
			by[i].refuseChoice(choices[i])
		}
	}
	return nil
}

// refuseChoice says once why the people that the requester chose, or did not, cannot be asked.
func (d *Draft) refuseChoice(why error) {
	said := slices.ContainsFunc(d.Faults, func(f *fault.Fault) bool {
		return slices.ContainsFunc(f.Fields, func(at fault.Field) bool { return at.Pointer == d.at+"/approvers" })
	})
	if !said {
		d.wrong(fault.Field{Pointer: d.at + "/approvers", Code: "invalid_choice", Detail: why.Error()})
	}
}

// Subject is a wish as approval looks at it.
func (d *Draft) Subject(w *Item, v viewer.Viewer) approval.Subject {
	s := approval.Subject{
		BeneficiaryID: d.Person.ID,
		RequesterID:   v.Identity,
		ForAnother:    v.ActsForAnother(),
		Kind:          d.In.Kind,
		Urgency:       d.In.Urgency,
		StartsAt:      w.Starts,
		EndsAt:        w.Ends,
		Justification: d.In.Justification,
		Approvers:     d.In.Approvers,
	}
	if w.In.RoleID != "" {
		s.RoleID = &w.In.RoleID
	} else {
		s.EntitlementID = &w.In.EntitlementID
	}
	if d.In.ExternalReference != nil {
		s.ExternalReference = *d.In.ExternalReference
	}
	switch {
	case w.Duration > 0:
		s.Duration = span.Format(w.Duration)
	case w.Ends == nil && d.In.Kind == accessrequest.Grant:
		s.Duration = w.Resource.DefaultDuration
	}
	return s
}

// Way returns what happens next with an item: an outcome of its plan, or accessrequest.Emergency.
func (w *Item) Way(in accessrequest.NewAccessRequest) string {
	switch {
	case w.Plan.Outcome == approval.AutoReject:
		return approval.AutoReject
	case in.Urgency == accessrequest.Emergency:
		return accessrequest.Emergency
	case in.Kind == accessrequest.Extend && !w.Plan.Terms.ExtensionNeedsOK:
		return approval.AutoApprove
	}
	return w.Plan.Outcome
}
