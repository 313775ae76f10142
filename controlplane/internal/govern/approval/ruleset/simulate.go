package ruleset

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resolution"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// ApprovalTrial is a request that nobody makes, and perhaps a rule that is not saved.
type ApprovalTrial struct {
	// A draft. Without it, the rule is found as for a request.
	Rule *rule.ApprovalRuleFields `json:"rule,omitempty"`
	// The rule that the draft is to take the place of; without a draft, the rule to be gone through.
	RuleID string `json:"rule_id,omitempty" format:"uuid"`
	// Request to simulate. No request is created.
	Request ApprovalTrialRequest `json:"request"`
}

// ApprovalTrialRequest is what is asked for in a trial.
type ApprovalTrialRequest struct {
	// ID of the identity that gets the access.
	RequestedForIdentityID string `json:"requested_for_identity_id" format:"uuid"`
	// The requester. The default is the person who gets the access.
	RequestedByIdentityID string `json:"requested_by_identity_id,omitempty" format:"uuid"`
	// An integration asks, and no person.
	ByIntegration bool `json:"by_integration,omitempty"`
	// Requested roles and entitlements, 1 to 200. Each gets its own approval plan.
	RequestedResources []ApprovalTrialResource `json:"requested_resources" minItems:"1" maxItems:"200" nullable:"false"`
	// Kind of request. grant: new access. extend: a later end. revoke: the end of another person's access. return: the
	// end of one's own access. The default is grant.
	Kind string `json:"kind,omitempty" enum:"grant,extend,revoke,return"`
	// Urgency of the request. The default is normal.
	Urgency string `json:"urgency,omitempty" enum:"normal,emergency"`
	// Justification of the simulated request.
	Justification string `json:"justification,omitempty" maxLength:"4000"`
	// External reference of the simulated request, such as a ticket number.
	ExternalReference string `json:"external_reference,omitempty" maxLength:"200"`
	// Whom the requester chooses, where the rule lets them.
	ApproverIDs []string `json:"approver_ids,omitempty" maxItems:"50" format:"uuid"`
	// The time of the request. The default is now.
	At *time.Time `json:"at,omitempty"`
}

// ApprovalTrialResource is a role or an entitlement.
type ApprovalTrialResource struct {
	// ID of the requested role. Give either role_id or entitlement_id.
	RoleID *string `json:"role_id,omitempty" format:"uuid"`
	// ID of the requested entitlement. Give either role_id or entitlement_id.
	EntitlementID *string `json:"entitlement_id,omitempty" format:"uuid"`
	// Requested duration, as an ISO 8601 duration.
	Duration string `json:"duration,omitempty" maxLength:"64" example:"P30D"`
	// Requested start of the access.
	StartsAt *time.Time `json:"starts_at,omitempty"`
	// Requested end of the access.
	EndsAt *time.Time `json:"ends_at,omitempty"`
}

// ApprovalSimulation is who would be asked, for each thing.
type ApprovalSimulation struct {
	// Result for each requested resource, in the order of the request.
	Items []ApprovalSimulated `json:"items" nullable:"false"`
	// Of a draft: people it names who cannot decide today.
	Warnings []rule.ApprovalWarning `json:"warnings" nullable:"false"`
}

// ApprovalSimulated is who would be asked for one thing.
type ApprovalSimulated struct {
	// ID of the requested role. Absent for an entitlement.
	RoleID *string `json:"role_id,omitempty"`
	// ID of the requested entitlement. Absent for a role.
	EntitlementID *string `json:"entitlement_id,omitempty"`
	// Display name of the requested role or entitlement.
	Display string `json:"display"`
	// The rule that would be chosen were none tried.
	InsteadOf *approval.RuleRef `json:"instead_of,omitempty"`
	// Approval plan of the resource: its rule, stages and approvers.
	Plan approval.Plan `json:"plan"`
}

// subjects are those of a trial.
func (r ApprovalTrialRequest) subjects() ([]approval.Subject, error) {
	by := r.RequestedByIdentityID
	if by == "" && !r.ByIntegration {
		by = r.RequestedForIdentityID
	}
	list := make([]approval.Subject, len(r.RequestedResources))
	for i, x := range r.RequestedResources {
		at := fmt.Sprintf("#/request/requested_resources/%d", i)
		if (x.RoleID == nil) == (x.EntitlementID == nil) {
			return nil, fault.New(fault.Invalid, "each resource is a role or an entitlement").
				With(fault.Field{Pointer: at, Code: "required", Detail: "give role_id or entitlement_id"})
		}
		c := &check.Checker{}
		c.Duration(at+"/duration", x.Duration, false, check.TenYears)
		if err := c.Verdict("request"); err != nil {
			return nil, err
		}
		list[i] = approval.Subject{
			BeneficiaryID:     r.RequestedForIdentityID,
			RequesterID:       by,
			Kind:              r.Kind,
			Urgency:           r.Urgency,
			RoleID:            x.RoleID,
			EntitlementID:     x.EntitlementID,
			StartsAt:          x.StartsAt,
			EndsAt:            x.EndsAt,
			Duration:          x.Duration,
			Justification:     r.Justification,
			ExternalReference: r.ExternalReference,
			Approvers:         r.ApproverIDs,
		}
	}
	return list, nil
}

