package policy

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

// tally is what a look at some people has found and done.
type tally struct {
	people int
	added  int
	ended  int
	stats  map[string]Stats // by policy
}

func (t *tally) count(id string, more Stats) {
	s := t.stats[id]
	s.Matched += more.Matched
	s.WouldGrant += more.WouldGrant
	s.WouldEnd += more.WouldEnd
	s.Withheld += more.Withheld
	s.Warnings += more.Warnings
	t.stats[id] = s
}

// evaluate looks at some people and does what the rules say, in the caller's transaction. insistent gives again what
// somebody has taken: an order is a reason of its own. urgent are those whose access must change before everybody
// else's.
func (b *book) evaluate(
	ctx context.Context,
	tx *pg.Tx,
	ids []string,
	urgent map[string]bool,
	insistent bool,
) (tally, error) {
	t := tally{stats: map[string]Stats{}}
	living, err := reasons(ctx, tx, ids, false)
	if err != nil {
		return t, err
	}
	var changes []change
	var left []string
	err = b.eachPerson(ctx, tx, ids, func(p *person) error {
		t.people++
		if p.gone() {
			left = append(left, p.id)
			return nil
		}
		out := b.look(p, living[p.id])
		changes = append(changes, out.changes...)
		t.note(p, out)
		return nil
	})
	if err != nil {
		return t, err
	}
	if err := endAll(ctx, tx, left, urgent, &t); err != nil {
		return t, err
	}
	if err := role.Leave(ctx, tx, left, whyLeft); err != nil {
		return t, err
	}
	if !insistent {
		if changes, err = b.withoutTaken(ctx, tx, changes, &t); err != nil {
			return t, err
		}
	}
	if changes, err = b.withoutTripped(ctx, tx, changes); err != nil {
		return t, err
	}
	if changes, err = standing(ctx, tx, changes); err != nil {
		return t, err
	}
	return t, b.apply(ctx, tx, changes, urgent, &t)
}

// note counts what the rules say of somebody.
func (t *tally) note(p *person, out outcome) {
	for _, r := range out.matched {
		t.count(r.policy.ID, Stats{Matched: 1, WouldGrant: out.would[r][0]})
	}
	for _, r := range p.warned {
		t.count(r.policy.ID, Stats{Warnings: 1})
	}
}

// endAll ends every reason of those who have left, whatever it is of.
func endAll(ctx context.Context, tx *pg.Tx, left []string, urgent map[string]bool, t *tally) error {
	var usual, first []string
	for _, id := range left {
		if urgent[id] {
			first = append(first, id)
		} else {
			usual = append(usual, id)
		}
	}
	for _, part := range []struct {
		ids    []string
		urgent bool
	}{{first, true}, {usual, false}} {
		if len(part.ids) == 0 {
			continue
		}
		n, err := ledger.End(ctx, tx, ledger.Which{IdentityIDs: part.ids}, time.Time{}, whyLeft, part.urgent)
		if err != nil {
			return err
		}
		t.ended += n
	}
	return nil
}

// withoutTaken leaves out what somebody has taken and no rule gives again.
func (b *book) withoutTaken(ctx context.Context, tx *pg.Tx, changes []change, t *tally) ([]change, error) {
	taken, err := b.taken(ctx, tx, changes)
	if err != nil || len(taken) == 0 {
		return changes, err
	}
	kept := changes[:0]
	for _, c := range changes {
		if c.add && !c.renew && taken[c.identity][c.key] {
			t.count(c.key.policy, Stats{Withheld: 1})
			continue
		}
		kept = append(kept, c)
	}
	return kept, nil
}

