package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/grantwright/grantwright/agent/internal/spool"
	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// task is one call that runs, or has run. Its mutable fields are guarded by the runner's mutex.
type task struct {
	runner  *Runner
	id, run string
	// attempt is the fencing number of the control plane.
	attempt int
	offer   wire.Offer
	life    context.Context // ends with the task
	cancel  context.CancelCauseFunc

	window *wire.Window // of a sync
	// changed is closed and replaced whenever the window or the result changes.
	changed chan struct{}
	// records counts the records that were sent.
	records int
	result  []byte // the encoded result frame, once there is one
	ended   time.Time

	queue *spool.Queue // only the connector's own goroutine sets it and adds to it
	watch watchdog
}

// wake makes a blocked emit check the window again. The caller holds the runner's mutex.
func (t *task) wake() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// work runs the call to its end.
func (t *task) work(ctx context.Context, c call) {
	defer t.cancel(nil)
	if t.offer.Deadline != nil {
		var stop context.CancelFunc
		ctx, stop = context.WithDeadlineCause(ctx, *t.offer.Deadline, errDeadline)
		defer stop()
	}
	patience := cmp.Or(time.Duration(t.offer.ProgressTimeoutS)*time.Second, wire.ProgressTimeout)
	t.watch.start(patience, func() { t.cancel(errStuck) })
	defer t.watch.pause()
	progress := newTeller(t.sendProgress)
	result, err := t.call(ctx, c, func(p v1.Progress) {
		t.watch.stir(t.runner.Now(), p.RateWaitUntil)
		progress.report(p)
	})
	progress.close()
	if ctx.Err() != nil && err != nil {
		// Whatever the connector says when it is stopped, why it was stopped is what counts.
		err = context.Cause(ctx)
	}
	if err != nil {
		p := problem(err, c.secrets(t.offer.Kind))
		t.runner.Log.Warn("task failed", "task", t.id, "class", p.Class, "code", p.Code, "message", p.Message)
		t.finish(wire.Result{Error: p})
		return
	}
	t.runner.Log.Info("task done", "task", t.id)
	t.finish(result)
}

// call opens the connector and calls it. A panic there is the connector's fault, and must not take down the other
// tasks.
func (t *task) call(ctx context.Context, c call, report connectorkit.Report) (result wire.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			t.runner.Log.Error(
				"connector panicked",
				"task",
				t.id,
				"type",
				t.offer.ConnectorType,
				"panic",
				fmt.Sprintf("%T", p),
				"stack",
				string(debug.Stack()),
			)
			err = errPanic
		}
	}()
	connector, err := t.runner.connector(t.offer.ConnectorType)
	if err != nil {
		return result, err
	}
	switch t.offer.Kind {
	case wire.KindTest:
		answer, err := connector.Test(ctx, c.test, report)
		if answer.Steps == nil {
			answer.Steps = []v1.TestStep{}
		}
		return resultOf(answer, err)
	case wire.KindDiscover:
		answer, err := connector.Discover(ctx, c.discover, report)
		if answer.Objects == nil {
			answer.Objects = []v1.DiscoveredObject{}
		}
		return resultOf(answer, err)
	case wire.KindProvision:
		return resultOf(t.runner.provision(ctx, connector, c.provision))
	case wire.KindRead:
		return resultOf(read(ctx, connector, c.read))
	default:
		telling := connectorkit.WithReport(ctx, report)
		err := connectorkit.Sync(telling, connector, c.sync, connectorkit.LimitsOf(c.sync, wire.TargetFrame), t.emit)
		// What was read before a failure counts too: the next attempt goes on from there.
		if left := t.emptied(ctx); err == nil {
			err = left
		}
		crashpoint.Reach("read.ended")
		return resultOf(t.summary(), err)
	}
}

// finish sends the result and keeps it. Only the first call counts.
func (t *task) finish(result wire.Result) {
	r := t.runner
	f := wire.Frame{
		Type:    wire.TypeResult,
		ID:      wire.NewID(r.Now()),
		TS:      r.Now(),
		Task:    t.id,
		Run:     t.run,
		Attempt: t.attempt,
	}
	data, err := wire.Encode(f, result)
	if err != nil {
		data, err = wire.Encode(f, wire.Result{Error: &v1.ErrorDetail{
			Class:   v1.ClassInternal,
			Code:    "answer_not_encodable",
			Message: "the connector's answer cannot be sent: " + err.Error(),
		}})
	}
	if err != nil {
		r.Log.Error("result lost", "task", t.id, "err", err) // cannot happen: the text above can be encoded
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.result != nil || r.tasks[t.id] != t {
		return
	}
	t.result, t.ended = data, r.Now()
	r.post(wire.TypeResult, data)
}

// sendProgress sends progress, where there is a connection.
func (t *task) sendProgress(p v1.Progress) {
	r := t.runner
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.result != nil || r.tasks[t.id] != t {
		return
	}
	if err := r.send(wire.Frame{Type: wire.TypeProgress, Task: t.id, Run: t.run, Attempt: t.attempt}, p); err != nil {
		r.Log.Warn("progress not sent", "task", t.id, "err", err)
	}
}

// Why a task is stopped.
var (
	errAbandoned = errors.New("the control plane gave the task up")
	errCancelled = errors.New("cancelled")
	errDeadline  = errors.New("deadline passed")
	errStopping  = errors.New("the agent is shutting down")
	errStuck     = errors.New("no sign of life from the target")
	errPanic     = errors.New("the connector failed unexpectedly")
	errSpool     = errors.New("what was put aside on the agent's disk cannot be read back")
)
