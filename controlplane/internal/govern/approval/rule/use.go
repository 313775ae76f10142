package rule

import (
	"context"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/check"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// maxUse is how many rules may hand over to one another.
const maxUse = 5

// Check completes a rule, and returns a fault of kind Invalid if it cannot be kept. id is the rule's own; empty: it is
// new.
func (f *ApprovalRuleFields) Check(ctx context.Context, tx *pg.Tx, id string) error {
	c := f.inspect()
	if err := c.FindReferences(ctx, tx); err != nil {
		return err
	}
	if len(c.Problems) == 0 {
		if err := c.circles(ctx, tx, *f, id); err != nil {
			return err
		}
	}
	return c.Verdict("rule")
}

// uses are the rules that a rule hands over to, with where.
func uses(branches []ApprovalBranch) (to []check.Reference) {
	for i, b := range branches {
		at := fmt.Sprintf("#/branches/%d/outcome", i)
		if b.Outcome.Kind == UseRule {
			to = append(to, reference(b.Outcome.RuleID, at+"/rule_id"))
		}
		for j, s := range b.Outcome.Stages {
			for k, e := range s.Escalation {
				if e.Action == UseRule {
					to = append(to, reference(e.RuleID, fmt.Sprintf("%s/stages/%d/escalation/%d/rule_id", at, j, k)))
				}
			}
		}
	}
	return to
}

// reference is a reference to a rule, at a place of the request's body.
func reference(ruleID, at string) check.Reference {
	return check.Reference{Table: "approval_rule", ID: ruleID, At: at}
}

// circles refuses a rule that would hand over in a circle, or over too many. Rules that are written at the same time
// wait for one another.
func (c *checker) circles(ctx context.Context, tx *pg.Tx, f ApprovalRuleFields, id string) error {
	if id != "" && f.Emergency.RuleID == id {
		c.Refuse("#/emergency/rule_id", "rule_cycle", "it names the rule itself; leave it out")
	}
	start := uses(f.Branches)
	if len(start) == 0 {
		return nil
	}
	if err := pg.Exec(
		ctx,
		tx,
		"lock approval rules",
		`select pg_advisory_xact_lock(3301, hashtext(current_tenant()::text))`,
	); err != nil {
		return err
	}
	b, err := LoadBook(ctx, tx)
	if err != nil {
		return err
	}
	self := id
	if self == "" {
		self = "new"
	}
	for _, m := range start {
		if m.ID == self {
			c.Refuse(m.At, "rule_cycle", "the rule uses itself")
			continue
		}
		switch depth := b.depth(m.ID, self, 1); {
		case depth < 0:
			c.Refuse(m.At, "rule_cycle", "the rule %s leads back to this one", b.ByID[m.ID].Name)
		case depth > maxUse:
			c.Refuse(m.At, "rule_too_deep", "more than %d rules would hand over to one another", maxUse)
		}
	}
	c.tooDeepFor(b, f, self)
	return nil
}

// depth is how many rules are gone through from this one on; -1 when self comes again.
func (b *Book) depth(id, self string, so int) int {
	r := b.ByID[id]
	if id == self {
		return -1
	}
	if r == nil || so > maxUse {
		return so
	}
	deepest := so
	for _, next := range uses(r.Branches) {
		d := b.depth(next.ID, self, so+1)
		if d < 0 {
			return d
		}
		deepest = max(deepest, d)
	}
	return deepest
}

// tooDeepFor refuses what would make the way of another rule too long that uses this one.
func (c *checker) tooDeepFor(b *Book, f ApprovalRuleFields, self string) {
	below := 0
	for _, m := range uses(f.Branches) {
		below = max(below, b.depth(m.ID, self, 1))
	}
	var above func(id string, so int) int
	above = func(id string, so int) int {
		highest := so
		for _, r := range b.Rules {
			if so <= maxUse &&
				slices.ContainsFunc(uses(r.Branches), func(m check.Reference) bool { return m.ID == id }) {
				highest = max(highest, above(r.ID, so+1))
			}
		}
		return highest
	}
	if len(c.Problems) == 0 && above(self, 0)+below > maxUse {
		c.Refuse(
			"#/branches",
			"rule_too_deep",
			"with the rules that use this one, more than %d would hand over to one another",
			maxUse,
		)
	}
}