// withoutTripped leaves out what policies do whose breaker this is too much for, and stops them. What the others do is
// counted.
func (b *book) withoutTripped(ctx context.Context, tx *pg.Tx, changes []change) ([]change, error) {
	counts := map[*rule]int{}
	for _, c := range changes {
		if c.rule != nil && c.rule.policy.CircuitBreaker != nil {
			counts[c.rule]++
		}
	}
	stopped := map[*rule]bool{}
	for _, r := range b.rules {
		n := counts[r]
		if n == 0 {
			continue
		}
		reason, err := r.overLimit(ctx, tx, n, b.now)
		switch {
		case err != nil:
			return nil, err
		case reason != "":
			stopped[r] = true
			err = r.trip(ctx, tx, reason, b.now)
		default:
			err = r.counted(ctx, tx, n, b.now)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(stopped) == 0 {
		return changes, nil
	}
	kept := changes[:0]
	for _, c := range changes {
		if !stopped[c.rule] {
			kept = append(kept, c)
		}
	}
	return kept, nil
}

// apply writes changes into the ledger.
func (b *book) apply(ctx context.Context, tx *pg.Tx, changes []change, urgent map[string]bool, t *tally) error {
	var added []ledger.Reason
	type ending struct {
		at     time.Time
		why    string
		urgent bool
	}
	ends := map[ending][]string{}
	var order []ending
	for _, c := range changes {
		if c.add {
			added = append(added, c.given())
			continue
		}
		e := ending{c.at, c.why, urgent[c.identity]}
		if ends[e] == nil {
			order = append(order, e)
		}
		ends[e] = append(ends[e], c.reason.id)
	}
	n, err := ledger.Add(ctx, tx, added)
	if err != nil {
		return err
	}
	t.added += n
	for _, e := range order {
		n, err := ledger.End(ctx, tx, ledger.Which{ReasonIDs: ends[e]}, e.at, e.why, e.urgent)
		if err != nil {
			return err
		}
		t.ended += n
	}
	return nil
}

// given is the reason that a change adds.
func (c change) given() ledger.Reason {
	if c.assigned != nil {
		r := c.assigned.Gives(role.Entitlement{ID: c.key.entitlement, ConnectorID: c.key.connector})
		r.StartsAt = c.starts
		return r
	}
	optional := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return ledger.Reason{
		IdentityID:    c.identity,
		ConnectorID:   c.key.connector,
		EntitlementID: optional(c.key.entitlement),
		RoleID:        optional(c.key.role),
		Effect:        c.key.effect,
		Kind:          c.key.kind,
		SourceType:    c.rule.of,
		SourceID:      c.key.policy,
		SourceVersion: c.rule.policy.Version,
		StartsAt:      c.starts,
	}
}

// overLimit says why so many more changes are too many for the breaker; empty when they are not.
func (r *rule) overLimit(ctx context.Context, tx *pg.Tx, n int, now time.Time) (string, error) {
	const sql = `
		select coalesce(sum(c.changes), 0), p.allowance, p.accepted_at
		  from access_policy p
		  left join access_policy_change c
		    on c.policy_id = p.id
		   and c.at > greatest(@since::timestamptz, p.accepted_at)
		 where p.id = @id
		 group by p.allowance, p.accepted_at`
	limit := r.policy.CircuitBreaker
	window, err := span.Parse(limit.Window)
	if err != nil {
		return "", fmt.Errorf("breaker of policy %s: %w", r.policy.ID, err)
	}
	var used, allowance int
	var accepted *time.Time
	if err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"id": r.policy.ID, "since": now.Add(-window)}).
		Scan(&used, &allowance, &accepted); err != nil {
		return "", fmt.Errorf("count changes of policy: %w", err)
	}
	may := limit.MaxChanges
	if accepted != nil && accepted.Add(window).After(now) {
		may += allowance
	}
	if used+n <= may {
		return "", nil
	}
	return fmt.Sprintf(
		"%d changes within %s, and %d more that are due: it may make %d",
		used,
		limit.Window,
		n,
		may,
	), nil
}

// trip stops the policy until somebody accepts what it does.
func (r *rule) trip(ctx context.Context, tx *pg.Tx, reason string, now time.Time) error {
	const sql = `update access_policy set tripped_at = $2, breaker_reason = $3 where id = $1`
	if _, err := tx.Exec(ctx, sql, r.policy.ID, now, reason); err != nil {
		return fmt.Errorf("stop policy: %w", err)
	}
	r.frozen = true
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "policy.breaker_tripped", Subject: r.policy.subject(), Reason: reason},
	)
}

// counted notes how much the policy changes, and forgets what its breaker looks back to no more.
func (r *rule) counted(ctx context.Context, tx *pg.Tx, n int, now time.Time) error {
	const sql = `
		with old as (
		    delete from access_policy_change where policy_id = @id and at < @now::timestamptz - interval '31 days'
		)
		insert into access_policy_change (tenant_id, policy_id, at, changes) values (current_tenant(), @id, @now, @n)`
	if _, err := tx.Exec(ctx, sql, pgx.NamedArgs{"id": r.policy.ID, "now": now, "n": n}); err != nil {
		return fmt.Errorf("note changes of policy: %w", err)
	}
	return nil
}