// Simulate says who would be asked. It changes nothing.
func (s *Service) Simulate(ctx context.Context, v viewer.Viewer, t ApprovalTrial) (out ApprovalSimulation, err error) {
	subjects, err := t.Request.subjects()
	if err != nil {
		return out, err
	}
	at := s.Now()
	if t.Request.At != nil {
		at = t.Request.At.UTC()
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := t.Request.check(ctx, tx); err != nil {
			return err
		}
		if out, err = t.run(ctx, tx, subjects, at); err != nil {
			return err
		}
		return audit.Record(
			ctx,
			tx,
			audit.Entry{
				Action:  "approval_rule.simulated",
				Subject: audit.Subject{Type: "identity", ID: t.Request.RequestedForIdentityID},
				Context: map[string]any{"items": len(subjects), "draft": t.Rule != nil},
			},
		)
	})
	return out, err
}

// check refuses who and what is not there.
func (r ApprovalTrialRequest) check(ctx context.Context, tx *pg.Tx) error {
	c := &check.Checker{}
	c.Mention("identity", r.RequestedForIdentityID, "#/request/requested_for_identity_id")
	if r.RequestedByIdentityID != "" {
		c.Mention("identity", r.RequestedByIdentityID, "#/request/requested_by_identity_id")
	}
	for i, id := range r.ApproverIDs {
		c.Mention("identity", id, fmt.Sprintf("#/request/approver_ids/%d", i))
	}
	for i, x := range r.RequestedResources {
		if x.RoleID != nil {
			c.Mention("role", *x.RoleID, fmt.Sprintf("#/request/requested_resources/%d/role_id", i))
		} else {
			c.Mention(
				"entitlement",
				*x.EntitlementID,
				fmt.Sprintf("#/request/requested_resources/%d/entitlement_id", i),
			)
		}
	}
	if err := c.FindReferences(ctx, tx); err != nil {
		return err
	}
	if len(c.Problems) > 0 {
		return fault.New(fault.Invalid, "%s", c.Problems[0].Detail).With(c.Problems...)
	}
	return nil
}

// run resolves subjects by the tenant's rules, or by the rule of the trial, saved or not. Nothing
// is written.
func (t ApprovalTrial) run(
	ctx context.Context,
	tx *pg.Tx,
	subjects []approval.Subject,
	at time.Time,
) (out ApprovalSimulation, err error) {
	out = ApprovalSimulation{Items: []ApprovalSimulated{}, Warnings: []rule.ApprovalWarning{}}
	b, err := rule.LoadBook(ctx, tx)
	if err != nil {
		return out, err
	}
	usual, with := b, (*rule.Rule)(nil)
	switch {
	case t.Rule != nil:
		draft := Draft{t.RuleID, *t.Rule}
		if b, with, err = draft.book(ctx, tx); err != nil {
			return out, under("#/rule", err)
		}
		draft.Fill()
		if out.Warnings, err = resolution.Warnings(ctx, tx, draft.ApprovalRuleFields, at); err != nil {
			return out, err
		}
	case t.RuleID != "":
		if with = b.ByID[strings.ToLower(t.RuleID)]; with == nil {
			return out, fault.New(fault.NotFound, "Approval rule %s was not found.", t.RuleID)
		}
	}
	cases, err := resolution.Cases(ctx, tx, b, subjects, with, at)
	if err != nil {
		return out, err
	}
	for _, c := range cases {
		item := ApprovalSimulated{RoleID: c.RoleID, EntitlementID: c.EntitlementID, Display: c.Item.Name, Plan: c.Plan}
		if with != nil {
			r, _, why, _ := usual.Choose(c.Item, c.Kind)
			item.InsteadOf = &approval.RuleRef{
				ID:             r.ID,
				Name:           r.Name,
				Version:        r.Version,
				MatchedBecause: strings.ToUpper(why[:1]) + why[1:] + ".",
			}
		}
		out.Items = append(out.Items, item)
	}
	return out, nil
}

// under makes what points into a member of a body point into the body.
func under(member string, err error) error {
	var f *fault.Fault
	if errors.As(err, &f) {
		for i := range f.Fields {
			f.Fields[i].Pointer = member + strings.TrimPrefix(f.Fields[i].Pointer, "#")
		}
	}
	return err
}
