package ledger

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Want is what a person should hold: an entitlement, or an account of a system without entitlements.
type Want struct {
	IdentityID    string     `db:"identity_id"`
	ConnectorID   string     `db:"connector_id"`
	EntitlementID *string    `db:"entitlement_id"`
	AccountID     *string    `db:"account_id"` // nil: their main one of the system
	EndsAt        *time.Time `db:"ends_at"`    // when the last of its reasons ends; nil: never
	ReasonIDs     []string   `db:"reason_ids"`
	Kinds         []string   `db:"kinds"`
}

// And is what both ask for, where they ask for the same: until the later of their ends, for the reasons of both.
func (w Want) And(o Want) Want {
	if w.EndsAt == nil || o.EndsAt == nil {
		w.EndsAt = nil
	} else if o.EndsAt.After(*w.EndsAt) {
		w.EndsAt = o.EndsAt
	}
	w.ReasonIDs = slices.Concat(w.ReasonIDs, o.ReasonIDs)
	w.Kinds = slices.Compact(slices.Sorted(slices.Values(slices.Concat(w.Kinds, o.Kinds))))
	return w
}

// denied is the condition that an active reason denies what the reason r allows. One that denies a whole system denies
// everything in it; one that names no account denies it for all.
const denied = `
	exists (select from access_reason d
	         where d.identity_id = r.identity_id
	           and d.connector_id = r.connector_id
	           and d.effect = 'deny'
	           and d.state = 'active'
	           and (d.entitlement_id is null or d.entitlement_id = r.entitlement_id)
	           and (d.account_id is null or d.account_id = r.account_id))`

// Desired is what these people should hold, by person and system: everything that an active reason allows and none
// denies.
func Desired(ctx context.Context, tx *pg.Tx, identityIDs []string) ([]Want, error) {
	const sql = `
		select r.identity_id, r.connector_id, r.entitlement_id, r.account_id,
		       case when not bool_or(r.ends_at is null) then max(r.ends_at) end as ends_at,
		       array_agg(r.id::text order by r.created_at, r.id) as reason_ids,
		       array_agg(distinct r.kind) as kinds
		  from access_reason r
		 where r.identity_id = any(@ids::text[]::uuid[])
		   and r.state = 'active'
		   and r.effect = 'allow'
		   and not ` + denied + `
		 group by r.identity_id, r.connector_id, r.entitlement_id, r.account_id
		 order by r.identity_id, r.connector_id, r.entitlement_id nulls first, r.account_id nulls first`
	return pg.All[Want](ctx, tx, "desired access", sql, pgx.NamedArgs{"ids": identityIDs})
}
