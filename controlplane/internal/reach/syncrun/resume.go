package syncrun

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// taken is what a run's row tells whoever takes it.
type taken struct {
	Attempt     int             `db:"attempt"`
	Failures    int             `db:"failures"`
	Resumes     int             `db:"resumes"`
	Round       int             `db:"round"`
	ChunkSize   int             `db:"chunk_size"`
	MaxRecords  *int            `db:"max_records"`
	Continues   *string         `db:"continues_run_id"`
	Incremental bool            `db:"incremental"`
	Purpose     string          `db:"purpose"`
	Callback    *string         `db:"callback_url"`
	Cancelled   bool            `db:"cancel_requested"`
	FirstLoad   bool            `db:"first_load"`
	Streams     bool            `db:"streams"`
	ReadEnded   bool            `db:"read_ended"`
	Evaluated   bool            `db:"evaluated"`
	ReadAs      *ask            `db:"read_as"`
	Settings    []byte          `db:"settings_digest"`
	Checkpoint  *string         `db:"checkpoint"`
	Cursor      *string         `db:"cursor"`
	Watermark   *time.Time      `db:"watermark"`
	Estimate    *v1.Estimate    `db:"estimate"`
	Warnings    []v1.Warning    `db:"warnings"`
	Complete    map[string]bool `db:"complete"`
	Changes     bool            `db:"effective_incremental"`
	Strategy    *string         `db:"strategy"`
	Fallback    *string         `db:"fallback_reason"`
	Reread      int64           `db:"reread"`
	ExecutedBy  *v1.ExecutedBy  `db:"executed_by"`
	Lapsed      int             `db:"lapsed"`
}

// takenColumns are those of taken.
const takenColumns = `
	r.attempt, r.failures, r.resumes, r.round, r.chunk_size, r.max_records, r.continues_run_id, r.incremental,
	r.purpose, r.callback_url, r.cancel_requested, r.first_load, r.streams, r.read_ended, r.evaluated, r.read_as,
	r.settings_digest, r.checkpoint, r.cursor, r.watermark, r.estimate, r.warnings, r.complete, r.effective_incremental,
	r.strategy, r.fallback_reason, r.reread, r.executed_by, cardinality(r.lapsed) as lapsed`

