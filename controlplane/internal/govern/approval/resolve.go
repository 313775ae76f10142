package approval

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// facts are what conditions ask of one subject.
type facts = *condition.Person

// resolve makes the plans of subjects by a book of rules. only, when it is not nil, is the rule for all of them.
func (b *book) resolve(ctx context.Context, tx *pg.Tx, subjects []Subject, only *rule, at time.Time) ([]*asked, error) {
	cases, o, err := b.begin(ctx, tx, subjects, at)
	if err != nil {
		return nil, err
	}
	for _, c := range cases {
		b.decide(c, only)
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
func (b *book) begin(ctx context.Context, tx *pg.Tx, subjects []Subject, at time.Time) ([]*asked, *org, error) {
	things, err := itemsOf(ctx, tx, subjects)
	if err != nil {
		return nil, nil, err
	}
	needs, people := b.needs(), []string{}
	for _, s := range subjects {
		people = append(append(people, s.BeneficiaryID, s.RequesterID), s.Approvers...)
	}
	people = slices.DeleteFunc(once(people), func(id string) bool { return id == "" })
	o := &org{}
	if o.facts, err = factsOf(ctx, tx, people, needs, at); err != nil {
		return nil, nil, err
	}
	cases := make([]*asked, len(subjects))
	for i, s := range subjects {
		it, known := things[s.itemKey()]
		if !known {
			return nil, nil, fault.New(fault.Invalid, "the requested resource does not exist")
		}
		s.fill()
		cases[i] = &asked{Subject: s, item: it, facts: o.about(s, it, at), sure: map[string]int{}}
	}
	return cases, o, nil
}

func (s *Subject) fill() {
	if s.Kind == "" {
		s.Kind = "grant"
	}
	if s.Urgency == "" {
		s.Urgency = "normal"
	}
}

// decide chooses the rule and the branch, and takes over what they say.
func (b *book) decide(c *asked, only *rule) {
	r, why := only, "the rule that is tried"
	if r == nil {
		r, _, why, c.log = b.choose(c.item, c.Kind)
	}
	c.log = append(c.log, Step{"rule", fmt.Sprintf("the rule %s: %s", r.Name, why)})
	c.plan = r.Terms.plan(c.item)
	c.plan.Rule = RuleRef{ID: strings.TrimSuffix(r.ID, draftID), Name: r.Name, Version: r.Version}
	from := r
	if e := r.Terms.Emergency; c.Urgency == "emergency" && e.Allowed && e.RuleID != "" && b.byID[e.RuleID] != nil {
		from = b.byID[e.RuleID]
		c.log = append(
			c.log,
			Step{"emergency", "for an emergency the branches of the rule " + from.Name + " are gone through"},
		)
	}
	branch, out, because, log := b.walk(from, c.facts)
	c.log = append(c.log, log...)
	c.plan.Rule.Branch, c.plan.Rule.MatchedBecause = branch, sentence(why, because)
	c.plan.Outcome, c.plan.Reason = out.Kind, out.Reason
	for _, s := range out.Stages {
		c.plan.Stages = append(c.plan.Stages, PlanStage{Definition: s, Groups: []PlanGroup{}})
	}
}

// plan begins a plan with what a rule demands, narrowed by what the thing itself allows.
func (t ApprovalTerms) plan(it item) Plan {
	p := Plan{
		Stages:                   []PlanStage{},
		Distinct:                 yes(t.DistinctApprovers),
		SelfApproval:             t.AllowSelfApproval,
		RequireJustification:     yes(t.RequireJustification),
		RequireExternalReference: t.RequireExternalReference,
		RequestTTL:               t.RequestTTL,
		Terms: GrantTerms{
			MaxDuration:     shorter(t.Grant.MaxDuration, it.MaxDuration),
			DefaultDuration: it.Usual,
			Extension:       yes(t.Grant.Extension.Allowed),
			ExtensionMax: shorter(
				t.Grant.Extension.Max,
				it.Longer,
			),
			ExtensionNeedsOK: yes(t.Grant.Extension.NeedsApproval),
		},
		Emergency: EmergencyWay{t.Emergency.Allowed, t.Emergency.MaxDuration, t.Emergency.PostReviewWithin},
	}
	if p.Terms.DefaultDuration == "" {
		p.Terms.DefaultDuration = t.Grant.DefaultDuration
	}
	p.Terms.DefaultDuration = shorterOf(p.Terms.DefaultDuration, p.Terms.MaxDuration)
	p.Terms.AllowPermanent = p.Terms.MaxDuration == "" && yes(t.Grant.AllowPermanent)
	return p
}

// yes is what is meant where nothing was said.
func yes(b *bool) bool { return b == nil || *b }

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

// gather reads whom the stages of all cases may ask.
func (o *org) gather(ctx context.Context, tx *pg.Tx, cases []*asked, at time.Time) error {
	var w wanted
	var needs condition.Needs
	beneficiaries, choosing := []string{}, []string{}
	for _, c := range cases {
		beneficiaries = append(beneficiaries, c.BeneficiaryID)
		for _, r := range c.resolvers() {
			w.note([]ApproverResolver{r})
			if r.Kind == byChoice {
				among, _ := choosable(r)
				needs, choosing = needs.And(among.Needs()), append(choosing, c.Approvers...)
			}
		}
	}
	if err := o.load(ctx, tx, once(beneficiaries), w, at); err != nil {
		return err
	}
	if len(needs.Managers)+len(needs.Roles)+len(needs.Entitlements) > 0 {
		more, err := factsOf(ctx, tx, choosing, needs, at)
		if err != nil {
			return err
		}
		for id, f := range more {
			o.facts[id] = f
		}
	}
	return o.gatherPeople(ctx, tx, cases, at)
}

// resolvers are all that a case's stages may ask.
func (c *asked) resolvers() (all []ApproverResolver) {
	for _, s := range c.plan.Stages {
		for _, g := range s.Definition.Groups {
			all = append(all, g.Approvers...)
		}
		all = append(all, s.Definition.Fallback...)
	}
	return all
}

// gatherPeople reads the people whom the resolvers name.
func (o *org) gatherPeople(ctx context.Context, tx *pg.Tx, cases []*asked, at time.Time) error {
	var texts, people []string
	for _, c := range cases {
		for _, r := range c.resolvers() {
			if r.Kind == byExpression {
				if given, err := expressed(c, r); err == nil {
					texts = append(texts, given...)
				}
			}
		}
	}
	if err := o.loadTexts(ctx, tx, once(texts)); err != nil {
		return err
	}
	for _, c := range cases {
		for _, r := range c.resolvers() {
			n := o.name(c, r)
			people = append(append(people, n.ids...), n.reserve...)
		}
	}
	return o.meet(ctx, tx, people, at)
}

// complete resolves the stages of a case, with the times by which they are due. It reads nothing any more.
func (o *org) complete(c *asked, at time.Time) {
	opened := at
	for i := range c.plan.Stages {
		c.stage = i + 1
		s := &c.plan.Stages[i]
		opened = o.clock.opens(s.Definition, opened)
		if s.Blocked = o.seats(c, s); s.Blocked {
			c.plan.Blocked = true
		}
		if s.Satisfied != "" {
			continue
		}
		due := o.clock.due(s.Definition, opened)
		s.DueAt, opened = &due, due
		c.plan.ExpectedAt = &due
		c.note("due", "%s is due on %s", s.Definition.Name, due.Format(time.RFC3339))
	}
	c.stage = 0
	c.plan.Log = c.log
	if c.plan.Log == nil {
		c.plan.Log = []Step{}
	}
}

// seats resolves the people of one stage. blocked: there is a group for which nobody at all can be asked.
func (o *org) seats(c *asked, s *PlanStage) (blocked bool) {
	before := make(map[string]int, len(c.sure))
	for id, stage := range c.sure {
		before[id] = stage
	}
	s.Groups, s.Satisfied = []PlanGroup{}, ""
	for _, g := range s.Definition.Groups {
		group, none := o.group(c, s.Definition, g)
		s.Groups = append(s.Groups, group)
		blocked = blocked || none
	}
	if !blocked && !c.plan.Distinct && agreed(s.Groups, before) {
		s.Satisfied = "all who are asked here agree in an earlier stage"
		c.note("satisfied", "%s", s.Satisfied)
	}
	return blocked
}

// agreed says whether all slots are of people who agree anyway.
func agreed(groups []PlanGroup, sure map[string]int) bool {
	for _, g := range groups {
		for _, s := range g.Slots {
			if _, ok := sure[s.IdentityID]; s.IdentityID == "" || !ok {
				return false
			}
		}
	}
	return len(groups) > 0
}
