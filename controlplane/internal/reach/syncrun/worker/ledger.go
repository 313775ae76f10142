package worker

import (
	"context"
	"fmt"
	"strconv"

	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/merge"
)

// part is the ledger's name for a kind of merge. What is merged after a release is a part of its own.
func (w *work) part(name string) string { return partIn(w.round, name) }

func partIn(round int, name string) string {
	if round == 0 {
		return name
	}
	return name + ":r" + strconv.Itoa(round)
}

// before reports whether a span was merged before the run was held.
func (w *work) before(name string, lo int) bool {
	for round := range w.round {
		if w.merged[key(partIn(round, name), lo)] {
			return true
		}
	}
	return false
}

func key(part string, lo int) string { return part + "/" + strconv.Itoa(lo) }

// Merge merges one part of a span and notes it in the same transaction, so that no part is merged, and counted, twice.
// A part that an earlier attempt has merged is passed over: spans are cut at the same places by every attempt.
func (w *work) Merge(ctx context.Context, name string, s merge.Span, do merge.Part) error {
	again := w.before(name, s.Lo)
	name = w.part(name)
	if w.merged[key(name, s.Lo)] {
		return nil
	}
	var c counters.PartCount
	err := w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) (err error) {
		// A commit that is lost with the database's process is merged again, so this one need not wait for the disk.
		if _, err := tx.Exec(ctx, `set local synchronous_commit = off`); err != nil {
			return err
		}
		if c, err = do(ctx, tx, s); err != nil {
			return err
		}
		if again {
			c = c.Changes()
		}
		return w.noteMerged(ctx, tx, name, s.Lo, s.Hi, c)
	})
	if err != nil {
		return fmt.Errorf("chunks %d to %d: %w", s.Lo, s.Hi, err)
	}
	crashpoint.Reach("merge.committed")
	w.mu.Lock()
	w.count.Add(c)
	w.mu.Unlock()
	return nil
}

func (w *work) noteMerged(ctx context.Context, tx *pg.Tx, name string, lo, hi int, c counters.PartCount) error {
	const ledger = `
		insert into sync_merge (tenant_id, run_id, part, lo, hi, counters)
		values (current_tenant(), $1, $2, $3, $4, $5)`
	if err := pg.Exec(ctx, tx, "note merged part", ledger, w.id, name, lo, hi, c.JSON()); err != nil {
		return err
	}
	w.mu.Lock()
	t := w.count
	w.mu.Unlock()
	t.Add(c)
	const sql = `
		update sync_run
		   set merged_seq = greatest(merged_seq, $4), counters = $5, report = $6,
		       failures = case when read_ended then 0 else failures end, lapsed = '{}',
		       progress_seq = progress_seq + 1, updated_at = now(), progress_at = now()
		 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
	return w.lease.Update(ctx, tx, sql, hi, encode(t.Totals()), encode(t.Report))
}

// remergeGrants tries again what pointed to records of later chunks.
func (w *work) remergeGrants(ctx context.Context) error {
	for lo, hi := w.Next(1, true); lo <= hi; lo, hi = w.Next(hi+1, true) {
		if err := w.Merge(ctx, "late", w.Span(lo, hi), merge.LateGrants); err != nil {
			return fmt.Errorf("resolve grants: %w", err)
		}
	}
	return nil
}

// look finds out what is known of the connector before its run is merged.
func (w *work) look(ctx context.Context) error {
	var fields []string
	if w.Effective.Incremental && w.position != nil {
		fields = w.position.Fields
	}
	return w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) (err error) {
		w.known, err = merge.FindKnown(ctx, tx, w.connector, fields)
		return err
	})
}

// Span is a part of the staged chunks of the run.
func (w *work) Span(lo, hi int) merge.Span {
	return merge.Span{Run: w.id, Connector: w.connector, Lo: lo, Hi: hi, Known: w.known}
}

// Next is the span of committed chunks from lo that is large enough to be merged; with rest also what is less. It is
// empty, hi before lo, where there is nothing to merge.
func (w *work) Next(lo int, rest bool) (from, hi int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	before, records := 0, 0
	for _, n := range w.sizes[:min(lo-1, len(w.sizes))] {
		before += n
	}
	enough := merge.SpanSize(before)
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
