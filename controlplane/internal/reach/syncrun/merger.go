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
// could be changed or removed; otherwise it waits until all is read. People go ahead by a span and what they hold follows, on
// a connection of its own, so that two cores have something to do.
type merger struct {
	w      *work
	signal chan struct{} // there is more to merge
	ended  chan bool     // the reading has ended; true: well
	behind chan span     // spans whose people are merged
	group  *errgroup.Group
}

func (w *work) startMerger(ctx context.Context, stop context.CancelCauseFunc) *merger {
	m := &merger{w: w, signal: make(chan struct{}, 1), ended: make(chan bool, 1), behind: make(chan span, 1<<16)}
	group, ctx := errgroup.WithContext(ctx)
	m.group = group
	fail := func(err error) error {
		if err != nil {
			stop(err) // the reading need not go on
		}
		return err
	}
	group.Go(func() error {
		defer close(m.behind)
		return fail(m.ahead(ctx))
	})
	group.Go(func() error { return fail(m.follow(ctx)) })
	return m
}

func (m *merger) more() {
	select {
	case m.signal <- struct{}{}:
	default:
	}
}

// finish waits until everything is merged, or gives up when the reading failed.
func (m *merger) finish(well bool) error {
	m.ended <- well
	return m.group.Wait()
}

// ahead merges people, and hands each span on.
func (m *merger) ahead(ctx context.Context) error {
	for {
		select {
		case well := <-m.ended:
			if !well {
				return nil
			}
			return m.upTo(ctx, true)
		case <-m.signal:
			if !m.w.firstLoad {
				continue
			}
			if err := m.upTo(ctx, false); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// upTo merges what is staged, about mergeRecords at a time; without rest, only when there are so many.
func (m *merger) upTo(ctx context.Context, rest bool) error {
	for {
		lo, hi := m.w.next(m.w.merged+1, rest)
		if hi < lo {
			return nil
		}
		s := span{m.w.id, m.w.connector, lo, hi}
		if err := m.w.merge(ctx, s, mergePeople, rest); err != nil {
			return err
		}
		m.w.merged = hi
		m.behind <- s
	}
}

// follow merges what the people of each span hold.
func (m *merger) follow(ctx context.Context) error {
	for s := range m.behind {
		if err := m.w.merge(ctx, s, mergeAccess, false); err != nil {
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
func (w *work) merge(ctx context.Context, s span, do part, applying bool) error {
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
		return w.noteMerged(ctx, tx, s.hi, counters, applying)
	})
	if err != nil {
		return fmt.Errorf("chunks %d to %d: %w", s.lo, s.hi, err)
	}
	w.mu.Lock()
	w.counters.add(c)
	w.mu.Unlock()
	return nil
}

func (w *work) noteMerged(ctx context.Context, tx *pg.Tx, hi int, counters Counters, applying bool) error {
	const sql = `
		update sync_run
		   set merged_seq = $4, counters = $5, progress_seq = progress_seq + 1, updated_at = now(), progress_at = now(),
		       status = case when $6 then 'applying' else status end, phase = case when $6 then 'apply' else phase end
		 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
	tag, err := tx.Exec(ctx, sql, w.id, w.s.process.String(), w.attempt, hi, encode(counters), applying)
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
