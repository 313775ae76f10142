package hub

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// call is one call that an agent runs. The connection's reader puts frames into queue, which has room for all that
// credit allows; the caller takes them out. It outlives its connection for as long as the agent may come back.
type call struct {
	key     agentKey
	boot    string // of the agent's process that runs it
	task    string
	run     string // of a sync
	attempt int
	offer   wire.Offer

	queue chan wire.Frame // chunks, progress and the result, in the order they came
	wake  chan struct{}   // something below has changed

	mu      sync.Mutex
	session *session // nil while the agent is away
	lost    time.Time
	heard   time.Time    // the last sign of progress
	waits   time.Time    // until then the agent waits for its target's leave to go on
	news    *v1.Progress // of a sync: the last progress that nobody has taken yet
	intake  *wire.Intake
	taken   int
	stopped bool // the agent was asked to stop: it may not go on after a loss of its connection
	ended   bool // the result is in the queue
	denied  bool // the agent did not take the call
	failure error
}

// queuedProgress is how much progress of a test may wait for its reader. More is dropped: it is advice.
const queuedProgress = 64

func newCall(s *session, offer wire.Offer, task, run string, attempt int) *call {
	c := &call{
		key: s.key, boot: s.hello.BootID, task: task, run: run, attempt: attempt, offer: offer,
		wake: make(chan struct{}, 1), heard: time.Now(), queue: make(chan wire.Frame, queuedProgress+1),
	}
	if offer.Kind == wire.KindSync {
		c.intake = wire.NewIntake(run, attempt, 0, offer.Credit)
		c.queue = make(chan wire.Frame, offer.Credit+1)
	}
	return c
}

func (c *call) frame(t wire.Type) wire.Frame {
	return wire.Frame{Type: t, Task: c.task, Run: c.run, Attempt: c.attempt}
}

// offerTo sends the offer.
func (c *call) offerTo(s *session) error {
	c.mu.Lock()
	c.session = s
	c.mu.Unlock()
	if err := s.conn.Send(c.frame(wire.TypeOffer), c.offer); err != nil {
		return fmt.Errorf("offer call to agent: %w", err)
	}
	c.offer.Request = nil // it holds secrets and is not needed again
	return nil
}

// take is given every frame of the call.
func (c *call) take(s *session, f wire.Frame) error {
	switch f.Type {
	case wire.TypeChunk:
		return c.chunk(s, f)
	case wire.TypeProgress:
		return c.progress(s, f)
	case wire.TypeResult:
		return c.result(s, f)
	case wire.TypeReject:
		return c.rejected(s, f)
	}
	c.touch(s)
	return nil
}

// from reports whether a frame is of the connection and attempt that the call is on. A test has one attempt, so its
// frames need not say which.
func (c *call) from(s *session, f wire.Frame) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current(s, f)
}

func (c *call) current(s *session, f wire.Frame) bool {
	return c.session == s && (f.Attempt == c.attempt || (c.intake == nil && f.Attempt == 0))
}

func (c *call) touch(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == s {
		c.heard = time.Now()
	}
}

// chunk takes a chunk in, once and in order.
func (c *call) chunk(s *session, f wire.Frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.session != s:
		return nil // of a connection that was replaced: it comes again on the new one
	case c.intake == nil:
		return &wire.CloseError{Code: wire.CloseProtocol, Reason: "a chunk of a task that is no sync"}
	case f.Attempt == c.attempt && f.Seq > c.intake.Committed()+c.offer.Credit:
		return &wire.CloseError{Code: wire.CloseProtocol, Reason: "more chunks than there was credit for"}
	}
	c.heard, c.waits = time.Now(), time.Time{}
	switch verdict := c.intake.Take(f); verdict {
	case wire.Fresh:
		c.taken = f.Seq
		return c.put(f)
	case wire.Duplicate:
		s.send(c.frame(wire.TypeAck), c.intake.Ack())
	case wire.Stale:
		s.refuse(f, "stale_attempt", "a newer attempt of this run is at work")
	case wire.Foreign:
		s.refuse(f, "unknown_task", "this attempt was never given out")
	default:
		return &wire.CloseError{Code: wire.CloseProtocol, Reason: "chunk out of order: " + verdict.String()}
	}
	return nil
}

// put never waits: credit leaves room for every chunk and the result.
func (c *call) put(f wire.Frame) error {
	select {
	case c.queue <- f:
		return nil
	default:
		return &wire.CloseError{Code: wire.CloseProtocol, Reason: "more frames than a task may have under way"}
	}
}

func (c *call) progress(s *session, f wire.Frame) error {
	p, err := wire.DecodeBody[v1.Progress](f)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.current(s, f) {
		return nil
	}
	c.heard, c.waits = time.Now(), time.Time{}
	if p.RateWaitUntil != nil {
		// The agent's clock said when; what counts is how long from now.
		until := earliest(p.RateWaitUntil.Add(-s.ahead()), c.heard.Add(longestWait)).UTC()
		p.RateWaitUntil, c.waits = &until, until
	}
	switch {
	case c.ended:
	case c.intake != nil:
		c.news = &p
		c.nudge()
	case len(c.queue) < queuedProgress: // one place is kept for the result
		return c.put(f)
	}
	return nil
}

// longestWait bounds how long a target may ask to be left alone, so that no answer of it can switch the watchdog off.
const longestWait = 24 * time.Hour

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// takeNews gives the last progress of a sync, once.
func (c *call) takeNews() *v1.Progress {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.news
	c.news = nil
	return p
}

