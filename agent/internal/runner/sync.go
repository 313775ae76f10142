package runner

import (
	"context"
	"encoding/json"
	"fmt"

	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// spare is added to a chunk's expected size, so that its buffer need not grow.
const spare = 16 << 10

// emit sends a page as one chunk. It waits while the control plane has no room: that is what keeps this process small.
func (t *task) emit(ctx context.Context, page v1.SyncResponse) error {
	t.stirred()
	seq, maxFrame, err := t.room(ctx)
	if err != nil {
		return err
	}
	r := t.runner
	now := r.Now()
	data, err := wire.Append(make([]byte, 0, wire.TargetFrame+spare), wire.Frame{
		Type: wire.TypeChunk, ID: wire.NewID(now), TS: now, Task: t.id, Run: t.run, Attempt: t.attempt, Seq: seq,
	}, &page)
	if err != nil {
		return err
	}
	if len(data) > maxFrame {
		return tooLarge(len(data), maxFrame)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	chunk, err := t.window.Add(data)
	if err != nil {
		return fmt.Errorf("send chunk %d: %w", seq, err)
	}
	t.records += page.Len()
	r.post(wire.TypeChunk, chunk.Data)
	return nil
}

// room waits until a chunk may be sent, and gives its number and the largest frame.
func (t *task) room(ctx context.Context) (seq, maxFrame int, err error) {
	t.pauseWatchdog()
	defer t.stirred()
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
		case <-ctx.Done():
			return 0, 0, context.Cause(ctx)
		}
	}
}

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
