package worker

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
)

// walk is how far the way through everybody has been gone.
type walk struct {
	// running says that a walk has begun and not ended; asked that another one is wanted.
	running bool
	asked   bool
	// position is the last person that was evaluated. Nil: none.
	position *string
	done     int
	// stats are the results so far, by policy.
	stats map[string]accesspolicy.Stats
	fresh *time.Time // until when time alone changes nothing; nil: there was no walk yet
}

// idle says whether there is nothing to do.
func (w *walk) idle(now time.Time) bool { return !w.running && !w.asked && !w.stale(now) }

// stale says whether time alone may have changed what rules say.
func (w *walk) stale(now time.Time) bool { return w.fresh != nil && !w.fresh.After(now) }

// findWalk reads how far the evaluation of all people is, and whether one is due.
func findWalk(ctx context.Context, tx *pg.Tx) (w walk, err error) {
	const sql = `
		select w.started_at is not null and w.finished_at is null, w.position::text, coalesce(w.done, 0),
		       coalesce(w.stats, '{}'), w.fresh_until, exists (select from work_item i where i.kind = 'policy_sweep'
		           and i.state = 'waiting' and i.due_at <= now())
		  from (select) one
		  left join policy_walk w on true`
	if err = tx.QueryRow(ctx, sql).Scan(&w.running, &w.position, &w.done, &w.stats, &w.fresh, &w.asked); err != nil {
		return w, fmt.Errorf("find walk of policies: %w", err)
	}
	return w, nil
}

// begin takes all requests to look at everybody and begins to answer them. Where policies ask for dates that move, or
// an exclusion from a role's rule has ended, a new day is one. A schedule that opens or closes is one too.
func (w *walk) begin(ctx context.Context, tx *pg.Tx, b *evaluation.Rulebook) (bool, error) {
	const (
		note = `update policy_walk set fresh_until = $1 where tenant_id = current_tenant()`
		put  = `
			insert into policy_walk as w (tenant_id, position, total, done, stats, fresh_until, started_at, finished_at)
			select current_tenant(), null, count(*), 0, '{}', $1, $2, null
			  from identity
			 where status <> 'archived'
			    on conflict (tenant_id) do update
			   set position = null, total = excluded.total, done = 0, stats = '{}', fresh_until = excluded.fresh_until,
			       started_at = excluded.started_at, finished_at = null`
	)
	requests, err := queue.Take(ctx, tx, accesspolicy.SweepKind, 1)
	if err != nil {
		return false, err
	}
	if len(requests) == 0 && !(w.stale(b.Now) && (b.Needs.Clock || b.Returns(*w.fresh) || b.Turns(*w.fresh))) {
		if w.stale(b.Now) {
			if err := pg.Exec(ctx, tx, "note day of policies", note, b.Fresh()); err != nil {
				return false, err
			}
		}
		return false, nil
	}
	if err := pg.Exec(ctx, tx, "begin the evaluation of all people", put, b.Fresh(), b.Now); err != nil {
		return false, err
	}
	return true, nil
}

// step looks at the next people, and ends the walk when there are none.
func (w *walk) step(ctx context.Context, tx *pg.Tx, b *evaluation.Rulebook) (int, error) {
	ids, err := evaluation.PeopleAfter(ctx, tx, w.position, evaluation.Batch)
	if err != nil {
		return 0, err
	}
	if len(ids) == 0 {
		return 0, w.finish(ctx, tx, b)
	}
	t, err := b.Evaluate(ctx, tx, ids, nil, false)
	if err != nil {
		return 0, err
	}
	if w.stats == nil {
		w.stats = map[string]accesspolicy.Stats{}
	}
	total := evaluation.Result{Stats: w.stats}
	for id, s := range t.Stats {
		total.Count(id, s)
	}
	const sql = `update policy_walk set position = $1, done = $2, stats = $3 where tenant_id = current_tenant()`
	if err := pg.Exec(
		ctx,
		tx,
		"store the progress of the evaluation of all people",
		sql,
		ids[len(ids)-1],
		w.done+len(ids),
		w.stats,
	); err != nil {
		return 0, err
	}
	return len(ids), nil
}

// finish writes what each policy matched and ends the walk. Policies that matched no one get empty
// results.
func (w *walk) finish(ctx context.Context, tx *pg.Tx, b *evaluation.Rulebook) error {
	const (
		end   = `update policy_walk set finished_at = $1, total = done where tenant_id = current_tenant()`
		stats = `
			update access_policy p
			   set stats = coalesce(@stats::jsonb -> p.id::text, '{}'), evaluated_at = @now
			 where p.tenant_id = current_tenant()
			   and p.deleted_at is null`
	)
	if err := pg.Exec(
		ctx,
		tx,
		"write what policies matched",
		stats,
		pgx.NamedArgs{"stats": w.stats, "now": b.Now},
	); err != nil {
		return err
	}
	return pg.Exec(ctx, tx, "end the evaluation of all people", end, b.Now)
}
