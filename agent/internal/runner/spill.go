package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/agent/internal/spool"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// envelope is more than what a frame adds to its body, in bytes.
const envelope = 2 << 10

// backlog says whether pages of the task lie in the spool. Then a new one must line up behind them.
func (t *task) backlog() bool { return t.queue != nil && t.queue.Len() > 0 }

// encoded is a page as the spool keeps it: without a frame, since its number is not known yet.
func (t *task) encoded(page *v1.SyncResponse) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(page); err != nil {
		return nil, fmt.Errorf("encode page: %w", err)
	}
	t.runner.mu.Lock()
	limit := t.runner.maxFrame
	t.runner.mu.Unlock()
	if b.Len()+envelope > limit {
		return nil, tooLarge(b.Len(), limit)
	}
	return b.Bytes(), nil
}

// spill puts a page into the spool. Where that takes nothing it waits a while, so that the caller tries again: the disk
// or the control plane, whichever has room first.
func (t *task) spill(ctx context.Context, body []byte, records int) (done bool, err error) {
	r := t.runner
	if t.queue == nil {
		t.queue = r.Spool.Queue()
		r.running.Add(1)
		go t.feed(t.life, t.queue)
		r.Log.Info("the control plane has no room; reading goes on to the disk", "task", t.id)
	}
	err = t.queue.Put(body)
	r.mu.Lock()
	changed := t.changed
	if err == nil {
		t.records += records
		t.wake()
	}
	r.mu.Unlock()
	switch {
	case err == nil:
		return true, nil
	case !errors.Is(err, spool.ErrFull):
		r.Log.Warn("pages cannot be put aside; reading waits for the control plane", "task", t.id, "err", err)
	}
	if !t.backlog() {
		return false, nil // the caller waits for the control plane itself
	}
	again := time.NewTimer(r.spillAfter())
	defer again.Stop()
	select {
	case <-changed:
	case <-again.C:
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
	return false, nil
}

// feed sends what lies in the spool, in order, for as long as the task runs. What is left then is deleted.
func (t *task) feed(ctx context.Context, q *spool.Queue) {
	defer t.runner.running.Done()
	defer q.Close()
	for t.feedable(ctx, q) {
		if err := t.forward(ctx, q); err != nil {
			t.cancel(err)
			return
		}
	}
}

// feedable waits until there is a page and room for it. It reports false when the task has ended.
func (t *task) feedable(ctx context.Context, q *spool.Queue) bool {
	for {
		t.runner.mu.Lock()
		open, changed := t.window.Open(), t.changed
		t.runner.mu.Unlock()
		if ctx.Err() != nil {
			return false
		}
		if open && q.Len() > 0 {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// forward sends the oldest page. Only it and, without a backlog, emit add to the window, so the room that was seen is
// still there.
func (t *task) forward(ctx context.Context, q *spool.Queue) error {
	body, err := q.Oldest()
	if err != nil {
		return errors.Join(errSpool, err)
	}
	r := t.runner
	r.mu.Lock()
	data, err := t.frame(t.window.NextSeq(), json.RawMessage(body), len(body)+envelope)
	if err == nil {
		err = t.post(ctx, data, 0)
	}
	r.mu.Unlock()
	if err != nil {
		return err
	}
	q.Drop()
	r.mu.Lock()
	defer r.mu.Unlock()
	t.wake()
	return nil
}

// emptied waits until all pages have left the spool.
func (t *task) emptied(ctx context.Context) error {
	t.watch.pause()
	for {
		t.runner.mu.Lock()
		changed := t.changed
		t.runner.mu.Unlock()
		if !t.backlog() {
			return context.Cause(ctx)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// SpoolBytes is what lies in the spool, in bytes.
func (r *Runner) SpoolBytes() int64 {
	if r.Spool == nil {
		return 0
	}
	return r.Spool.Bytes()
}

// SpoolMax is what the spool may hold, in bytes.
func (r *Runner) SpoolMax() int64 {
	if r.Spool == nil {
		return 0
	}
	return r.Spool.Max()
}

// Trouble names why the agent works less well than it should, in the words of the wire.
func (r *Runner) Trouble() []string {
	if r.Spool != nil && r.Spool.Failure() != nil {
		return []string{wire.TroubleSpool}
	}
	return nil
}
