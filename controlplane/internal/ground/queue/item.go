package queue

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Channel is where PostgreSQL announces new work. A trigger on work_item does so for every way to enqueue.
const Channel = "work"

// Nobody is the subject of items that concern a tenant as a whole.
const Nobody = "00000000-0000-0000-0000-000000000000"

// Work is what is enqueued: one item for each subject.
type Work struct {
	Kind     string
	Subjects []string // UUIDs; empty: one item for the tenant as a whole
	Cause    string
	Urgent   bool
	Delay    time.Duration // until it is due
}

// Enqueue adds items in the caller's transaction.
func Enqueue(ctx context.Context, tx *pg.Tx, w Work) error {
	subjects, priority := w.Subjects, 0
	if len(subjects) == 0 {
		subjects = []string{Nobody}
	}
	if w.Urgent {
		priority = 1
	}
	const sql = `select enqueue_work($1, $2::text[]::uuid[], $3, $4, make_interval(secs => $5))`
	return pg.Exec(
		ctx,
		tx,
		"enqueue "+w.Kind,
		sql,
		w.Kind,
		subjects,
		w.Cause,
		priority,
		w.Delay.Seconds(),
	)
}

// Item is everything that was due for one subject, merged.
type Item struct {
	Subject  string
	Causes   []string // without duplicates
	Urgent   bool
	Since    time.Time // when the first of it was enqueued
	Attempts int       // that failed so far

	rows []int64
}

// Subjects lists the subjects of items, in their order.
func Subjects(items []Item) []string {
	ids := make([]string, len(items))
	for i, item := range items {
		ids[i] = item.Subject
	}
	return ids
}

// Has reports whether one of the causes is the named one.
func (i Item) Has(cause string) bool { return slices.Contains(i.Causes, cause) }

const lockOf = `hashtextextended('work ' || $1 || ' ' || current_tenant()::text, 0)`

// TryLock makes the transaction the only one that works on a group of kinds in its tenant, unless another one is.
func TryLock(ctx context.Context, tx *pg.Tx, group string) (locked bool, err error) {
	if err := tx.QueryRow(ctx, `select pg_try_advisory_xact_lock(`+lockOf+`)`, group).Scan(&locked); err != nil {
		return false, fmt.Errorf("lock work on %s: %w", group, err)
	}
	return locked, nil
}

// Lock is TryLock that waits for the other transaction.
func Lock(ctx context.Context, tx *pg.Tx, group string) error {
	return pg.Exec(
		ctx,
		tx,
		"wait for other work on "+group,
		`select pg_advisory_xact_lock(`+lockOf+`)`,
		group,
	)
}

// Take takes the due items of up to limit subjects, urgent ones first, and merges them by subject. Taken items are gone
// when the transaction commits. The caller holds the lock of the kind's group. Items that it does not see yet stay for
// the next time; whatever the transaction reads afterwards is at least as new as the items that it took.
func Take(ctx context.Context, tx *pg.Tx, kind string, limit int) ([]Item, error) {
	return take(ctx, tx, Kind{Name: kind, Batch: limit}, nil)
}

// take takes a batch of a kind, or the due items of these subjects alone.
func take(ctx context.Context, tx *pg.Tx, k Kind, these []string) ([]Item, error) {
	const sql = `select subject::text, causes, urgent, since, attempts,
		items from take_work($1, $2, $3::text[]::uuid[], $4)`
	return pg.AllBy(ctx, tx, "take work on "+k.Name, func(row pgx.CollectableRow) (i Item, err error) {
		return i, row.Scan(&i.Subject, &i.Causes, &i.Urgent, &i.Since, &i.Attempts, &i.rows)
	}, sql, k.Name, k.Batch, these, k.Early)
}

// fail notes a failed attempt of one item: it is due again later, or dead. A kind that never gives up goes on without
// end.
func (i Item) fail(ctx context.Context, tx *pg.Tx, k Kind, cause error) (dead bool, err error) {
	const sql = `
		update work_item w
		   set attempts = @attempts, last_error = @error, failed_at = now(),
		       due_at = now() + make_interval(secs => @pause),
		       state = case when @dead then 'dead' else 'waiting' end
		 where w.tenant_id = current_tenant()
		   and w.id = any(@rows)`
	attempts := i.Attempts + 1
	dead = attempts >= maxAttempts && !k.Forever
	_, err = tx.Exec(
		ctx,
		sql,
		pgx.NamedArgs{
			"attempts": attempts,
			"error":    short(cause),
			"pause":    pause(attempts).Seconds(),
			"dead":     dead,
			"rows":     i.rows,
		},
	)
	if err != nil {
		return false, fmt.Errorf("note a failure of %s: %w", k.Name, err)
	}
	return dead, nil
}

// postpone makes items wait that could not be distinguished from one that fails.
func postpone(ctx context.Context, tx *pg.Tx, k Kind, items []Item) error {
	var rows []int64
	for _, i := range items {
		rows = append(rows, i.rows...)
	}
	const sql = `
		update work_item w
		   set due_at = now() + make_interval(secs => $2)
		 where w.tenant_id = current_tenant()
		   and w.id = any($1)`
	return pg.Exec(ctx, tx, "postpone work on "+k.Name, sql, rows, pause(1).Seconds())
}
