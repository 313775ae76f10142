package call

import (
	"fmt"
	"sync"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/session"
	v1 "github.com/grantwright/grantwright/protocol/v1"
	"github.com/grantwright/grantwright/protocol/wire"
)

// Call is one call that an agent runs. The connection's reader puts frames into queue, which has room for all that
// credit allows; the caller takes them out. It outlives its connection for as long as the agent may come back.
type Call struct {
	Key     session.Key
	boot    string // of the agent's process that runs it
	Task    string
	Attempt int    // of a sync: its fencing number
	run     string // of a sync
	offer   wire.Offer

	queue chan wire.Frame // chunks, progress and the result, in the order they came
	wake  chan struct{}   // something below has changed

	mu      sync.Mutex
	session *session.Session // nil while the agent is away
	lost    time.Time
	heard   time.Time    // the last sign of progress
	waits   time.Time    // until then the agent waits for its target's leave to go on
	news    *v1.Progress // of a sync: the last progress that was not read yet
	intake  *wire.Intake
	taken   int
	stopped bool // the agent was asked to stop: it may not go on after a loss of its connection
	ended   bool // the result is in the queue
	denied  bool // the agent did not take the call
	failure error
}

// queuedProgress is how much progress of a test may wait for its reader. More is dropped: it is advice.
const queuedProgress = 64

// New prepares a call for the agent of s. task names it on that agent. Only a sync has a run, whose attempts count from
// 1; any other call has attempt 1. An Execution offers it.
func New(s *session.Session, offer wire.Offer, task, run string, attempt int) *Call {
	c := &Call{
		Key: s.Key, boot: s.Hello.BootID, Task: task, run: run, Attempt: attempt, offer: offer,
		wake: make(chan struct{}, 1), heard: time.Now(), queue: make(chan wire.Frame, queuedProgress+1),
	}
	if offer.Kind == wire.KindSync {
		c.intake = wire.NewIntake(run, attempt, 0, offer.Credit)
		c.queue = make(chan wire.Frame, offer.Credit+1)
	}
	return c
}

func (c *Call) frame(t wire.Type) wire.Frame {
	return wire.Frame{Type: t, Task: c.Task, Run: c.run, Attempt: c.Attempt}
}

// OfferTo sends the offer. Package hub calls it when it has entered the call.
func (c *Call) OfferTo(s *session.Session) error {
	c.mu.Lock()
	c.session = s
	c.mu.Unlock()
	if err := s.Offer(c.frame(wire.TypeOffer), c.offer); err != nil {
		return fmt.Errorf("offer call to agent: %w", err)
	}
	c.offer.Request = nil // it holds secrets and is not needed again
	return nil
}

// Take is given every frame of the call.
func (c *Call) Take(s *session.Session, f wire.Frame) error {
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
func (c *Call) from(s *session.Session, f wire.Frame) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current(s, f)
}

func (c *Call) current(s *session.Session, f wire.Frame) bool {
	return c.session == s && (f.Attempt == c.Attempt || (c.intake == nil && f.Attempt == 0))
}

func (c *Call) touch(s *session.Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.session == s {
		c.heard = time.Now()
	}
}

// chunk takes a chunk in, once and in order.
func (c *Call) chunk(s *session.Session, f wire.Frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.session != s:
		return nil // of a connection that was replaced: it comes again on the new one
	case c.intake == nil:
		return &wire.CloseError{Code: wire.CloseProtocol, Reason: "a chunk of a task that is no sync"}
	case f.Attempt == c.Attempt && f.Seq > c.intake.Committed()+c.offer.Credit:
		return &wire.CloseError{Code: wire.CloseProtocol, Reason: "more chunks than there was credit for"}
	}
	c.heard, c.waits = time.Now(), time.Time{}
	switch verdict := c.intake.Take(f); verdict {
	case wire.Fresh:
		c.taken = f.Seq
		return c.put(f)
	case wire.Duplicate:
		s.Send(c.frame(wire.TypeAck), c.intake.Ack())
	case wire.Stale:
		s.Refuse(f, "stale_attempt", "a newer attempt of this run is at work")
	case wire.Foreign:
		s.Refuse(f, "unknown_task", "this attempt was never given out")
	default:
		return &wire.CloseError{Code: wire.CloseProtocol, Reason: "chunk out of order: " + verdict.String()}
	}
	return nil
}

