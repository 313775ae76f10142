package worker

import (
	"context"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/evaluation"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/hold"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/removal"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
)

// evaluate weighs, once all is read, what the run would change. over is true when the run ends, or waits, without a
// merge: a preview, or a run of which nothing may happen unseen.
func (w *work) evaluate(ctx context.Context) (over bool, err error) {
	if w.evaluated {
		return false, nil
	}
	if err := w.enter(ctx, syncrun.Evaluating, "evaluate"); err != nil {
		return false, err
	}
	if err := w.prove(ctx); err != nil {
		return false, err
	}
	err = w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) (err error) {
		over, err = w.weigh(ctx, tx)
		return err
	})
	return over, err
}

func (w *work) weigh(ctx context.Context, tx *pg.Tx) (over bool, err error) {
	if err := w.lease.Check(ctx, tx); err != nil {
		return false, err
	}
	var verdict reconcile.Verdict
	if !w.firstLoad || w.preview {
		if verdict, err = evaluation.Evaluate(ctx, tx, w.run()); err != nil {
			return false, fmt.Errorf("evaluate: %w", err)
		}
	}
	if w.preview {
		return true, w.showPreview(ctx, tx, verdict)
	}
	if err := hold.Supersede(ctx, tx, w.run()); err != nil {
		return false, fmt.Errorf("supersede: %w", err)
	}
	if err := w.markEvaluated(ctx, tx); err != nil {
		return false, err
	}
	if verdict.HoldRun {
		return true, w.write(ctx, tx, syncrun.Held, w.count, nil)
	}
	return false, nil
}

func (w *work) markEvaluated(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		update sync_run
		   set evaluated = true, status = 'applying', phase = 'apply', failures = 0, lapsed = '{}',
		       progress_seq = progress_seq + 1, updated_at = now(), progress_at = now()
		 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
	return w.lease.Update(ctx, tx, sql)
}

// showPreview ends a preview. Its report counts what would be done.
func (w *work) showPreview(ctx context.Context, tx *pg.Tx, verdict reconcile.Verdict) error {
	if err := removal.Settle(ctx, tx, w.run()); err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	t := w.count
	for change, n := range verdict.Changes {
		object, what, _ := strings.Cut(change, ".")
		if k := t.Report.OfObject(object); k != nil {
			k.Foresee(what, n)
		}
	}
	c := t.Counters
	for i, read := range []int64{c.IdentitiesRead, c.AccountsDiscovered, c.EntitlementsMapped, c.GrantsRecorded} {
		k := t.Report.Kinds()[i]
		k.Unchanged = max(0, read-k.Created-k.Updated-k.Reappeared)
	}
	return w.write(ctx, tx, syncrun.Previewed, t, nil)
}
