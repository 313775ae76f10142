package resolution

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/organization"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// CheckChoice says of each subject whether its requester has chosen approvers where the plan wants that, and only such
// as may be chosen: nil, or a fault of kind Invalid in words for whoever asks. Where a plan wants no choice, one that
// was made does not matter.
func CheckChoice(
	ctx context.Context,
	tx *pg.Tx,
	subjects []approval.Subject,
	plans []approval.Plan,
	at time.Time,
) ([]error, error) {
	wrong := make([]error, len(subjects))
	var needs fact.Needs
	people, asks := []string{}, false
	for i, p := range plans {
		for _, among := range choices(p) {
			asks, needs, people = true, needs.And(among.Needs()), append(people, subjects[i].Approvers...)
		}
	}
	if !asks {
		return wrong, nil
	}
	o := &resolver{}
	var err error
	if o.Facts, err = organization.Facts(ctx, tx, people, needs, at); err != nil {
		return nil, err
	}
	if err := o.Meet(ctx, tx, people, at); err != nil {
		return nil, err
	}
	for i, p := range plans {
		for _, among := range choices(p) {
			if wrong[i] == nil {
				wrong[i] = o.choice(&Case{Subject: subjects[i], Plan: p, sure: map[string]int{}}, among)
			}
		}
	}
	return wrong, nil
}

// choices are the conditions that those meet whom the requester of a plan chooses.
func choices(p approval.Plan) (among []condition.Condition) {
	for _, s := range p.Stages {
		for _, g := range s.Definition.Groups {
			for _, r := range g.Approvers {
				if r.Kind == approval.ByChoice {
					c, _ := rule.Choosable(r)
					among = append(among, c)
				}
			}
		}
	}
	return among
}

// choice checks the approvers whom the requester has chosen: each must be allowed to decide about
// the request, be there or have a delegate, and meet the condition. All wrong choices are reported
// at once.
func (o *resolver) choice(c *Case, among condition.Condition) error {
	if len(c.Approvers) == 0 {
		return fault.Coded(
			fault.Invalid,
			"approver_choice_required",
			"choose an approver; candidates meet this condition: %s",
			among.Sentence(),
		)
	}
	var wrong []fault.Field
	for i, id := range c.Approvers {
		why := o.barred(c, id)
		if why == "" && o.delegateOf(c, id) == "" {
			why = o.WhyAbsent(id)
		}
		if facts := o.Facts[id]; why == "" && facts != nil {
			if met, _ := among.Match(facts); !met {
				why = "does not meet: " + among.Sentence()
			}
		}
		if why != "" {
			wrong = append(
				wrong,
				fault.Field{
					Pointer: fmt.Sprintf("#/approver_ids/%d", i),
					Code:    "not_choosable",
					Detail:  o.DisplayName(id) + " " + why,
				},
			)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return fault.Coded(fault.Invalid, "approver_not_choosable", "%s", wrong[0].Detail).With(wrong...)
}
