package taskcheck

import (
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/definition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/effective"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exemption"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/rulebook"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/violation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// world is what the people of grants have in their target systems.
type world struct {
	people   map[string]*effective.Person // with the grants that are checked as additions, and with all that is pending
	position map[string]int               // of each task among the additions of its person
	sent     map[string]bool              // grants that are being made, or are made and not confirmed
	accepted violation.Acceptances
}

// load reads the people of grants.
func load(ctx context.Context, tx *pg.Tx, b *rulebook.Book, grants []grant, now time.Time) (w world, err error) {
	changes, tasks := map[string]effective.Changes{}, []string{}
	w.position, w.sent = map[string]int{}, map[string]bool{}
	for _, g := range grants {
		c := changes[g.IdentityID]
		w.position[g.ID] = len(c.Add)
		c.Add = append(c.Add, effective.Addition{ID: g.ID, EntitlementID: g.EntitlementID})
		changes[g.IdentityID], tasks = c, append(tasks, g.ID)
	}
	// What is being made is read before what people have: a grant that is confirmed between the two reads is counted
	// then, and would be missed the other way round.
	const sent = `
		select t.grant_id::text
		  from provisioning_task t
		 where t.identity_id = any($1::text[]::uuid[])
		   and t.operation = 'grant'
		   and (t.state in ('running', 'verifying') or t.unsure and t.state in ('queued', 'retrying'))
		   and t.grant_id is not null
		   and t.id <> all($2::text[]::uuid[])`
	ids, err := pg.All[string](ctx, tx, "find grants that are being made", sent, people(grants), tasks)
	if err != nil {
		return w, err
	}
	for _, id := range ids {
		w.sent[id] = true
	}
	if w.people, err = effective.LoadChanged(ctx, tx, changes, true, check.Past(b), now); err != nil {
		return w, err
	}
	if err = exemption.Apply(ctx, tx, b, w.people, now); err != nil {
		return w, err
	}
	w.accepted, err = violation.ReadAcceptances(ctx, tx, people(grants))
	return w, err
}

// violations returns the violations that hold a grant, with the grants at the positions in taken being made before it.
func (w world) violations(b *rulebook.Book, g grant, taken []int) []check.Found {
	position := 0
	p := w.people[g.IdentityID].Where(func(_ int, s effective.Source) bool {
		if s.Kind == effective.KindAdded {
			at := position
			position++
			return at == w.position[g.ID] || slices.Contains(taken, at)
		}
		return s.Kind == effective.KindGrant && (!s.Pending || w.sent[s.ID])
	})
	var own []int
	for i, s := range p.Sources {
		if s.Kind == effective.KindAdded && s.ID == g.ID {
			own = append(own, i)
		}
	}
	var found []check.Found
	for _, v := range check.Involving(b.Rules.Check(&p.Access), own) {
		f, policy := check.Found{Person: p, Violation: v}, b.Policies[v.Policy.ID]
		if definition.Refuses(g.effect(policy)) && !g.allows(policy) && !w.accepted.Cover(f, b) {
			found = append(found, f)
		}
	}
	return found
}

// allows reports whether an override of the task applies to the policy as it is now.
func (g grant) allows(p rulebook.Policy) bool {
	for _, a := range g.Allowed {
		if a.ID == p.ID && a.Version == p.Version {
			return true
		}
	}
	return false
}
