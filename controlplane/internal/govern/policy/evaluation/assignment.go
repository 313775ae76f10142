package evaluation

import (
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/assignment"
	"github.com/grantwright/grantwright/controlplane/internal/record/role/content"
)

// assignmentKey is that of the reason for one thing which an assignment gives.
func assignmentKey(a assignment.Assignment, t target) key {
	return key{a.ID, t.connector, t.entitlement, a.RoleID, ledger.Allow, assignment.ReasonKind(a.Kind)}
}

// assigned finds the assignments of people, and what their roles give.
func (b *Rulebook) assigned(ctx context.Context, tx *pg.Tx, ids []string) (map[string][]assignment.Assignment, error) {
	if !b.assignments {
		return nil, nil
	}
	found, err := assignment.Live(ctx, tx, ids)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var unknown []string
	for id, of := range found {
		if b.Around != nil {
			of = slices.DeleteFunc(of, func(a assignment.Assignment) bool { return !b.Around[a.RoleID] })
			found[id] = of
		}
		for _, a := range of {
			if _, known := b.given[a.RoleID]; !known {
				b.given[a.RoleID] = nil
				unknown = append(unknown, a.RoleID)
			}
		}
	}
	held, err := content.Entitlements(ctx, tx, accesspolicy.Distinct(unknown))
	for id, of := range held {
		for _, e := range of {
			b.given[id] = append(b.given[id], target{e.ConnectorID, e.ID, id})
		}
	}
	return found, err
}

// lookAssigned compares a person's assignments with what lives by them. What an assignment wants it takes out of at.
// One that is over wants nothing more: the ledger ends what it gave.
func (b *Rulebook) lookAssigned(p *Person, at map[key]*Reason, out *outcome) {
	for i, a := range p.assigned {
		if a.EndsAt != nil && !a.EndsAt.After(b.Now) {
			continue
		}
		starts := time.Time{}
		if a.StartsAt.After(b.Now) {
			starts = a.StartsAt
		}
		for _, t := range b.given[a.RoleID] {
			k := assignmentKey(a, t)
			if at[k] == nil {
				out.Changes = append(
					out.Changes,
					Change{Identity: p.ID, Key: k, Add: true, Starts: starts, assigned: &p.assigned[i]},
				)
			}
			delete(at, k)
		}
	}
}

// standing leaves out what assignments would give that have ended meanwhile, and locks the others until what they give
// is written.
func standing(ctx context.Context, tx *pg.Tx, changes []Change) ([]Change, error) {
	var ids []string
	for _, c := range changes {
		if c.assigned != nil {
			ids = append(ids, c.assigned.ID)
		}
	}
	if len(ids) == 0 {
		return changes, nil
	}
	still, err := assignment.Still(ctx, tx, accesspolicy.Distinct(ids))
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
