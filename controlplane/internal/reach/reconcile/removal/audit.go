package removal

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// past names what was done in an audit entry.
var past = map[string]string{"missing": "missing", "remove": "removed", "reappear": "reappeared", "return": "returned"}

// auditRemovals writes one entry for each kind of object and change, with its count: a line for each row would bury
// everything else.
func auditRemovals(ctx context.Context, tx *pg.Tx, r reconcile.Run, done map[string]reconcile.Counts) error {
	for _, o := range removals {
		n := done[o.object]
		for _, each := range []struct {
			change string
			count  int64
		}{{"missing", n.Missing}, {"remove", n.Removed}, {"reappear", n.Reappeared}, {"return", n.Returned}} {
			if each.count == 0 {
				continue
			}
			err := audit.Record(ctx, tx, audit.Entry{
				Action: o.object + "." + past[each.change], Subject: audit.Subject{Type: "sync_run", ID: r.ID},
				Context: map[string]any{"run_id": r.ID, "connector_id": r.Connector, "count": each.count},
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
