package recordtest

import (
	"context"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// statements counts the statements of a database, but for those that begin and end transactions.
type statements struct{ n atomic.Int64 }

// TraceQueryStart counts the statement, unless it only frames a transaction.
func (s *statements) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	switch word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(data.SQL)), " "); word {
	case "begin", "commit", "rollback", "set":
	default:
		s.n.Add(1)
	}
	return ctx
}

// TraceQueryEnd does nothing.
func (s *statements) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// Counted opens the house's database once more, and counts the statements that come by it.
func (h *House) Counted() (db *pg.DB, count func() int64) {
	h.T.Helper()
	s := &statements{}
	db, err := pg.Open(context.Background(), pg.Options{URL: h.base.AppURL, Tracer: s})
	if err != nil {
		h.T.Fatal(err)
	}
	h.T.Cleanup(db.Close)
	return db, s.n.Load
}
