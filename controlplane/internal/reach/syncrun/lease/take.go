package lease

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/lease"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/position"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Taken is what a run's row has for the worker that takes it.
type Taken struct {
	// Attempt is the fencing number: the number of times that the run was taken.
	Attempt int `db:"attempt"`
	// Failures counts attempts since the run last moved on.
	Failures int `db:"failures"`
	// Resumes counts attempts that went on behind a checkpoint.
	Resumes int `db:"resumes"`
	// Round counts how often the run was held before.
	Round       int     `db:"round"`
	ChunkSize   int     `db:"chunk_size"`
	MaxRecords  *int    `db:"max_records"`
	Continues   *string `db:"continues_run_id"`
	Incremental bool    `db:"incremental"`
	Purpose     string  `db:"purpose"`
	Callback    *string `db:"callback_url"`
	Cancelled   bool    `db:"cancel_requested"`
	FirstLoad   bool    `db:"first_load"`
	Streams     bool    `db:"streams"`
	ReadEnded   bool    `db:"read_ended"`
	Evaluated   bool    `db:"evaluated"`
	// ReadAs is what the first attempt asked the connector for. Nil: this is the first.
	ReadAs *position.Ask `db:"read_as"`
	// Settings is the digest of the settings that the run was read with.
	Settings []byte `db:"settings_digest"`
	// Checkpoint is where an interrupted read goes on. Nil: at the start.
	Checkpoint *string      `db:"checkpoint"`
	Cursor     *string      `db:"cursor"`
	Watermark  *time.Time   `db:"watermark"`
	Estimate   *v1.Estimate `db:"estimate"`
	Warnings   []v1.Warning `db:"warnings"`
	// Complete says by kind of record whether everything was read.
	Complete map[string]bool `db:"complete"`
	Changes  bool            `db:"effective_incremental"`
	Strategy *string         `db:"strategy"`
	Fallback *string         `db:"fallback_reason"`
	// Reread counts records that were read more than once.
	Reread     int64          `db:"reread"`
	ExecutedBy *v1.ExecutedBy `db:"executed_by"`
	// Lapsed counts processes that died in the run since it last moved on.
	Lapsed int `db:"lapsed"`
}

// takenColumns are those of Taken.
const takenColumns = `
	r.attempt, r.failures, r.resumes, r.round, r.chunk_size, r.max_records, r.continues_run_id, r.incremental,
	r.purpose, r.callback_url, r.cancel_requested, r.first_load, r.streams, r.read_ended, r.evaluated, r.read_as,
	r.settings_digest, r.checkpoint, r.cursor, r.watermark, r.estimate, r.warnings, r.complete, r.effective_incremental,
	r.strategy, r.fallback_reason, r.reread, r.executed_by, cardinality(r.lapsed) as lapsed`

// Take makes a process the run's worker, with a new attempt, which counts as a failure until it has moved the run on.
// It fails with pgx.ErrNoRows if another process was quicker. A process that hands a run back leaves no owner behind:
// where there is one, its lease ran out, and it has probably died.
func Take(ctx context.Context, tx *pg.Tx, process, run string) (Taken, error) {
	const sql = `
		update sync_run r
		   set status = case when r.evaluated then 'applying' when r.read_ended then 'evaluating' else 'running' end,
		       phase = case when r.evaluated then 'apply' when r.read_ended then 'evaluate' else 'dispatch' end,
		       lease_owner = $2, lease_until = now() + $3::interval, attempt = r.attempt + 1, failures = r.failures + 1,
		       resumes = r.resumes + case when r.chunks > 0 and (r.lease_owner is not null
		       or r.lease_until is not null) then 1 else 0 end, started_at = coalesce(r.started_at, now()),
		       progress_at = now(), wait_until = null, rate_wait_until = null, message = '',
		       progress_seq = r.progress_seq + 1, updated_at = now(),
		           lapsed = array_remove(array_remove(r.lapsed, r.lease_owner), $2::uuid)
		                || case when r.lease_owner <> $2::uuid then array[r.lease_owner] else '{}' end
		 where r.tenant_id = current_tenant()
		   and r.id = $1
		   and r.status in ('queued', 'waiting_agent', 'running', 'evaluating', 'applying')
		   and ` + lease.Free + `
		returning ` + takenColumns
	rows, err := tx.Query(ctx, sql, run, process, Terms.Length.String())
	if err != nil {
		return Taken{}, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Taken])
}

// FindIdle reads a run without a worker that has not ended, so that it can be ended as it is. It fails with
// ErrFenced if there is none.
func FindIdle(ctx context.Context, tx *pg.Tx, run string) (Taken, error) {
	const sql = `
		select ` + takenColumns + `
		  from sync_run r
		 where r.tenant_id = current_tenant()
		   and r.id = $1
		   and r.status in ('queued', 'waiting_agent', 'running', 'evaluating', 'applying')
		   and (r.lease_owner is null or r.lease_until < now())`
	rows, err := tx.Query(ctx, sql, run)
	if err != nil {
		return Taken{}, fmt.Errorf("look at run %s: %w", run, err)
	}
	t, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Taken])
	if errors.Is(err, pgx.ErrNoRows) {
		return Taken{}, ErrFenced
	}
	if err != nil {
		return Taken{}, fmt.Errorf("look at run %s: %w", run, err)
	}
	return t, nil
}
