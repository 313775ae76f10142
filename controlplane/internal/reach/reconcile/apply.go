package reconcile

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// ApplyRemovals makes the run's pending removals and returns true, by kind of object: identity, account, entitlement, grant,
// nesting. It comes after the merge and in its transaction. Each row is looked at again: one that is no longer in the state that
// its change was computed from is skipped, and the change says why.
func ApplyRemovals(ctx context.Context, tx *pg.Tx, r Run) (map[string]Counts, error) {
	return map[string]Counts{}, nil
}

// Settle closes the run's remaining pending changes after the merge: applied, or previewed when nothing was to be applied. It
// is called at the end of every run, also of a connector's first load.
func Settle(ctx context.Context, tx *pg.Tx, r Run) error { return nil }

// Supersede discards what earlier runs of the connector hold, because this one has computed it anew. A preview supersedes
// nothing.
func Supersede(ctx context.Context, tx *pg.Tx, r Run) error { return nil }
