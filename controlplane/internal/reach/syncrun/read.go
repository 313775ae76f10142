package syncrun

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/attribute"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// readTarget reads from where the last attempt got to. A target that has forgotten where changes were read up to is
// read as a whole, in the same run. m, where not nil, merges behind the reading.
func (w *work) readTarget(ctx context.Context, m *merger) error {
	err := w.readOnce(ctx, m)
	var d *v1.ErrorDetail
	if errors.As(err, &d) && d.Code == "cursor_expired" && w.ask.Incremental && ctx.Err() == nil {
		if err := w.readAll(ctx, "cursor_expired: "+d.Message); err != nil {
			return err
		}
		return w.readOnce(ctx, m)
	}
	return err
}

func (w *work) readOnce(ctx context.Context, m *merger) error {
	target := w.target.Target
	target.Run, target.Attempt = w.id, w.attempt
	w.executedBy = &v1.ExecutedBy{Mode: target.Mode}
	target.Executor = func(by v1.ExecutedBy) { w.executedBy = &by }
	target.Progress = w.watch.hear
	tell := w.startTelling(ctx)
	defer tell()
	b := &builder{mapper: w.mapper, today: day(w.s.Now())}
	err := w.s.DB.As(
		ctx,
		w.v,
		func(tx *pg.Tx) (err error) { b.schema, err = attribute.FindSchema(ctx, tx); return err },
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
			m.more()
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
		Incremental:         w.ask.Incremental,
		LastSyncAt:          w.ask.LastSyncAt,
		AuthConfig:          w.target.Auth,
		Options: &v1.SyncOptions{
			SyncRunID:  w.id,
			ChunkSize:  w.chunkSize,
			MaxRecords: w.maxRecords,
			Objects:    objects(w.target.Purpose),
			Mode:       v1.ModeRead,
			Cursor:     w.ask.Cursor,
			Checkpoint: w.checkpoint,
		},
	}
}

// objects are the kinds that a connector of this purpose is asked for.
func objects(purpose string) []v1.ObjectKind {
	switch purpose {
	case "source":
		return []v1.ObjectKind{v1.Identities}
	case "target":
		return []v1.ObjectKind{v1.Accounts, v1.Entitlements, v1.Grants}
	}
	return []v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants}
}

// takeIn stages one chunk. When it returns nil the chunk is durable, and only then is it acknowledged.
func (w *work) takeIn(ctx context.Context, b *builder, page *v1.SyncResponse) error {
	if err := sound(page.Page); err != nil {
		return err
	}
	if w.seq > 0 {
		crashpoint.Reach("chunk.acked")
	}
	batch := b.build(page)
	w.mu.Lock()
	seq := w.seq + 1
	total := w.tally
	total.add(batch.tally)
	batch.aside = batch.aside[:min(len(batch.aside), max(0, maxAsideRows-w.aside))]
	moved := w.note(page.Page)
	w.mu.Unlock()
	err := w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) error {
		if err := stage(ctx, tx, w.id, seq, batch, page.Page); err != nil {
			return err
		}
		defer crashpoint.Reach("chunk.staged")
		return w.recordChunk(
			ctx,
			tx,
			chunk{seq: seq, records: page.Len(), phase: phaseOf(page), batch: batch, total: total, moved: moved},
		)
	})
	if err != nil {
		return err
	}
	crashpoint.Reach("chunk.committed")
	w.mu.Lock()
	w.seq, w.sizes = seq, append(w.sizes, page.Len())
	w.tally.add(batch.tally)
	w.aside += len(batch.aside)
	if moved {
		w.failures = 0
	}
	w.mu.Unlock()
	w.s.relieve(w.id)
	return w.bearable()
}

// sound refuses a page whose opaque texts cannot be kept. They come from the connector's author, not from the target's
// data.
func sound(p *v1.Page) error {
	if p == nil || storable(p.Checkpoint) && storable(p.Cursor) {
		return nil
	}
	return &v1.ErrorDetail{
		Class:   v1.ClassProtocol,
		Code:    "protocol_violation",
		Message: "the connector sent a checkpoint or cursor that is longer than 64 KiB or not text",
	}
}

