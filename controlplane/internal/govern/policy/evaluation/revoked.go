package evaluation

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// WithoutTaken leaves out what a user has revoked and no rule gives again, and counts it as withheld in t.
func (b *Rulebook) WithoutTaken(ctx context.Context, tx *pg.Tx, changes []Change, t *Result) ([]Change, error) {
	taken, err := b.taken(ctx, tx, changes)
	if err != nil || len(taken) == 0 {
		return changes, err
	}
	kept := changes[:0]
	for _, c := range changes {
		if c.Add && !c.Renew && taken[c.Identity][c.Key] {
			t.Count(c.Key.Policy, accesspolicy.Stats{Withheld: 1})
			continue
		}
		kept = append(kept, c)
	}
	return kept, nil
}

// taken finds what a user, and no rule, has ended since the policy that gave it says what it says: it is not given
// again, unless the person has left since and come back. A denial that was entered with it says how long it
// is to be kept away.
func (b *Rulebook) taken(ctx context.Context, tx *pg.Tx, changes []Change) (map[string]map[key]bool, error) {
	people, policies, assignments := []string{}, []string{}, map[string]bool{}
	for _, c := range changes {
		if c.Add && !c.Renew {
			people, policies = append(people, c.Identity), append(policies, c.Key.Policy)
		}
		if c.assigned != nil {
			assignments[c.assigned.ID] = true
		}
	}
	found := map[string]map[key]bool{}
	if len(people) == 0 {
		return found, nil
	}
	const sql = `
		with last as (
		    select distinct on (r.identity_id, r.source_id, r.connector_id, r.entitlement_id, r.role_id, r.effect,
		        r.kind) r.*
		      from access_reason r
		     where r.identity_id = any(@people::text[]::uuid[])
		       and r.source_id = any(@policies::text[]::uuid[])
		       and r.state = 'ended'
		     order by r.identity_id, r.source_id, r.connector_id, r.entitlement_id, r.role_id, r.effect, r.kind,
		         r.ended_at desc
		)
		select l.identity_id::text, l.source_id::text, l.connector_id::text, coalesce(l.entitlement_id::text, ''),
		       coalesce(l.role_id::text, ''), l.effect, l.kind, l.ended_at
		  from last l
		 where l.end_reason <> all(@ours)
		   and not exists (select from access_reason d
		                    where d.identity_id = l.identity_id
		                      and d.entitlement_id is not distinct from l.entitlement_id
		                      and d.effect = 'deny'
		                      and d.source_type not in ('policy', 'role')
		                      and d.created_at = l.ended_at)
		   and not exists (select from access_reason g
		                    where g.identity_id = l.identity_id
		                      and g.state = 'ended'
		                      and g.end_reason = @left
		                      and g.ended_at > l.ended_at)`
	var id string
	var k key
	var at time.Time
	if err := pg.Each(
		ctx,
		tx,
		"read what was taken",
		[]any{&id, &k.Policy, &k.Connector, &k.Entitlement, &k.Role, &k.Effect, &k.kind, &at},
		func() error {
			// What was taken from an assignment it does not give again.
			if r := b.ByID[k.Policy]; !assignments[k.Policy] && (r == nil || at.Before(r.Policy.UpdatedAt)) {
				return nil
			}
			if found[id] == nil {
				found[id] = map[key]bool{}
			}
			found[id][k] = true
			return nil
		},
		sql,
		pgx.NamedArgs{
			"people":   accesspolicy.Distinct(people),
			"policies": accesspolicy.Distinct(policies),
			"ours":     endedByRule,
			"left":     whyLeft,
		},
	); err != nil {
		return nil, err
	}
	return found, nil
}
