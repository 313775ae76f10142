package syncrun

import (
	"context"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
)

// evaluate weighs, once all is read, what the run would change. over is true when the run ends, or waits, without a
// merge: a preview, or a run of which nothing may happen unseen.
func (w *work) evaluate(ctx context.Context) (over bool, err error) {
	if w.evaluated {
		return false, nil
	}
	if err := w.enter(ctx, Evaluating, "evaluate"); err != nil {
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
	if err := w.ours(ctx, tx); err != nil {
		return false, err
	}
	var verdict reconcile.Verdict
	if !w.firstLoad || w.preview {
		if verdict, err = reconcile.Evaluate(ctx, tx, w.run()); err != nil {
			return false, fmt.Errorf("evaluate: %w", err)
		}
	}
	if w.preview {
		return true, w.showPreview(ctx, tx, verdict)
	}
	if err := reconcile.Supersede(ctx, tx, w.run()); err != nil {
		return false, fmt.Errorf("supersede: %w", err)
	}
	if err := w.markEvaluated(ctx, tx); err != nil {
		return false, err
	}
	if verdict.HoldRun {
		return true, w.write(ctx, tx, Held, w.tally, nil)
	}
	return false, nil
}

func (w *work) markEvaluated(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		update sync_run
		   set evaluated = true, status = 'applying', phase = 'apply', failures = 0, lapsed = '{}',
		       progress_seq = progress_seq + 1, updated_at = now(), progress_at = now()
		 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
	tag, err := tx.Exec(ctx, sql, w.id, w.s.process.String(), w.attempt)
	if err != nil {
		return fmt.Errorf("note evaluation: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return errFenced
	}
	return nil
}

// showPreview ends a preview. Its report counts what would be done.
func (w *work) showPreview(ctx context.Context, tx *pg.Tx, verdict reconcile.Verdict) error {
	if err := reconcile.Settle(ctx, tx, w.run()); err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	t := w.tally
	for change, n := range verdict.Changes {
		object, what, _ := strings.Cut(change, ".")
		if k := t.Report.kindOfObject(object); k != nil {
			k.foresee(what, n)
		}
	}
	c := t.Counters
	for i, read := range []int64{c.IdentitiesRead, c.AccountsDiscovered, c.EntitlementsMapped, c.GrantsRecorded} {
		k := t.Report.kinds()[i]
		k.Unchanged = max(0, read-k.Created-k.Updated-k.Reappeared)
	}
	return w.write(ctx, tx, Previewed, t, nil)
}

func (c *Counts) foresee(change string, n int64) {
	switch change {
	case "create":
		c.Created += n
	case "update", "disable":
		c.Updated += n
	case "missing":
		c.Missing += n
	case "remove":
		c.Removed += n
	case "reappear":
		c.Reappeared += n
	}
}
