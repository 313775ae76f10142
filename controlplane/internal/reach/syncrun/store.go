package syncrun

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const runColumns = `
	r.id, r.connector_id, c.business_id, r.trigger, r.mode, r.purpose, r.incremental, r.effective_incremental,
	r.strategy, r.fallback_reason, r.max_records, r.continues_run_id, r.chunk_size, r.callback_url, r.callback_state,
	r.callback_error, r.status, r.phase, r.message, r.rate_wait_until, r.counters, r.report, r.complete, r.estimate,
	r.warnings, r.error, r.chunks, r.attempt, r.resumes, r.reread,
	(select count(*) from sync_hold h where h.tenant_id = r.tenant_id and h.run_id = r.id
	and h.state in ('open', 'partly_released')) as holds, r.held_until, r.executed_by, r.requested_by, r.progress_seq,
	    r.started_at, r.finished_at, (extract(epoch from r.finished_at - r.started_at) * 1000)::bigint as duration_ms,
	    r.created_at, r.updated_at`

const fromRun = `
	  from sync_run r
	  join connector c
	    on c.tenant_id = r.tenant_id
	   and c.id = r.connector_id`

// Find returns a run of a connector.
func Find(ctx context.Context, tx *pg.Tx, connector, id string) (Run, error) {
	if uuid.Validate(id) != nil || uuid.Validate(connector) != nil {
		return Run{}, fault.New(fault.NotFound, "Sync run %s was not found.", id)
	}
	run, err := pg.One[Run](
		ctx,
		tx,
		"find run",
		`select `+runColumns+fromRun+` where r.connector_id = $1 and r.id = $2`,
		connector,
		id,
	)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return Run{}, fault.New(fault.NotFound, "Sync run %s was not found.", id)
	case err != nil:
		return Run{}, err
	}
	run.link()
	return run, nil
}

// Find returns a run of a connector, in a transaction of its own.
func (s *Service) Find(ctx context.Context, v viewer.Viewer, connector, id string) (run Run, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		run, err = Find(ctx, tx, connector, id)
		return err
	})
	return run, err
}

// list gives a connector's runs, the newest first.
func list(ctx context.Context, tx *pg.Tx, connector, status string, page pg.Page) (runs []Run, total int64, err error) {
	var after *string
	if len(page.After) > 0 {
		after = &page.After[0]
	}
	batch := &pgx.Batch{}
	const where = ` where r.connector_id = $1 and ($2 = '' or r.status = $2)`
	batch.Queue(
		`select `+runColumns+fromRun+where+` and ($3::uuid is null or r.id < $3) order by r.id desc limit $4 offset $5`,
		connector,
		status,
		after,
		page.Limit+1,
		page.Offset,
	)
	batch.Queue(`select count(*) from sync_run r`+where, connector, status)
	res := tx.SendBatch(ctx, batch)
	defer res.Close()
	rows, err := res.Query()
	if err != nil {
		return nil, 0, fmt.Errorf("list runs: %w", err)
	}
	if runs, err = pgx.CollectRows(rows, pgx.RowToStructByName[Run]); err != nil {
		return nil, 0, fmt.Errorf("list runs: %w", err)
	}
	for i := range runs {
		runs[i].link()
	}
	return runs, total, res.QueryRow().Scan(&total)
}

// RecordError is a record, or a value of one, that a run could not use.
type RecordError struct {
	// Kind of the record: identity, account, entitlement or grant.
	Object string `json:"object" db:"object"`
	// ID of the record in its system.
	ExternalID string `json:"external_id" db:"external_id"`
	// Stable code of the error, for programs.
	Code string `json:"code" db:"code"`
	// What is wrong with the record or value, in words.
	Message string `json:"message" db:"message"`
	// Source field whose value caused the error.
	Field string `json:"field" db:"field"`
	// Whether another attempt can succeed without a change of the record.
	Retryable bool `json:"retryable" db:"retryable"`
	// N numbers the errors of a run; it is the position of pages.
	N int64 `json:"-" db:"n"`
}

// listErrors reads a page of a run's errors and how many match in all, in one round trip. Empty
// object and code match everything.
func listErrors(
	ctx context.Context,
	tx *pg.Tx,
	run, object, code string,
	page pg.Page,
) (found []RecordError, total int64, err error) {
	after := "0"
	if len(page.After) > 0 {
		after = page.After[0]
	}
	const where = ` where run_id = $1 and ($2 = '' or object = $2) and ($3 = '' or code = $3)`
	batch := &pgx.Batch{}
	batch.Queue(
		`select object, external_id, code, message, field, retryable,
			n from sync_error`+where+` and n > $4::bigint order by n limit $5 offset $6`,
		run,
		object,
		code,
		after,
		page.Limit+1,
		page.Offset,
	)
	batch.Queue(`select count(*) from sync_error`+where, run, object, code)
	res := tx.SendBatch(ctx, batch)
	defer res.Close()
	rows, err := res.Query()
	if err != nil {
		return nil, 0, fmt.Errorf("list errors: %w", err)
	}
	if found, err = pgx.CollectRows(rows, pgx.RowToStructByName[RecordError]); err != nil {
		return nil, 0, fmt.Errorf("list errors: %w", err)
	}
	return found, total, res.QueryRow().Scan(&total)
}
