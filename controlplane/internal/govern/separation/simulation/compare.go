package simulation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// comparison collects how the violations of two books differ.
type comparison struct {
	SeparationImpact
	before, after *rulebook.Book
	departments   map[string]*SeparationDepartmentImpact
	policies      map[string]*SeparationPolicyImpact
}

// compare evaluates everybody by both books. unsaved is the ID of a policy in after that is not stored, or empty.
func compare(
	ctx context.Context,
	tx *pg.Tx,
	before, after *rulebook.Book,
	unsaved string,
	now time.Time,
) (SeparationImpact, error) {
	c := &comparison{
		before:      before,
		after:       after,
		departments: map[string]*SeparationDepartmentImpact{},
		policies:    map[string]*SeparationPolicyImpact{},
	}
	c.Sample = []SeparationPersonImpact{}
	var err error
	if c.PeopleTotal, err = pg.One[int64](ctx, tx, "count people",
		`select count(*) from identity where status <> 'archived'`); err != nil {
		return c.SeparationImpact, err
	}
	suspects, err := c.suspects(ctx, tx, now)
	if err != nil {
		return c.SeparationImpact, err
	}
	for ids := range slices.Chunk(suspects, batchSize) {
		if err := c.evaluate(ctx, tx, ids, now); err != nil {
			return c.SeparationImpact, err
		}
	}
	c.finish(unsaved)
	return c.SeparationImpact, nil
}

// suspects are the people who may violate a policy of either book.
func (c *comparison) suspects(ctx context.Context, tx *pg.Tx, now time.Time) (ids []string, err error) {
	named := slices.Concat(c.before.Rules.Entitlements(), c.after.Rules.Entitlements())
	slices.Sort(named)
	passes := []*conflict.Pass{c.before.Rules.NewPass(), c.after.Rules.NewPass()}
	suspected := func(id string, entitlements []string) error {
		if slices.ContainsFunc(passes, func(p *conflict.Pass) bool { return len(p.Suspects(entitlements)) > 0 }) {
			ids = append(ids, id)
		}
		return nil
	}
	err = effective.Stream(ctx, tx, effective.Range{}, slices.Compact(named), c.past(), now, suspected)
	return ids, err
}

// past is how long ago access may have ended to count for either book.
func (c *comparison) past() time.Duration { return max(check.Past(c.before), check.Past(c.after)) }

// evaluate compares the violations of some people.
func (c *comparison) evaluate(ctx context.Context, tx *pg.Tx, ids []string, now time.Time) error {
	people, err := effective.Load(ctx, tx, ids, c.past(), now)
	if err != nil {
		return err
	}
	described, err := describe(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		p := described[id]
		was, is := c.before.Rules.Check(&people[id].Access), c.after.Rules.Check(&people[id].Access)
		p.New, p.Closed = missing(c.after, is, was), missing(c.before, was, is)
		for _, v := range was {
			c.policy(v.Policy.ID).Before++
		}
		for _, v := range is {
			c.policy(v.Policy.ID).After++
		}
		c.ViolationsTotal += len(is)
		c.add(p)
	}
	return nil
}

// describe reads who the people are.
func describe(ctx context.Context, tx *pg.Tx, ids []string) (map[string]SeparationPersonImpact, error) {
	const sql = `
		select i.id::text, coalesce(i.display_name, ''), coalesce(i.department, '')
		  from identity i
		 where i.id = any($1::text[]::uuid[])`
	found := make(map[string]SeparationPersonImpact, len(ids))
	var p SeparationPersonImpact
	err := pg.Each(ctx, tx, "describe people", []any{&p.IdentityID, &p.DisplayName, &p.Department}, func() error {
		found[p.IdentityID] = p
		return nil
	}, sql, ids)
	return found, err
}

// missing returns the violations, found by a book, that are not among the others.
func missing(b *rulebook.Book, of, others []conflict.Violation) []SeparationViolationImpact {
	list := []SeparationViolationImpact{}
	for _, v := range of {
		if !slices.ContainsFunc(others, func(o conflict.Violation) bool { return same(v, o) }) {
			list = append(list, violation(b, v))
		}
	}
	return list
}

// same reports whether two violations of one person are of the same policy and sides.
func same(a, b conflict.Violation) bool {
	return a.Policy.ID == b.Policy.ID && slices.EqualFunc(a.Sides, b.Sides, func(x, y conflict.Performed) bool {
		return x.Side == y.Side
	})
}

// add counts one person.
func (c *comparison) add(p SeparationPersonImpact) {
	if len(p.New)+len(p.Closed) == 0 {
		return
	}
	c.IdentitiesAffected++
	c.ViolationsNew += len(p.New)
	c.ViolationsClosed += len(p.Closed)
	d := c.departments[p.Department]
	if d == nil {
		d = &SeparationDepartmentImpact{Department: p.Department}
		c.departments[p.Department] = d
	}
	d.ViolationsNew += len(p.New)
	d.ViolationsClosed += len(p.Closed)
	if len(c.Sample) < sampled {
		c.Sample = append(c.Sample, p)
	}
}

// policy returns the figures of a policy.
func (c *comparison) policy(id string) *SeparationPolicyImpact {
	if c.policies[id] == nil {
		c.policies[id] = &SeparationPolicyImpact{PolicyID: &id, BlindSides: []int{}}
	}
	return c.policies[id]
}

// finish sorts the lists, and adds what the figures do not show.
func (c *comparison) finish(unsaved string) {
	c.Notes = []string{}
	for _, b := range []*rulebook.Book{c.before, c.after} {
		for id, p := range b.Policies {
			c.policy(id).Name = p.Name
		}
	}
	for id, p := range c.after.Policies {
		c.policy(id).BlindSides = append([]int{}, p.BlindSides...)
		if p.Blind() {
			c.Notes = append(
				c.Notes,
				fmt.Sprintf("The policy %q would be blind: a side has no duty that a person could "+
					"perform.", p.Name),
			)
		}
	}
	slices.Sort(c.Notes)
	c.ByPolicy = make([]SeparationPolicyImpact, 0, len(c.policies))
	for id, p := range c.policies {
		if id == unsaved {
			p.PolicyID = nil
		}
		c.ByPolicy = append(c.ByPolicy, *p)
	}
	slices.SortFunc(c.ByPolicy, func(a, b SeparationPolicyImpact) int { return cmp.Compare(a.Name, b.Name) })
	c.ByDepartment = make([]SeparationDepartmentImpact, 0, len(c.departments))
	for _, d := range c.departments {
		c.ByDepartment = append(c.ByDepartment, *d)
	}
	slices.SortFunc(c.ByDepartment, func(a, b SeparationDepartmentImpact) int {
		return cmp.Or(cmp.Compare(b.ViolationsNew+b.ViolationsClosed, a.ViolationsNew+a.ViolationsClosed),
			cmp.Compare(a.Department, b.Department))
	})
	c.ByDepartment = c.ByDepartment[:min(len(c.ByDepartment), foremost)]
}
