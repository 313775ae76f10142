package resolution

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resource"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// planOf begins a plan with what a rule demands, narrowed by what the thing itself allows.
func planOf(t rule.ApprovalTerms, it resource.Item) approval.Plan {
	p := approval.Plan{
		Stages:                   []approval.PlanStage{},
		Distinct:                 rule.OrTrue(t.DistinctApprovers),
		SelfApproval:             t.AllowSelfApproval,
		RequireJustification:     rule.OrTrue(t.RequireJustification),
		RequireExternalReference: t.RequireExternalReference,
		RequestTTL:               t.RequestTTL,
		Terms: approval.GrantTerms{
			MaxDuration:     shorter(t.Grant.MaxDuration, it.MaxDuration),
			DefaultDuration: it.Usual,
			Extension:       rule.OrTrue(t.Grant.Extension.Allowed),
			ExtensionMax: shorter(
				t.Grant.Extension.Max,
				it.Longer,
			),
			ExtensionNeedsOK: rule.OrTrue(t.Grant.Extension.NeedsApproval),
		},
		Emergency: approval.EmergencyWay{
			Allowed:          t.Emergency.Allowed,
			MaxDuration:      t.Emergency.MaxDuration,
			PostReviewWithin: t.Emergency.PostReviewWithin,
		},
	}
	if p.Terms.DefaultDuration == "" {
		p.Terms.DefaultDuration = t.Grant.DefaultDuration
	}
	p.Terms.DefaultDuration = shorterOf(p.Terms.DefaultDuration, p.Terms.MaxDuration)
	p.Terms.AllowPermanent = p.Terms.MaxDuration == "" && rule.OrTrue(t.Grant.AllowPermanent)
	return p
}

// shorter is the shorter of two lengths of time, either of which may be none.
func shorter(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	}
	return shorterOf(a, b)
}

// shorterOf is a, or b when it is shorter. None stays none.
func shorterOf(a, b string) string {
	x, err := span.Parse(a)
	if err != nil {
		return a
	}
	if y, err := span.Parse(b); err == nil && y < x {
		return b
	}
	return a
}
