package nesting

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// HeldSQL are the states in which an account has what a grant says, as far as is known: absence counts only when it is
// proven.
const HeldSQL = `g.status in ('active', 'ending', 'revoking', 'missing')`

// Inherited says what was changed of inherited grants.
type Inherited struct {
	Added   int // pairs that now follow from nesting
	Removed int // pairs that no longer do

	// Limit, where it is not 0, is how many grants may follow from the nesting of the connector. More would, so that
	// none was added or removed.
	Limit int64
}

// Expand brings all inherited grants of one connector up to date with its direct grants and its nesting, for
// the end of a sync. A pair that is held directly stays direct; one that was removed directly and still follows becomes
// inherited. Without nesting it does nothing. Cycles in the nesting end. Where more would follow than may, it changes
// nothing and says so; see Inherited.Limit.
func Expand(ctx context.Context, tx *pg.Tx, connectorID string) (n Inherited, err error) {
	needed, err := nests(ctx, tx, connectorID)
	if err != nil || !needed {
		return n, err
	}
	if err := oneAtATime(ctx, tx, connectorID); err != nil {
		return n, err
	}
	// After a first load statistics still say that the tables are empty, and nested loops over 100,000 grants take
	// minutes.
	err = tx.With(ctx, pg.WholeNesting, func() error {
		limit, err := findFollowing(ctx, tx, connectorID)
		if errors.Is(err, errTooManyInherited) {
			n.Limit = limit
			return nil
		}
		if err != nil {
			return err
		}
		const all = `g.connector_id = @connector`
		n, err = agree(ctx, tx, "with", all, pgx.NamedArgs{"connector": connectorID})
		return err
	})
	return n, err
}

// nests says whether there is nesting in a connector, or anything left of it.
func nests(ctx context.Context, tx *pg.Tx, connectorID string) (does bool, err error) {
	const ask = `
		select exists (select from entitlement_edge n where n.connector_id = @connector)
		    or exists (select from access_grant g where g.connector_id = @connector and g.directness = 'inherited')`
	if err := tx.QueryRow(ctx, ask, pgx.NamedArgs{"connector": connectorID}).Scan(&does); err != nil {
		return false, fmt.Errorf("look for nesting: %w", err)
	}
	return does, nil
}

// oneAtATime waits for other transactions that follow the nesting of a connector: of two that do not see what the other
// changed, neither would draw what follows from both.
func oneAtATime(ctx context.Context, tx *pg.Tx, connectorID string) error {
	const lock = `select pg_advisory_xact_lock(hashtextextended('nesting ' || current_tenant()::text || $1, 0))`
	return pg.Exec(ctx, tx, "wait for others who follow the nesting", lock, connectorID)
}

// findFollowing fills the temporary table following with the pairs of account and entitlement that follow from the
// nesting of a connector, of which there may be limit.
func findFollowing(ctx context.Context, tx *pg.Tx, connectorID string) (limit int64, err error) {
	const (
		empty = `create temporary table if not exists following (account_id uuid, entitlement_id uuid) on commit drop;
		truncate following`
		fill = `
			insert into following
			select g.account_id, a.above
			  from unnest(@below::uuid[], @above::uuid[]) a (below, above)
			  join access_grant g on g.entitlement_id = a.below
			 where g.directness = 'direct'
			   and ` + HeldSQL
	)
	up, err := ReadUpward(ctx, tx, connectorID)
	if err != nil {
		return 0, err
	}
	direct, err := directGrants(ctx, tx, connectorID)
	if err != nil {
		return 0, err
	}
	beginnings, holders, err := nestedHolders(ctx, tx, connectorID)
	if err != nil {
		return 0, err
	}
	if err := pg.Exec(ctx, tx, "find what follows from nesting", empty, pgx.QueryExecModeSimpleProtocol); err != nil {
		return 0, err
	}
	limit = inheritedLimit(direct)
	room := &allowance{left: limit, holders: holders}
	err = up.closure(beginnings, func(p pairs) error {
		if err := room.charge(p.below); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, fill, pgx.NamedArgs{"below": p.below, "above": p.above})
		return err
	})
	if err == nil {
		_, err = tx.Exec(ctx, `analyze following`)
	}
	if err != nil {
		return limit, fmt.Errorf("find what follows from nesting: %w", err)
	}
	return limit, nil
}

// agree makes the inherited grants g of a scope agree with following, a table or what the statement begins with, which
// has every pair of the scope that follows, some of them more than once.
func agree(ctx context.Context, tx *pg.Tx, begin, scope string, args pgx.NamedArgs) (n Inherited, err error) {
	sql := begin + `
		gone as materialized (
			select g.id, g.account_id, g.entitlement_id, g.status in ('pending', 'requested') as awaited
			  from access_grant g
			 where ` + scope + `
			   and g.directness = 'inherited'
			   and not exists (select from following f where f.account_id = g.account_id
			       and f.entitlement_id = g.entitlement_id)
		),
		` + settleGone + `,
		added as (
			insert into access_grant as g (tenant_id, id, connector_id, account_id, entitlement_id, directness)
			select current_tenant(), gen_random_uuid(), a.connector_id, f.account_id, f.entitlement_id, 'inherited'
			  from (select distinct p.account_id, p.entitlement_id
			          from following p
			         where not exists (
			              select from access_grant h
			               where h.account_id = p.account_id
			                 and h.entitlement_id = p.entitlement_id
			                 and h.status not in ('revoked', 'failed'))) f
			  join account a on a.id = f.account_id
			` + inheritAgain + `
			returning 1
		)
		select (select count(*) from added), (select count(*) from removed)`
	if err := tx.QueryRow(ctx, sql, args).Scan(&n.Added, &n.Removed); err != nil {
		return n, fmt.Errorf("expand inherited grants: %w", err)
	}
	return n, nil
}

// settleGone ends the inherited grants gone (id, account_id, entitlement_id, awaited), which do not follow any more:
// what is about to be made directly stays; and where a reason asks for what has gone, its owner's access is looked at
// again.
const settleGone = `
		removed as (
			delete from access_grant g
			 using gone
			 where g.id = gone.id
			   and not gone.awaited
			returning g.account_id, g.entitlement_id
		),
		kept as (
			update access_grant g
			   set directness = 'direct', updated_at = now(), version = g.version + 1
			  from gone
			 where g.id = gone.id
			   and gone.awaited
		),
		turned as (
			insert into work_item (tenant_id, kind, subject)
			select distinct current_tenant(), 'provisioning', a.identity_id
			  from removed r
			  join account a on a.id = r.account_id
			 where exists (select from access_reason x
			                where x.identity_id = a.identity_id and x.entitlement_id = r.entitlement_id
			                  and x.effect = 'allow' and x.state = 'active')
		)`

// inheritAgain is what becomes of a grant that was revoked, or could not be made, and now follows from nesting.
const inheritAgain = `
			on conflict (tenant_id, account_id, entitlement_id) do update
			   set directness = 'inherited', status = 'active', missing_since = null, missing_runs = 0,
			       revoked_at = null, updated_at = now(), version = g.version + 1
			 where g.status in ('revoked', 'failed')`
