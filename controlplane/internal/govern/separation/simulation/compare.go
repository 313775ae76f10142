package simulation

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exemption"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// comparison collects how the violations of two books differ.
type comparison struct {
	SeparationImpact
	before, after *rulebook.Book
	departments   map[string]*SeparationDepartmentImpact
	policies      map[string]*SeparationPolicyImpact
	gains         Gains
	above         map[string][]string // entitlements with those that they are nested in, of all that is gained
	found         func(outcome)       // is called with each person who was evaluated; may be nil
}

// outcome are the violations of one person before and after a change.
type outcome struct {
	identityID string
	was, is    []conflict.Violation
}

// newComparison makes a comparison that has evaluated no one.
func newComparison(before, after *rulebook.Book, gains Gains) *comparison {
	c := &comparison{
		before:      before,
		after:       after,
		departments: map[string]*SeparationDepartmentImpact{},
		policies:    map[string]*SeparationPolicyImpact{},
		gains:       gains,
	}
	c.Sample = []SeparationPersonImpact{}
	return c
}

// Gains are IDs of entitlements that people would have after a change besides their access, by the ID of the person.
type Gains map[string][]string

// Between evaluates everybody by two books, after the change with what people gain by it. It joins the transaction.
func Between(
	ctx context.Context,
	tx *pg.Tx,
	before, after *rulebook.Book,
	gains Gains,
	now time.Time,
) (SeparationImpact, error) {
	return compare(ctx, tx, before, after, gains, "", now)
}

// compare evaluates everybody by both books. unsaved is the ID of a policy in after that is not stored, or empty.
func compare(
	ctx context.Context,
	tx *pg.Tx,
	before, after *rulebook.Book,
	gains Gains,
	unsaved string,
	now time.Time,
) (SeparationImpact, error) {
	c := newComparison(before, after, gains)
	var err error
	if c.PeopleTotal, err = countPeople(ctx, tx); err != nil {
		return c.SeparationImpact, err
	}
	if err := c.pass(ctx, tx, effective.Range{}, now); err != nil {
		return c.SeparationImpact, err
	}
	c.finish(unsaved)
	return c.SeparationImpact, nil
}

// countPeople counts the people of the tenant.
func countPeople(ctx context.Context, tx *pg.Tx) (int64, error) {
	return pg.One[int64](ctx, tx, "count people", `select count(*) from identity where status <> 'archived'`)
}

// pass evaluates the people of a range.
func (c *comparison) pass(ctx context.Context, tx *pg.Tx, of effective.Range, now time.Time) error {
	suspects, err := c.suspects(ctx, tx, of, now)
	if err != nil {
		return err
	}
	for ids := range slices.Chunk(suspects, batchSize) {
		if err := c.evaluate(ctx, tx, ids, now); err != nil {
			return err
		}
	}
	return nil
}

// suspects are the people of a range who may violate a policy of either book. All who gain something count as in it.
func (c *comparison) suspects(
	ctx context.Context,
	tx *pg.Tx,
	of effective.Range,
	now time.Time,
) (ids []string, err error) {
	named := slices.Concat(c.before.Rules.Entitlements(), c.after.Rules.Entitlements())
	slices.Sort(named)
	if c.above, err = above(ctx, tx, c.gains); err != nil {
		return nil, err
	}
	passes := []*conflict.Pass{c.before.Rules.NewPass(), c.after.Rules.NewPass()}
	seen := map[string]bool{} // of those who gain something
	suspected := func(id string, entitlements []string) error {
		if gained := c.gains[id]; len(gained) > 0 {
			seen[id] = true
			entitlements = slices.Clone(entitlements)
			for _, of := range gained {
				entitlements = append(entitlements, c.above[of]...)
			}
		}
		if slices.ContainsFunc(passes, func(p *conflict.Pass) bool { return len(p.Suspects(entitlements)) > 0 }) {
			ids = append(ids, id)
		}
		return nil
	}
	err = effective.Stream(ctx, tx, of, slices.Compact(named), c.past(), now, suspected)
	for _, id := range slices.Sorted(maps.Keys(c.gains)) {
		if err == nil && !seen[id] {
			err = suspected(id, nil)
		}
	}
	return ids, err
}

// above finds the entitlements that gained ones are nested in, each with itself.
func above(ctx context.Context, tx *pg.Tx, gains Gains) (map[string][]string, error) {
	const sql = `
		with recursive up (id, above) as (
		    select id, id from unnest($1::text[]::uuid[]) id
		     union
		    select u.id, e.parent_id from up u join entitlement_edge e on e.member_id = u.above
		)
		select u.id::text, array_agg(u.above::text) from up u group by u.id`
	var ids []string
	for _, of := range gains {
		ids = append(ids, of...)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	found := map[string][]string{}
	var id string
	var all []string
	err := pg.Each(ctx, tx, "find what gained entitlements are nested in", []any{&id, &all}, func() error {
		found[id] = slices.Clone(all)
		return nil
	}, sql, slices.Compact(ids))
	return found, err
}

// afterwards returns the access of people after the change. people is that before it.
func (c *comparison) afterwards(
	ctx context.Context,
	tx *pg.Tx,
	ids []string,
	people map[string]*effective.Person,
	now time.Time,
) (map[string]*effective.Person, error) {
	changes := map[string]effective.Changes{}
	for _, id := range ids {
		var add []effective.Addition
		for _, of := range c.gains[id] {
			add = append(add, effective.Addition{ID: of, EntitlementID: of})
		}
		if len(add) > 0 {
			changes[id] = effective.Changes{Add: add}
		}
	}
	if len(changes) == 0 {
		return people, nil
	}
	gaining, err := effective.LoadChanged(ctx, tx, changes, false, c.past(), now)
	if err != nil {
		return nil, err
	}
	all := maps.Clone(people)
	maps.Copy(all, gaining)
	return all, nil
}

// past is how long ago access may have ended to count for either book.
func (c *comparison) past() time.Duration { return max(check.Past(c.before), check.Past(c.after)) }

// evaluate compares the violations of some people.
func (c *comparison) evaluate(ctx context.Context, tx *pg.Tx, ids []string, now time.Time) error {
	people, err := effective.Load(ctx, tx, ids, c.past(), now)
	if err != nil {
		return err
	}
	later, err := c.afterwards(ctx, tx, ids, people, now)
	if err != nil {
		return err
	}
	exemptBefore, err := exemption.Of(ctx, tx, c.before, ids, now)
	if err != nil {
		return err
	}
	exemptAfter, err := exemption.Of(ctx, tx, c.after, ids, now)
	if err != nil {
		return err
	}
	described, err := describe(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		p := described[id]
		today, afterwards := people[id].Access, later[id].Access
		today.Exempt, afterwards.Exempt = exemptBefore[id], exemptAfter[id]
		was, is := c.before.Rules.Check(&today), c.after.Rules.Check(&afterwards)
		p.New, p.Closed = missing(c.after, is, was), missing(c.before, was, is)
		for _, v := range was {
			c.policy(v.Policy.ID).Before++
		}
		for _, v := range is {
			c.policy(v.Policy.ID).After++
		}
		c.ViolationsTotal += len(is)
		c.add(p)
		if c.found != nil {
			c.found(outcome{id, was, is})
		}
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
		if !has(others, v) {
			list = append(list, violation(b, v))
		}
	}
	return list
}

// has reports whether a violation is among others.
func has(others []conflict.Violation, v conflict.Violation) bool {
	return slices.ContainsFunc(others, func(o conflict.Violation) bool { return same(v, o) })
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