// put never waits: credit leaves room for every chunk and the result.
func (c *Call) put(f wire.Frame) error {
	select {
	case c.queue <- f:
		return nil
	default:
		return &wire.CloseError{Code: wire.CloseProtocol, Reason: "more frames than a task may have under way"}
	}
}

func (c *Call) progress(s *session.Session, f wire.Frame) error {
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
		until := earliest(p.RateWaitUntil.Add(-s.Ahead()), c.heard.Add(longestWait)).UTC()
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
func (c *Call) takeNews() *v1.Progress {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.news
	c.news = nil
	return p
}

func (c *Call) result(s *session.Session, f wire.Frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.session != s || c.ended:
		return nil // of a replaced connection, or sent again after one was lost
	case !c.current(s, f):
		s.Refuse(f, "stale_attempt", "a newer attempt of this run is at work")
		return nil
	}
	c.ended = true
	return c.put(f)
}

// MayResume reports whether the agent that has come back may go on with the call.
func (c *Call) MayResume(s *session.Session, r wire.ResumeRequest) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failure == nil && !c.stopped && c.boot == s.Hello.BootID &&
		(r.Attempt == c.Attempt || (c.intake == nil && r.Attempt == 0))
}

// NextSeq is the first chunk that is not stored yet. What was taken and is being stored comes again and counts as
// duplicate.
func (c *Call) NextSeq() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.intake == nil {
		return 0
	}
	return c.intake.NextSeq()
}

// Resume goes on with the call on s, the new connection of its agent.
func (c *Call) Resume(s *session.Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session, c.lost, c.heard = s, time.Time{}, time.Now()
	c.nudge()
}

// Lose notes that the call's connection has ended. An agent that has said goodbye does not come back for it.
func (c *Call) Lose(s *session.Session, goodbye bool) {
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
			Message:   fmt.Sprintf("the agent %s was stopped during the call", s.Name),
			Hint:      "the call can be repeated once it runs again",
		}
	}
	c.nudge()
}

// Forgotten ends a call of which the agent that has come back does not know.
func (c *Call) Forgotten() {
	c.Fail(&v1.ErrorDetail{
		Class: v1.ClassAgentUnavailable, Code: "agent_restarted", Retryable: true,
		Message: "the agent connected again and no longer knew of the call",
		Hint:    "the agent was restarted; the call can be repeated",
	})
}

// Fail ends the call, unless its result is here already.
func (c *Call) Fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure == nil && !c.ended {
		c.failure = err
		c.nudge()
	}
}

func (c *Call) nudge() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// commit acknowledges a chunk that is stored.
func (c *Call) commit(seq int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.intake.Commit(seq)
	c.heard = time.Now()
	if c.session != nil {
		c.session.Send(c.frame(wire.TypeAck), c.intake.Ack())
	}
}

// cancel asks the agent to stop. It reports whether there is anybody to ask.
func (c *Call) cancel(reason string, grace time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	if c.session == nil || c.ended || c.failure != nil {
		return false
	}
	c.session.Send(c.frame(wire.TypeTaskCancel), wire.Cancel{Reason: reason, GraceMS: grace.Milliseconds()})
	return true
}

// due says when the call must be looked at again, and what is wrong when that time has come.
func (c *Call) due(t agents.Timing) (time.Time, *v1.ErrorDetail) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.ended:
		return time.Now().Add(t.Progress), nil
	case c.session == nil:
		return c.lost.Add(t.Lapse), &v1.ErrorDetail{
			Class:     v1.ClassAgentUnavailable,
			Code:      "agent_lost",
			Retryable: true,
			Message: fmt.Sprintf(
				"the connection to the agent was lost during the call, and it did not come back within %s",
				t.Lapse,
			),
			Hint: "look at the agent's log on its host; the call can be repeated",
		}
	}
	last := c.heard
	if c.waits.After(last) {
		last = c.waits
	}
	return last.Add(t.Progress), &v1.ErrorDetail{
		Class: v1.ClassTransient, Code: "agent_stuck", Retryable: true,
		Message: fmt.Sprintf("the agent showed no progress for %s", t.Progress),
		Hint:    "the target system may be hanging; look at the agent's log on its host",
	}
}

func (c *Call) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failure
}

// Chunks is how many chunks of a sync were taken.
func (c *Call) Chunks() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.taken
}

// gone reports whether no session is left that could answer.
func (c *Call) gone() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session == nil || c.failure != nil
}
