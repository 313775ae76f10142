package syncrun

import (
	"context"
	"fmt"
	"strconv"

	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
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

// merge merges one part of a span and notes it in the same transaction, so that no part is merged, and counted, twice.
// A part that an earlier attempt has merged is passed over: spans are cut at the same places by every attempt.
func (w *work) merge(ctx context.Context, name string, s span, do part) error {
	again := w.before(name, s.lo)
	name = w.part(name)
	if w.merged[key(name, s.lo)] {
		return nil
	}
	var c tally
	err := w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) (err error) {
		// A commit that is lost with the database's process is merged again, so this one need not wait for the disk.
		if _, err := tx.Exec(ctx, `set local synchronous_commit = off`); err != nil {
			return err
		}
		if c, err = do(ctx, tx, s); err != nil {
			return err
		}
		if again {
			c = c.changes()
		}
		return w.noteMerged(ctx, tx, name, s.lo, s.hi, c)
	})
	if err != nil {
		return fmt.Errorf("chunks %d to %d: %w", s.lo, s.hi, err)
	}
	crashpoint.Reach("merge.committed")
	w.mu.Lock()
	w.tally.add(c)
	w.mu.Unlock()
	return nil
}

// changes leaves out what was only looked at again: a release goes over everything, but what was merged before is
// counted.
func (t tally) changes() tally {
	t.Counters.Errors = 0
	for _, k := range t.Report.kinds() {
		k.Unchanged, k.Suppressed = 0, 0
	}
	return t
}

func (w *work) noteMerged(ctx context.Context, tx *pg.Tx, name string, lo, hi int, c tally) error {
	const ledger = `
		insert into sync_merge (tenant_id, run_id, part, lo, hi, counters)
		values (current_tenant(), $1, $2, $3, $4, $5)`
	if _, err := tx.Exec(ctx, ledger, w.id, name, lo, hi, c.compact()); err != nil {
		return fmt.Errorf("note merged part: %w", err)
	}
	w.mu.Lock()
	t := w.tally
	w.mu.Unlock()
	t.add(c)
	const sql = `
		update sync_run
		   set merged_seq = greatest(merged_seq, $4), counters = $5, report = $6,
		       failures = case when read_ended then 0 else failures end, lapsed = '{}',
		       progress_seq = progress_seq + 1, updated_at = now(), progress_at = now()
		 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
	tag, err := tx.Exec(ctx, sql, w.id, w.s.process.String(), w.attempt, hi, encode(t.shown()), encode(t.Report))
	if err != nil {
		return fmt.Errorf("note merged part: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return errFenced
	}
	return nil
}

// remergeGrants tries again what pointed to records of later chunks.
func (w *work) remergeGrants(ctx context.Context) error {
	for lo, hi := w.next(1, true); lo <= hi; lo, hi = w.next(hi+1, true) {
		if err := w.merge(ctx, "late", w.span(lo, hi), mergeLate); err != nil {
			return fmt.Errorf("resolve grants: %w", err)
		}
	}
	return nil
}

// mergeLate counts only what it adds: the rest was counted when it was merged.
func mergeLate(ctx context.Context, tx *pg.Tx, s span) (tally, error) {
	c, err := mergeHoldings(ctx, tx, s)
	return c.changes(), err
}

// known is what is known of a connector before its run is merged.
type known struct {
	before bool     // there was a connector's data before this run
	gone   bool     // some of its records are missing or removed, and may be seen again
	fields []string // of people, which its source fills; a run that reads changes does not see them all
}

// look finds out what is known.
func (w *work) look(ctx context.Context) error {
	const sql = `
		select exists (select from identity_source where tenant_id = current_tenant() and connector_id = $1
		    and (missing_since is not null or removed_at is not null))
		    or exists (select from account where tenant_id = current_tenant() and connector_id = $1
		        and (missing_since is not null or deleted_at is not null))
		    or exists (select from entitlement where tenant_id = current_tenant() and connector_id = $1
		        and (missing_since is not null or removed_at is not null))
		    or exists (select from access_grant where tenant_id = current_tenant() and connector_id = $1
		        and (missing_since is not null or revoked_at is not null))`
	w.known.before = true
	if w.effective.Incremental && w.position != nil {
		w.known.fields = w.position.Fields
	}
	err := w.s.DB.AsBulk(
		ctx,
		w.v,
		func(tx *pg.Tx) error { return tx.QueryRow(ctx, sql, w.connector).Scan(&w.known.gone) },
	)
	if err != nil {
		return fmt.Errorf("look at what is known: %w", err)
	}
	return nil
}

func (w *work) span(lo, hi int) span {
	return span{run: w.id, connector: w.connector, lo: lo, hi: hi, known: w.known}
}
