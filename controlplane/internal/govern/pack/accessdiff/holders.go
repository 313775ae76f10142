package accessdiff

import (
	"context"
	"fmt"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/impact"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// gaining is a person who gains or loses something.
type gaining struct {
	// id is the person's; gains are the entitlements and accounts that they would get.
	id    string
	gains []impact.GrantShift
	loses bool
}

// peopleAtOnce bounds how many people's gains are looked up by one statement.
const peopleAtOnce = 500

// countHeld counts what people gain and hold in the systems already, and marks it in the sample, which shares its
// gains.
func countHeld(ctx context.Context, tx *pg.Tx, all []gaining, out *impact.Impact) error {
	for part := range slices.Chunk(all, peopleAtOnce) {
		var gains []impact.Gain
		for _, p := range part {
			for _, g := range p.gains {
				gains = append(
					gains,
					impact.Gain{IdentityID: p.id, ConnectorID: g.ConnectorID, EntitlementID: textOf(g.EntitlementID)},
				)
			}
		}
		held, err := impact.HeldAlready(ctx, tx, gains)
		if err != nil {
			return err
		}
		for _, p := range part {
			only := !p.loses
			for i := range p.gains {
				p.gains[i].Held = held[0]
				if only = only && held[0]; held[0] {
					out.GrantsHeld++
				}
				held = held[1:]
			}
			if only {
				out.ReasonsOnly++
			}
		}
	}
	return nil
}

// accountsMissing counts the people who have no account in a system in which they gain something.
func accountsMissing(ctx context.Context, tx *pg.Tx, people, systems []string) (n int, err error) {
	const sql = `
		select count(*)
		  from unnest($1::text[]::uuid[], $2::text[]::uuid[]) w (identity_id, connector_id)
		 where not exists (select from account a
		                    where a.tenant_id = current_tenant()
		                      and a.identity_id = w.identity_id
		                      and a.connector_id = w.connector_id
		                      and a.status not in ('deleted', 'disconnected'))`
	if len(people) == 0 {
		return 0, nil
	}
	if err := tx.QueryRow(ctx, sql, people, systems).Scan(&n); err != nil {
		return 0, fmt.Errorf("count accounts that are missing: %w", err)
	}
	return n, nil
}
