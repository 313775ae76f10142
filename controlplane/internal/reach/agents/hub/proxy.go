package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Proxy is a connector that an agent runs over its socket in this process.
type Proxy struct {
	hub     *Hub
	session *session
	target  dispatch.Target
}

// ExecutedBy says which machine speaks to the target.
func (p *Proxy) ExecutedBy() v1.ExecutedBy { return p.session.by() }

// Test probes the connection from the agent's host.
func (p *Proxy) Test(ctx context.Context, req v1.TestRequest, report connectorkit.Report) (v1.TestResponse, error) {
	resp, err := ask[v1.TestResponse](ctx, p, wire.KindTest, req, report)
	if err == nil {
		by := p.session.by()
		resp.ExecutedBy = &by
	}
	return resp, err
}

// Discover reads the target's fields from the agent's host.
func (p *Proxy) Discover(
	ctx context.Context,
	req v1.DiscoverRequest,
	report connectorkit.Report,
) (v1.DiscoverResponse, error) {
	return ask[v1.DiscoverResponse](ctx, p, wire.KindDiscover, req, report)
}

// Sync emits the chunks that the agent has cut, in order and each once, and acknowledges each when emit has returned
// nil. When the connection breaks it goes on with the same agent's next one, if that comes soon enough.
func (p *Proxy) Sync(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
	request, err := encoded(req)
	if err != nil {
		return err
	}
	run := cmp.Or(p.target.Run, uuid.Must(uuid.NewV7()).String())
	offer := p.offer(ctx, wire.KindSync, request)
	offer.Credit = wire.DefaultCredit
	// The task is named after its run, so that an attempt on the same agent meets the one before it.
	c := newCall(p.session, offer, run, run, max(1, p.target.Attempt))
	w := &work{hub: p.hub, call: c, emit: emit, hear: p.target.Progress}
	if _, err := w.do(ctx, p.session); err != nil {
		return err
	}
	p.hub.succeeded(p.target, p.session.key.id)
	return nil
}

func (p *Proxy) offer(ctx context.Context, kind wire.TaskKind, request json.RawMessage) wire.Offer {
	o := wire.Offer{
		Kind: kind, ConnectorID: p.target.ConnectorID, ConnectorType: p.target.Type, Request: request,
		ProgressTimeoutS: int(p.hub.pace.progress / time.Second),
	}
	if until, ok := ctx.Deadline(); ok {
		until = until.UTC()
		o.Deadline = &until
	}
	return o
}

// ask makes a call that has one answer.
func ask[T any](ctx context.Context, p *Proxy, kind wire.TaskKind, req any, report connectorkit.Report) (T, error) {
	var answer T
	request, err := encoded(req)
	if err != nil {
		return answer, err
	}
	c := newCall(p.session, p.offer(ctx, kind, request), uuid.Must(uuid.NewV7()).String(), "", 1)
	w := &work{hub: p.hub, call: c, report: report}
	result, err := w.do(ctx, p.session)
	if err != nil {
		return answer, err
	}
	if err := json.Unmarshal(result, &answer); err != nil {
		return answer, malformed("the agent's answer", err)
	}
	return answer, nil
}

// work is the caller's side of a call.
type work struct {
	hub    *Hub
	call   *call
	report connectorkit.Report
	emit   connectorkit.Emit
	hear   func(v1.Progress) // of a sync; may be nil
	told   time.Time         // when hear was called last

	// untouched says of a call that failed that its target was not: the agent did not begin, or says so itself.
	untouched bool
}

// between is the least time between two reports of a sync's progress, the newest of which counts.
const between = 500 * time.Millisecond

