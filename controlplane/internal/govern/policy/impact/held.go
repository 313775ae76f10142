package impact

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Gain is an entitlement, or an account if EntitlementID is empty, for which a change gives a person a reason.
type Gain struct{ IdentityID, ConnectorID, EntitlementID string }

// gainsAtOnce bounds how many gains one statement looks up.
const gainsAtOnce = 5000

// HeldAlready says of each gain whether the person holds it in the system already: then the change gives a reason, and
// nothing new.
func HeldAlready(ctx context.Context, tx *pg.Tx, gains []Gain) ([]bool, error) {
	const sql = `
		select w.n::int - 1
		  from unnest($1::text[]::uuid[], $2::text[]::uuid[], $3::text[]) with ordinality w (identity_id, connector_id,
		      entitlement_id, n)
		 where exists (
		        select from account a
		         where a.tenant_id = current_tenant()
		           and a.identity_id = w.identity_id
		           and a.connector_id = w.connector_id
		           and a.status in ('active', 'locked', 'disabled', 'missing')
		           and (w.entitlement_id = '' or exists (
		                select from access_grant g
		                 where g.tenant_id = a.tenant_id
		                   and g.account_id = a.id
		                   and g.entitlement_id = nullif(w.entitlement_id, '')::uuid
		                   and g.status in ('active', 'ending'))))`
	held := make([]bool, 0, len(gains))
	for part := range slices.Chunk(gains, gainsAtOnce) {
		people, systems, rights := make([]string, len(part)), make([]string, len(part)), make([]string, len(part))
		for i, g := range part {
			people[i], systems[i], rights[i] = g.IdentityID, g.ConnectorID, g.EntitlementID
		}
		found, err := pg.All[int](ctx, tx, "look for what people hold", sql, people, systems, rights)
		if err != nil {
			return nil, err
		}
		first := len(held)
		held = append(held, make([]bool, len(part))...)
		for _, i := range found {
			held[first+i] = true
		}
	}
	return held, nil
}

// CountHeld counts what the person gains and holds in the systems already. only: they gain nothing else, and lose
// nothing.
func (p PersonImpact) CountHeld() (n int, only bool) {
	for _, g := range p.Gains {
		if g.Held {
			n++
		}
	}
	return n, n > 0 && n == len(p.Gains) && len(p.Losses) == 0
}
