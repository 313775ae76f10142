package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Table holds the calls of the agents that are connected to this process. Package hub has it.
type Table interface {
	// Begin enters a call and offers it to its agent over s.
	Begin(s *session.Session, c *Call) error
	// End forgets a call. What its agent still sends of it is refused.
	End(c *Call)
}

// Execution is the caller's side of a call.
type Execution struct {
	Calls  Table
	Timing agents.Timing
	Call   *Call
	Report connectorkit.Report // of a test or a discovery; may be nil
	Emit   connectorkit.Emit   // of a sync
	Hear   func(v1.Progress)   // of a sync; may be nil

	told time.Time // when Hear was called last

	// Untouched says of a call that failed that its target was not: the agent did not begin, or says so itself.
	Untouched bool
}

// between is the least time between two reports of a sync's progress, the newest of which counts.
const between = 500 * time.Millisecond

// pass hands the newest progress of a sync on, or has this looked at again when it is too soon.
func (e *Execution) pass() {
	if e.Hear == nil {
		return
	}
	if wait := between - time.Since(e.told); wait > 0 {
		time.AfterFunc(wait, e.Call.nudge)
		return
	}
	if p := e.Call.takeNews(); p != nil {
		e.told = time.Now()
		e.Hear(*p)
	}
}

// item is a decoded frame.
type item struct {
	kind     wire.Type
	seq      int
	page     v1.SyncResponse
	progress v1.Progress
	result   wire.Result
	err      error
}

// Do offers the call to the agent of s and waits for its end. It returns the result's body. An Execution is done once.
func (e *Execution) Do(ctx context.Context, s *session.Session) (json.RawMessage, error) {
	defer e.Calls.End(e.Call)
	if err := e.Calls.Begin(s, e.Call); err != nil {
		e.Untouched = true
		if errors.Is(err, wire.ErrClosed) {
			return nil, ErrGone(s)
		}
		return nil, err
	}
	stop := make(chan struct{})
	defer close(stop)
	items := make(chan item, 1)
	go e.decode(items, stop)
	return e.follow(ctx, items)
}

// decode reads ahead of the caller: one page is decoded while the one before it is stored.
func (e *Execution) decode(items chan<- item, stop <-chan struct{}) {
	for {
		select {
		case f := <-e.Call.queue:
			select {
			case items <- decoded(f):
			case <-stop:
				return
			}
		case <-stop:
			return
		}
	}
}

func decoded(f wire.Frame) item {
	it := item{kind: f.Type, seq: f.Seq}
	switch f.Type {
	case wire.TypeChunk:
		it.page, it.err = wire.DecodeBody[v1.SyncResponse](f)
	case wire.TypeProgress:
		it.progress, it.err = wire.DecodeBody[v1.Progress](f)
	case wire.TypeResult:
		it.result, it.err = wire.DecodeBody[wire.Result](f)
	}
	return it
}

func (e *Execution) follow(ctx context.Context, items <-chan item) (json.RawMessage, error) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		at, overdue := e.Call.due(e.Timing)
		timer.Reset(time.Until(at))
		select {
		case it := <-items:
			if it.kind == wire.TypeResult {
				return e.result(it)
			}
			if err := e.accept(ctx, it); err != nil {
				return nil, e.giveUp(items, "store_failed", err)
			}
		case <-e.Call.wake:
			if err := e.Call.failed(); err != nil {
				e.Untouched = e.Call.refused()
				return nil, err
			}
			e.pass()
		case <-timer.C:
			if again, still := e.Call.due(e.Timing); overdue != nil && still != nil && !again.After(time.Now()) {
				return nil, e.giveUp(items, "stuck", still)
			}
		case <-ctx.Done():
			return nil, e.giveUp(items, "user", ctx.Err())
		}
	}
}

// accept hands an item on. Only this goroutine emits and reports.
func (e *Execution) accept(ctx context.Context, it item) error {
	if it.err != nil {
		return agents.Malformed(fmt.Sprintf("a %s frame", it.kind), it.err)
	}
	if it.kind == wire.TypeProgress {
		e.Report.Send(it.progress)
		return nil
	}
	if !it.page.Success || it.page.Error != nil {
		return refusal(it.page)
	}
	if err := e.Emit(ctx, it.page); err != nil {
		return err
	}
	e.Call.commit(it.seq)
	return nil
}

// result ends the call. A sync's result must count the chunks that came.
func (e *Execution) result(it item) (json.RawMessage, error) {
	switch {
	case it.err != nil:
		return nil, agents.Malformed("the agent's result", it.err)
	case !it.result.OK && it.result.Error != nil:
		e.Untouched = true
		return nil, it.result.Error
	case !it.result.OK:
		return nil, &v1.ErrorDetail{
			Class:   v1.ClassInternal,
			Code:    "agent_failed",
			Message: "the agent reported a failure without saying which",
		}
	case e.Call.intake == nil:
		return it.result.Result, nil
	}
	var summary wire.Summary
	if err := json.Unmarshal(it.result.Result, &summary); err != nil {
		return nil, agents.Malformed("the agent's result", err)
	}
	if taken := e.Call.Chunks(); summary.Chunks != taken {
		return nil, &v1.ErrorDetail{
			Class: v1.ClassProtocol, Code: "chunks_missing",
			Message: fmt.Sprintf("the agent sent %d chunks and counted %d", taken, summary.Chunks),
		}
	}
	return it.result.Result, nil
}

// giveUp asks the agent to stop, waits a little for it to do so, and returns err.
func (e *Execution) giveUp(items <-chan item, reason string, err error) error {
	if !e.Call.cancel(reason, e.Timing.Grace) {
		return err
	}
	grace := time.NewTimer(e.Timing.Grace)
	defer grace.Stop()
	for {
		select {
		case it := <-items:
			if it.kind == wire.TypeResult {
				return err
			}
		case <-e.Call.wake:
			if e.Call.gone() {
				return err
			}
		case <-grace.C:
			return err
		}
	}
}
