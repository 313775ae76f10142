package resolution

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/organization"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resource"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/rule"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition/fact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// resolver is the organization as resolution asks it, at an instant.
type resolver struct {
	organization.Organization
	at time.Time
}

// facts are what conditions ask of one subject.
type facts = *fact.Person

// Cases makes the plans of subjects by a book of rules, in their order. only, when it is not nil, is the rule for all
// of them.
func Cases(
	ctx context.Context,
	tx *pg.Tx,
	b *rule.Book,
	subjects []approval.Subject,
	only *rule.Rule,
	at time.Time,
) ([]*Case, error) {
	cases, o, err := begin(ctx, tx, b, subjects, at)
	if err != nil {
		return nil, err
	}
	for _, c := range cases {
		decide(b, c, only)
	}
	if err := o.gather(ctx, tx, cases, at); err != nil {
		return nil, err
	}
	for _, c := range cases {
		o.complete(c, at)
	}
	return cases, nil
}

// begin reads what is asked for, and about whom.
func begin(
	ctx context.Context,
	tx *pg.Tx,
	b *rule.Book,
	subjects []approval.Subject,
	at time.Time,
) ([]*Case, *resolver, error) {
	things, err := resource.OfSubjects(ctx, tx, subjects)
	if err != nil {
		return nil, nil, err
	}
	needs, people := b.Needs(), []string{}
	for _, s := range subjects {
		people = append(append(people, s.BeneficiaryID, s.RequesterID), s.Approvers...)
	}
	people = slices.DeleteFunc(approval.SortedSet(people), func(id string) bool { return id == "" })
	o := &resolver{}
	if o.Facts, err = organization.Facts(ctx, tx, people, needs, at); err != nil {
		return nil, nil, err
	}
	cases := make([]*Case, len(subjects))
	for i, s := range subjects {
		it, known := things[resource.KeyOf(s)]
		if !known {
			return nil, nil, fault.New(fault.Invalid, "The requested role or entitlement was not found.")
		}
		complete(&s)
		cases[i] = &Case{Subject: s, Item: it, facts: o.About(s, it, at), sure: map[string]int{}}
	}
	return cases, o, nil
}

// decide chooses the rule and the branch, and takes over what they say.
func decide(b *rule.Book, c *Case, only *rule.Rule) {
	r, why := only, "the rule that is tried"
	if r == nil {
		r, _, why, c.log = b.Choose(c.Item, c.Kind)
	}
	c.log = append(c.log, approval.Step{Step: "rule", Detail: fmt.Sprintf("the rule %s: %s", r.Name, why)})
	c.Plan = planOf(r.Terms, c.Item)
	c.Plan.Rule = approval.RuleRef{ID: strings.TrimSuffix(r.ID, rule.DraftID), Name: r.Name, Version: r.Version}
	from := r
	if e := r.Terms.Emergency; c.Urgency == "emergency" && e.Allowed && e.RuleID != "" && b.ByID[e.RuleID] != nil {
		from = b.ByID[e.RuleID]
		c.log = append(
			c.log,
			approval.Step{
				Step:   "emergency",
				Detail: "for an emergency the branches of the rule " + from.Name + " are gone through",
			},
		)
	}
	branch, out, because, log := b.Walk(from, c.facts)
	c.log = append(c.log, log...)
	c.Plan.Rule.Branch, c.Plan.Rule.MatchedBecause = branch, rule.Sentence(why, because)
	c.Plan.Outcome, c.Plan.Reason = out.Kind, out.Reason
	for _, s := range out.Stages {
		c.Plan.Stages = append(c.Plan.Stages, approval.PlanStage{Definition: s, Groups: []approval.PlanGroup{}})
	}
}

// complete resolves the stages of a case, with the times by which they are due. It reads nothing any more.
func (o *resolver) complete(c *Case, at time.Time) {
	opened := at
	for i := range c.Plan.Stages {
		c.stage = i + 1
		s := &c.Plan.Stages[i]
		opened = o.Clock.StageOpens(s.Definition, opened)
		if s.Blocked = o.seats(c, s); s.Blocked {
			c.Plan.Blocked = true
		}
		if s.Satisfied != "" {
			continue
		}
		due := o.Clock.StageDue(s.Definition, opened)
		s.DueAt, opened = &due, due
		c.Plan.ExpectedAt = &due
		c.note("due", "%s is due on %s", s.Definition.Name, due.Format(time.RFC3339))
	}
	c.stage = 0
	c.Plan.Log = c.log
	if c.Plan.Log == nil {
		c.Plan.Log = []approval.Step{}
	}
}

// seats resolves the people of one stage. blocked: there is a group for which nobody at all can be asked.
func (o *resolver) seats(c *Case, s *approval.PlanStage) (blocked bool) {
	before := make(map[string]int, len(c.sure))
	for id, stage := range c.sure {
		before[id] = stage
	}
	s.Groups, s.Satisfied = []approval.PlanGroup{}, ""
	for _, g := range s.Definition.Groups {
		group, none := o.group(c, s.Definition, g)
		s.Groups = append(s.Groups, group)
		blocked = blocked || none
	}
	if !blocked && !c.Plan.Distinct && !c.excepts && agreed(s.Groups, before) {
		s.Satisfied = "all who are asked here agree in an earlier stage"
		c.note("satisfied", "%s", s.Satisfied)
	}
	return blocked
}

// agreed says whether all slots are of people who agree anyway.
func agreed(groups []approval.PlanGroup, sure map[string]int) bool {
	for _, g := range groups {
		for _, s := range g.Slots {
			if _, ok := sure[s.IdentityID]; s.IdentityID == "" || !ok {
				return false
			}
		}
	}
	return len(groups) > 0
}
