package policy

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// Why reasons end by rule. They tell them from those that somebody has ended, which a rule does not give again.
const (
	whyLeft    = "the person has left"
	whyNoMatch = "the policy is not about them any more"
	whyOff     = "the policy is off"
	whyDeleted = "the policy was deleted"
	whyNothing = "the policy does not give it any more"
	whyOver    = "its time was over" // the ledger's own words

	whyNotMember  = "the role's rule is not about them any more"
	whyExcluded   = "they are excluded from the role's rule"
	whyNoRule     = "the role has no rule any more, or is out of use"
	whyNotInRole  = "the role does not hold it any more"
	whyUnassigned = "the assignment of the role has ended"
)

var ours = []string{
	whyLeft,
	whyNoMatch,
	whyOff,
	whyDeleted,
	whyNothing,
	whyOver,
	whyNotMember,
	whyExcluded,
	whyNoRule,
	whyNotInRole,
	whyUnassigned,
}

// reason is a reason of somebody that has not ended.
type reason struct {
	id, identity string
	of           string // its source_type
	policy       bool   // the evaluation gives and takes it: it is of a policy, or of a role
	key          key
	account      string
	state        string
	starts       time.Time
	ends         *time.Time
	why          *string // why it will end
}

// change is one reason that is to be given or to end.
type change struct {
	rule     *rule            // nil: of a policy that is gone, or of an assignment
	assigned *role.Assignment // of what is given by an assignment
	identity string
	key      key
	add      bool
	renew    bool      // it lives already, and gets another beginning, or ends no more
	starts   time.Time // of what is given; zero: now
	reason   *reason   // of what ends
	at       time.Time // when it ends; zero: now
	why      string
}

// outcome is what the rules make of somebody.
type outcome struct {
	changes []change
	matched []*rule
	would   map[*rule][2]int // what rules that are not enforced would give and end
}

// look compares what the rules say of somebody with what lives by them. It is pure: the same book, person and reasons
// give the same.
func (b *book) look(p *person, living []reason) outcome {
	out := outcome{would: map[*rule][2]int{}}
	at := make(map[key]*reason, len(living))
	for i := range living {
		if living[i].policy {
			at[living[i].key] = &living[i]
		}
	}
	wanting := map[*rule]bool{}
	for _, r := range b.rules {
		if !r.policy.Enabled {
			continue
		}
		starts, wants := r.wants(p, b)
		if !wants || r.closed && !r.has(living) {
			continue
		}
		wanting[r] = true
		out.matched = append(out.matched, r)
		for _, t := range r.targets {
			k := r.key(t)
			found := at[k]
			switch {
			case !r.policy.applies():
				if found == nil {
					out.wouldGrant(r)
				}
			case r.frozen:
			case found == nil:
				out.changes = append(out.changes, change{rule: r, identity: p.id, key: k, add: true, starts: starts})
			default:
				delete(at, k)
				if found.outdated(starts) {
					out.changes = append(
						out.changes,
						change{rule: r, identity: p.id, key: k, add: true, renew: true, starts: starts, reason: found},
					)
				}
			}
		}
	}
	b.lookAssigned(p, at, &out)
	for _, found := range at {
		if c, ends := b.end(p, found, wanting); ends {
			out.changes = append(out.changes, c)
		}
	}
	slices.SortFunc(out.changes, func(a, b change) int { return a.key.compare(b.key) })
	return out
}

func (o *outcome) wouldGrant(r *rule) {
	n := o.would[r]
	n[0]++
	o.would[r] = n
}

// outdated says whether what lives must be given anew: it was to end because of the rule, or to begin at another time.
func (x *reason) outdated(starts time.Time) bool {
	if x.ends != nil && x.why != nil && slices.Contains(ours, *x.why) {
		return true
	}
	return x.state == ledger.Scheduled && !x.starts.Equal(starts)
}

// end says how what no rule wants any more ends.
func (b *book) end(p *person, found *reason, wanting map[*rule]bool) (c change, ends bool) {
	r := b.byID[found.key.policy]
	c = change{rule: r, identity: p.id, key: found.key, reason: found}
	grace := time.Duration(0)
	switch {
	case r == nil:
		c.why = b.orphaned(p, found)
		return c, true
	case r.frozen:
		return c, false
	case r.of == role.RuleSource:
		c.why, grace = b.endMembership(p, r, wanting[r])
	case !r.policy.applies():
		c.why, grace = whyOff, r.grace
	case wanting[r]:
		c.why, grace = whyNothing, r.grace
	default:
		c.why, grace = whyNoMatch, r.grace
	}
	if grace > 0 && found.state == ledger.Active {
		c.at = span.Add(b.now, grace, b.zone).UTC()
		// It ends already, as soon or sooner: what began to run out runs on.
		return c, found.ends == nil || found.ends.After(c.at)
	}
	return c, true
}

