package limit

import (
	"cmp"
	"context"
	"crypto/sha256"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const (
	// maxDebt is how many requests of one token a process lets through before the others know of them. All N processes
	// together let through burst + rate*time + maxDebt*N at most.
	maxDebt = 20
	// tellEarly is the debt at which a line is settled at once, so that no request has to wait for it.
	tellEarly = 10
	// tellWithin is when it is settled at the latest.
	tellWithin = 25 * time.Millisecond
	// patience is how long a request waits for the store before this process goes on alone.
	patience = 250 * time.Millisecond
	// aloneFor is how long a process goes on alone before it asks again.
	aloneFor = time.Second
)

// Limiter keeps the rates of tokens, together with the limiters of other processes.
//
// Each judges by itself and by what it knows of the others: no request waits for the database but one that finds
// maxDebt requests before it that the others have not heard of. A process without company therefore judges exactly.
type Limiter struct {
	store Store
	log   *slog.Logger
	now   func() time.Time

	mu     sync.Mutex
	lines  *recent[[sha256.Size]byte, *line]
	untold []*line
	peers  int       // processes that answer, this one as well
	alone  time.Time // until when the store is not asked
	tell   chan struct{}
	urgent chan struct{}

	uncounted chan struct{} // the processes could not be counted
}

// line is one token's.
type line struct {
	key    [sha256.Size]byte
	writer uuid.UUID
	rate   viewer.Rate
	full   time.Time // until when it is filled, as far as we know
	debt   int       // let through since the line was last settled
	since  time.Time // the first of them
	told   chan struct{}
	listed bool // in untold
}

// New makes a limiter. Its caller must call Run, so that other processes learn what it lets through.
func New(store Store, log *slog.Logger, now func() time.Time) *Limiter {
	return &Limiter{
		store: store, log: log, now: now, peers: 1, lines: newRecent[[sha256.Size]byte, *line](most),
		tell: make(chan struct{}, 1), urgent: make(chan struct{}, 1), uncounted: make(chan struct{}, 1),
	}
}

// Take judges one request of a viewer. A token keeps its line when it is refreshed, since that belongs to the session,
// and in whichever tenant its holder acts.
func (l *Limiter) Take(ctx context.Context, v viewer.Viewer) Verdict {
	lineage := v.Session
	if lineage == "" {
		lineage = v.ID
	}
	key := sha256.Sum256([]byte(cmp.Or(v.Home, v.Tenant) + "\n" + string(v.Kind) + "\n" + lineage))
	l.mu.Lock()
	defer l.mu.Unlock()
	n := *l.lines.get(key, func() *line { return &line{key: key, writer: uuid.New()} })
	n.rate = rateOf(v.Rate)
	l.payDebt(ctx, n)
	return l.judge(n)
}

// judge decides with what is known now. The caller holds mu.
func (l *Limiter) judge(n *line) Verdict {
	now := l.now()
	rate := n.rate
	if now.Before(l.alone) {
		rate = part(rate, l.peers)
	}
	var v Verdict
	if n.full, v = judge(rate, n.full, now); !v.Allowed {
		return v
	}
	if n.debt == 0 {
		n.since = now
	}
	n.debt++
	l.list(n)
	return v
}

// list notes that the store must hear of a line. The caller holds mu.
func (l *Limiter) list(n *line) {
	if !n.listed {
		n.listed = true
		l.untold = append(l.untold, n)
		poke(l.tell)
	}
	if n.debt >= tellEarly {
		poke(l.urgent)
	}
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// payDebt writes to the store when it lacks too much. The caller holds mu, which is let go
// meanwhile.
func (l *Limiter) payDebt(ctx context.Context, n *line) {
	for n.debt >= maxDebt && !l.now().Before(l.alone) {
		if told := n.told; told != nil {
			l.mu.Unlock()
			wait(ctx, told)
			l.mu.Lock()
			if ctx.Err() != nil {
				return // the caller has gone
			}
			if n.told == told {
				l.goAlone("the database is slow to return the request counts of other processes")
			}
			continue
		}
		l.mu.Unlock()
		short, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		l.settle(short, []*line{n})
		cancel()
		l.mu.Lock()
	}
}

func wait(ctx context.Context, told <-chan struct{}) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-told:
	case <-ctx.Done():
	case <-timer.C:
	}
}

// goAlone makes this process judge by its own part of each rate for a while. The caller holds mu.
func (l *Limiter) goAlone(why string, args ...any) {
	now := l.now()
	if now.Before(l.alone) {
		return
	}
	if now.Sub(l.alone) > time.Minute { // once a minute is enough for the log
		l.log.Warn("requests are counted only by this process: "+why, args...)
	}
	l.alone = now.Add(aloneFor)
}
