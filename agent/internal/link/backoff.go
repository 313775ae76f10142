package link

import (
	"context"
	"math/rand/v2"
	"time"
)

// stable is how long a connection must have lasted for the next failure to count as the first.
const stable = 60 * time.Second

// backoff spaces attempts to connect: full jitter over an exponential bound, so that many agents cut off in the same
// moment do not come back in the same moment.
type backoff struct {
	base, max time.Duration
	failures  int
}

// next is how long to wait now. least is what the other end asked for; the jitter comes on top of it.
func (b *backoff) next(least time.Duration) time.Duration {
	bound := b.max
	if b.failures < 30 {
		bound = min(b.base<<b.failures, b.max)
	}
	b.failures++
	return least + rand.N(bound)
}

// reset begins again with the shortest pause.
func (b *backoff) reset() { b.failures = 0 }

// sleep waits for d or the end of ctx, and says whether ctx still lives.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
