package limit

import (
	"context"
	"slices"
	"time"
)

// batch is how many lines are written to the store at once.
const batch = 500

// beat is how often a process says that it is there.
const beat = 10 * time.Second

// Run exchanges with the store, until ctx ends, what this and other processes have admitted.
func (l *Limiter) Run(ctx context.Context) error {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	l.count(ctx)
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			l.settleAll(last)
			return nil
		case <-tick.C:
			l.count(ctx)
		case <-l.uncounted:
			l.count(ctx)
		case <-l.tell:
			l.collect(ctx)
			l.settleAll(ctx)
		}
	}
}

// collect waits until enough has come together.
func (l *Limiter) collect(ctx context.Context) {
	timer := time.NewTimer(tellWithin)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.urgent:
	case <-ctx.Done():
	}
}

// count asks how many processes there are.
func (l *Limiter) count(ctx context.Context) {
	short, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	n, err := l.store.Processes(short)
	if err != nil {
		time.AfterFunc(aloneFor, func() { poke(l.uncounted) })
		return // until then the last number stands
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.peers = max(1, n)
}

// settleAll settles every line that the store has not seen. A line that is being settled, or could not be settled,
// comes up again.
func (l *Limiter) settleAll(ctx context.Context) {
	l.mu.Lock()
	lines := append([]*line{}, l.untold...)
	l.mu.Unlock()
	for part := range slices.Chunk(lines, batch) {
		if l.isAlone() {
			break
		}
		// Once sent, the answer is waited for even when the process stops: nothing is counted twice.
		short, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
		l.settle(short, part)
		cancel()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.untold) > 0 {
		time.AfterFunc(max(0, min(aloneFor, l.alone.Sub(l.now()))), func() { poke(l.tell) })
	}
}

func (l *Limiter) isAlone() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now().Before(l.alone)
}

// settle sends lines to the store and takes over its answers. Lines that are being settled already are left out.
func (l *Limiter) settle(ctx context.Context, lines []*line) {
	l.mu.Lock()
	sent := l.now()
	mine, spent := l.leave(lines, sent)
	l.mu.Unlock()
	if len(mine) == 0 {
		return
	}
	filled, err := l.store.Settle(ctx, spent)
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.goAlone("the database does not answer", "err", err)
	}
	for i, n := range mine {
		close(n.told)
		n.told = nil
		if err != nil {
			l.owe(n, spent[i], sent)
			continue
		}
		// What was let through since we asked comes on top of what the store knows.
		known := sent.Add(filled[i] + time.Duration(n.debt)*cell(n.rate))
		if known.After(n.full) {
			n.full = known
		}
	}
}

// leave takes the debts of lines. The caller holds mu.
func (l *Limiter) leave(lines []*line, now time.Time) (mine []*line, spent []Spent) {
	for _, n := range lines {
		if n.told != nil || n.debt == 0 {
			continue
		}
		mine = append(mine, n)
		spent = append(spent, Spent{
			Key:    n.key[:],
			Writer: n.writer,
			Count:  n.debt,
			Cost:   time.Duration(n.debt) * cell(n.rate),
			Age:    now.Sub(n.since),
			Filled: n.full.Sub(now),
		})
		n.debt, n.told, n.listed = 0, make(chan struct{}), false
	}
	kept := l.untold[:0]
	for _, n := range l.untold {
		if n.listed {
			kept = append(kept, n)
		}
	}
	clear(l.untold[len(kept):])
	l.untold = kept
	return mine, spent
}

// owe puts back what the store has not heard. The caller holds mu.
func (l *Limiter) owe(n *line, s Spent, sent time.Time) {
	n.debt += s.Count
	n.since = sent.Add(-s.Age)
	l.list(n)
}
