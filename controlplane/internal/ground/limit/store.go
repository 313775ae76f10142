package limit

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Spent is what a process has let through for one token since it last settled with the store.
type Spent struct {
	Key    []byte
	Writer uuid.UUID // of this process's line: as long as no other process has written, its own reckoning stands
	Count  int
	Cost   time.Duration // what the requests fill
	Age    time.Duration // how long ago the first of them came
	Filled time.Duration // how long from now the line is filled, by its own reckoning
}

// Store is where processes tell each other what they have let through.
type Store interface {
	// Settle enters what was spent, and answers for each how long from now its line is filled by all processes
	// together.
	Settle(ctx context.Context, spent []Spent) (filled []time.Duration, err error)
	// Processes says that this process is there, and how many there are.
	Processes(ctx context.Context) (int, error)
}

// Shared is the Store of a deployment: one row a token, in a table that a crash may empty. Instants are those of the
// database, so that the clocks of processes need not agree.
type Shared struct {
	db      *pg.DB
	process uuid.UUID
}

// NewShared makes a process's way to the common store.
func NewShared(db *pg.DB) *Shared { return &Shared{db: db, process: uuid.New()} }

// Settle implements Store. Rows are taken in the order of their keys, so that two processes never wait for each other.
func (s *Shared) Settle(ctx context.Context, spent []Spent) ([]time.Duration, error) {
	const sql = `
		insert into rate_standing as s (key, writer, full_until, since, cost)
		select key, writer, now() + filled * interval '1 microsecond', now() - age * interval '1 microsecond',
		    cost * interval '1 microsecond'
		  from unnest($1::bytea[], $2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[]) as spent (key, writer, filled,
		      age, cost)
		 order by key
		    on conflict (key) do update
		   set full_until = case when s.writer = excluded.writer then excluded.full_until
		                         else greatest(s.full_until, excluded.since) + excluded.cost end,
		       writer = excluded.writer, since = excluded.since, cost = excluded.cost
		returning key, (extract(epoch from full_until - now()) * 1000000)::bigint`
	n := len(spent)
	keys, writers := make([][]byte, n), make([]uuid.UUID, n)
	filled, ages, costs := make([]int64, n), make([]int64, n), make([]int64, n)
	for i, p := range spent {
		keys[i], writers[i] = p.Key, p.Writer
		filled[i], ages[i], costs[i] = p.Filled.Microseconds(), p.Age.Microseconds(), p.Cost.Microseconds()
	}
	found := make(map[string]time.Duration, n)
	err := s.db.Deployment(ctx, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, sql, keys, writers, filled, ages, costs)
		if err != nil {
			return err
		}
		var key []byte
		var micros int64
		_, err = pgx.ForEachRow(rows, []any{&key, &micros}, func() error {
			found[string(key)] = time.Duration(micros) * time.Microsecond
			return nil
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("tell what was let through: %w", err)
	}
	out := make([]time.Duration, n)
	for i, p := range spent {
		out[i] = found[string(p.Key)]
	}
	return out, nil
}

// Processes implements Store. Lines that are no longer filled are as good as none, so they go, and so do processes that
// have been silent.
func (s *Shared) Processes(ctx context.Context) (n int, err error) {
	batch := &pgx.Batch{}
	batch.Queue(`delete from rate_process where seen_at < now() - interval '30 seconds'`)
	batch.Queue(`delete from rate_standing where full_until < now() - interval '1 minute'`)
	batch.Queue(
		`insert into rate_process (id, seen_at) values ($1, now()) on conflict (id) do update set seen_at = now()`,
		s.process,
	)
	batch.Queue(`select count(*) from rate_process`).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
	err = s.db.Deployment(ctx, func(tx *pg.Tx) error { return tx.SendBatch(ctx, batch).Close() })
	if err != nil {
		return 0, fmt.Errorf("count processes: %w", err)
	}
	return n, nil
}