// pass hands the newest progress of a sync on, or has this looked at again when it is too soon.
func (w *work) pass() {
	if w.hear == nil {
		return
	}
	if wait := between - time.Since(w.told); wait > 0 {
		time.AfterFunc(wait, w.call.nudge)
		return
	}
	if p := w.call.takeNews(); p != nil {
		w.told = time.Now()
		w.hear(*p)
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

// do offers the call and sees it through. It returns the result's body.
func (w *work) do(ctx context.Context, s *session) (json.RawMessage, error) {
	defer w.hub.end(w.call)
	if err := w.hub.begin(s, w.call); err != nil {
		w.untouched = true
		if errors.Is(err, wire.ErrClosed) {
			return nil, errGone(s)
		}
		return nil, err
	}
	stop := make(chan struct{})
	defer close(stop)
	items := make(chan item, 1)
	go w.decode(items, stop)
	return w.follow(ctx, items)
}

// decode reads ahead of the caller: one page is decoded while the one before it is stored.
func (w *work) decode(items chan<- item, stop <-chan struct{}) {
	for {
		select {
		case f := <-w.call.queue:
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

func (w *work) follow(ctx context.Context, items <-chan item) (json.RawMessage, error) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		at, overdue := w.call.due(w.hub.pace)
		timer.Reset(time.Until(at))
		select {
		case it := <-items:
			if it.kind == wire.TypeResult {
				return w.result(it)
			}
			if err := w.accept(ctx, it); err != nil {
				return nil, w.giveUp(items, "store_failed", err)
			}
		case <-w.call.wake:
			if err := w.call.failed(); err != nil {
				w.untouched = w.call.refused()
				return nil, err
			}
			w.pass()
		case <-timer.C:
			if again, still := w.call.due(w.hub.pace); overdue != nil && still != nil && !again.After(time.Now()) {
				return nil, w.giveUp(items, "stuck", still)
			}
		case <-ctx.Done():
			return nil, w.giveUp(items, "user", ctx.Err())
		}
	}
}

// accept hands an item on. Only this goroutine emits and reports.
func (w *work) accept(ctx context.Context, it item) error {
	if it.err != nil {
		return malformed(fmt.Sprintf("a %s frame", it.kind), it.err)
	}
	if it.kind == wire.TypeProgress {
		w.report.Tell(it.progress)
		return nil
	}
	if !it.page.Success || it.page.Error != nil {
		return refusal(it.page)
	}
	if err := w.emit(ctx, it.page); err != nil {
		return err
	}
	w.call.commit(it.seq)
	return nil
}

// result ends the call. A sync's result must count the chunks that came.
func (w *work) result(it item) (json.RawMessage, error) {
	switch {
	case it.err != nil:
		return nil, malformed("the agent's result", it.err)
	case !it.result.OK && it.result.Error != nil:
		w.untouched = true
		return nil, it.result.Error
	case !it.result.OK:
		return nil, &v1.ErrorDetail{
			Class:   v1.ClassInternal,
			Code:    "agent_failed",
			Message: "the agent reported a failure without saying which",
		}
	case w.call.intake == nil:
		return it.result.Result, nil
	}
	var summary wire.Summary
	if err := json.Unmarshal(it.result.Result, &summary); err != nil {
		return nil, malformed("the agent's result", err)
	}
	if taken := w.call.chunks(); summary.Chunks != taken {
		return nil, &v1.ErrorDetail{
			Class: v1.ClassProtocol, Code: "chunks_missing",
			Message: fmt.Sprintf("the agent sent %d chunks and counted %d", taken, summary.Chunks),
		}
	}
	return it.result.Result, nil
}

func (c *call) chunks() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.taken
}

// giveUp asks the agent to stop, waits a little for it to do so, and returns err.
func (w *work) giveUp(items <-chan item, reason string, err error) error {
	if !w.call.cancel(reason, w.hub.pace.grace) {
		return err
	}
	grace := time.NewTimer(w.hub.pace.grace)
	defer grace.Stop()
	for {
		select {
		case it := <-items:
			if it.kind == wire.TypeResult {
				return err
			}
		case <-w.call.wake:
			if w.call.gone() {
				return err
			}
		case <-grace.C:
			return err
		}
	}
}

// gone reports whether nobody is left who could answer.
func (c *call) gone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session == nil || c.failure != nil
}

// refusal is what a page without success stands for.
func refusal(page v1.SyncResponse) error {
	switch {
	case page.ErrorDetail != nil:
		return page.ErrorDetail
	case page.Error != nil:
		return &v1.ErrorDetail{Class: v1.ClassTargetFault, Code: "connector_failed", Message: *page.Error}
	}
	return &v1.ErrorDetail{
		Class:   v1.ClassTargetFault,
		Code:    "connector_failed",
		Message: "the connector reported a failure without saying which",
	}
}

// malformed tells which part of what an agent sent could not be read, and never quotes it.
func malformed(what string, err error) error {
	d := &v1.ErrorDetail{Class: v1.ClassProtocol, Code: "malformed_frame", Message: what + " could not be read"}
	var field *json.UnmarshalTypeError
	if errors.As(err, &field) {
		d.Message += ": the member " + field.Field + " is of the wrong type"
	}
	return d
}

func errGone(s *session) error {
	return &v1.ErrorDetail{
		Class: v1.ClassAgentUnavailable, Code: "agent_not_reached", Retryable: true,
		Message: fmt.Sprintf("the connection to the agent %s ended before the call began", s.name),
	}
}

func errStale(c *call) error {
	return &v1.ErrorDetail{
		Class:   v1.ClassConflict,
		Code:    "stale_attempt",
		Message: fmt.Sprintf("attempt %d of this run was replaced by a newer one", c.attempt),
	}
}
