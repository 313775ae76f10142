package evaluation

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// withoutTripped leaves out what policies do whose breaker this is too much for, and stops them. What the others do is
// counted.
func (b *Rulebook) withoutTripped(ctx context.Context, tx *pg.Tx, changes []Change) ([]Change, error) {
	counts := map[*Rule]int{}
	for _, c := range changes {
		if c.rule != nil && c.rule.Policy.CircuitBreaker != nil {
			counts[c.rule]++
		}
	}
	stopped := map[*Rule]bool{}
	for _, r := range b.Rules {
		n := counts[r]
		if n == 0 {
			continue
		}
		reason, err := r.overLimit(ctx, tx, n, b.Now)
		switch {
		case err != nil:
			return nil, err
		case reason != "":
			stopped[r] = true
			err = r.trip(ctx, tx, reason, b.Now)
		default:
			err = r.counted(ctx, tx, n, b.Now)
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

// overLimit says why so many more changes are too many for the breaker; empty when they are not.
func (r *Rule) overLimit(ctx context.Context, tx *pg.Tx, n int, now time.Time) (string, error) {
	const sql = `
		select coalesce(sum(c.changes), 0), p.allowance, p.accepted_at
		  from access_policy p
		  left join access_policy_change c
		    on c.policy_id = p.id
		   and c.at > greatest(@since::timestamptz, p.accepted_at)
		 where p.id = @id
		 group by p.allowance, p.accepted_at`
	limit := r.Policy.CircuitBreaker
	window, err := span.Parse(limit.Window)
	if err != nil {
		return "", fmt.Errorf("breaker of policy %s: %w", r.Policy.ID, err)
	}
	var used, allowance int
	var accepted *time.Time
	if err := tx.QueryRow(ctx, sql, pgx.NamedArgs{"id": r.Policy.ID, "since": now.Add(-window)}).
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

// trip stops the policy until a user accepts what it does.
func (r *Rule) trip(ctx context.Context, tx *pg.Tx, reason string, now time.Time) error {
	const sql = `update access_policy set tripped_at = $2, breaker_reason = $3 where id = $1`
	if err := pg.Exec(ctx, tx, "stop policy", sql, r.Policy.ID, now, reason); err != nil {
		return err
	}
	r.frozen = true
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "policy.breaker_tripped", Subject: r.Policy.AuditSubject(), Reason: reason},
	)
}

// counted notes how much the policy changes, and forgets what its breaker looks back to no more.
func (r *Rule) counted(ctx context.Context, tx *pg.Tx, n int, now time.Time) error {
	const sql = `
		with old as (
		    delete from access_policy_change where policy_id = @id and at < @now::timestamptz - interval '31 days'
		)
		insert into access_policy_change (tenant_id, policy_id, at, changes) values (current_tenant(), @id, @now, @n)`
	return pg.Exec(ctx, tx, "note changes of policy", sql, pgx.NamedArgs{"id": r.Policy.ID, "now": now, "n": n})
}
