package resolution

import (
	"context"
	"maps"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/organization"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// gather reads whom the stages of all cases may ask.
func (o *resolver) gather(ctx context.Context, tx *pg.Tx, cases []*Case, at time.Time) error {
	var w organization.Wanted
	var needs fact.Needs
	beneficiaries, choosing := []string{}, []string{}
	for _, c := range cases {
		beneficiaries = append(beneficiaries, c.BeneficiaryID)
		for _, r := range c.resolvers() {
			w.Note([]approval.ApproverResolver{r})
			if r.Kind == approval.ByChoice {
				among, _ := rule.Choosable(r)
				needs, choosing = needs.And(among.Needs()), append(choosing, c.Approvers...)
			}
		}
	}
	if err := o.Load(ctx, tx, approval.SortedSet(beneficiaries), w, at); err != nil {
		return err
	}
	if len(needs.Managers)+len(needs.Roles)+len(needs.Entitlements) > 0 {
		more, err := organization.Facts(ctx, tx, choosing, needs, at)
		if err != nil {
			return err
		}
		for id, f := range more {
			o.Facts[id] = f
		}
	}
	return o.gatherPeople(ctx, tx, cases, at)
}

// resolvers are all that a case's stages may ask.
func (c *Case) resolvers() (all []approval.ApproverResolver) {
	for _, s := range c.Plan.Stages {
		for _, g := range s.Definition.Groups {
			all = append(all, g.Approvers...)
		}
		all = append(all, s.Definition.Fallback...)
	}
	return all
}

// gatherPeople reads the people whom the resolvers name.
func (o *resolver) gatherPeople(ctx context.Context, tx *pg.Tx, cases []*Case, at time.Time) error {
	var texts, people []string
	for _, c := range cases {
		for _, r := range c.resolvers() {
			if r.Kind == approval.ByExpression {
				if given, err := expressed(c, r); err == nil {
					texts = append(texts, given...)
				}
			}
		}
	}
	if err := o.LoadTexts(ctx, tx, approval.SortedSet(texts)); err != nil {
		return err
	}
	for _, c := range cases {
		for _, r := range c.resolvers() {
			n := o.name(c, r)
			people = append(append(people, n.ids...), n.reserve...)
		}
	}
	o.at = at
	if err := o.Meet(ctx, tx, people, at); err != nil {
		return err
	}
	return o.gatherManagers(ctx, tx, cases)
}

// gatherManagers adds the managers above the people of the cases, as far as the conditions of delegations ask for them.
func (o *resolver) gatherManagers(ctx context.Context, tx *pg.Tx, cases []*Case) error {
	named := o.Delegations.Needs().Managers
	if len(named) == 0 {
		return nil
	}
	ids := make([]string, len(cases))
	for i, c := range cases {
		ids[i] = c.BeneficiaryID
	}
	above, err := fact.ManagersAbove(ctx, tx, approval.SortedSet(ids), named)
	if err != nil {
		return err
	}
	for _, c := range cases {
		if c.facts == nil || len(above[c.BeneficiaryID]) == 0 {
			continue
		}
		all := maps.Clone(c.facts.Managers)
		if all == nil {
			all = map[string]bool{}
		}
		maps.Copy(all, above[c.BeneficiaryID])
		c.facts.Managers = all
	}
	return nil
}
