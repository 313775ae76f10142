package proof

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/staging"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Records that cannot be used are set aside, and the run goes on. When there are more than these, it is likelier that
// the source or its settings are broken than the records: the run fails before anything is removed.
const (
	maxSkipped      = 1000
	maxSkippedShare = 0.05
	fewSkipped      = 5 // so that one bad record of ten does not keep the other nine out
)

// enough is the share of the number that the source reports that must have been read for the reading to count as
// complete.
const enough = 0.98

// Hopeless is the error of a reading that has too many bad records before its end, and nil if it may still turn out
// well.
func Hopeless(skipped, read int64) error {
	if skipped > maxSkipped {
		return spoiled(skipped, read)
	}
	return nil
}

// tooManySkipped says whether so many records of a kind could not be used that the rest proves
// nothing. A few are always tolerated, whatever their share.
func tooManySkipped(skipped, read int64) bool {
	share := float64(skipped) / float64(max(skipped+read, 1))
	return skipped > maxSkipped || skipped > fewSkipped && share > maxSkippedShare
}

// spoiled is the error of a run with too many unusable records. It is one of the data: another
// attempt would fail as well.
func spoiled(skipped, read int64) error {
	return &v1.ErrorDetail{
		Class:   v1.ClassData,
		Code:    "too_many_bad_records",
		Message: fmt.Sprintf("%d of %d records could not be used; nothing was removed", skipped, skipped+read),
		Hint: "Look at what was set aside: the errors of this run name the fields. Often a setting of the " +
			"connector points to the wrong attribute.",
	}
}

// Reading is what a run has read to its end and staged, before it is proven.
type Reading struct {
	Run      string
	Kinds    []v1.ObjectKind    // what the connector was asked for
	Counted  counters.PartCount // by the chunks
	Merged   bool               // the rows are merged already, and stay as they are
	Capped   bool               // by max_records
	Estimate *v1.Estimate       // the numbers that the source reports
}

// Proof is what the stages hold, by kind in the order of the stages, and what that is worth.
type Proof struct {
	Total      [4]int64 // rows that are no tombstones
	Distinct   [4]int64 // records
	seen       [4]int64 // records with those that were only named as present
	skipped    [4]int64
	Correction counters.PartCount // what the chunks counted twice, as negative numbers
	Complete   map[string]bool    // by kind of the protocol: its absences are deletions
	Warnings   []v1.Warning
}

// Prove settles, once all is read, what the reading is worth: each record counts once, however often it was read, and a
// kind counts as complete only if the numbers agree with what the connector and the source say. It fails with an error
// of class data if too many records could not be used.
func (r Reading) Prove(ctx context.Context, tx *pg.Tx) (Proof, error) {
	var p Proof
	if err := r.measure(ctx, tx, &p); err != nil {
		return p, err
	}
	if read := sum(p.Distinct); tooManySkipped(sum(p.skipped), read) {
		return p, spoiled(sum(p.skipped), read)
	}
	return p, r.complain(ctx, tx, &p)
}

// Repeated is how many records were staged more than once.
func (p Proof) Repeated() int64 { return sum(p.Total) - sum(p.Distinct) }

// sum is the sum over the four kinds of record.
func sum(n [4]int64) (s int64) {
	for _, v := range n {
		s += v
	}
	return s
}

// measure counts what is staged. Unless it is merged already, it keeps each record once, the last that was read.
func (r Reading) measure(ctx context.Context, tx *pg.Tx, p *Proof) error {
	for i := range staging.Tables {
		all, distinct, err := r.countStaged(ctx, tx, i, p)
		if err != nil {
			return err
		}
		if all == distinct || r.Merged {
			continue
		}
		if err := r.keepLast(ctx, tx, i); err != nil {
			return err
		}
		total := p.Total[i]
		if _, _, err := r.countStaged(ctx, tx, i, p); err != nil {
			return err
		}
		p.Total[i] = total
	}
	if err := r.dropDuplicateErrors(ctx, tx, p); err != nil {
		return err
	}
	return r.countPresent(ctx, tx, p)
}

