package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const (
	kindRun     = "separation_simulation"
	kindRequest = "separation_simulation_request" // names the lock of requests
)

// usualPiece keeps a transaction of a simulation below a second: a cancellation waits for it.
const usualPiece = 5000

// purged is how many rows of results one transaction deletes.
const purged = 10_000

// Kinds are the work of this package.
func (s *Service) Kinds() []queue.Kind {
	const due = `
		select s.tenant_id::text
		  from separation_simulation s
		  join tenant t on t.id = s.tenant_id and t.status = 'active'
		 where s.state in ('waiting', 'running')
		    or s.finished_at <= $1
		 group by s.tenant_id`
	return []queue.Kind{{
		Name:    kindRun,
		Title:   "Simulations of separation of duties",
		About:   "Runs stored simulations of policies and duties, and deletes them after seven days.",
		Subject: "separation_simulation",
		Part:    s.part,
		Due:     &queue.Due{SQL: due, Args: func() []any { return []any{s.Now().Add(-retention)} }},
	}}
}

// Part does one pass of this package's work in a tenant, and returns how much was done.
func (s *Service) Part(ctx context.Context, tenant string) (int, error) { return s.part(ctx, tenant) }

// part advances the oldest simulation that has not ended, or deletes old ones.
func (s *Service) part(ctx context.Context, tenant string) (n int, err error) {
	err = s.DB.AsBulk(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		n = 0
		if locked, err := queue.TryLock(ctx, tx, kindRun); err != nil || !locked {
			return err
		}
		if _, err := queue.Take(ctx, tx, kindRun, mostLive); err != nil {
			return err
		}
		n, err = s.advance(ctx, tx)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("advance simulations: %w", err)
	}
	return n, nil
}

// advance does the next thing that there is to do.
func (s *Service) advance(ctx context.Context, tx *pg.Tx) (int, error) {
	now := s.Now()
	run, err := pg.One[SeparationSimulation](ctx, tx, "find the next simulation", `select `+listColumns+`
		  from separation_simulation s
		 where s.state = any($1)
		 order by s.state = 'running' desc, s.id
		 limit 1
		   for update of s`, live())
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return purge(ctx, tx, now)
	case err != nil:
		return 0, err
	case run.State == Waiting:
		return 1, run.begin(ctx, tx, now)
	case now.Sub(*run.StartedAt) > timeLimit:
		return 1, run.end(ctx, tx, TimeOut, failedTimeLimit, now)
	}
	return 1, run.step(ctx, tx, cmp.Or(s.Piece, usualPiece), now)
}

// purge deletes simulations that ended long enough ago: some of their results, or those that have none left.
func purge(ctx context.Context, tx *pg.Tx, now time.Time) (int, error) {
	const (
		results = `
			delete from separation_simulation_result
			 where tenant_id = current_tenant()
			   and id in (select r.id
			                from separation_simulation s
			                join separation_simulation_result r on r.simulation_id = s.id
			               where s.finished_at <= $1
			               limit $2)`
		simulations = `delete from separation_simulation where tenant_id = current_tenant() and finished_at <= $1`
	)
	until := now.Add(-retention)
	done, err := tx.Exec(ctx, results, until, purged)
	if err == nil && done.RowsAffected() == 0 {
		done, err = tx.Exec(ctx, simulations, until)
	}
	if err != nil {
		return 0, fmt.Errorf("delete old simulations: %w", err)
	}
	return int(done.RowsAffected()), nil
}

// Service simulates changes of duties and policies. DB, Cursors and Now are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Now     func() time.Time
	// Piece is how many people one transaction of a stored simulation meets. 0: the usual number.
	Piece int
}
