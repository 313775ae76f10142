package worker

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/proof"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// bearable ends a reading early that has too many bad records already. A run that went on after a break may have seen
// some twice; it is judged when all is read.
func (w *work) bearable() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.count.Totals()
	if w.resumes > 0 {
		return nil
	}
	return proof.Hopeless(c.Skipped, c.IdentitiesRead+c.AccountsDiscovered+c.EntitlementsMapped+c.GrantsRecorded)
}

// proofPart is the ledger's name for the proof. What it corrects in the counters is noted like a merged part.
const proofPart = "proof"

// prove settles, once all is read, what the reading is worth.
func (w *work) prove(ctx context.Context) error {
	if w.merged[key(proofPart, 0)] {
		return nil
	}
	var p proof.Proof
	err := w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) (err error) {
		reading := proof.Reading{
			Run:      w.id,
			Kinds:    w.Kinds,
			Counted:  w.count,
			Merged:   w.streams,
			Capped:   w.Capped,
			Estimate: w.Estimate,
		}
		if p, err = reading.Prove(ctx, tx); err != nil {
			return err
		}
		return w.noteProof(ctx, tx, p)
	})
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count.Add(p.Correction)
	w.Complete = p.Complete
	for _, warning := range p.Warnings {
		w.Warn(warning)
	}
	w.Capped = w.WasCapped()
	w.reread += w.repeated(p)
	return nil
}

// repeated is how many records were staged a second time because the run went on after a break.
func (w *work) repeated(p proof.Proof) int64 {
	if w.resumes == 0 {
		return 0
	}
	return p.Repeated()
}

func (w *work) noteProof(ctx context.Context, tx *pg.Tx, p proof.Proof) error {
	const ledger = `
		insert into sync_merge (tenant_id, run_id, part, lo, hi, counters)
		values (current_tenant(), $1, $2, 0, 0, $3)`
	if err := pg.Exec(ctx, tx, "note proof", ledger, w.id, proofPart, p.Correction.JSON()); err != nil {
		return err
	}
	const sql = `
		update sync_run
		   set complete = $4, warnings = $5, reread = reread + $6, progress_seq = progress_seq + 1, updated_at = now(),
		       progress_at = now()
		 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
	warnings := append(append([]v1.Warning{}, w.Warnings...), p.Warnings...)
	return w.lease.Update(ctx, tx, sql, encode(p.Complete), encode(warnings), w.repeated(p))
}
