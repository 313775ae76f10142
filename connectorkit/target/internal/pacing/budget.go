package pacing

import (
	"context"
	"slices"
	"sync"
	"time"
)

// steadyAnswers without a complaint let one more request go at once, after a 429 brought them down to one.
const steadyAnswers = 20

// Budget paces the requests of all calls to one host with one set of credentials: a token bucket, a bound on
// requests under way that the target's complaints lower, and a common pause once the target asked anybody to
// wait.
type Budget struct {
	mu sync.Mutex

	rps     float64 // 0: no bound
	burst   float64 // requests that may go at once after a rest
	maximum int     // requests under way, as set

	level  float64 // requests that may go at once now
	filled time.Time

	limit         int // requests under way now: from 1 to most
	under         int
	answersInARow int // answers in a row without a complaint
	queue         []chan struct{}

	until time.Time
}

// Configure takes over the settings of the latest call; what was learned from the target stays.
func (b *Budget) Configure(rps float64, burst, most int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.limit == 0 || b.limit == b.maximum || b.limit > most {
		b.limit = most
	}
	b.rps, b.maximum = rps, most
	if b.burst = float64(burst); burst <= 0 {
		b.burst = max(rps, 1)
	}
	b.admit()
}

// Reserve takes one request out of the bucket and says how long to wait before sending it.
func (b *Budget) Reserve(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rps <= 0 {
		return 0
	}
	if b.filled.IsZero() {
		b.level = b.burst
	} else {
		b.level = min(b.burst, b.level+now.Sub(b.filled).Seconds()*b.rps)
	}
	b.filled = now
	b.level--
	if b.level >= 0 {
		return 0
	}
	return time.Duration(-b.level / b.rps * float64(time.Second))
}

// HoldUntil makes everybody wait until t.
func (b *Budget) HoldUntil(t time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if t.After(b.until) {
		b.until = t
	}
}

// HeldUntil is until when everybody waits.
func (b *Budget) HeldUntil() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.until
}

// Enter takes one of the places for requests under way, in the order of asking; leave gives it back.
func (b *Budget) Enter(ctx context.Context) error {
	b.mu.Lock()
	if b.under < b.limit && len(b.queue) == 0 {
		b.under++
		b.mu.Unlock()
		return nil
	}
	turn := make(chan struct{}, 1)
	b.queue = append(b.queue, turn)
	b.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
		b.mu.Lock()
		defer b.mu.Unlock()
		if i := slices.Index(b.queue, turn); i >= 0 {
			b.queue = slices.Delete(b.queue, i, i+1)
		} else { // the turn came at the same moment
			b.under--
			b.admit()
		}
		return ctx.Err()
	}
}

// Leave gives back the place that Enter took.
func (b *Budget) Leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.under--
	b.admit()
}

// admit gives free places to those who wait. The caller holds the lock.
func (b *Budget) admit() {
	for len(b.queue) > 0 && b.under < b.limit {
		b.under++
		b.queue[0] <- struct{}{}
		b.queue = b.queue[1:]
	}
}

// NoteLimited notes that the target got too many requests: from now on they go one by one.
func (b *Budget) NoteLimited() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.limit, b.answersInARow = 1, 0
}

// NoteAnswered notes an answer without a complaint. After a while of them one more request may be under way.
func (b *Budget) NoteAnswered() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.limit >= b.maximum {
		return
	}
	if b.answersInARow++; b.answersInARow >= steadyAnswers {
		b.limit, b.answersInARow = b.limit+1, 0
		b.admit()
	}
}

// Busy is the number of requests under way beside the asking one.
func (b *Budget) Busy() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(b.under-1, 0)
}
