package approval

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// checked completes a rule and holds it against the tenant. id is that of the rule; empty for one that is made.
func (f *ApprovalRuleFields) checked(ctx context.Context, tx *pg.Tx, id string) error {
	c := f.check()
	if err := c.find(ctx, tx); err != nil {
		return err
	}
	if len(c.wrong) == 0 {
		if err := c.circles(ctx, tx, *f, id); err != nil {
			return err
		}
	}
	return c.verdict("rule")
}

// verdict is a fault of kind Invalid when something is wrong.
func (c *checker) verdict(what string) error {
	if len(c.wrong) == 0 {
		return nil
	}
	code := "validation_failed"
	if i := slices.IndexFunc(
		c.wrong,
		func(w fault.Field) bool { return w.Code == "unsupported_resolver" || w.Code == "rule_cycle" },
	); i >= 0 {
		code = c.wrong[i].Code
	}
	return fault.Coded(fault.Invalid, code, "this %s cannot be kept: %s", what, c.wrong[0].Detail).With(c.wrong...)
}

// find refuses what is named and is not there.
func (c *checker) find(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		with mentioned (kind, id) as (select * from unnest(@tables::text[], @ids::text[]::uuid[]))
		select m.kind, m.id::text from mentioned m join identity x on x.id = m.id where m.kind = 'identity'
		    and x.status <> 'archived'
		 union
		select m.kind, m.id::text from mentioned m join role x on x.id = m.id where m.kind = 'role'
		    and x.lifecycle <> 'retired'
		 union
		select m.kind, m.id::text from mentioned m join entitlement x on x.id = m.id where m.kind = 'entitlement'
		    and x.removed_at is null
		 union
		select m.kind, m.id::text from mentioned m join connector x on x.id = m.id where m.kind = 'connector'
		    and x.deleted_at is null
		 union
		select m.kind, m.id::text from mentioned m join work_calendar x on x.id = m.id where m.kind = 'work_calendar'
		 union
		select m.kind, m.id::text from mentioned m join on_call_schedule x on x.id = m.id
		    where m.kind = 'on_call_schedule'
		 union
		select m.kind, m.id::text from mentioned m join approval_rule x on x.id = m.id where m.kind = 'approval_rule'`
	var tables, ids []string
	for _, m := range c.names {
		tables, ids = append(tables, m.table), append(ids, m.id)
	}
	if len(ids) == 0 {
		return nil
	}
	there := map[[2]string]bool{}
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"tables": tables, "ids": ids})
	if err != nil {
		return fmt.Errorf("find what a rule names: %w", err)
	}
	var table, id string
	if _, err := pgx.ForEachRow(
		rows,
		[]any{&table, &id},
		func() error { there[[2]string{table, id}] = true; return nil },
	); err != nil {
		return fmt.Errorf("find what a rule names: %w", err)
	}
	for _, m := range c.names {
		if !there[[2]string{m.table, m.id}] {
			c.refuse(m.at, "unknown_"+called[m.table], "there is no %s %s", words[called[m.table]], m.id)
		}
	}
	return nil
}

// called is how the API calls what is in a table.
var called = map[string]string{
	"identity":         "identity",
	"role":             "role",
	"entitlement":      "entitlement",
	"connector":        "connector",
	"work_calendar":    "calendar",
	"on_call_schedule": "schedule",
	"approval_rule":    "rule",
}

// words are what people call it.
var words = map[string]string{
	"identity":    "identity",
	"role":        "role",
	"entitlement": "entitlement",
	"connector":   "connector",
	"calendar":    "calendar",
	"schedule":    "on-call schedule",
	"rule":        "approval rule",
}

// uses are the rules that a rule hands over to, with where.
func uses(branches []ApprovalBranch) (to []mention) {
	for i, b := range branches {
		at := fmt.Sprintf("#/branches/%d/outcome", i)
		if b.Outcome.Kind == useRule {
			to = append(to, mention{"approval_rule", b.Outcome.RuleID, at + "/rule_id"})
		}
		for j, s := range b.Outcome.Stages {
			for k, e := range s.Escalation {
				if e.Action == useRule {
					to = append(
						to,
						mention{"approval_rule", e.RuleID, fmt.Sprintf("%s/stages/%d/escalation/%d/rule_id", at, j, k)},
					)
				}
			}
		}
	}
	return to
}

// circles refuses a rule that would hand over in a circle, or over too many. Rules that are written at the same time
// wait for one another.
func (c *checker) circles(ctx context.Context, tx *pg.Tx, f ApprovalRuleFields, id string) error {
	if id != "" && f.Emergency.RuleID == id {
		c.refuse("#/emergency/rule_id", "rule_cycle", "it names the rule itself; leave it out")
	}
	start := uses(f.Branches)
	if len(start) == 0 {
		return nil
	}
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(3301, hashtext(current_tenant()::text))`); err != nil {
		return fmt.Errorf("lock approval rules: %w", err)
	}
	b, err := loadBook(ctx, tx)
	if err != nil {
		return err
	}
	self := id
	if self == "" {
		self = "new"
	}
	for _, m := range start {
		if m.id == self {
			c.refuse(m.at, "rule_cycle", "the rule uses itself")
			continue
		}
		switch depth := b.depth(m.id, self, 1); {
		case depth < 0:
			c.refuse(m.at, "rule_cycle", "the rule %s leads back to this one", b.byID[m.id].Name)
		case depth > maxUse:
			c.refuse(m.at, "rule_too_deep", "more than %d rules would hand over to one another", maxUse)
		}
	}
	c.tooDeepFor(b, f, self)
	return nil
}

// depth is how many rules are gone through from this one on; -1 when self comes again.
func (b *book) depth(id, self string, so int) int {
	r := b.byID[id]
	if id == self {
		return -1
	}
	if r == nil || so > maxUse {
		return so
	}
	deepest := so
	for _, next := range uses(r.Branches) {
		d := b.depth(next.id, self, so+1)
		if d < 0 {
			return d
		}
		deepest = max(deepest, d)
	}
	return deepest
}

// tooDeepFor refuses what would make the way of another rule too long that uses this one.
func (c *checker) tooDeepFor(b *book, f ApprovalRuleFields, self string) {
	below := 0
	for _, m := range uses(f.Branches) {
		below = max(below, b.depth(m.id, self, 1))
	}
	var above func(id string, so int) int
	above = func(id string, so int) int {
		highest := so
		for _, r := range b.rules {
			if so <= maxUse && slices.ContainsFunc(uses(r.Branches), func(m mention) bool { return m.id == id }) {
				highest = max(highest, above(r.ID, so+1))
			}
		}
		return highest
	}
	if len(c.wrong) == 0 && above(self, 0)+below > maxUse {
		c.refuse(
			"#/branches",
			"rule_too_deep",
			"with the rules that use this one, more than %d would hand over to one another",
			maxUse,
		)
	}
}
