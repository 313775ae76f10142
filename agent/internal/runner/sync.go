package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// spare is added to a chunk's expected size, so that its buffer need not grow.
const spare = 16 << 10

// spillAfter is how long the control plane may have no room before pages go to the disk. Targets let a search's cursor
// lapse when it is not asked for long; this is well below what any of them allows.
const spillAfter = 30 * time.Second

// errNoRoom says that the control plane had no room for as long as it is waited for without a spool.
var errNoRoom = errors.New("the control plane has no room")

// emit sends a page as one chunk. While the control plane has no room it waits: that is what keeps this process small.
// When that takes long the page goes to the spool, where there is one with room, and later pages line up behind it.
func (t *task) emit(ctx context.Context, page v1.SyncResponse) error {
	t.watch.pause()
	defer t.watch.resume()
	var body []byte
	for {
		if !t.backlog() {
			if err := t.direct(ctx, &page); !errors.Is(err, errNoRoom) {
				return err
			}
		}
		if body == nil {
			var err error
			if body, err = t.encoded(&page); err != nil {
				return err
			}
		}
		done, err := t.spill(ctx, body, page.Len())
		if done || err != nil {
			return err
		}
	}
}

// direct sends a page without a detour. With a spool it waits for room only so long, then it gives errNoRoom.
func (t *task) direct(ctx context.Context, page *v1.SyncResponse) error {
	seq, maxFrame, err := t.room(ctx)
	if err != nil {
		return err
	}
	r := t.runner
	data, err := t.frame(seq, page, wire.TargetFrame+spare)
	if err != nil {
		return err
	}
	if len(data) > maxFrame {
		return tooLarge(len(data), maxFrame)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return t.post(ctx, data, page.Len())
}

// frame encodes chunk seq with body, a page or the JSON of one. room is the size of its buffer.
func (t *task) frame(seq int, body any, room int) ([]byte, error) {
	now := t.runner.Now()
	return wire.Append(make([]byte, 0, room), wire.Frame{
		Type: wire.TypeChunk, ID: wire.NewID(now), TS: now, Task: t.id, Run: t.run, Attempt: t.attempt, Seq: seq,
	}, body)
}

// post puts a chunk into the window and on its way. The runner's mutex is held.
func (t *task) post(ctx context.Context, data []byte, records int) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	chunk, err := t.window.Add(data)
	if err != nil {
		return fmt.Errorf("send chunk %d: %w", t.window.NextSeq(), err)
	}
	t.records += records
	t.runner.post(wire.TypeChunk, chunk.Data)
	crashpoint.Reach("chunk.sent")
	return nil
}

// room waits until a chunk may be sent, and gives its number and the largest frame.
func (t *task) room(ctx context.Context) (seq, maxFrame int, err error) {
	var late <-chan time.Time
	if t.runner.Spool != nil {
		timer := time.NewTimer(t.runner.spillAfter())
		defer timer.Stop()
		late = timer.C
	}
	for {
		r := t.runner
		r.mu.Lock()
		open, changed := t.window.Open(), t.changed
		seq, maxFrame = t.window.NextSeq(), r.maxFrame
		r.mu.Unlock()
		if open {
			return seq, maxFrame, nil
		}
		select {
		case <-changed:
		case <-late:
			return 0, 0, errNoRoom
		case <-ctx.Done():
			return 0, 0, context.Cause(ctx)
		}
	}
}

// spillAfter is how long pages wait in memory before they go to the disk.
func (r *Runner) spillAfter() time.Duration { return cmp.Or(r.SpillAfter, spillAfter) }

// summary is the result of a sync: how many chunks and records were sent.
func (t *task) summary() wire.Summary {
	t.runner.mu.Lock()
	defer t.runner.mu.Unlock()
	return wire.Summary{Chunks: t.window.LastSent(), Records: t.records}
}

// tooLarge is about one record: a chunk of several is closed long before.
func tooLarge(size, limit int) error {
	return &v1.ErrorDetail{
		Class: v1.ClassData, Code: "record_too_large",
		Message: fmt.Sprintf("a record of the target is too large to be sent: %d bytes, at most %d", size, limit),
		Hint:    "Leave large attributes, such as photographs, out of what is read.",
	}
}

// resultOf is the result of a call that returned answer and err.
func resultOf(answer any, err error) (wire.Result, error) {
	if err != nil {
		return wire.Result{}, err
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return wire.Result{}, fmt.Errorf("encode answer: %w", err)
	}
	return wire.Result{OK: true, Result: data}, nil
}
