package queue_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

var quiet = slog.New(slog.DiscardHandler)

// subject gives the same UUID for the same number.
func subject(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

func in(t testing.TB, db *pg.DB, v viewer.Viewer, fn func(tx *pg.Tx) error) {
	t.Helper()
	if err := db.As(context.Background(), v, fn); err != nil {
		t.Fatal(err)
	}
}

func exec(t testing.TB, db *pg.DB, v viewer.Viewer, sql string, args ...any) {
	t.Helper()
	in(t, db, v, func(tx *pg.Tx) error { _, err := tx.Exec(context.Background(), sql, args...); return err })
}

func count(t testing.TB, db *pg.DB, v viewer.Viewer, sql string, args ...any) (n int) {
	t.Helper()
	in(t, db, v, func(tx *pg.Tx) error { return tx.QueryRow(context.Background(), sql, args...).Scan(&n) })
	return n
}

func enqueue(t testing.TB, db *pg.DB, v viewer.Viewer, w queue.Work) {
	t.Helper()
	in(t, db, v, func(tx *pg.Tx) error { return queue.Enqueue(context.Background(), tx, w) })
}

// record keeps the batches that were worked on, by tenant and subject.
type record struct {
	mu      sync.Mutex
	batches [][]queue.Item
	tenants []string
}

func (r *record) note(tx *pg.Tx, items []queue.Item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.batches, r.tenants = append(r.batches, items), append(r.tenants, tx.Viewer.Tenant)
}

func (r *record) work(_ context.Context, tx *pg.Tx, items []queue.Item) error {
	r.note(tx, items)
	return nil
}

func look(t testing.TB, q *queue.Queue) int {
	t.Helper()
	n, err := q.Look(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func strings(t testing.TB, db *pg.DB, v viewer.Viewer, sql string, args ...any) (out []string) {
	t.Helper()
	in(t, db, v, func(tx *pg.Tx) error {
		rows, err := tx.Query(context.Background(), sql, args...)
		if err != nil {
			return err
		}
		out, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return out
}
