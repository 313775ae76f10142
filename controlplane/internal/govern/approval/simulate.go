package approval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// ApprovalTrial is a request that nobody makes, and perhaps a rule that is not saved.
type ApprovalTrial struct {
	Rule    *ApprovalRuleFields  `json:"rule,omitempty" doc:"A draft. Without it, the rule is found as for a request."`
	RuleID  string               `json:"rule_id,omitempty" format:"uuid" doc:"The rule that the draft is to take the place of; without a draft, the rule to be gone through."`
	Request ApprovalTrialRequest `json:"request"`
}

// ApprovalTrialRequest is what is asked for in a trial.
type ApprovalTrialRequest struct {
	RequestedForIdentityID string                  `json:"requested_for_identity_id" format:"uuid"`
	RequestedByIdentityID  string                  `json:"requested_by_identity_id,omitempty" format:"uuid" doc:"The requester. The default is the person who gets the access."`
	ByIntegration          bool                    `json:"by_integration,omitempty" doc:"An integration asks, and no person."`
	RequestedResources     []ApprovalTrialResource `json:"requested_resources" minItems:"1" maxItems:"200" nullable:"false"`
	Kind                   string                  `json:"kind,omitempty" enum:"grant,extend,revoke,return"`
	Urgency                string                  `json:"urgency,omitempty" enum:"normal,emergency"`
	Justification          string                  `json:"justification,omitempty" maxLength:"4000"`
	ExternalReference      string                  `json:"external_reference,omitempty" maxLength:"200"`
	ApproverIDs            []string                `json:"approver_ids,omitempty" maxItems:"50" format:"uuid" doc:"Whom the requester chooses, where the rule lets them."`
	At                     *time.Time              `json:"at,omitempty" doc:"The time of the request. The default is now."`
}

// ApprovalTrialResource is a role or an entitlement.
type ApprovalTrialResource struct {
	RoleID        *string    `json:"role_id,omitempty" format:"uuid"`
	EntitlementID *string    `json:"entitlement_id,omitempty" format:"uuid"`
	Duration      string     `json:"duration,omitempty" maxLength:"64" example:"P30D"`
	StartsAt      *time.Time `json:"starts_at,omitempty"`
	EndsAt        *time.Time `json:"ends_at,omitempty"`
}

// ApprovalSimulation is who would be asked, for each thing.
type ApprovalSimulation struct {
	Items    []ApprovalSimulated `json:"items" nullable:"false"`
	Warnings []ApprovalWarning   `json:"warnings" nullable:"false" doc:"Of a draft: people it names who cannot decide today."`
}

// ApprovalSimulated is who would be asked for one thing.
type ApprovalSimulated struct {
	RoleID        *string  `json:"role_id,omitempty"`
	EntitlementID *string  `json:"entitlement_id,omitempty"`
	Display       string   `json:"display"`
	InsteadOf     *RuleRef `json:"instead_of,omitempty" doc:"The rule that would be chosen were none tried."`
	Plan          Plan     `json:"plan"`
}

// Draft is a rule that is not saved, to resolve by. With an ID it takes the place of that rule.
type Draft struct {
	ID string
	ApprovalRuleFields
}

// ResolveWith is Resolve as it would be were the draft among the rules.
func ResolveWith(ctx context.Context, tx *pg.Tx, d Draft, subjects []Subject, at time.Time) ([]Plan, error) {
	b, _, err := d.book(ctx, tx)
	if err != nil {
		return nil, err
	}
	cases, err := b.resolve(ctx, tx, subjects, nil, at)
	return plans(cases), err
}

// draftID is that of a rule that is not saved.
const draftID = "draft"

