package syncrun

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Records that cannot be used are set aside, and the run goes on. When there are more than these, it is likelier that
// the source or its settings are broken than the records: the run fails before anything is removed.
const (
	maxSkipped      = 1000
	maxSkippedShare = 0.05
	fewSkipped      = 5 // so that one bad record of ten does not keep the other nine out
)

// enough is the share of the number that the source reports that must have been read for the reading to count as complete.
const enough = 0.98

func tooManySkipped(skipped, read int64) bool {
	share := float64(skipped) / float64(max(skipped+read, 1))
	return skipped > maxSkipped || skipped > fewSkipped && share > maxSkippedShare
}

func spoiled(skipped, read int64) error {
	return &v1.ErrorDetail{
		Class:   v1.ClassData,
		Code:    "too_many_bad_records",
		Message: fmt.Sprintf("%d of %d records could not be used; nothing was removed", skipped, skipped+read),
		Hint: "Look at what was set aside: the errors of this run name the fields. Often a setting of the " +
			"connector points to the wrong attribute.",
	}
}

// bearable ends a reading early that has too many bad records already. A run that went on after a break may have seen
// some twice; it is judged when all is read.
func (w *work) bearable() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.tally.shown()
	if w.resumes == 0 && c.Skipped > maxSkipped {
		return spoiled(c.Skipped, c.IdentitiesRead+c.AccountsDiscovered+c.EntitlementsMapped+c.GrantsRecorded)
	}
	return nil
}

// proofPart is the ledger's name for the proof. What it corrects in the counters is noted like a merged part.
const proofPart = "proof"

// proof is what the stages hold, by kind in the order of the stages.
type proof struct {
	total    [4]int64 // rows that are no tombstones
	distinct [4]int64 // records
	seen     [4]int64 // records with those that were only named as present
	skipped  [4]int64
	told     tally // what the chunks counted twice, as negative numbers
	complete map[string]bool
	warnings []v1.Warning
}

// prove settles, once all is read, what the reading is worth: each record counts once, however often it was read, and a
// kind counts as complete only when the numbers agree with what the connector and the source say.
func (w *work) prove(ctx context.Context) error {
	if w.merged[key(proofPart, 0)] {
		return nil
	}
	var p proof
	err := w.s.DB.AsBulk(ctx, w.v, func(tx *pg.Tx) (err error) {
		p = proof{}
		if err := w.measure(ctx, tx, &p); err != nil {
			return err
		}
		if read := sum(p.distinct); tooManySkipped(sum(p.skipped), read) {
			return spoiled(sum(p.skipped), read)
		}
		if err := w.complain(ctx, tx, &p); err != nil {
			return err
		}
		return w.noteProof(ctx, tx, &p)
	})
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tally.add(p.told)
	w.complete = p.complete
	for _, warning := range p.warnings {
		w.warn(warning)
	}
	w.capped = w.wasCapped()
	w.reread += w.repeated(&p)
	return nil
}

// repeated is how many records were staged a second time because the run went on after a break.
func (w *work) repeated(p *proof) int64 {
	if w.resumes == 0 {
		return 0
	}
	return sum(p.total) - sum(p.distinct)
}

func sum(n [4]int64) (s int64) {
	for _, v := range n {
		s += v
	}
	return s
}

// oneRecord is what makes two rows of a stage the same record.
var oneRecord = [4]string{
	"external_id",
	"external_id",
	"external_id",
	"entitlement_external_id, account_external_id, principal_entitlement_external_id, principal_ref_kind, " +
		"principal_ref_value, case when entitlement_external_id = '' then external_id end",
}

// measure counts what is staged. Unless it is merged already, it keeps each record once, the last that was read.
func (w *work) measure(ctx context.Context, tx *pg.Tx, p *proof) error {
	for i := range tables {
		all, distinct, err := w.countStaged(ctx, tx, i, p)
		if err != nil {
			return err
		}
		if all == distinct || w.streams {
			continue
		}
		if err := w.keepLast(ctx, tx, i); err != nil {
			return err
		}
		total := p.total[i]
		if _, _, err := w.countStaged(ctx, tx, i, p); err != nil {
			return err
		}
		p.total[i] = total
	}
	if err := w.tellOnce(ctx, tx, p); err != nil {
		return err
	}
	return w.countPresent(ctx, tx, p)
}

// countStaged fills in what a stage holds of live records, and tells how many rows it has in all, and how many of them
// differ.
func (w *work) countStaged(ctx context.Context, tx *pg.Tx, table int, p *proof) (all, distinct int64, err error) {
	const sql = `
		select coalesce(sum(n), 0), count(*), coalesce(sum(live), 0), count(*) filter (where live > 0)
		  from (select count(*) as n, count(*) filter (where not deleted) as live
		          from %s
		         where tenant_id = current_tenant() and run_id = $1
		         group by %s) as each`
	err = tx.QueryRow(ctx, fmt.Sprintf(sql, tables[table].name, oneRecord[table]), w.id).
		Scan(&all, &distinct, &p.total[table], &p.distinct[table])
	if err != nil {
		return 0, 0, fmt.Errorf("count %s: %w", tables[table].name, err)
	}
	return all, distinct, nil
}

