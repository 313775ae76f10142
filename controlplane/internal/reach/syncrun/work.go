package syncrun

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// work is one attempt at a run.
type work struct {
	s           *Service
	v           viewer.Viewer
	id          string
	connector   string
	attempt     int
	chunkSize   int
	maxRecords  *int
	incremental bool
	callback    *string
	cancelled   bool // asked for before the work began
	firstLoad   bool
	unleased    bool // ends a run that nobody works on
	cancel      context.CancelCauseFunc
	target      connector.Opened
	executedBy  *v1.ExecutedBy

	mu       sync.Mutex
	seq      int   // last chunk committed
	sizes    []int // records of each committed chunk
	counters Counters
	aside    int
	complete map[string]bool
	capped   bool
	warnings []v1.Warning
	mark     *time.Time
	estimate *v1.Estimate
}

func (w *work) do(ctx context.Context) {
	beating := make(chan struct{})
	go func() {
		defer close(beating)
		w.beat(ctx)
	}()
	err := w.guarded(ctx)
	w.cancel(nil)
	<-beating
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	// The run's own context is over; what is written now has a moment of its own.
	end, done := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer done()
	if err := w.settle(end, err); err != nil {
		w.s.Log.ErrorContext(ctx, "cannot end a run; it will be taken over", "run", w.id, "err", err)
	}
	w.clear(end)
}

// clear drops what the attempt has staged. What it does not come to, the connector's next run does.
func (w *work) clear(ctx context.Context) {
	if w.s.KeepStaged {
		return
	}
	err := w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) error {
		const ours = `select not exists (select from sync_run where id = $1 and (attempt <> $2 or finished_at is null and lease_owner is not null))`
		var is bool
		if err := tx.QueryRow(ctx, ours, w.id, w.attempt).Scan(&is); err != nil || !is {
			return err
		}
		return forget(ctx, tx, w.connector, w.id)
	})
	if err != nil {
		w.s.Log.WarnContext(ctx, "what a run had staged stays until the next one", "run", w.id, "err", err)
	}
}

// guarded turns a panic of a connector into a failed run.
func (w *work) guarded(ctx context.Context) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			w.s.Log.ErrorContext(ctx, "panic in a run", "run", w.id, "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
			err = errors.New("a fault of our own stopped the run")
		}
	}()
	return w.read(ctx)
}

// settle writes how the attempt ended.
func (w *work) settle(ctx context.Context, err error) error {
	switch {
	case err == nil || errors.Is(err, errFenced):
		return nil
	case errors.Is(err, errStopping):
		return w.handBack(ctx, 0)
	case errors.Is(err, errCancelled):
		return w.end(ctx, Cancelled, &v1.ErrorDetail{Class: v1.ClassCancelled, Code: "cancelled", Message: "the run was cancelled; what had been merged stays"})
	}
	detail := dispatch.Detail(err)
	if detail.Class == v1.ClassInternal {
		w.s.Log.ErrorContext(ctx, "a run failed", "run", w.id, "err", err)
	}
	if w.again(detail) {
		return w.handBack(ctx, time.Duration(w.attempt)*2*time.Second)
	}
	return w.end(ctx, Failed, detail)
}

// again reports whether another attempt may succeed: the agent has gone, or the connection broke after it had worked. A
// target that was never reached is more likely misconfigured, and its error is told at once.
func (w *work) again(d *v1.ErrorDetail) bool {
	if w.attempt >= maxAttempts {
		return false
	}
	return d.Class == v1.ClassAgentUnavailable || (d.Class == v1.ClassTransient && w.seq > 0)
}

// beat keeps the lease and notices a cancel. A worker that cannot renew its lease in time stops by itself.
func (w *work) beat(ctx context.Context) {
	const sql = `
		update sync_run
		   set lease_until = now() + $4::interval
		 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3
		returning cancel_requested`
	tick := time.NewTicker(beatInterval)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		var cancel, found bool
		try, done := context.WithTimeout(ctx, 5*time.Second)
		err := w.s.DB.As(try, w.v, func(tx *pg.Tx) error {
			rows, err := tx.Query(try, sql, w.id, w.s.process.String(), w.attempt, leaseTime.String())
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				found = true
				if err := rows.Scan(&cancel); err != nil {
					return err
				}
			}
			return rows.Err()
		})
		done()
		switch {
		case err == nil && !found:
			w.cancel(errFenced)
		case err == nil && cancel:
			w.cancel(errCancelled)
		case err == nil:
			last = time.Now()
		case time.Since(last) > leaseTime:
			w.cancel(errFenced)
		}
	}
}

