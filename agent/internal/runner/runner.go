// Package runner runs the calls that the control plane offers: it opens the connector, runs it, and sends what it says
// back over whatever connection there is at the time. A task outlives the loss of its connection.
package runner

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/grantwright/grantwright/agent/internal/journal"
	"github.com/grantwright/grantwright/agent/internal/spool"
	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	"github.com/grantwright/grantwright/protocol/wire"
)

// DefaultMaxTasks is how many calls run at once.
const DefaultMaxTasks = 8

const (
	keepResults = 10 * time.Minute // a result is kept for so long, in case it was lost with the connection
	keepAtMost  = 64               // results
	detachedFor = 10 * time.Minute // a task is given up when there was no connection for so long
)

// Outbox takes frames without waiting for the network. *wire.Conn is one.
type Outbox interface {
	Send(f wire.Frame, body any) error
	SendEncoded(t wire.Type, data []byte, sent func()) error
}

// Open makes the connector of a type. It is called once for each: connectors keep OAuth2 tokens and rate budgets.
type Open func(env connectorkit.Env, connectorType string) (connectorkit.Connector, error)

// Runner runs tasks. The exported fields must be set before the first call. Its methods do not block, but Stop.
type Runner struct {
	Open     Open
	Env      connectorkit.Env
	Types    []string // connector types that Open knows
	MaxTasks int
	Log      *slog.Logger
	Now      func() time.Time

	// Journal remembers what was changed in targets, so that a change which is sent again is not made again; nil:
	// nothing is changed.
	Journal *journal.Journal

	// Spool takes pages while the control plane has no room; nil: reading waits instead.
	Spool *spool.Spool
	// SpillAfter is how long there must have been no room before pages go to the spool; 0: 30 s.
	SpillAfter time.Duration

	mu sync.Mutex
	// tasks are those that run or have a result that was not delivered, by ID.
	tasks map[string]*task
	// opened are the connectors by type; each is made once.
	opened map[string]connectorkit.Connector
	out    Outbox // nil while there is no connection
	// maxFrame is the control plane's, in bytes.
	maxFrame int
	stopping bool
	draining bool
	// giveUp ends all tasks when the connection stays away for too long.
	giveUp  *time.Timer
	running sync.WaitGroup
}

// Handle takes a frame of the control plane. An error means that the two ends do not agree and the connection must end.
func (r *Runner) Handle(f wire.Frame) error {
	switch f.Type {
	case wire.TypeOffer:
		return r.offer(f)
	case wire.TypeAck:
		return r.ack(f)
	case wire.TypeTaskCancel:
		return r.cancel(f)
	}
	return fmt.Errorf("%w: a %s frame is not for an agent", wire.ErrMalformed, f.Type)
}

// Resumable lists the tasks of earlier connections whose end the control plane may not know.
func (r *Runner) Resumable() []wire.ResumeRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.prune()
	var list []wire.ResumeRequest
	for _, t := range r.tasks {
		q := wire.ResumeRequest{Task: t.id, Run: t.run, Attempt: t.attempt}
		if t.window != nil {
			q.LastSent, q.LastAcked = t.window.LastSent(), t.window.LastAcked()
		}
		list = append(list, q)
	}
	return list
}

// Attach gives the runner a connection and what the control plane wants of the tasks that Resumable listed. A task it
// does not name is given up: nobody waits for it any more.
func (r *Runner) Attach(out Outbox, maxFrame int, actions []wire.ResumeAction) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if maxFrame <= 0 {
		maxFrame = wire.DefaultMaxFrame
	}
	r.out, r.maxFrame = out, min(maxFrame, wire.HardMaxFrame)
	if r.giveUp != nil {
		r.giveUp.Stop()
	}
	wanted := map[string]wire.ResumeAction{}
	for _, a := range actions {
		wanted[a.Task] = a
	}
	for _, t := range r.tasks {
		if a, ok := wanted[t.id]; ok && a.Action == "continue" {
			r.resume(t, a.NextSeq)
		} else {
			r.abandon(t, errAbandoned)
		}
	}
}

// Detach takes the connection away. Tasks go on for as long as they have credit.
func (r *Runner) Detach() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out = nil
	if r.giveUp != nil {
		r.giveUp.Stop()
	}
	r.giveUp = time.AfterFunc(detachedFor, r.Abandon)
}

