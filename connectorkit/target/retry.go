package target

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/target/internal/pacing"
	"github.com/grantwright/grantwright/connectorkit/target/internal/status"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func (c *Client) now() time.Time {
	if c.env.Now != nil {
		return c.env.Now()
	}
	return time.Now()
}

// repeat runs try until it succeeds, fails for good, or has had its tries (CON-8).
func (c *Client) repeat(ctx context.Context, r Request, try func() error) error {
	if err := c.begin(); err != nil {
		return err
	}
	var said *v1.ErrorDetail
	for n := 1; ; n++ {
		final, err := c.noted(r, try)
		var (
			d *v1.ErrorDetail
			s stopped
		)
		if err == nil || errors.As(err, &s) || !errors.As(err, &d) {
			return err
		}
		if said != nil && ctx.Err() != nil {
			return said // cancelled while waiting: what the target said says more
		}
		wait, ok := pacing.RetryPause(n, d)
		everybody := pacing.HasRetryAfter(d) && pacing.MayPass(d) && r.Phase != "token"
		if everybody {
			c.budget.HoldUntil(c.now().Add(min(wait, pacing.LongestHold)))
		}
		switch {
		case c.once, !r.repeatable(), !pacing.MayPass(d), ctx.Err() != nil:
			return err
		case d.Phase == "token" && r.Phase != "token":
			return err // it has had its tries already
		case !ok:
			return pacing.TooLong(d)
		case final, n >= c.opts.Tries:
			return err
		}
		if said = d; everybody {
			continue // the next try waits as all others do
		}
		if err := c.rest(ctx, r.Phase, wait); err != nil {
			return d
		}
	}
}

// begin asks the circuit before the first request of a call.
func (c *Client) begin() error {
	if c.once || c.tally.begun.Load() {
		return nil
	}
	if err := c.circuit.Check(c.now()); err != nil {
		return err
	}
	c.tally.begun.Store(true)
	return nil
}

// noted runs one try and reports its outcome to the circuit. final is true if the target has failed too often for
// another one.
func (c *Client) noted(r Request, try func() error) (final bool, err error) {
	ticket, final := c.circuit.Ticket()
	err = try()
	var d *v1.ErrorDetail
	if errors.As(err, &d) && d.Class == v1.ClassRateLimited {
		c.budget.NoteLimited()
	}
	switch {
	case c.once && err != nil:
	case errors.As(err, &d) && d.Phase == "token" && r.Phase != "token": // noted when the token was asked for
	case r.Phase == "token" && err == nil: // the target has not answered yet
	default:
		_, anonymous := c.auth.(None)
		c.circuit.Note(ticket, c.now(), err, !anonymous || c.signing != nil)
	}
	return final, err
}

// worthTelling is the shortest wait that is reported, so that it does not look as if the read was stuck.
const worthTelling = 2 * time.Second

// rest sleeps, counts it, and reports it.
func (c *Client) rest(ctx context.Context, phase string, wait time.Duration) error {
	if wait <= 0 {
		return ctx.Err()
	}
	if wait > worthTelling {
		until := c.now().Add(wait)
		report := connectorkit.ReportOf(ctx)
		if report == nil {
			report = c.opts.Report
		}
		report.Send(v1.Progress{
			Phase: phase, Message: fmt.Sprintf("waiting %s for the target", wait.Round(time.Second)),
			RateWaitUntil: &until,
		})
	}
	c.tally.mu.Lock()
	c.tally.waited += wait
	c.tally.mu.Unlock()
	return c.sleep(ctx, wait)
}

// pace waits for the rate that was set, for the pause that the target asked for, and for one of the places
// for requests under way, which the caller gives back. A probe does not heed the pause: who starts it wants
// the target's own answer.
func (c *Client) pace(ctx context.Context, r Request) error {
	b := c.budget
	wait := b.Reserve(c.now())
	var served time.Time
	for {
		if until := b.HeldUntil(); !c.once && until.After(served) {
			served = until
			left := until.Sub(c.now())
			if left > pacing.MaxRetryAfter {
				return c.spent(r, left)
			}
			wait = max(wait, left)
		}
		if err := c.rest(ctx, r.Phase, wait); err != nil {
			return c.explain(err, c.host, r)
		}
		wait = 0
		if err := b.Enter(ctx); err != nil {
			return c.explain(err, c.host, r)
		}
		if c.once || !b.HeldUntil().After(served) {
			return nil
		}
		b.Leave()
	}
}

// spent is the error of a call that would have to wait too long because of an answer to another call.
func (c *Client) spent(r Request, left time.Duration) *v1.ErrorDetail {
	ms := left.Milliseconds()
	return &v1.ErrorDetail{
		Class: v1.ClassRateLimited, Code: "rate_limited", Retryable: true, RetryAfterMS: &ms, Phase: r.Phase,
		Message: fmt.Sprintf("%s asked to be left alone for another %s", c.host, left.Round(time.Second)),
		Hint:    status.Meanings[429].Hint, Target: &v1.Target{Kind: "http", Host: c.host},
	}
}

// learn takes from an answer how many requests the target still takes.
func (c *Client) learn(resp *Response) {
	b, now := c.budget, c.now()
	if status.IsRateLimited(resp.Status, resp.Header, now) {
		b.NoteLimited()
		return
	}
	b.NoteAnswered()
	// A reset further off than a read waits is left to the target's own 429: not every target means these fields so.
	if a, ok := pacing.AllowanceOf(
		resp.Header,
		now,
	); ok && a.Remaining <= float64(b.Busy()) &&
		a.Reset <= pacing.MaxRetryAfter {
		b.HoldUntil(now.Add(a.Reset))
	}
}