func (c *call) result(s *session, f wire.Frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.session != s || c.ended:
		return nil // of a replaced connection, or sent again after one was lost
	case !c.current(s, f):
		s.refuse(f, "stale_attempt", "a newer attempt of this run is at work")
		return nil
	}
	c.ended = true
	return c.put(f)
}

func (c *call) rejected(s *session, f wire.Frame) error {
	r, err := wire.DecodeBody[wire.Reject](f)
	if err != nil {
		return err
	}
	if c.from(s, f) {
		c.deny()
		c.fail(rejection(s.name, c.offer.ConnectorType, r))
	}
	return nil
}

func (c *call) deny() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.denied = c.failure == nil && !c.ended
}

// refused says whether the agent did not take the call.
func (c *call) refused() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.denied
}

// rejection says in the words of an error why an agent did not take a call.
func rejection(agent, connectorType string, r wire.Reject) *v1.ErrorDetail {
	d := &v1.ErrorDetail{
		Class:   v1.ClassInternal,
		Code:    "agent_rejected",
		Message: fmt.Sprintf("the agent %s refused the call: %s", agent, agents.Short(r.Message)),
	}
	switch r.Reason {
	case "busy", "draining":
		d.Class, d.Code, d.Retryable = v1.ClassAgentUnavailable, "agent_"+r.Reason, true
		if r.RetryAfterMS > 0 {
			d.RetryAfterMS = &r.RetryAfterMS
		}
	case "unknown_type":
		d.Class, d.Code = v1.ClassConfig, "agent_type_unsupported"
		d.Hint = fmt.Sprintf("update the agent: its version does not know connectors of type %s", connectorType)
	case "policy":
		d.Class, d.Code, d.Hint = v1.ClassPolicy, "agent_policy", "the agent's owner allows this in the agent's own "+
			"policy, on its host"
	case "bad_request":
		d.Class, d.Code = v1.ClassProtocol, "agent_bad_request"
	}
	return d
}

// mayResume reports whether the agent that has come back may go on with the call.
func (c *call) mayResume(s *session, r wire.ResumeRequest) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failure == nil && !c.stopped && c.boot == s.hello.BootID &&
		(r.Attempt == c.attempt || (c.intake == nil && r.Attempt == 0))
}

// nextSeq is the first chunk that is not stored yet. What was taken and is being stored comes again and counts as
// duplicate.
func (c *call) nextSeq() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.intake == nil {
		return 0
	}
	return c.intake.NextSeq()
}

func (c *call) resume(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.lost, c.heard = s, time.Time{}, time.Now()
	c.nudge()
}

// lose notes that the call's connection has ended. An agent that has said goodbye does not come back for it.
func (c *call) lose(s *session, goodbye bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session != s {
		return
	}
	c.session, c.lost = nil, time.Now()
	if goodbye && c.failure == nil && !c.ended {
		c.failure = &v1.ErrorDetail{
			Class:     v1.ClassAgentUnavailable,
			Code:      "agent_stopped",
			Retryable: true,
			Message:   fmt.Sprintf("the agent %s was stopped during the call", s.name),
			Hint:      "the call can be repeated once it runs again",
		}
	}
	c.nudge()
}

// forgotten ends a call of which the agent that has come back does not know.
func (c *call) forgotten() {
	c.fail(&v1.ErrorDetail{
		Class: v1.ClassAgentUnavailable, Code: "agent_restarted", Retryable: true,
		Message: "the agent connected again and no longer knew of the call",
		Hint:    "the agent was restarted; the call can be repeated",
	})
}

// fail ends the call, unless its result is here already.
func (c *call) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure == nil && !c.ended {
		c.failure = err
		c.nudge()
	}
}

func (c *call) nudge() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// commit acknowledges a chunk that is stored.
func (c *call) commit(seq int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.intake.Commit(seq)
	c.heard = time.Now()
	if c.session != nil {
		c.session.send(c.frame(wire.TypeAck), c.intake.Ack())
	}
}

// cancel asks the agent to stop. It reports whether there is anybody to ask.
func (c *call) cancel(reason string, grace time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	if c.session == nil || c.ended || c.failure != nil {
		return false
	}
	c.session.send(c.frame(wire.TypeTaskCancel), wire.Cancel{Reason: reason, GraceMS: grace.Milliseconds()})
	return true
}

// due says when the call must be looked at again, and what is wrong when that time has come.
func (c *call) due(p pace) (time.Time, *v1.ErrorDetail) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ended:
		return time.Now().Add(p.progress), nil
	case c.session == nil:
		return c.lost.Add(p.lapse), &v1.ErrorDetail{
			Class:     v1.ClassAgentUnavailable,
			Code:      "agent_lost",
			Retryable: true,
			Message: fmt.Sprintf(
				"the connection to the agent was lost during the call, and it did not come back within %s",
				p.lapse,
			),
			Hint: "look at the agent's log on its host; the call can be repeated",
		}
	}
	last := c.heard
	if c.waits.After(last) {
		last = c.waits
	}
	return last.Add(p.progress), &v1.ErrorDetail{
		Class: v1.ClassTransient, Code: "agent_stuck", Retryable: true,
		Message: fmt.Sprintf("the agent showed no progress for %s", p.progress),
		Hint:    "the target system may be hanging; look at the agent's log on its host",
	}
}

func (c *call) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failure
}

// encoded is a request as it travels. Requests of this package always encode.
func encoded(v any) (json.RawMessage, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	return b, nil
}
