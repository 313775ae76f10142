package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/lease"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/position"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/reading"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/staging"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// take makes this process the run's worker, with a new attempt, unless another was quicker. What earlier attempts have
// staged and merged stays, and the work goes on from there.
func (s *Service) take(ctx context.Context, o lease.Open) (w *work, err error) {
	err = s.DB.As(ctx, viewer.System(o.Tenant), func(tx *pg.Tx) error {
		t, err := lease.Take(ctx, tx, s.process.String(), o.ID)
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
		return staging.Clear(ctx, tx, o.Connector)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("take run %s: %w", o.ID, err)
	}
	return w, nil
}

func (s *Service) workOn(o lease.Open, t lease.Taken) *work {
	w := &work{
		s:           s,
		lease:       lease.Lease{Run: o.ID, Process: s.process.String(), Attempt: t.Attempt},
		v:           viewer.System(o.Tenant),
		id:          o.ID,
		connector:   o.Connector,
		attempt:     t.Attempt,
		failures:    t.Failures,
		resumes:     t.Resumes,
		round:       t.Round,
		chunkSize:   t.ChunkSize,
		incremental: t.Incremental,
		preview:     t.Purpose == syncrun.PurposePreview,
		callback:    t.Callback,
		cancelled:   t.Cancelled,
		firstLoad:   t.FirstLoad,
		streams:     t.Streams,
		evaluated:   t.Evaluated,
		settings:    t.Settings,
		reread:      t.Reread,
		executedBy:  t.ExecutedBy,
		died:        t.Lapsed,
		merged:      map[string]bool{},
		State: reading.State{
			MaxRecords: t.MaxRecords,
			Continues:  t.Continues,
			Ended:      t.ReadEnded,
			Watermark:  t.Watermark,
			Estimate:   t.Estimate,
			Warnings:   t.Warnings,
			Complete:   t.Complete,
			Effective:  v1.Read{Incremental: t.Changes},
			Checkpoint: deref(t.Checkpoint),
			Cursor:     deref(t.Cursor),
			Fallback:   deref(t.Fallback),
		},
	}
	if t.Strategy != nil { // the connector has said how it reads, and need not say it again when it goes on
		w.Effective.Strategy, w.Effective.FallbackReason = *t.Strategy, w.Fallback
		said := w.Effective
		w.Read = &said
	}
	if t.ReadAs != nil {
		w.Ask = *t.ReadAs
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
		w.Ask, w.Fallback = position.Choose(w.position, w.settings)
	}
	var empty bool
	if w.firstLoad, empty, err = position.FirstLoad(ctx, tx, w.connector); err != nil {
		return err
	}
	w.streams = w.firstLoad && empty && !w.preview
	if w.MaxRecords != nil && !w.preview { // a preview shows what a reading from the start would do
		w.Continues, w.Checkpoint, err = position.FindLimited(ctx, tx, w.connector, w.id, w.settings, encode(w.Ask))
		if err != nil {
			return err
		}
	}
	const sql = `
		update sync_run
		   set read_as = $2, settings_digest = $3, fallback_reason = $4, first_load = $5, streams = $6, checkpoint = $7,
		       continues_run_id = $8
		 where tenant_id = current_tenant()
		   and id = $1`
	return pg.Exec(
		ctx,
		tx,
		"plan run",
		sql,
		w.id,
		encode(w.Ask),
		w.settings,
		staging.NullIfEmpty(w.Fallback),
		w.firstLoad,
		w.streams,
		staging.NullIfEmpty(w.Checkpoint),
		w.Continues,
	)
}

// locate reads how far the connector's data reaches and with what settings it is read now.
func (w *work) locate(ctx context.Context, tx *pg.Tx) (err error) {
	if w.position, err = position.Find(ctx, tx, w.connector); err != nil {
		return err
	}
	w.settingsNow, err = position.SettingsDigest(ctx, tx, w.connector)
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
	w.Capped = w.Ended && w.WasCapped()
	if w.Ended || w.seq == 0 && w.Continues == nil || bytes.Equal(w.settings, w.settingsNow) {
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
	var seq, records int
	var counted []byte
	return pg.Each(ctx, tx, "restore chunks", []any{&seq, &records, &counted}, func() error {
		w.seq, w.sizes = seq, append(w.sizes, records)
		return w.addStored(counted)
	}, sql, w.id)
}

func (w *work) restoreMerges(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		select part, lo, counters
		  from sync_merge
		 where tenant_id = current_tenant()
		   and run_id = $1`
	var part string
	var lo int
	var counted []byte
	return pg.Each(ctx, tx, "restore merged parts", []any{&part, &lo, &counted}, func() error {
		w.merged[key(part, lo)] = true
		return w.addStored(counted)
	}, sql, w.id)
}

func (w *work) addStored(stored []byte) error {
	var t counters.PartCount
	if err := json.Unmarshal(stored, &t); err != nil {
		return err
	}
	w.count.Add(t)
	return nil
}

// startOver drops what is staged, because it is no part of the reading that begins now. What was merged of it stays,
// and chunks are numbered on, so that no merged part is taken for one of the new reading.
func (w *work) startOver(ctx context.Context, tx *pg.Tx, why string) error {
	batch := &pgx.Batch{}
	for _, t := range append(staging.TableNames(), "stage_scope", "stage_present", "sync_error") {
		batch.Queue("delete from "+t+" where tenant_id = current_tenant() and run_id = $1", w.id)
	}
	batch.Queue(`update sync_chunk set counters = '{}' where tenant_id = current_tenant() and run_id = $1`, w.id)
	batch.Queue(`delete from sync_merge where tenant_id = current_tenant() and run_id = $1 and part = 'proof'`, w.id)
	w.Warnings = append(w.Warnings, v1.Warning{Code: "read_anew", Message: why})
	w.Restart()
	w.settings = w.settingsNow
	batch.Queue(
		`update sync_run set checkpoint = null, continues_run_id = null, settings_digest = $2, warnings = $3,
			strategy = null where tenant_id = current_tenant() and id = $1`,
		w.id,
		w.settings,
		encode(w.Warnings),
	)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("start over: %w", err)
	}
	w.count = counters.PartCount{}
	return w.restoreMerges(ctx, tx)
}

// readAll gives up reading changes in the middle of a run and reads everything, in the same run.
func (w *work) readAll(ctx context.Context, reason string) error {
	w.Restart()
	w.Ask, w.Fallback = position.Ask{}, reason
	return w.s.DB.As(ctx, w.v, func(tx *pg.Tx) error {
		const sql = `
			update sync_run
			   set read_as = $4, checkpoint = null, continues_run_id = null, fallback_reason = $5, strategy = null,
			       progress_seq = progress_seq + 1, updated_at = now()
			 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
		return w.lease.Update(ctx, tx, sql, encode(w.Ask), reason)
	})
}

// idle is a run without a worker, with what earlier attempts have staged and merged, so that it can be ended as it
// is.
func (s *Service) idle(ctx context.Context, tx *pg.Tx, o lease.Open) (*work, error) {
	t, err := lease.FindIdle(ctx, tx, o.ID)
	if err != nil {
		return nil, err
	}
	w := s.workOn(o, t)
	w.unleased = true
	if err := w.restoreChunks(ctx, tx); err != nil {
		return nil, err
	}
	return w, w.restoreMerges(ctx, tx)
}
