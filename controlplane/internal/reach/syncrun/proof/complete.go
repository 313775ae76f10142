package proof

import (
	"context"
	"fmt"
	"math"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/staging"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// complain decides which kinds were read to their proven end, and says with numbers why others were not. What is not
// proven is marked so in the stage as well: absence counts for nothing there.
func (r Reading) complain(ctx context.Context, tx *pg.Tx, p *Proof) error {
	attested, err := r.attested(ctx, tx)
	if err != nil {
		return err
	}
	p.Complete = map[string]bool{}
	for _, kind := range r.Kinds {
		p.Complete[string(kind)] = false
	}
	var unproven []string
	for i, kind := range staging.ProtocolKinds {
		if p.skipped[i] > 0 {
			unproven = append(unproven, string(kind))
		}
		count, is := attested[string(kind)]
		if !is {
			continue
		}
		why := r.doubt(i, count, p)
		p.Complete[string(kind)] = why == ""
		if why != "" {
			unproven = append(unproven, string(kind))
			p.Warnings = append(
				p.Warnings,
				v1.Warning{
					Code:    "incomplete_read",
					Message: string(kind) + ": " + why + "; none of them is treated as deleted",
				},
			)
		}
	}
	if err := r.unprove(ctx, tx, unproven); err != nil {
		return err
	}
	return r.checkParts(ctx, tx, p)
}

// doubt says why a kind that the connector attests as complete is not taken for it; empty where it is.
func (r Reading) doubt(kind int, count int64, p *Proof) string {
	switch {
	case r.Capped:
		return "the reading was capped by max_records"
	case p.skipped[kind] > 0:
		return fmt.Sprintf("the number of records that could not be used is %d", p.skipped[kind])
	case p.seen[kind] < count:
		return fmt.Sprintf("the connector counted %d, but %d arrived", count, p.seen[kind])
	}
	if says := r.estimateOf(kind); says != nil && float64(p.seen[kind]) < math.Floor(enough*float64(*says)) {
		return fmt.Sprintf("the source reports %d, but %d were read", *says, p.seen[kind])
	}
	return ""
}

// estimateOf is the connector's estimate of a kind of record. Nil: it gave none.
func (r Reading) estimateOf(kind int) *int {
	if r.Estimate == nil {
		return nil
	}
	return [4]*int{r.Estimate.Identities, r.Estimate.Accounts, r.Estimate.Entitlements, r.Estimate.Grants}[kind]
}

// attested are the kinds that the connector says it has read to their end, with its counts.
func (r Reading) attested(ctx context.Context, tx *pg.Tx) (map[string]int64, error) {
	const sql = `
		select kind, count
		  from stage_scope
		 where tenant_id = current_tenant()
		   and run_id = $1
		   and key = '*'
		   and complete`
	found := map[string]int64{}
	var kind string
	var count int64
	if err := pg.Each(ctx, tx, "attested scopes", []any{&kind, &count}, func() error {
		found[kind] = count
		return nil
	}, sql, r.Run); err != nil {
		return nil, err
	}
	return found, nil
}

// unprove takes the connector's word back for the given kinds, also where it stands for a single entitlement or
// account.
func (r Reading) unprove(ctx context.Context, tx *pg.Tx, kinds []string) error {
	const sql = `
		update stage_scope
		   set complete = false
		 where tenant_id = current_tenant()
		   and run_id = $1
		   and complete
		   and (kind = any ($2) or $3)`
	return pg.Exec(ctx, tx, "unprove scopes", sql, r.Run, kinds, r.Capped)
}

// checkParts does the same for the grants of single entitlements and accounts: what did not arrive proves nothing.
func (r Reading) checkParts(ctx context.Context, tx *pg.Tx, p *Proof) error {
	const sql = `
		with part as (
		    select key, count, split_part(key, ':', 1) as by, substr(key, strpos(key, ':') + 1) as external_id
		      from stage_scope
		     where tenant_id = current_tenant() and run_id = $1 and kind = 'grants' and key <> '*' and complete
		), arrived as (
		    select p.key, count(g.seq) as n
		      from part p
		      join stage_grant g
		        on g.tenant_id = current_tenant()
		       and g.run_id = $1
		       and not g.deleted
		       and g.entitlement_external_id = p.external_id
		     where p.by = 'entitlement'
		     group by p.key
		     union all
		    select p.key, count(g.seq)
		      from part p
		      join stage_grant g
		        on g.tenant_id = current_tenant()
		       and g.run_id = $1
		       and not g.deleted
		       and g.account_external_id = p.external_id
		     where p.by = 'account'
		     group by p.key
		)
		update stage_scope s
		   set complete = false
		  from part p
		  left join arrived a
		    on a.key = p.key
		 where s.tenant_id = current_tenant()
		   and s.run_id = $1
		   and s.kind = 'grants'
		   and s.key = p.key
		   and coalesce(a.n, 0) < p.count`
	tag, err := tx.Exec(ctx, sql, r.Run)
	if err != nil {
		return fmt.Errorf("check scopes of grants: %w", err)
	}
	if n := tag.RowsAffected(); n > 0 {
		p.Warnings = append(p.Warnings, v1.Warning{
			Code: "incomplete_read",
			Message: fmt.Sprintf(
				"of %d entitlements or accounts not all grants arrived; none of theirs is treated as removed",
				n,
			),
		})
	}
	return nil
}