// book is that of the tenant with the draft in it, and the draft, checked.
func (d Draft) book(ctx context.Context, tx *pg.Tx) (*book, *rule, error) {
	if d.ID != "" {
		if _, err := find(ctx, tx, d.ID, ""); err != nil {
			return nil, nil, err
		}
	}
	if d.Name == "" {
		d.Name = "The draft"
	}
	if err := d.checked(ctx, tx, d.ID); err != nil {
		return nil, nil, err
	}
	b, err := loadBook(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	list, id := []*rule{}, d.ID
	if id == "" {
		id = draftID
	}
	drafted := d.ready(id, 0)
	for _, r := range b.rules {
		if r.ID != id && r.ID != "" {
			list = append(list, r)
		}
	}
	return newBook(append(list, drafted)), drafted, nil
}

// subjects are those of a trial.
func (r ApprovalTrialRequest) subjects() ([]Subject, error) {
	by := r.RequestedByIdentityID
	if by == "" && !r.ByIntegration {
		by = r.RequestedForIdentityID
	}
	list := make([]Subject, len(r.RequestedResources))
	for i, x := range r.RequestedResources {
		at := fmt.Sprintf("#/request/requested_resources/%d", i)
		if (x.RoleID == nil) == (x.EntitlementID == nil) {
			return nil, fault.New(fault.Invalid, "each resource is a role or an entitlement").
				With(fault.Field{Pointer: at, Code: "required", Detail: "give role_id or entitlement_id"})
		}
		c := &checker{}
		c.length(at+"/duration", x.Duration, false, tenYears)
		if err := c.verdict("request"); err != nil {
			return nil, err
		}
		list[i] = Subject{
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
	c := &checker{}
	c.mention("identity", r.RequestedForIdentityID, "#/request/requested_for_identity_id")
	if r.RequestedByIdentityID != "" {
		c.mention("identity", r.RequestedByIdentityID, "#/request/requested_by_identity_id")
	}
	for i, id := range r.ApproverIDs {
		c.mention("identity", id, fmt.Sprintf("#/request/approver_ids/%d", i))
	}
	for i, x := range r.RequestedResources {
		if x.RoleID != nil {
			c.mention("role", *x.RoleID, fmt.Sprintf("#/request/requested_resources/%d/role_id", i))
		} else {
			c.mention(
				"entitlement",
				*x.EntitlementID,
				fmt.Sprintf("#/request/requested_resources/%d/entitlement_id", i),
			)
		}
	}
	if err := c.find(ctx, tx); err != nil {
		return err
	}
	if len(c.wrong) > 0 {
		return fault.New(fault.Invalid, "%s", c.wrong[0].Detail).With(c.wrong...)
	}
	return nil
}

func (t ApprovalTrial) run(
	ctx context.Context,
	tx *pg.Tx,
	subjects []Subject,
	at time.Time,
) (out ApprovalSimulation, err error) {
	out = ApprovalSimulation{Items: []ApprovalSimulated{}, Warnings: []ApprovalWarning{}}
	b, err := loadBook(ctx, tx)
	if err != nil {
		return out, err
	}
	usual, with := b, (*rule)(nil)
	switch {
	case t.Rule != nil:
		draft := Draft{t.RuleID, *t.Rule}
		if b, with, err = draft.book(ctx, tx); err != nil {
			return out, under("#/rule", err)
		}
		draft.fill()
		if out.Warnings, err = warnings(ctx, tx, draft.ApprovalRuleFields, at); err != nil {
			return out, err
		}
	case t.RuleID != "":
		if with = b.byID[strings.ToLower(t.RuleID)]; with == nil {
			return out, fault.New(fault.NotFound, "there is no approval rule %s", t.RuleID)
		}
	}
	cases, err := b.resolve(ctx, tx, subjects, with, at)
	if err != nil {
		return out, err
	}
	for _, c := range cases {
		item := ApprovalSimulated{RoleID: c.RoleID, EntitlementID: c.EntitlementID, Display: c.item.Name, Plan: c.plan}
		if with != nil {
			r, _, why, _ := usual.choose(c.item, c.Kind)
			item.InsteadOf = &RuleRef{
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
