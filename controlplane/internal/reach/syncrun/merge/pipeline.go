package merge

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Chunks are the staged chunks of a run, whose spans are merged in parts.
type Chunks interface {
	// Next is the span of committed chunks from lo that is large enough to be merged; with rest also what is less. It
	// is empty, hi before lo, if there is nothing to merge.
	Next(lo int, rest bool) (from, hi int)
	Span(lo, hi int) Span
	// Merge merges one part of a span, and notes it under the part's name so that it is merged once.
	Merge(ctx context.Context, name string, s Span, do Part) error
}

// Pipeline merges staged chunks. On a connector's first load it works behind the reading, since there is nothing yet
// that could be changed or removed; otherwise it waits until all is read. A span goes through three stages, each on
// connections of its own: people, then accounts and entitlements, then grants. So a span's grants never come before
// what earlier spans and its own hold at both ends, and a second core has something to do.
type Pipeline struct {
	Chunks Chunks
	Behind bool // merges while more is read
	// Alone lets one worker do each stage. It is set after a break: what was read again comes in a later span, and must
	// win.
	Alone bool

	signal chan struct{} // there is more to merge
	ended  chan bool     // the reading has ended; true: well
	group  *errgroup.Group
}

// A merging statement takes about mergeRecords at first: larger ones hold locks longer and gain nothing. Each looks
// through what is merged already, so they grow with it, or a large first load would cost the square of its size.
const (
	mergeRecords     = 20_000
	mergeRecordsMost = 200_000
	mergeGrowth      = 4 // a quarter of what is merged
)

// SpanSize is how many records the next span should have at least, after before records.
func SpanSize(before int) int { return min(max(mergeRecords, before/mergeGrowth), mergeRecordsMost) }

// Workers of the stages that have most to do. Spans of people are merged side by side, but handed on in order.
const (
	peopleWorkers = 2
	grantWorkers  = 2
)

// spansAhead are how many spans a stage may be ahead of the next one.
const spansAhead = 16

// piece is a span on its way; ready is closed when its people are merged.
type piece struct {
	Span
	ready chan struct{}
}

// Start begins to merge, in the background. stop is called with the error of the first part that fails.
func (m *Pipeline) Start(ctx context.Context, stop context.CancelCauseFunc) {
	m.signal, m.ended = make(chan struct{}, 1), make(chan bool, 1)
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
	people, ordered, ends := make(chan piece, spansAhead), make(chan piece, spansAhead), make(chan Span, spansAhead)
	start(func() error {
		defer close(people)
		defer close(ordered)
		return m.cut(ctx, func(p piece) bool { return pass(ctx, people, p) && pass(ctx, ordered, p) })
	})
	side := peopleWorkers
	if m.Alone {
		side = 1
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

// More reports that more has been read.
func (m *Pipeline) More() {
	select {
	case m.signal <- struct{}{}:
	default:
	}
}

// Finish waits until everything is merged, or gives up if the reading failed.
func (m *Pipeline) Finish(well bool) error {
	m.ended <- well
	return m.group.Wait()
}

// cut hands on spans of what is staged: behind the reading on a first load, after it otherwise.
func (m *Pipeline) cut(ctx context.Context, hand func(piece) bool) error {
	merged := 0
	upTo := func(rest bool) {
		for lo, hi := m.Chunks.Next(merged+1, rest); lo <= hi; lo, hi = m.Chunks.Next(merged+1, rest) {
			if !hand(piece{m.Chunks.Span(lo, hi), make(chan struct{})}) {
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
			if m.Behind {
				upTo(false)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// mergePeople merges the people of each span that comes. Two spans at once cannot see each other: where both bring the
// same address or key, the database refuses the second, which then finds the first and decides anew.
func (m *Pipeline) mergePeople(ctx context.Context, pieces <-chan piece) error {
	for p := range pieces {
		err := m.Chunks.Merge(ctx, "people", p.Span, Identities)
		for try := 1; try < 5 && (pg.Violates(err, "identity_email_unique") ||
			pg.Violates(err, "identity_external_id_unique")); try++ {
			err = m.Chunks.Merge(ctx, "people", p.Span, Identities)
		}
		if err != nil {
			return err
		}
		close(p.ready)
	}
	return nil
}

// mergeEnds merges accounts and entitlements, span by span in the order of reading.
func (m *Pipeline) mergeEnds(ctx context.Context, pieces <-chan piece, next chan<- Span) error {
	for p := range pieces {
		select {
		case <-p.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := m.Chunks.Merge(ctx, "ends", p.Span, AccountsAndEntitlements); err != nil {
			return err
		}
		if !pass(ctx, next, p.Span) {
			return ctx.Err()
		}
	}
	return nil
}

// mergeGrants merges the grants of spans, one after the other, until the channel is closed. It runs
// behind the merging of people and accounts, which grants refer to.
func (m *Pipeline) mergeGrants(ctx context.Context, spans <-chan Span) error {
	for s := range spans {
		if err := m.Chunks.Merge(ctx, "grants", s, Grants); err != nil {
			return err
		}
	}
	return nil
}