// countStaged fills in what a stage holds of live records, and returns how many rows it has, and how many of them
// differ.
func (r Reading) countStaged(ctx context.Context, tx *pg.Tx, table int, p *Proof) (all, distinct int64, err error) {
	const sql = `
		select coalesce(sum(n), 0), count(*), coalesce(sum(live), 0), count(*) filter (where live > 0)
		  from (select count(*) as n, count(*) filter (where not deleted) as live
		          from %s
		         where tenant_id = current_tenant() and run_id = $1
		         group by %s) as each`
	err = tx.QueryRow(ctx, fmt.Sprintf(sql, staging.Tables[table].Name, staging.RecordKeys[table]), r.Run).
		Scan(&all, &distinct, &p.Total[table], &p.Distinct[table])
	if err != nil {
		return 0, 0, fmt.Errorf("count %s: %w", staging.Tables[table].Name, err)
	}
	return all, distinct, nil
}

// keepLast drops rows that a later one replaces, tombstones among them. On a first load the rows are merged already,
// and the merge has taken the later one.
func (r Reading) keepLast(ctx context.Context, tx *pg.Tx, table int) error {
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
	return pg.Exec(
		ctx,
		tx,
		fmt.Sprintf("keep the last of each in %s", staging.Tables[table].Name),
		fmt.Sprintf(sql, staging.Tables[table].Name, staging.RecordKeys[table]),
		r.Run,
	)
}

// dropDuplicateErrors keeps each error once, and counts what was set aside whole.
func (r Reading) dropDuplicateErrors(ctx context.Context, tx *pg.Tx, p *Proof) error {
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
	chunks := r.Counted
	if chunks.Counters.Errors > 0 {
		var object string
		var whole bool
		if err := pg.Each(ctx, tx, "tell errors once", []any{&object, &whole}, func() error {
			p.Correction.Counters.Errors--
			if k := p.Correction.Report.OfObject(object); k != nil && whole {
				k.Quarantined--
			}
			return nil
		}, sql, r.Run); err != nil {
			return err
		}
	}
	for i, k := range chunks.Report.Kinds()[:4] {
		p.skipped[i] = k.Quarantined + p.Correction.Report.Kinds()[i].Quarantined
	}
	p.Correction.Counters.IdentitiesRead = p.Distinct[staging.Identities] - chunks.Counters.IdentitiesRead
	p.Correction.Counters.AccountsDiscovered = p.Distinct[staging.Accounts] - chunks.Counters.AccountsDiscovered
	p.Correction.Counters.EntitlementsMapped = p.Distinct[staging.Entitlements] - chunks.Counters.EntitlementsMapped
	p.Correction.Counters.GrantsRecorded = p.Distinct[staging.Grants] - chunks.Counters.GrantsRecorded
	return nil
}

// countPresent adds the records that were only named as still there.
func (r Reading) countPresent(ctx context.Context, tx *pg.Tx, p *Proof) error {
	p.seen = p.Distinct
	kinds, err := pg.All[string](
		ctx,
		tx,
		"what is present",
		`select distinct kind from stage_present where tenant_id = current_tenant() and run_id = $1`,
		r.Run,
	)
	if err != nil {
		return err
	}
	for _, kind := range kinds {
		for i, name := range staging.ProtocolKinds {
			if kind != string(name) {
				continue
			}
			sql := `
				select count(*)
				  from (select external_id from ` + staging.Tables[i].Name + ` where tenant_id = current_tenant()
				            and run_id = $1 and not deleted
				         union
				        select external_id from stage_present where tenant_id = current_tenant() and run_id = $1
				            and kind = $2) as seen`
			if err := tx.QueryRow(ctx, sql, r.Run, kind).Scan(&p.seen[i]); err != nil {
				return fmt.Errorf("count present %s: %w", kind, err)
			}
		}
	}
	return nil
}