// Abandon gives up all tasks, unless there is a connection: no one will ask for them.
func (r *Runner) Abandon() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out != nil {
		return
	}
	for _, t := range r.tasks {
		r.abandon(t, errAbandoned)
	}
}

// InFlight names the tasks that run.
func (r *Runner) InFlight() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var ids []string
	for _, t := range r.tasks {
		if t.result == nil {
			ids = append(ids, t.id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Stop ends all tasks with an error that makes the control plane try elsewhere or later, and waits until they have
// said so, at most for grace. New offers are rejected from then on.
func (r *Runner) Stop(grace time.Duration) {
	r.mu.Lock()
	r.stopping = true
	for _, t := range r.tasks {
		t.cancel(errStopping)
	}
	r.mu.Unlock()
	done := make(chan struct{})
	go func() {
		r.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(grace):
	}
}

// Drain says whether new offers are rejected from now on. What runs goes on.
func (r *Runner) Drain(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.draining = on
}

// Draining says whether new offers are rejected.
func (r *Runner) Draining() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.draining || r.stopping
}

// Refused takes note that the control plane could not use a frame of a task: then its attempt is over.
func (r *Runner) Refused(id string, attempt int, e wire.ErrorBody) error {
	if e.Code != "stale_attempt" && e.Code != "unknown_task" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.tasks[id]; t != nil && (attempt == 0 || t.attempt == attempt) {
		r.abandon(t, errAbandoned)
	}
	return nil
}

// offer accepts a task or rejects it with a reason. A repeated offer is accepted again without
// being run again; a newer attempt ends the older one.
func (r *Runner) offer(f wire.Frame) error {
	o, err := wire.DecodeBody[wire.Offer](f)
	if err != nil || f.Task == "" {
		return r.reject(f, "bad_request", "the offer cannot be read", 0)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.prune()
	if old := r.tasks[f.Task]; old != nil {
		if old.attempt >= f.Attempt {
			// The same offer again: the answer to it was lost.
			return r.send(
				wire.Frame{Type: wire.TypeAccept, Re: f.ID, Task: f.Task, Run: f.Run, Attempt: f.Attempt},
				nil,
			)
		}
		r.abandon(old, errAbandoned)
	}
	if reason, text, after := r.objection(o); reason != "" {
		return r.rejectLocked(f, reason, text, after)
	}
	call, err := newCall(o)
	if err != nil {
		return r.rejectLocked(f, "bad_request", err.Error(), 0)
	}
	if err := r.send(
		wire.Frame{Type: wire.TypeAccept, Re: f.ID, Task: f.Task, Run: f.Run, Attempt: f.Attempt},
		nil,
	); err != nil {
		return err
	}
	r.start(f, o, call)
	return nil
}

// objection says why an offer is not taken.
func (r *Runner) objection(o wire.Offer) (reason, text string, after time.Duration) {
	running := 0
	for _, t := range r.tasks {
		if t.result == nil {
			running++
		}
	}
	switch {
	case r.stopping:
		return "draining", "the agent is shutting down", 0
	case r.draining:
		return "draining", "the agent takes no new tasks until its operator resumes it", 0
	case !slices.Contains(r.Types, o.ConnectorType):
		return "unknown_type", fmt.Sprintf(
			"this agent has no connector of type %q; it may need an update",
			o.ConnectorType,
		), 0
	case running >= r.MaxTasks:
		return "busy", fmt.Sprintf("%d tasks are running already", running), 2 * time.Second
	}
	return "", "", 0
}

// reject is rejectLocked for callers without the lock.
func (r *Runner) reject(f wire.Frame, reason, text string, after time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rejectLocked(f, reason, text, after)
}

// rejectLocked refuses an offer: reason is the protocol's stable word, text is for people.
func (r *Runner) rejectLocked(f wire.Frame, reason, text string, after time.Duration) error {
	r.Log.Warn("task rejected", "task", f.Task, "reason", reason, "message", text)
	return r.send(wire.Frame{Type: wire.TypeReject, Re: f.ID, Task: f.Task, Run: f.Run, Attempt: f.Attempt},
		wire.Reject{Reason: reason, Message: text, RetryAfterMS: after.Milliseconds()})
}

// start runs an accepted task on goroutines of its own. A sync gets a window of chunks, by the
// credit of the offer.
func (r *Runner) start(f wire.Frame, o wire.Offer, c call) {
	ctx, cancel := context.WithCancelCause(context.Background())
	t := &task{
		runner:  r,
		id:      f.Task,
		run:     f.Run,
		attempt: f.Attempt,
		offer:   o,
		life:    ctx,
		cancel:  cancel,
		changed: make(chan struct{}),
	}
	if o.Kind == wire.KindSync {
		t.window = wire.NewWindow(o.Credit)
	}
	if r.tasks == nil {
		r.tasks = map[string]*task{}
	}
	r.tasks[t.id] = t
	r.Log.Info(
		"task started",
		"task",
		t.id,
		"kind",
		o.Kind,
		"type",
		o.ConnectorType,
		"run",
		t.run,
		"attempt",
		t.attempt,
	)
	r.running.Add(1)
	go func() {
		defer r.running.Done()
		t.work(ctx, c)
	}()
}

// ack frees chunks that the control plane has stored. An acknowledgment of a task that was given up
// is ignored.
func (r *Runner) ack(f wire.Frame) error {
	a, err := wire.DecodeBody[wire.Ack](f)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.tasks[f.Task]
	if t == nil || t.window == nil || t.attempt != f.Attempt {
		return nil // of a task that was given up
	}
	if err := t.window.Ack(a); err != nil {
		return fmt.Errorf("%w: task %s: %w", wire.ErrMalformed, t.id, err)
	}
	crashpoint.Reach("chunk.acked")
	t.wake()
	return nil
}

// cancel ends a task. A connector that does not return within most of the grace is left behind, and
// the result is sent without it.
func (r *Runner) cancel(f wire.Frame) error {
	c, err := wire.DecodeBody[wire.Cancel](f)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.tasks[f.Task]
	if t == nil || t.result != nil || (f.Attempt != 0 && t.attempt != f.Attempt) {
		return nil // its result is under way, or it was given up
	}
	r.Log.Info("task cancelled", "task", t.id, "reason", c.Reason)
	t.cancel(errCancelled)
	grace := wire.CancelGrace
	if c.GraceMS > 0 {
		grace = min(time.Duration(c.GraceMS)*time.Millisecond, grace)
	}
	// A connector that does not come back must not keep the control plane waiting.
	time.AfterFunc(grace*8/10, func() { t.finish(wire.Result{Error: problem(errCancelled, nil)}) })
	return nil
}

// resume sends again what the control plane lacks.
func (r *Runner) resume(t *task, next int) {
	if t.window != nil {
		chunks, err := t.window.Resume(next)
		if err != nil {
			r.Log.Error("task cannot be resumed", "task", t.id, "err", err)
			r.abandon(t, errAbandoned)
			return
		}
		for _, c := range chunks {
			r.post(wire.TypeChunk, c.Data)
		}
		t.wake()
	}
	if t.result != nil {
		r.post(wire.TypeResult, t.result)
	}
}

// connector gives the one connector of a type.
func (r *Runner) connector(connectorType string) (connectorkit.Connector, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c, ok := r.opened[connectorType]; ok {
		return c, nil
	}
	c, err := r.Open(r.Env, connectorType)
	if err != nil {
		return nil, err
	}
	if r.opened == nil {
		r.opened = map[string]connectorkit.Connector{}
	}
	r.opened[connectorType] = c
	return c, nil
}

// abandon gives a task up without a word: its attempt is over.
func (r *Runner) abandon(t *task, cause error) {
	t.cancel(cause)
	if r.tasks[t.id] == t {
		delete(r.tasks, t.id)
	}
}

// prune forgets results that have been kept long enough.
func (r *Runner) prune() {
	var done []*task
	for _, t := range r.tasks {
		if t.result != nil {
			done = append(done, t)
		}
	}
	slices.SortFunc(done, func(a, b *task) int { return b.ended.Compare(a.ended) })
	for i, t := range done {
		if i >= keepAtMost || r.Now().Sub(t.ended) > keepResults {
			delete(r.tasks, t.id)
		}
	}
}

// send queues a small frame where there is a connection. r.mu is held.
func (r *Runner) send(f wire.Frame, body any) error {
	if r.out == nil {
		return nil
	}
	err := r.out.Send(f, body)
	if errors.Is(err, wire.ErrClosed) {
		return nil // Detach follows; what matters is sent again
	}
	return err
}

// post queues an encoded frame where there is a connection. r.mu is held.
func (r *Runner) post(t wire.Type, data []byte) {
	if r.out != nil {
		// A closed connection is followed by Detach, and what matters is sent again.
		_ = r.out.SendEncoded(t, data, nil)
	}
}
