package conclusion

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/removal"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
)

// applyRemovals makes true what has gone, and what is still there though it was thought gone. What the merge has
// brought back is counted by the merge.
func applyRemovals(ctx context.Context, tx *pg.Tx, r reconcile.Run) (done counters.PartCount, err error) {
	if r.FirstLoad {
		return done, nil
	}
	removed, err := removal.Apply(ctx, tx, r)
	if err != nil {
		return done, fmt.Errorf("apply removals: %w", err)
	}
	var back int64
	for object, c := range removed {
		if k := done.Report.OfObject(object); k != nil {
			k.Add(
				counters.Counts{
					Missing:    c.Missing,
					Removed:    c.Removed,
					Reappeared: c.Reappeared,
					Returned:   c.Returned,
					Skipped:    c.Skipped,
				},
			)
		}
		back += c.Reappeared
	}
	if back == 0 {
		return done, nil
	}
	const merged = `
		select object, count(*)
		  from sync_change
		 where tenant_id = current_tenant()
		   and run_id = $1
		   and change = 'reappear'
		   and state = 'applied'
		   and at = now()
		   and stage_seq is not null
		 group by object`
	var object string
	var n int64
	if err := pg.Each(ctx, tx, "what the merge brought back", []any{&object, &n}, func() error {
		if k := done.Report.OfObject(object); k != nil {
			k.Reappeared = max(0, k.Reappeared-n)
		}
		return nil
	}, merged, r.ID); err != nil {
		return done, err
	}
	return done, nil
}