// endMembership says why somebody loses what a role's rule gave, and after which grace: who moves keeps it for a while,
// but what a role holds no more, and whom it is not to be given to, is meant at once.
func (b *book) endMembership(p *person, r *rule, wanted bool) (why string, grace time.Duration) {
	switch {
	case wanted:
		return whyNotInRole, 0
	case r.excludes(p, b):
		return whyExcluded, 0
	}
	return whyNotMember, r.grace
}

// orphaned says why something ends whose source is gone.
func (b *book) orphaned(p *person, x *reason) string {
	switch x.of {
	case role.RuleSource:
		return whyNoRule
	case role.ReasonSource:
		for _, a := range p.assigned {
			switch {
			case a.ID == x.key.policy && a.EndsAt != nil && !a.EndsAt.After(b.now):
				return whyOver
			case a.ID == x.key.policy:
				return whyNotInRole
			}
		}
		return whyUnassigned
	}
	return whyDeleted
}

// reasons reads what lives for these people: of policies and roles, or of all sources.
func reasons(ctx context.Context, tx *pg.Tx, ids []string, everything bool) (map[string][]reason, error) {
	const sql = `
		select r.id::text, r.identity_id::text, r.source_type, r.source_type = any(@evaluated), r.source_id::text,
		       r.connector_id::text, coalesce(r.entitlement_id::text, ''), coalesce(r.role_id::text, ''), r.effect,
		       r.kind, coalesce(r.account_id::text, ''), r.state, r.starts_at, r.ends_at, r.end_reason
		  from access_reason r
		 where r.identity_id = any(@ids::text[]::uuid[])
		   and r.state <> 'ended'
		   and (@everything or r.source_type = any(@evaluated))`
	rows, err := tx.Query(ctx, sql, pgx.NamedArgs{"ids": ids, "everything": everything, "evaluated": evaluated})
	if err != nil {
		return nil, fmt.Errorf("read reasons: %w", err)
	}
	found := map[string][]reason{}
	var x reason
	into := []any{
		&x.id,
		&x.identity,
		&x.of,
		&x.policy,
		&x.key.policy,
		&x.key.connector,
		&x.key.entitlement,
		&x.key.role,
		&x.key.effect,
		&x.key.kind,
		&x.account,
		&x.state,
		&x.starts,
		&x.ends,
		&x.why,
	}
	_, err = pgx.ForEachRow(rows, into, func() error {
		one := x
		found[x.identity] = append(found[x.identity], one)
		x.ends, x.why = nil, nil
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read reasons: %w", err)
	}
	return found, nil
}

// taken finds what somebody, and no rule, has ended since the policy that gave it says what it says: it is not given
// again, unless the person has left since and come back. Whoever entered a denial with it has said by that how long it
// is to be kept away.
func (b *book) taken(ctx context.Context, tx *pg.Tx, changes []change) (map[string]map[key]bool, error) {
	people, policies, assignments := []string{}, []string{}, map[string]bool{}
	for _, c := range changes {
		if c.add && !c.renew {
			people, policies = append(people, c.identity), append(policies, c.key.policy)
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
	rows, err := tx.Query(
		ctx,
		sql,
		pgx.NamedArgs{"people": once(people), "policies": once(policies), "ours": ours, "left": whyLeft},
	)
	if err != nil {
		return nil, fmt.Errorf("read what was taken: %w", err)
	}
	var id string
	var k key
	var at time.Time
	_, err = pgx.ForEachRow(
		rows,
		[]any{&id, &k.policy, &k.connector, &k.entitlement, &k.role, &k.effect, &k.kind, &at},
		func() error {
			// What was taken from an assignment it does not give again.
			if r := b.byID[k.policy]; !assignments[k.policy] && (r == nil || at.Before(r.policy.UpdatedAt)) {
				return nil
			}
			if found[id] == nil {
				found[id] = map[key]bool{}
			}
			found[id][k] = true
			return nil
		},
	)
	if err != nil {
		return nil, fmt.Errorf("read what was taken: %w", err)
	}
	return found, nil
}
