package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/lease"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/merge"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/reading"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/staging"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/attribute"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// readTarget reads from where the last attempt got to. A target that has forgotten where changes were read up to is
// read as a whole, in the same run. m, where not nil, merges behind the reading.
func (w *work) readTarget(ctx context.Context, m *merge.Pipeline) error {
	err := w.readOnce(ctx, m)
	var d *v1.ErrorDetail
	if errors.As(err, &d) && d.Code == "cursor_expired" && w.Ask.Incremental && ctx.Err() == nil {
		if err := w.readAll(ctx, "cursor_expired: "+d.Message); err != nil {
			return err
		}
		return w.readOnce(ctx, m)
	}
	return err
}

func (w *work) readOnce(ctx context.Context, m *merge.Pipeline) error {
	target := w.target.Target
	target.Run, target.Attempt = w.id, w.attempt
	w.executedBy = &v1.ExecutedBy{Mode: target.Mode}
	target.Executor = func(by v1.ExecutedBy) { w.executedBy = &by }
	target.Progress = w.watch.hear
	if w.callback != nil {
		defer w.s.Callbacks.Follow(ctx, w.v, w.connector, w.id, *w.callback)()
	}
	b := &staging.Builder{Mapper: w.mapper, Today: day(w.s.Now())}
	err := w.s.DB.As(
		ctx,
		w.v,
		func(tx *pg.Tx) (err error) { b.Schema, err = attribute.FindSchema(ctx, tx); return err },
	)
	if err != nil {
		return err
	}
	w.watch.sign(true)
	defer w.watch.sign(false)
	return w.s.Dispatch.Sync(ctx, target, w.request(), func(ctx context.Context, page v1.SyncResponse) error {
		w.watch.sign(false)
		defer w.watch.sign(true)
		if err := w.takeIn(ctx, b, &page); err != nil {
			return err
		}
		if m != nil {
			m.More()
		}
		return nil
	})
}

func day(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// request is what the connector is asked.
func (w *work) request() v1.SyncRequest {
	return v1.SyncRequest{
		ConnectorBusinessID: w.target.BusinessID,
		Incremental:         w.Ask.Incremental,
		LastSyncAt:          w.Ask.LastSyncAt,
		AuthConfig:          w.target.Auth,
		Options: &v1.SyncOptions{
			SyncRunID:  w.id,
			ChunkSize:  w.chunkSize,
			MaxRecords: w.MaxRecords,
			Objects:    w.Kinds,
			Mode:       v1.ModeRead,
			Cursor:     w.Ask.Cursor,
			Checkpoint: w.Checkpoint,
		},
	}
}

// takeIn stages one chunk. When it returns nil the chunk is durable, and only then is it acknowledged.
func (w *work) takeIn(ctx context.Context, b *staging.Builder, page *v1.SyncResponse) error {
	if err := reading.Check(page.Page); err != nil {
		return err
	}
	if w.seq > 0 {
		crashpoint.Reach("chunk.acked")
	}
	batch := b.Build(page)
	w.mu.Lock()
	seq := w.seq + 1
	total := w.count
	total.Add(batch.Tally)
	batch.Rejected = batch.Rejected[:min(len(batch.Rejected), max(0, staging.MaxRejected-w.aside))]
	moved := w.Note(page.Page)
	w.mu.Unlock()
	err := w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) error {
		if err := staging.Write(ctx, tx, w.id, seq, batch, page.Page); err != nil {
			return err
		}
		defer crashpoint.Reach("chunk.staged")
		return w.recordChunk(
			ctx,
			tx,
			chunk{seq: seq, records: page.Len(), phase: reading.Phase(page), batch: batch, total: total, moved: moved},
		)
	})
	if err != nil {
		return err
	}
	crashpoint.Reach("chunk.committed")
	w.mu.Lock()
	w.seq, w.sizes = seq, append(w.sizes, page.Len())
	w.count.Add(batch.Tally)
	w.aside += len(batch.Rejected)
	if moved {
		w.failures = 0
	}
	w.mu.Unlock()
	w.s.relieve(w.id)
	return w.bearable()
}

// chunk is what is noted of a chunk with its records.
type chunk struct {
	seq, records int
	phase        string
	batch        *staging.Batch
	total        counters.PartCount // of the run, with this chunk
	moved        bool
}

// recordChunk notes a staged chunk in the run, with the checkpoint that reaches up to it. It also proves that the run
// is still ours.
func (w *work) recordChunk(ctx context.Context, tx *pg.Tx, c chunk) error {
	const insert = `
		insert into sync_chunk (tenant_id, run_id, attempt, seq, records, counters)
		values (current_tenant(), $1, $2, $3, $4, $5)`
	if err := pg.Exec(
		ctx,
		tx,
		fmt.Sprintf("record chunk %d", c.seq),
		insert,
		w.id,
		w.attempt,
		c.seq,
		c.records,
		c.batch.Tally.JSON(),
	); err != nil {
		return err
	}
	const run = `
		update sync_run
		   set chunks = $4, counters = $5, phase = $6, estimate = $7, checkpoint = $8, warnings = $9, watermark = $10,
		       complete = $11, cursor = $12, read_ended = $13, failures = case when $14 then 0 else failures end,
		       lapsed = '{}', effective_incremental = $15, strategy = $16,
		       fallback_reason = $17, executed_by = $18, rate_wait_until = null, progress_at = now(),
		       lease_until = now() + $19::interval, progress_seq = progress_seq + 1, updated_at = now()
		 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
	return w.lease.Update(
		ctx,
		tx,
		run,
		c.seq,
		encode(c.total.Totals()),
		c.phase,
		encode(w.Estimate),
		staging.NullIfEmpty(w.Checkpoint),
		w.shownWarnings(),
		w.Watermark,
		w.shownComplete(),
		staging.NullIfEmpty(w.Cursor),
		w.Ended,
		c.moved,
		w.Effective.Incremental,
		staging.NullIfEmpty(w.Effective.Strategy),
		staging.NullIfEmpty(w.Fallback),
		encode(w.executedBy),
		lease.Terms.Length.String(),
	)
}

func (w *work) shownWarnings() string {
	if w.Warnings == nil {
		return "[]"
	}
	return encode(w.Warnings)
}

func (w *work) shownComplete() string {
	if w.Complete == nil {
		return "{}"
	}
	return encode(w.Complete)
}
