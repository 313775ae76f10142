package syncrun

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// mergeRecords is about how many records one merging statement takes: larger ones hold locks longer and gain nothing.
const mergeRecords = 20000

// merger makes staged chunks true. On a connector's first load it works behind the reading, since there is nothing yet that
// could be changed or removed; otherwise it waits until all is read. A span goes through three stages, each on connections of
// its own: people, then accounts and entitlements, then grants. So a span's grants never come before what earlier spans and
// its own hold at both ends, and a second core has something to do.
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

// maxSpans is more than a run has: 20,000 records each.
const maxSpans = 1 << 16

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
	people, ordered, ends := make(chan piece, maxSpans), make(chan piece, maxSpans), make(chan span, maxSpans)
	start(func() error {
		defer close(people)
		defer close(ordered)
		return m.cut(ctx, func(p piece) {
			people <- p
			ordered <- p
		})
	})
	for range peopleWorkers {
		start(func() error { return m.mergePeople(ctx, people) })
	}
	start(func() error {
		defer close(ends)
		return m.mergeEnds(ctx, ordered, ends)
	})
	for range grantWorkers {
		start(func() error { return m.mergeGrants(ctx, ends) })
	}
	return m
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
		err = m.w.enter(ctx, "apply")
	}
	m.ended <- well && err == nil
	if merged := m.group.Wait(); err == nil {
		err = merged
	}
	return err
}

// cut hands on spans of what is staged: behind the reading on a first load, after it otherwise.
func (m *merger) cut(ctx context.Context, hand func(piece)) error {
	merged := 0
	upTo := func(rest bool) {
		for lo, hi := m.w.next(merged+1, rest); lo <= hi; lo, hi = m.w.next(merged+1, rest) {
			hand(piece{span{m.w.id, m.w.connector, lo, hi}, make(chan struct{})})
			merged = hi
		}
	}
	for {
		select {
		case well := <-m.ended:
			if well {
				upTo(true)
			}
			return nil
		case <-m.signal:
			if m.w.firstLoad {
				upTo(false)
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// mergePeople merges the people of each span that comes. Two spans at once cannot see each other: where both bring the same
// address or key, the database refuses the second, which then finds the first and decides anew.
func (m *merger) mergePeople(ctx context.Context, pieces <-chan piece) error {
	for p := range pieces {
		err := m.w.merge(ctx, p.span, mergePeople)
		for try := 1; try < 5 && (pg.Violates(err, "identity_email_unique") || pg.Violates(err, "identity_external_id_unique")); try++ {
			err = m.w.merge(ctx, p.span, mergePeople)
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
		if err := m.w.merge(ctx, p.span, mergeEnds); err != nil {
			return err
		}
		next <- p.span
	}
	return nil
}

func (m *merger) mergeGrants(ctx context.Context, spans <-chan span) error {
	for s := range spans {
		if err := m.w.merge(ctx, s, mergeHoldings); err != nil {
			return err
		}
	}
	return nil
}

// next is the span of committed chunks from lo that holds about mergeRecords; with rest also what is less. It is empty, hi
// before lo, where there is nothing to merge.
func (w *work) next(lo int, rest bool) (from, hi int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	records := 0
	for hi = lo; hi <= w.seq; hi++ {
		if records += w.sizes[hi-1]; records >= mergeRecords {
			return lo, hi
		}
	}
	if rest {
		return lo, w.seq
	}
	return lo, lo - 1
}

// merge merges one part of a span and notes in the same transaction how far it has come.
func (w *work) merge(ctx context.Context, s span, do part) error {
	var c Counters
	err := w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) (err error) {
		// A commit that is lost with the database's process is merged again, so this one need not wait for the disk.
		if _, err := tx.Exec(ctx, `set local synchronous_commit = off`); err != nil {
			return err
		}
		c, err = do(ctx, tx, s)
		if err != nil {
			return err
		}
		w.mu.Lock()
		counters := w.counters
		w.mu.Unlock()
		counters.add(c)
		return w.noteMerged(ctx, tx, s.hi, counters)
	})
	if err != nil {
		return fmt.Errorf("chunks %d to %d: %w", s.lo, s.hi, err)
	}
	w.mu.Lock()
	w.counters.add(c)
	w.mu.Unlock()
	return nil
}

func (w *work) noteMerged(ctx context.Context, tx *pg.Tx, hi int, counters Counters) error {
	const sql = `
		update sync_run
		   set merged_seq = greatest(merged_seq, $4), counters = $5, progress_seq = progress_seq + 1, updated_at = now(), progress_at = now()
		 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
	tag, err := tx.Exec(ctx, sql, w.id, w.s.process.String(), w.attempt, hi, encode(counters))
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return errFenced
	}
	return nil
}

// remergeGrants tries again what pointed to records of later chunks.
func (w *work) remergeGrants(ctx context.Context) error {
	for lo, hi := w.next(1, true); lo <= hi; lo, hi = w.next(hi+1, true) {
		err := w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) error {
			c, err := mergeGrants(ctx, tx, span{w.id, w.connector, lo, hi})
			w.mu.Lock()
			w.counters.Created += c.Created
			w.counters.Updated += c.Updated
			w.mu.Unlock()
			return err
		})
		if err != nil {
			return fmt.Errorf("resolve grants of chunks from %d: %w", lo, err)
		}
	}
	return nil
}
