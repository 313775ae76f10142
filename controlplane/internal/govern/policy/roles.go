package policy

import (
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// sourcePolicy is the source_type of the reasons of policies.
const sourcePolicy = "policy"

// evaluated are the sources whose reasons the evaluation gives and takes: what they give feeds no rule, but for
// assignments, which are somebody's decision.
var evaluated = []string{sourcePolicy, role.RuleSource, role.ReasonSource}

// roleRule is the membership rule of a role as one more rule: whoever it is about has the role, a pre-hire as early as
// they have birthrights, and who moves keeps it for as long as movers keep what no longer follows.
func roleRule(of role.Rule, usual rules.Lifecycle) *rule {
	parsed, problems := Subject(of.Condition).parse()
	r := &rule{
		of:        role.RuleSource,
		condition: parsed,
		lead:      usual.PreHireLead,
		grace:     usual.MoverGrace,
		closed:    of.Closed,
		frozen:    len(problems) > 0,
		excluded:  map[string]*time.Time{},
	}
	r.policy = AccessPolicy{
		ID:        of.RoleID,
		UpdatedAt: of.Since,
		Version:   of.Version,
		Fields: Fields{Name: of.Name, Enabled: true, Mode: Enforce, Effect: Assign,
			Resources: Resources{RoleIDs: []string{of.RoleID}}, Lifecycle: Lifecycle{When: states, OnNoMatch: Grace}},
	}
	for _, x := range of.Exclusions {
		r.excluded[x.IdentityID] = nil
		if x.Until == nil {
			continue
		}
		if until, err := time.Parse(time.DateOnly, *x.Until); err == nil {
			r.excluded[x.IdentityID] = &until
		}
	}
	return r
}

// excludes says whether the rule does not count for somebody today.
func (r *rule) excludes(p *person, b *book) bool {
	until, named := r.excluded[p.id]
	return named && (until == nil || b.today().Before(*until))
}

// returns says whether an exclusion has ended since an instant, so that a rule counts for somebody again.
func (b *book) returns(since time.Time) bool {
	for _, r := range b.rules {
		for _, until := range r.excluded {
			if until == nil {
				continue
			}
			day := time.Date(until.Year(), until.Month(), until.Day(), 0, 0, 0, 0, b.zone)
			if !day.Before(since) && !day.After(b.now) {
				return true
			}
		}
	}
	return false
}

// has says whether somebody has something by the rule.
func (r *rule) has(living []reason) bool {
	return slices.ContainsFunc(living, func(x reason) bool { return x.key.policy == r.policy.ID })
}

// assignmentKey is that of the reason for one thing which an assignment gives.
func assignmentKey(a role.Assignment, t target) key {
	return key{a.ID, t.connector, t.entitlement, a.RoleID, ledger.Allow, role.ReasonKind(a.Kind)}
}

// assigned finds the assignments of people, and what their roles give.
func (b *book) assigned(ctx context.Context, tx *pg.Tx, ids []string) (map[string][]role.Assignment, error) {
	if !b.assignments {
		return nil, nil
	}
	found, err := role.Live(ctx, tx, ids)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var unknown []string
	for id, of := range found {
		if b.around != nil {
			of = slices.DeleteFunc(of, func(a role.Assignment) bool { return !b.around[a.RoleID] })
			found[id] = of
		}
		for _, a := range of {
			if _, known := b.given[a.RoleID]; !known {
				b.given[a.RoleID] = nil
				unknown = append(unknown, a.RoleID)
			}
		}
	}
	held, err := role.Entitlements(ctx, tx, once(unknown))
	for id, of := range held {
		for _, e := range of {
			b.given[id] = append(b.given[id], target{e.ConnectorID, e.ID, id})
		}
	}
	return found, err
}

// lookAssigned compares somebody's assignments with what lives by them. What an assignment wants it takes out of at.
// One that is over wants nothing more: the ledger ends what it gave.
func (b *book) lookAssigned(p *person, at map[key]*reason, out *outcome) {
	for i, a := range p.assigned {
		if a.EndsAt != nil && !a.EndsAt.After(b.now) {
			continue
		}
		starts := time.Time{}
		if a.StartsAt.After(b.now) {
			starts = a.StartsAt
		}
		for _, t := range b.given[a.RoleID] {
			k := assignmentKey(a, t)
			if at[k] == nil {
				out.changes = append(
					out.changes,
					change{identity: p.id, key: k, add: true, starts: starts, assigned: &p.assigned[i]},
				)
			}
			delete(at, k)
		}
	}
}

// standing leaves out what assignments would give that have ended meanwhile, and locks the others until what they give
// is written.
func standing(ctx context.Context, tx *pg.Tx, changes []change) ([]change, error) {
	var ids []string
	for _, c := range changes {
		if c.assigned != nil {
			ids = append(ids, c.assigned.ID)
		}
	}
	if len(ids) == 0 {
		return changes, nil
	}
	still, err := role.Still(ctx, tx, once(ids))
	if err != nil {
		return nil, err
	}
	kept := changes[:0]
	for _, c := range changes {
		if c.assigned != nil {
			a, lives := still[c.assigned.ID]
			if !lives {
				continue
			}
			c.assigned = &a
		}
		kept = append(kept, c)
	}
	return kept, nil
}

// ReadRoleCondition reads the condition of a role, for the room that keeps roles.
func ReadRoleCondition(c role.RoleCondition) (out role.ReadCondition) {
	parsed, problems := Subject(c).parse()
	for _, p := range problems {
		out.Wrong = append(out.Wrong, fault.Field{Pointer: p.Pointer, Code: p.Code, Detail: told(p)})
	}
	if len(problems) > 0 {
		return out
	}
	n, err := normal(parsed)
	if err != nil {
		out.Wrong = []fault.Field{{Pointer: "#", Code: "malformed", Detail: "it cannot be written"}}
		return out
	}
	out.Normal, out.Sentence, out.Needs = role.RoleCondition(n), parsed.Sentence(), needsOf(parsed)
	return out
}

// told is a problem with what was perhaps meant.
func told(p condition.Problem) string {
	detail := p.Detail
	for i, s := range p.Suggestions {
		if i == 0 {
			detail += "; did you mean " + s
		} else {
			detail += ", " + s
		}
	}
	if len(p.Suggestions) > 0 {
		detail += "?"
	}
	return detail
}