// note keeps what a page says about the whole read, and reports whether the run has moved on with it: whoever takes it
// over need not begin where this attempt began. The caller holds the lock.
func (w *work) note(p *v1.Page) (moved bool) {
	if p == nil {
		p = &v1.Page{}
	}
	for _, warning := range p.Warnings {
		w.anew = w.anew || warning.Code == "checkpoint_unusable"
		w.warn(warning)
	}
	if p.Estimate != nil {
		w.estimate = p.Estimate
	}
	if p.Watermark != nil {
		w.mark = p.Watermark
	}
	if p.Read != nil {
		w.read = p.Read
		w.judgeRead()
	}
	if p.Checkpoint != "" {
		moved = p.Checkpoint != w.checkpoint && !w.anew
		w.checkpoint = p.Checkpoint
	}
	if p.HasMore {
		return moved
	}
	w.readEnded, w.cursor = true, p.Cursor
	if w.maxRecords != nil {
		w.checkpoint = p.Checkpoint // where the next limited run continues
	}
	w.judgeRead()
	w.complete = map[string]bool{}
	for _, kind := range objects(w.target.Purpose) {
		w.complete[string(kind)] = false
	}
	for _, scope := range p.Scopes {
		if scope.Key == "*" {
			w.complete[string(scope.Kind)] = scope.Complete
		}
	}
	w.capped = w.wasCapped()
	return true
}

// warn keeps a warning, each once and a hundred at most.
func (w *work) warn(warning v1.Warning) {
	if len(w.warnings) >= 100 {
		return
	}
	for _, known := range w.warnings {
		if known == warning {
			return
		}
	}
	w.warnings = append(w.warnings, warning)
}

// judgeRead settles what the reading counts for: when the connector says so, or at its end. A connector that was asked
// for changes and says nothing has given changes only.
func (w *work) judgeRead() {
	switch {
	case w.read != nil:
		w.effective = *w.read
	case w.ask.Incremental:
		w.effective = v1.Read{Incremental: true, Strategy: "changes"}
	default:
		w.effective = v1.Read{}
	}
	if !w.effective.Incremental && w.effective.Strategy == "" {
		w.effective.Strategy = "full"
	}
	if w.ask.Incremental && !w.effective.Incremental {
		if w.fallback = w.effective.FallbackReason; w.fallback == "" {
			w.fallback = "the connector read everything and gave no reason"
		}
	}
}

// wasCapped reports whether max_records may have kept something from being read.
func (w *work) wasCapped() bool {
	switch {
	case w.maxRecords == nil:
		return false
	case w.effective.Incremental:
		return w.cursor == ""
	case w.continues != nil:
		return true
	}
	return !all(w.complete)
}

func all(m map[string]bool) bool {
	for _, v := range m {
		if !v {
			return false
		}
	}
	return len(m) > 0
}

func phaseOf(page *v1.SyncResponse) string {
	switch {
	case len(page.Grants) > 0:
		return "read_grants"
	case len(page.Entitlements) > 0:
		return "read_entitlements"
	case len(page.Accounts) > 0:
		return "read_accounts"
	}
	return "read_identities"
}

// chunk is what is noted of a chunk with its records.
type chunk struct {
	seq, records int
	phase        string
	batch        *batch
	total        tally // of the run, with this chunk
	moved        bool
}

// recordChunk notes a staged chunk in the run, with the checkpoint that reaches up to it. It also proves that the run
// is still ours.
func (w *work) recordChunk(ctx context.Context, tx *pg.Tx, c chunk) error {
	const insert = `
		insert into sync_chunk (tenant_id, run_id, attempt, seq, records, counters)
		values (current_tenant(), $1, $2, $3, $4, $5)`
	if _, err := tx.Exec(ctx, insert, w.id, w.attempt, c.seq, c.records, c.batch.tally.compact()); err != nil {
		return fmt.Errorf("record chunk %d: %w", c.seq, err)
	}
	const run = `
		update sync_run
		   set chunks = $4, counters = $5, phase = $6, estimate = $7, checkpoint = $8, warnings = $9, watermark = $10,
		       complete = $11, cursor = $12, read_ended = $13, failures = case when $14 then 0 else failures end,
		       lapsed = '{}', effective_incremental = $15, strategy = $16,
		       fallback_reason = $17, executed_by = $18, rate_wait_until = null, progress_at = now(),
		       lease_until = now() + $19::interval, progress_seq = progress_seq + 1, updated_at = now()
		 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
	tag, err := tx.Exec(
		ctx,
		run,
		w.id,
		w.s.process.String(),
		w.attempt,
		c.seq,
		encode(c.total.shown()),
		c.phase,
		encode(w.estimate),
		filled(w.checkpoint),
		w.shownWarnings(),
		w.mark,
		w.shownComplete(),
		filled(w.cursor),
		w.readEnded,
		c.moved,
		w.effective.Incremental,
		filled(w.effective.Strategy),
		filled(w.fallback),
		encode(w.executedBy),
		leaseTime.String(),
	)
	if err != nil {
		return fmt.Errorf("record progress: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return errFenced
	}
	return nil
}

func (w *work) shownWarnings() string {
	if w.warnings == nil {
		return "[]"
	}
	return encode(w.warnings)
}

func (w *work) shownComplete() string {
	if w.complete == nil {
		return "{}"
	}
	return encode(w.complete)
}