// read does the work: read the target, take in its chunks, merge.
func (w *work) read(ctx context.Context) error {
	if w.cancelled {
		return errCancelled
	}
	err := w.s.DB.As(ctx, w.v, func(tx *pg.Tx) (err error) {
		w.target, err = w.s.Connectors.Open(ctx, tx, w.connector)
		return err
	})
	if err != nil {
		return err
	}
	target := w.target.Target
	target.Run, target.Attempt = w.id, w.attempt
	w.executedBy = &v1.ExecutedBy{Mode: target.Mode}
	target.Executor = func(by v1.ExecutedBy) { w.executedBy = &by }
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	m := w.startMerger(ctx, stop)
	tell := w.startTelling(ctx)
	b := &builder{mapper: mapping.New(), today: day(w.s.Now())}
	err = w.s.Dispatch.Sync(ctx, target, w.request(), func(ctx context.Context, page v1.SyncResponse) error {
		return w.takeIn(ctx, b, &page, m)
	})
	tell()
	if merged := m.finish(ctx, err == nil); merged != nil && err == nil {
		err = merged
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
			return cause
		}
		return err
	}
	return w.conclude(ctx)
}

func day(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// request is what the connector is asked. Reading only what changed is not possible yet, so every run reads all.
func (w *work) request() v1.SyncRequest {
	return v1.SyncRequest{
		ConnectorBusinessID: w.target.BusinessID, Incremental: false, AuthConfig: w.target.Auth,
		Options: &v1.SyncOptions{SyncRunID: w.id, ChunkSize: w.chunkSize, MaxRecords: w.maxRecords, Objects: objects(w.target.Purpose), Mode: v1.ModeRead},
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
func (w *work) takeIn(ctx context.Context, b *builder, page *v1.SyncResponse, m *merger) error {
	batch := b.build(page)
	w.mu.Lock()
	seq := w.seq + 1
	counters := w.counters
	counters.add(batch.counters)
	batch.aside = batch.aside[:min(len(batch.aside), max(0, maxAsideRows-w.aside))]
	w.note(page)
	w.mu.Unlock()
	phase := phaseOf(page)
	err := w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) error {
		if err := stage(ctx, tx, w.id, seq, batch); err != nil {
			return err
		}
		return w.recordChunk(ctx, tx, seq, page.Len(), digest(batch), counters, phase)
	})
	if err != nil {
		return err
	}
	w.mu.Lock()
	w.seq, w.sizes = seq, append(w.sizes, page.Len())
	w.counters.add(batch.counters)
	w.aside += len(batch.aside)
	w.mu.Unlock()
	m.more()
	return nil
}

// note keeps what a page says about the whole read. The caller holds the lock.
func (w *work) note(page *v1.SyncResponse) {
	p := page.Page
	if p == nil {
		return
	}
	if room := 100 - len(w.warnings); room > 0 {
		w.warnings = append(w.warnings, p.Warnings[:min(room, len(p.Warnings))]...)
	}
	if p.Estimate != nil {
		w.estimate = p.Estimate
	}
	if p.Watermark != nil {
		w.mark = p.Watermark
	}
	if p.HasMore {
		return
	}
	w.complete = map[string]bool{}
	for _, kind := range objects(w.target.Purpose) {
		w.complete[string(kind)] = false
	}
	for _, scope := range p.Scopes {
		if scope.Key == "*" {
			w.complete[string(scope.Kind)] = scope.Complete
		}
	}
	if w.maxRecords != nil {
		w.capped = !all(w.complete)
	}
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

// digest tells one chunk from another by the hashes of its rows.
func digest(b *batch) []byte {
	h := sha256.New()
	for table, rows := range b.rows {
		at := 3
		if table == 3 {
			at = 2
		}
		for _, row := range rows {
			if sum, ok := row[at].([]byte); ok {
				h.Write(sum)
			}
		}
	}
	return h.Sum(nil)
}

// recordChunk notes a staged chunk in the run, which also proves that the run is still ours.
func (w *work) recordChunk(ctx context.Context, tx *pg.Tx, seq, records int, digest []byte, counters Counters, phase string) error {
	const chunk = `
		insert into sync_chunk (tenant_id, run_id, attempt, seq, digest, records)
		values (current_tenant(), $1, $2, $3, $4, $5)`
	if _, err := tx.Exec(ctx, chunk, w.id, w.attempt, seq, digest, records); err != nil {
		return fmt.Errorf("record chunk %d: %w", seq, err)
	}
	const run = `
		update sync_run
		   set chunks = $4, counters = $5, phase = $6, estimate = $7, progress_at = now(), lease_until = now() + $8::interval,
		       progress_seq = progress_seq + 1, updated_at = now()
		 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
	tag, err := tx.Exec(ctx, run, w.id, w.s.process.String(), w.attempt, seq, encode(counters), phase, encode(w.estimate), leaseTime.String())
	if err != nil {
		return fmt.Errorf("record progress: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return errFenced
	}
	return nil
}