// take makes this process the run's worker, with a new attempt, unless another was quicker. What earlier attempts have
// staged and merged stays, and the work goes on from there.
func (s *Service) take(ctx context.Context, o open) (w *work, err error) {
	err = s.DB.As(ctx, viewer.System(o.Tenant), func(tx *pg.Tx) error {
		t, err := s.lease(ctx, tx, o.ID)
		if err != nil {
			return err
		}
		w = s.workOn(o, t)
		if t.ReadAs == nil {
			err = w.plan(ctx, tx)
		} else {
			err = w.restore(ctx, tx)
		}
		if err != nil || s.KeepStaged {
			return err
		}
		return forget(ctx, tx, o.Connector)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("take run %s: %w", o.ID, err)
	}
	return w, nil
}

// lease takes the run's lease. It counts as a failure until the attempt has moved the run on. A process that hands a
// run back leaves no owner behind: where there is one, its lease ran out, and it has probably died.
func (s *Service) lease(ctx context.Context, tx *pg.Tx, run string) (taken, error) {
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
		   and (r.lease_until is null or r.lease_until < now())
		returning ` + takenColumns
	rows, err := tx.Query(ctx, sql, run, s.process.String(), leaseTime.String())
	if err != nil {
		return taken{}, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[taken])
}

func (s *Service) workOn(o open, t taken) *work {
	w := &work{
		s:           s,
		v:           viewer.System(o.Tenant),
		id:          o.ID,
		connector:   o.Connector,
		attempt:     t.Attempt,
		failures:    t.Failures,
		resumes:     t.Resumes,
		round:       t.Round,
		chunkSize:   t.ChunkSize,
		maxRecords:  t.MaxRecords,
		continues:   t.Continues,
		incremental: t.Incremental,
		preview:     t.Purpose == purposePreview,
		callback:    t.Callback,
		cancelled:   t.Cancelled,
		firstLoad:   t.FirstLoad,
		streams:     t.Streams,
		readEnded:   t.ReadEnded,
		evaluated:   t.Evaluated,
		settings:    t.Settings,
		mark:        t.Watermark,
		estimate:    t.Estimate,
		warnings:    t.Warnings,
		complete:    t.Complete,
		reread:      t.Reread,
		executedBy:  t.ExecutedBy,
		died:        t.Lapsed,
		merged:      map[string]bool{},
		effective:   v1.Read{Incremental: t.Changes},
		checkpoint:  deref(t.Checkpoint),
		cursor:      deref(t.Cursor),
		fallback:    deref(t.Fallback),
	}
	if t.Strategy != nil { // the connector has said how it reads, and need not say it again when it goes on
		w.effective.Strategy, w.effective.FallbackReason = *t.Strategy, w.fallback
		said := w.effective
		w.read = &said
	}
	if t.ReadAs != nil {
		w.ask = *t.ReadAs
	}
	return w
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// plan decides, when a run is taken for the first time, how it reads and merges.
func (w *work) plan(ctx context.Context, tx *pg.Tx) (err error) {
	if err := w.locate(ctx, tx); err != nil {
		return err
	}
	w.settings = w.settingsNow
	if w.incremental {
		w.ask, w.fallback = choose(w.position, w.settings)
	}
	const first = `
		select not exists (select from sync_run where tenant_id = current_tenant() and connector_id = $1
		                      and status in ('succeeded', 'partial', 'held', 'discarded', 'expired')
		                          and purpose = 'apply' and max_records is null)
		   and not exists (select from sync_position where tenant_id = current_tenant() and connector_id = $1),
		       not exists (select from account where tenant_id = current_tenant() and connector_id = $1)
		   and not exists (select from identity_source where tenant_id = current_tenant() and connector_id = $1)
		   and not exists (select from entitlement where tenant_id = current_tenant() and connector_id = $1)`
	var empty bool
	if err := tx.QueryRow(ctx, first, w.connector).Scan(&w.firstLoad, &empty); err != nil {
		return fmt.Errorf("look for earlier runs: %w", err)
	}
	w.streams = w.firstLoad && empty && !w.preview
	if err := w.findLimited(ctx, tx); err != nil {
		return err
	}
	const sql = `
		update sync_run
		   set read_as = $2, settings_digest = $3, fallback_reason = $4, first_load = $5, streams = $6, checkpoint = $7,
		       continues_run_id = $8
		 where tenant_id = current_tenant()
		   and id = $1`
	if _, err := tx.Exec(
		ctx,
		sql,
		w.id,
		encode(w.ask),
		w.settings,
		filled(w.fallback),
		w.firstLoad,
		w.streams,
		filled(w.checkpoint),
		w.continues,
	); err != nil {
		return fmt.Errorf("plan run: %w", err)
	}
	return nil
}

// locate reads how far the connector's data reaches and with what settings it is read now.
func (w *work) locate(ctx context.Context, tx *pg.Tx) (err error) {
	if w.position, err = findPosition(ctx, tx, w.connector); err != nil {
		return err
	}
	w.settingsNow, err = settingsDigest(ctx, tx, w.connector)
	return err
}

// restore takes up what earlier attempts have committed.
func (w *work) restore(ctx context.Context, tx *pg.Tx) error {
	if err := w.locate(ctx, tx); err != nil {
		return err
	}
	if err := w.restoreChunks(ctx, tx); err != nil {
		return err
	}
	if err := w.restoreMerges(ctx, tx); err != nil {
		return err
	}
	w.capped = w.readEnded && w.wasCapped()
	if w.readEnded || w.seq == 0 && w.continues == nil || bytes.Equal(w.settings, w.settingsNow) {
		return nil
	}
	return w.startOver(
		ctx,
		tx,
		"the settings of the connector changed during the sync run; it starts from the beginning",
	)
}

func (w *work) restoreChunks(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select seq, records, counters
		  from sync_chunk
		 where tenant_id = current_tenant()
		   and run_id = $1
		 order by seq`
	rows, err := tx.Query(ctx, sql, w.id)
	if err != nil {
		return fmt.Errorf("restore chunks: %w", err)
	}
	var seq, records int
	var counted []byte
	_, err = pgx.ForEachRow(rows, []any{&seq, &records, &counted}, func() error {
		w.seq, w.sizes = seq, append(w.sizes, records)
		return w.count(counted)
	})
	if err != nil {
		return fmt.Errorf("restore chunks: %w", err)
	}
	return nil
}

func (w *work) restoreMerges(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select part, lo, counters
		  from sync_merge
		 where tenant_id = current_tenant()
		   and run_id = $1`
	rows, err := tx.Query(ctx, sql, w.id)
	if err != nil {
		return fmt.Errorf("restore merged parts: %w", err)
	}
	var part string
	var lo int
	var counted []byte
	_, err = pgx.ForEachRow(rows, []any{&part, &lo, &counted}, func() error {
		w.merged[key(part, lo)] = true
		return w.count(counted)
	})
	if err != nil {
		return fmt.Errorf("restore merged parts: %w", err)
	}
	return nil
}

func (w *work) count(stored []byte) error {
	var t tally
	if err := json.Unmarshal(stored, &t); err != nil {
		return err
	}
	w.tally.add(t)
	return nil
}

// startOver drops what is staged, because it is no part of the reading that begins now. What was merged of it stays,
// and chunks are numbered on, so that no merged part is taken for one of the new reading.
func (w *work) startOver(ctx context.Context, tx *pg.Tx, why string) error {
	batch := &pgx.Batch{}
	for _, t := range append(stageNames(), "stage_scope", "stage_present", "sync_error") {
		batch.Queue("delete from "+t+" where tenant_id = current_tenant() and run_id = $1", w.id)
	}
	batch.Queue(`update sync_chunk set counters = '{}' where tenant_id = current_tenant() and run_id = $1`, w.id)
	batch.Queue(`delete from sync_merge where tenant_id = current_tenant() and run_id = $1 and part = 'proof'`, w.id)
	w.warnings = append(w.warnings, v1.Warning{Code: "read_anew", Message: why})
	w.continues = nil
	w.checkpoint, w.settings, w.read, w.effective = "", w.settingsNow, nil, v1.Read{}
	batch.Queue(
		`update sync_run set checkpoint = null, continues_run_id = null, settings_digest = $2, warnings = $3,
			strategy = null where tenant_id = current_tenant() and id = $1`,
		w.id,
		w.settings,
		encode(w.warnings),
	)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("start over: %w", err)
	}
	w.tally = tally{}
	return w.restoreMerges(ctx, tx)
}

// readAll gives up reading changes in the middle of a run and reads everything, in the same run.
func (w *work) readAll(ctx context.Context, reason string) error {
	w.ask, w.checkpoint, w.continues, w.fallback, w.read, w.effective = ask{}, "", nil, reason, nil, v1.Read{}
	return w.s.DB.As(ctx, w.v, func(tx *pg.Tx) error {
		const sql = `
			update sync_run
			   set read_as = $4, checkpoint = null, continues_run_id = null, fallback_reason = $5, strategy = null,
			       progress_seq = progress_seq + 1, updated_at = now()
			 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
		tag, err := tx.Exec(ctx, sql, w.id, w.s.process.String(), w.attempt, encode(w.ask), reason)
		if err != nil {
			return fmt.Errorf("read all: %w", err)
		}
		if tag.RowsAffected() == 0 {
			return errFenced
		}
		return nil
	})
}

