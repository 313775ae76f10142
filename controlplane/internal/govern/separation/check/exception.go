package check

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/conflict"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Allowed is an exception that was approved for a person and lasts: the access of its request item has not ended.
type Allowed struct {
	ID             string     `db:"id"`
	IdentityID     string     `db:"identity_id"`
	PolicyID       string     `db:"policy_id"`
	Sides          string     `db:"sides"` // as Sides returns them
	Severity       string     `db:"severity"`
	EntitlementIDs []string   `db:"entitlement_ids"`
	Number         string     `db:"number"` // of the request
	EndsAt         *time.Time `db:"ends_at"`
}

// AllAllowed are exceptions of people.
type AllAllowed []Allowed

// ReadAllowed reads the exceptions of people that last. The function exception_covering in the database has the same
// condition.
func ReadAllowed(ctx context.Context, tx *pg.Tx, people []string) (AllAllowed, error) {
	const sql = `
		select e.id::text, e.identity_id::text, e.policy_id::text, e.sides, e.severity,
		       e.entitlement_ids::text[] as entitlement_ids,
		       'REQ-' || lpad(r.number::text, greatest(6, length(r.number::text)), '0') as number,
		       i.ends_at
		  from separation_exception e
		  join access_request_item i on i.tenant_id = e.tenant_id and i.id = e.item_id
		  join access_request r on r.tenant_id = i.tenant_id and r.id = i.request_id
		 where e.identity_id = any($1::text[]::uuid[])
		   and exception_lasts(i.given, i.status)
		 order by e.id desc`
	return pg.All[Allowed](ctx, tx, "read exceptions of people", sql, people)
}

// Of returns the exception that covers a violation, or nil. It covers no access on a side that was not there when it
// was approved, and no higher severity.
func (all AllAllowed) Of(identityID string, v conflict.Violation, severity string) *Allowed {
	has := entitlementsOf(v)
	i := slices.IndexFunc(all, func(a Allowed) bool {
		return a.IdentityID == identityID && a.PolicyID == v.Policy.ID && a.Sides == Sides(v) &&
			slices.Index(ranks, a.Severity) >= slices.Index(ranks, severity) &&
			!slices.ContainsFunc(has, func(id string) bool { return !slices.Contains(a.EntitlementIDs, id) })
	})
	if i < 0 {
		return nil
	}
	return &all[i]
}

// entitlementsOf are the entitlements that perform the sides of a violation, each once.
func entitlementsOf(v conflict.Violation) []string {
	ids := []string{}
	for _, side := range v.Sides {
		ids = append(ids, side.EntitlementIDs...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Exceptions returns the violations that need the approval of an exception.
func (v SeparationVerdict) Exceptions() []SeparationConflict {
	var all []SeparationConflict
	for _, c := range v.Violations {
		if c.Effect == Exception {
			all = append(all, c)
		}
	}
	return all
}

// SidesKey tells the violations of one policy of the kind matrix by one person apart, as Sides does.
func (c SeparationConflict) SidesKey() string { return c.sides }

// EntitlementIDs are the entitlements that perform the sides, each once.
func (c SeparationConflict) EntitlementIDs() []string {
	ids := []string{}
	for _, side := range c.Sides {
		for _, a := range side.Access {
			ids = append(ids, a.Entitlement.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// exceptionRules reads the approval rules that allow exceptions of the policies of violations, by the ID of the rule.
func exceptionRules(
	ctx context.Context,
	tx *pg.Tx,
	b *rulebook.Book,
	found []Found,
) (map[string]ExceptionRule, error) {
	var ids []string
	for _, f := range found {
		if id := b.Policies[f.Violation.Policy.ID].ExceptionRuleID; id != "" {
			ids = append(ids, id)
		}
	}
	known := map[string]ExceptionRule{}
	if len(ids) == 0 {
		return known, nil
	}
	const sql = `select r.id::text, r.name from approval_rule r where r.id = any($1::text[]::uuid[])`
	all, err := pg.All[ExceptionRule](ctx, tx, "read exception rules of policies", sql, ids)
	for _, r := range all {
		known[r.ID] = r
	}
	return known, err
}

// excepted says how an exception concerns the violation, as a sentence after others. Empty: it does not.
func (c SeparationConflict) excepted() string {
	switch {
	case c.Exception != nil && c.Exception.EndsAt != nil:
		return fmt.Sprintf(" The exception of %s covers it until %s.", c.Exception.Number,
			c.Exception.EndsAt.Format(time.DateOnly))
	case c.Exception != nil:
		return fmt.Sprintf(" The exception of %s covers it.", c.Exception.Number)
	case c.Effect == Exception && c.ExceptionRule != nil:
		return fmt.Sprintf(" It needs an exception, which the approvers of the rule %q decide.", c.ExceptionRule.Name)
	}
	return ""
}