// keepLast drops rows that a later one replaces, tombstones among them. On a first load the rows are merged already,
// and the merge has taken the later one.
func (w *work) keepLast(ctx context.Context, tx *pg.Tx, table int) error {
	const sql = `
		with ranked as (
		    select seq, ord, row_number() over (partition by %[2]s order by seq desc, ord desc) as n
		      from %[1]s
		     where tenant_id = current_tenant() and run_id = $1
		)
		delete from %[1]s s
		 using ranked r
		 where s.tenant_id = current_tenant()
		   and s.run_id = $1
		   and s.seq = r.seq
		   and s.ord = r.ord
		   and r.n > 1`
	if _, err := tx.Exec(ctx, fmt.Sprintf(sql, tables[table].name, oneRecord[table]), w.id); err != nil {
		return fmt.Errorf("keep the last of each in %s: %w", tables[table].name, err)
	}
	return nil
}

// tellOnce keeps each error once, and counts what was set aside whole.
func (w *work) tellOnce(ctx context.Context, tx *pg.Tx, p *proof) error {
	const sql = `
		with ranked as (
		    select n, row_number() over (partition by object, external_id, code, message, field, digest order by n) as k
		      from sync_error
		     where tenant_id = current_tenant() and run_id = $1
		)
		delete from sync_error e
		 using ranked r
		 where e.tenant_id = current_tenant()
		   and e.run_id = $1
		   and e.n = r.n
		   and r.k > 1
		returning e.object, e.whole`
	chunks := w.tally
	if chunks.Counters.Errors > 0 {
		rows, err := tx.Query(ctx, sql, w.id)
		if err != nil {
			return fmt.Errorf("tell errors once: %w", err)
		}
		var object string
		var whole bool
		_, err = pgx.ForEachRow(rows, []any{&object, &whole}, func() error {
			p.told.Counters.Errors--
			if k := p.told.Report.kindOfObject(object); k != nil && whole {
				k.Quarantined--
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("tell errors once: %w", err)
		}
	}
	for i, k := range chunks.Report.kinds()[:4] {
		p.skipped[i] = k.Quarantined + p.told.Report.kinds()[i].Quarantined
	}
	p.told.Counters.IdentitiesRead = p.distinct[ofIdentities] - chunks.Counters.IdentitiesRead
	p.told.Counters.AccountsDiscovered = p.distinct[ofAccounts] - chunks.Counters.AccountsDiscovered
	p.told.Counters.EntitlementsMapped = p.distinct[ofEntitlements] - chunks.Counters.EntitlementsMapped
	p.told.Counters.GrantsRecorded = p.distinct[ofGrants] - chunks.Counters.GrantsRecorded
	return nil
}

// countPresent adds the records that were only named as still there.
func (w *work) countPresent(ctx context.Context, tx *pg.Tx, p *proof) error {
	p.seen = p.distinct
	rows, err := tx.Query(
		ctx,
		`select distinct kind from stage_present where tenant_id = current_tenant() and run_id = $1`,
		w.id,
	)
	if err != nil {
		return fmt.Errorf("what is present: %w", err)
	}
	kinds, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("what is present: %w", err)
	}
	for _, kind := range kinds {
		for i, name := range protocolKinds {
			if kind != string(name) {
				continue
			}
			sql := `
				select count(*)
				  from (select external_id from ` + tables[i].name + ` where tenant_id = current_tenant()
				            and run_id = $1 and not deleted
				         union
				        select external_id from stage_present where tenant_id = current_tenant() and run_id = $1
				            and kind = $2) as seen`
			if err := tx.QueryRow(ctx, sql, w.id, kind).Scan(&p.seen[i]); err != nil {
				return fmt.Errorf("count present %s: %w", kind, err)
			}
		}
	}
	return nil
}

// protocolKinds are the kinds of record in the order of the stages.
var protocolKinds = [4]v1.ObjectKind{v1.Identities, v1.Accounts, v1.Entitlements, v1.Grants}

func (w *work) noteProof(ctx context.Context, tx *pg.Tx, p *proof) error {
	const ledger = `
		insert into sync_merge (tenant_id, run_id, part, lo, hi, counters)
		values (current_tenant(), $1, $2, 0, 0, $3)`
	if _, err := tx.Exec(ctx, ledger, w.id, proofPart, p.told.compact()); err != nil {
		return fmt.Errorf("note proof: %w", err)
	}
	const sql = `
		update sync_run
		   set complete = $4, warnings = $5, reread = reread + $6, progress_seq = progress_seq + 1, updated_at = now(),
		       progress_at = now()
		 where tenant_id = current_tenant() and id = $1 and lease_owner = $2 and attempt = $3`
	warnings := append(append([]v1.Warning{}, w.warnings...), p.warnings...)
	complete, err := json.Marshal(p.complete)
	if err != nil {
		return fmt.Errorf("note proof: %w", err)
	}
	tag, err := tx.Exec(
		ctx,
		sql,
		w.id,
		w.s.process.String(),
		w.attempt,
		string(complete),
		encode(warnings),
		w.repeated(p),
	)
	if err != nil {
		return fmt.Errorf("note proof: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return errFenced
	}
	return nil
}
