package nesting

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Nesting multiplies: a target of 1,600 records can be written so that 320,000 grants follow from it. What a connector
// may bring this way depends on what it has directly, and is charged before a row of it is written. Beyond it nothing
// is added and nothing taken away.
const (
	inheritedAlways    = 100_000   // grants that any connector may bring
	inheritedPerDirect = 25        // more for each direct grant
	inheritedMost      = 5_000_000 // and no connector more than these
)

// errTooManyInherited ends an expansion before it begins to write.
var errTooManyInherited = errors.New("more grants follow from the nesting than are kept")

// inheritedLimit is how many grants may follow from the nesting of a connector.
func inheritedLimit(direct int64) int64 {
	return min(inheritedAlways+inheritedPerDirect*direct, inheritedMost)
}

// nestedHolders counts, for every nested entitlement of a connector that is held directly, its holders.
func nestedHolders(
	ctx context.Context,
	tx *pg.Tx,
	connectorID string,
) (ids [][16]byte, holders map[[16]byte]int64, err error) {
	const sql = `
		select g.entitlement_id, count(*)
		  from access_grant g
		 where g.connector_id = $1
		   and g.directness = 'direct'
		   and ` + HeldSQL + `
		   and exists (select from entitlement_edge n where n.connector_id = $1 and n.member_id = g.entitlement_id)
		 group by g.entitlement_id`
	rows, err := tx.Query(ctx, sql, connectorID)
	if err != nil {
		return nil, nil, fmt.Errorf("find what follows from nesting: %w", err)
	}
	holders = map[[16]byte]int64{}
	var id [16]byte
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error {
		ids, holders[id] = append(ids, id), n
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("find what follows from nesting: %w", err)
	}
	return ids, holders, nil
}

// directGrants counts those of a connector.
func directGrants(ctx context.Context, tx *pg.Tx, connectorID string) (n int64, err error) {
	const sql = `select count(*) from access_grant g where g.connector_id = $1 and g.directness = 'direct'
		and ` + HeldSQL
	if err := tx.QueryRow(ctx, sql, connectorID).Scan(&n); err != nil {
		return 0, fmt.Errorf("count direct grants: %w", err)
	}
	return n, nil
}

// allowance is what may still follow from the nesting.
type allowance struct {
	// left is how many inherited grants there may still be; holders are those of each group.
	left    int64
	holders map[[16]byte]int64
}

// charge takes pairs of entitlements off, each for all of its holders. It fails where too many would follow.
func (a *allowance) charge(below [][16]byte) error {
	for _, id := range below {
		if a.left -= a.holders[id]; a.left < 0 {
			return errTooManyInherited
		}
	}
	return nil
}

// followLimit is how many accounts are followed without counting first what they bring.
const followLimit = 100

// tooManyFollow reports whether more would follow for some accounts than is kept of their connector.
func tooManyFollow(
	ctx context.Context,
	tx *pg.Tx,
	connectorID string,
	accounts []string,
) (does bool, limit int64, err error) {
	if len(accounts) <= followLimit {
		return false, 0, nil
	}
	direct, err := directGrants(ctx, tx, connectorID)
	if err != nil {
		return false, 0, err
	}
	limit = inheritedLimit(direct)
	const sql = `
		with recursive up (account_id, entitlement_id) as (
			select g.account_id, n.parent_id
			  from access_grant g
			  join entitlement_edge n on n.member_id = g.entitlement_id
			 where g.account_id = any($1::text[]::uuid[])
			   and g.directness = 'direct'
			   and ` + HeldSQL + `
			 union
			select u.account_id, n.parent_id
			  from up u
			  join entitlement_edge n on n.member_id = u.entitlement_id)
		select count(*) from (select from up limit $2) u`
	var n int64
	if err := tx.QueryRow(ctx, sql, accounts, limit+1).Scan(&n); err != nil {
		return false, 0, fmt.Errorf("count what follows from nesting: %w", err)
	}
	return n > limit, limit, nil
}
