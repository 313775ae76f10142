package syncrun

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// A merging statement takes about mergeRecords at first: larger ones hold locks longer and gain nothing. Each looks
// through what is merged already, so they grow with it, or a large first load would cost the square of its size.
const (
	mergeRecords     = 20_000
	mergeRecordsMost = 200_000
	mergeGrowth      = 4 // a quarter of what is merged
)

// merger makes staged chunks true. On a connector's first load it works behind the reading, since there is nothing yet
// that could be changed or removed; otherwise it waits until all is read. A span goes through three stages, each on
// connections of its own: people, then accounts and entitlements, then grants. So a span's grants never come before
// what earlier spans and its own hold at both ends, and a second core has something to do.
type merger struct {
	w      *work
	signal chan struct{} // there is more to merge
	ended  chan bool     // the reading has ended; true: well
	group  *errgroup.Group
}

// Workers of the stages that have most to do. Spans of people are merged side by side, but handed on in order.
const (
	peopleWorkers = 2
	grantWorkers  = 2
)

// spansAhead are how many spans a stage may be ahead of the next one.
const spansAhead = 16

// piece is a span on its way; ready is closed when its people are merged.
type piece struct {
	span
	ready chan struct{}
}

func (w *work) startMerger(ctx context.Context, stop context.CancelCauseFunc) *merger {
	m := &merger{w: w, signal: make(chan struct{}, 1), ended: make(chan bool, 1)}
	group, ctx := errgroup.WithContext(ctx)
	m.group = group
	start := func(work func() error) {
		group.Go(func() error {
			err := work()
			if err != nil {
				stop(err) // the reading need not go on
			}
			return err
		})
	}
	people, ordered, ends := make(chan piece, spansAhead), make(chan piece, spansAhead), make(chan span, spansAhead)
	start(func() error {
		defer close(people)
		defer close(ordered)
		return m.cut(ctx, func(p piece) bool { return pass(ctx, people, p) && pass(ctx, ordered, p) })
	})
	side := peopleWorkers
	if w.attempt > 1 {
		side = 1 // what was read again after a break comes in a later span, and must win
	}
	for range side {
		start(func() error { return m.mergePeople(ctx, people) })
	}
	start(func() error {
		defer close(ends)
		return m.mergeEnds(ctx, ordered, ends)
	})
	for range min(side, grantWorkers) {
		start(func() error { return m.mergeGrants(ctx, ends) })
	}
	return m
}

// pass hands something on to the next stage. It is false when there is none any more.
func pass[T any](ctx context.Context, to chan<- T, v T) bool {
	select {
	case to <- v:
		return true
	case <-ctx.Done():
		return false
	}
}

func (m *merger) more() {
	select {
	case m.signal <- struct{}{}:
	default:
	}
}

// finish waits until everything is merged, or gives up when the reading failed.
func (m *merger) finish(ctx context.Context, well bool) error {
	var err error
	if well {
		err = m.w.enter(ctx, Applying, "apply")
	}
	m.ended <- well && err == nil
	if merged := m.group.Wait(); err == nil {
		err = merged
	}
	return err
}

// cut hands on spans of what is staged: behind the reading on a first load, after it otherwise.
func (m *merger) cut(ctx context.Context, hand func(piece) bool) error {
	merged := 0
	upTo := func(rest bool) {
		for lo, hi := m.w.next(merged+1, rest); lo <= hi; lo, hi = m.w.next(merged+1, rest) {
			if !hand(piece{m.w.span(lo, hi), make(chan struct{})}) {
				return
			}
			merged = hi
		}
	}
	for {
		select {
		case well := <-m.ended:
			if well {
				upTo(true)
			}
			return ctx.Err()
		case <-m.signal:
			if m.w.streams {
				upTo(false)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// mergePeople merges the people of each span that comes. Two spans at once cannot see each other: where both bring the
// same address or key, the database refuses the second, which then finds the first and decides anew.
func (m *merger) mergePeople(ctx context.Context, pieces <-chan piece) error {
	for p := range pieces {
		err := m.w.merge(ctx, "people", p.span, mergePeople)
		for try := 1; try < 5 && (pg.Violates(err, "identity_email_unique") ||
			pg.Violates(err, "identity_external_id_unique")); try++ {
			err = m.w.merge(ctx, "people", p.span, mergePeople)
		}
		if err != nil {
			return err
		}
		close(p.ready)
	}
	return nil
}

// mergeEnds merges accounts and entitlements, span by span in the order of reading.
func (m *merger) mergeEnds(ctx context.Context, pieces <-chan piece, next chan<- span) error {
	for p := range pieces {
		select {
		case <-p.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := m.w.merge(ctx, "ends", p.span, mergeEnds); err != nil {
			return err
		}
		if !pass(ctx, next, p.span) {
			return ctx.Err()
		}
	}
	return nil
}

func (m *merger) mergeGrants(ctx context.Context, spans <-chan span) error {
	for s := range spans {
		if err := m.w.merge(ctx, "grants", s, mergeHoldings); err != nil {
			return err
		}
	}
	return nil
}

// next is the span of committed chunks from lo that is large enough to be merged; with rest also what is less. It is
// empty, hi before lo, where there is nothing to merge.
func (w *work) next(lo int, rest bool) (from, hi int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before, records := 0, 0
	for _, n := range w.sizes[:min(lo-1, len(w.sizes))] {
		before += n
	}
	enough := min(max(mergeRecords, before/mergeGrowth), mergeRecordsMost)
	for hi = lo; hi <= w.seq; hi++ {
		if records += w.sizes[hi-1]; records >= enough {
			return lo, hi
		}
	}
	if rest {
		return lo, w.seq
	}
	return lo, lo - 1
}
