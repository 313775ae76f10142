package draft

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest"
	"github.com/grantwright/grantwright/controlplane/internal/govern/request/accessrequest/term"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// Foresee returns what would become of a draft.
func (d *Draft) Foresee() accessrequest.AccessRequestForesight {
	out := accessrequest.AccessRequestForesight{Items: []accessrequest.ForeseenItem{}}
	for _, w := range d.Items {
		item := w.foresee(d.In)
		out.Items = append(out.Items, item)
		if item.ExpectedAt != nil && (out.ExpectedAt == nil || item.ExpectedAt.After(*out.ExpectedAt)) {
			out.ExpectedAt = item.ExpectedAt
		}
	}
	return out
}

// foresee is the item as a preview shows it: rule, stages, dates and limits.
func (w *Item) foresee(in accessrequest.NewAccessRequest) accessrequest.ForeseenItem {
	p := w.Plan
	f := accessrequest.ForeseenItem{
		ItemID:        w.ID,
		RoleID:        w.In.RoleID,
		EntitlementID: w.In.EntitlementID,
		Display:       w.Resource.Display,
		Reason:        p.Reason,
		Stages:        []accessrequest.ForeseenStage{},
		Blocked:       p.Blocked,
		StartsAt:      w.Starts,
		EndsAt:        w.Ends,
		Limits:        w.Limits,
		EmergencyOpen: p.Emergency.Allowed,
		Rule: accessrequest.AccessRequestRule{
			ID:             p.Rule.ID,
			Name:           p.Rule.Name,
			Version:        p.Rule.Version,
			RuleIndex:      p.Rule.Branch,
			MatchedBecause: p.Rule.MatchedBecause,
			Outcome:        p.Outcome,
		},
	}
	if f.Limits == nil {
		f.Limits = []string{}
	}
	if w.Duration > 0 {
		f.Duration = span.Format(w.Duration)
	}
	if w.held != nil && w.denied == nil {
		f.AlreadyHeld = &accessrequest.HeldAlready{Until: w.held.Until, By: w.held.By}
	}
	if w.duplicate != nil {
		f.DuplicateOf = &accessrequest.AskedAlready{
			RequestID: w.duplicate.RequestID,
			Number:    accessrequest.Number(w.duplicate.Serial),
			Status:    w.duplicate.Status,
		}
	}
	if p.Outcome != approval.Chain {
		return f
	}
	for _, s := range p.Stages {
		f.Stages = append(f.Stages, accessrequest.ForeseeStage(s))
	}
	f.RespondWithin = span.Format(term.TTL(w.Plan))
	if w.Way(in) == approval.Chain {
		f.ExpectedAt = p.ExpectedAt
	}
	return f
}