// idle is a run on which nobody works, with what earlier attempts have staged and merged, so that it can be ended as it
// is.
func (s *Service) idle(ctx context.Context, tx *pg.Tx, o open) (*work, error) {
	const sql = `
		select ` + takenColumns + `
		  from sync_run r
		 where r.tenant_id = current_tenant()
		   and r.id = $1
		   and r.status in ('queued', 'waiting_agent', 'running', 'evaluating', 'applying')
		   and (r.lease_owner is null or r.lease_until < now())`
	rows, err := tx.Query(ctx, sql, o.ID)
	if err != nil {
		return nil, fmt.Errorf("look at run %s: %w", o.ID, err)
	}
	t, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[taken])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errFenced
	}
	if err != nil {
		return nil, fmt.Errorf("look at run %s: %w", o.ID, err)
	}
	w := s.workOn(o, t)
	w.unleased = true
	if err := w.restoreChunks(ctx, tx); err != nil {
		return nil, err
	}
	return w, w.restoreMerges(ctx, tx)
}

// alive takes back that this process has died in the run: it was only late, as when the database was away.
func (w *work) alive(ctx context.Context) error {
	return w.s.DB.As(ctx, w.v, func(tx *pg.Tx) error {
		const sql = `
			update sync_run
			   set lapsed = array_remove(lapsed, $2::uuid)
			 where tenant_id = current_tenant()
			   and id = $1
			   and $2::uuid = any (lapsed)`
		_, err := tx.Exec(ctx, sql, w.id, w.s.process.String())
		return err
	})
}
