package target

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

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
	for n := 1; ; n++ {
		err := try()
		var (
			d *v1.ErrorDetail
			s stopped
		)
		if err == nil || errors.As(err, &s) || !errors.As(err, &d) {
			return err
		}
		if c.once || n >= c.opts.Tries || !r.repeatable() || !mayPass(d) || ctx.Err() != nil {
			return err
		}
		if d.Phase == "token" && r.Phase != "token" {
			return err // it has had its tries already
		}
		wait, ok := pause(n, d)
		if !ok {
			return err
		}
		if err := c.await(ctx, r.Phase, wait, asked(d)); err != nil {
			return d // cancelled while waiting: what the target said says more
		}
	}
}

// mayPass says whether the same request may succeed later: 408, 425, 429, 5xx but for "not implemented", a broken connection.
func mayPass(d *v1.ErrorDetail) bool {
	return d.Class == v1.ClassRateLimited || d.Class == v1.ClassTransient || d.Code == "http_500"
}

// asked says whether the target itself named the time to wait.
func asked(d *v1.ErrorDetail) bool { return d.RetryAfterMS != nil }

// pause is how long to wait after the given try: what the target asks for, as long as that is at most five minutes, else a
// random part of a time that doubles from 0.5 s to 30 s.
func pause(try int, d *v1.ErrorDetail) (time.Duration, bool) {
	if d.RetryAfterMS != nil {
		wait := time.Duration(*d.RetryAfterMS) * time.Millisecond
		return wait, wait <= maxRetryAfter
	}
	ceiling := min(firstPause<<(try-1), longestPause)
	return rand.N(ceiling), true
}

// await sleeps, and tells who listens when it is the target's wish.
func (c *Client) await(ctx context.Context, phase string, wait time.Duration, asked bool) error {
	if asked {
		until := c.now().Add(wait)
		c.gate.hold(until)
		c.opts.Report.Tell(v1.Progress{
			Phase: phase, Message: fmt.Sprintf("the target asks to wait %s", wait.Round(time.Second)), RateWaitUntil: &until,
		})
	}
	return c.rest(ctx, wait)
}

// rest sleeps and counts it.
func (c *Client) rest(ctx context.Context, wait time.Duration) error {
	if wait <= 0 {
		return ctx.Err()
	}
	c.tally.mu.Lock()
	c.tally.waited += wait
	c.tally.mu.Unlock()
	return c.sleep(ctx, wait)
}

// pace waits for the rate budget.
func (c *Client) pace(ctx context.Context, r Request) error {
	if err := c.rest(ctx, c.gate.book(c.now())); err != nil {
		return c.explain(err, c.host, r)
	}
	return nil
}

// retryAfter reads the header's two forms (RFC 9110 section 10.2.3).
func retryAfter(h http.Header, now time.Time) *int64 {
	value := h.Get("Retry-After")
	if value == "" {
		return nil
	}
	if seconds, err := strconv.ParseInt(value, 10, 32); err == nil && seconds >= 0 {
		ms := seconds * 1000
		return &ms
	}
	when, err := http.ParseTime(value)
	if err != nil {
		return nil
	}
	ms := max(when.Sub(now).Milliseconds(), 0)
	return &ms
}
