package nesting

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// FollowAccounts brings the inherited grants of some accounts of a connector up to date with their direct ones, for
// that has changed those in the same transaction. It costs what these accounts hold, however many others there are.
func FollowAccounts(ctx context.Context, tx *pg.Tx, connectorID string, accounts []string) (n Inherited, err error) {
	if len(accounts) == 0 {
		return n, nil
	}
	if err := oneAtATime(ctx, tx, connectorID); err != nil {
		return n, err
	}
	const many = 2000
	for len(accounts) > 0 {
		some := accounts[:min(many, len(accounts))]
		accounts = accounts[len(some):]
		done, err := followSome(ctx, tx, some)
		if err != nil {
			return n, err
		}
		n.Added, n.Removed = n.Added+done.Added, n.Removed+done.Removed
	}
	return n, nil
}

// followSome goes up from what the accounts hold directly. union, so that a cycle ends.
func followSome(ctx context.Context, tx *pg.Tx, accounts []string) (n Inherited, err error) {
	const (
		begin = `
		with recursive up (account_id, entitlement_id) as (
			select g.account_id, n.parent_id
			  from access_grant g
			  join entitlement_edge n on n.member_id = g.entitlement_id
			 where g.account_id = any(@accounts::text[]::uuid[])
			   and g.directness = 'direct'
			   and ` + HeldSQL + `
			 union
			select u.account_id, n.parent_id
			  from up u
			  join entitlement_edge n on n.member_id = u.entitlement_id
		),
		following as materialized (
			select u.account_id, u.entitlement_id from up u
		),`
		some = `g.account_id = any(@accounts::text[]::uuid[])`
	)
	err = tx.With(ctx, pg.FewAccounts, func() error {
		n, err = agree(ctx, tx, begin, some, pgx.NamedArgs{"accounts": accounts})
		return err
	})
	return n, err
}

// FollowHolders updates the inherited access of the holders of an entitlement, for callers that nested it in another
// one, or taken it out, in the same transaction.
func FollowHolders(ctx context.Context, tx *pg.Tx, connectorID, entitlementID string) (Inherited, error) {
	if err := oneAtATime(ctx, tx, connectorID); err != nil {
		return Inherited{}, err
	}
	const holders = `select g.account_id::text from access_grant g where g.entitlement_id = $1 and ` + HeldSQL
	accounts, err := pg.All[string](ctx, tx, "find who holds an entitlement", holders, entitlementID)
	if err != nil {
		return Inherited{}, err
	}
	return FollowAccounts(ctx, tx, connectorID, accounts)
}

// FollowRun is ExpandInherited after a reading of changes: it looks at those alone whose grants the run has changed,
// and at those who hold what it has nested elsewhere.
func FollowRun(ctx context.Context, tx *pg.Tx, connectorID, runID string) (Inherited, error) {
	needed, err := nests(ctx, tx, connectorID)
	if err != nil || !needed {
		return Inherited{}, err
	}
	if err := oneAtATime(ctx, tx, connectorID); err != nil {
		return Inherited{}, err
	}
	const touched = `
		with moved as (
			select n.member_id as id
			  from entitlement_edge n
			 where n.connector_id = @connector
			   and n.changed_run_id = @run
			 union
			select c.object_id
			  from sync_change c
			 where c.run_id = @run
			   and c.object = 'nesting'
			   and c.change = 'remove'
			   and c.state = 'applied'
		)
		select g.account_id::text
		  from access_grant g
		 where g.connector_id = @connector
		   and g.changed_run_id = @run
		 union
		select g.account_id::text
		  from moved m
		  join access_grant g on g.entitlement_id = m.id
		 where ` + HeldSQL + `
		 limit @most`
	const most = 20_000 // with more of them, it is quicker to look at everybody
	accounts, err := pg.All[string](
		ctx,
		tx,
		"find whose access has changed",
		touched,
		pgx.NamedArgs{"connector": connectorID, "run": runID, "most": most},
	)
	if err != nil {
		return Inherited{}, err
	}
	if len(accounts) == most {
		return Expand(ctx, tx, connectorID)
	}
	over, limit, err := tooManyFollow(ctx, tx, connectorID, accounts)
	if err != nil || over {
		return Inherited{Limit: limit}, err
	}
	return FollowAccounts(ctx, tx, connectorID, accounts)
}

// FollowGrants brings up to date what follows from grants that have just been written, where their entitlements are
// nested in others or have others in them.
func FollowGrants(ctx context.Context, tx *pg.Tx, ids []string) error {
	const nested = `
		select distinct g.connector_id::text, g.account_id::text
		  from access_grant g
		 where g.id = any($1::text[]::uuid[])
		   and (exists (select from entitlement_edge n where n.member_id = g.entitlement_id)
		        or exists (select from entitlement_edge n where n.parent_id = g.entitlement_id))
		 order by 1, 2`
	var connectors []string
	accounts := map[string][]string{}
	var connector, account string
	if err := pg.Each(ctx, tx, "find what is nested", []any{&connector, &account}, func() error {
		if accounts[connector] == nil {
			connectors = append(connectors, connector)
		}
		accounts[connector] = append(accounts[connector], account)
		return nil
	}, nested, ids); err != nil {
		return err
	}
	for _, connector := range connectors {
		if _, err := FollowAccounts(ctx, tx, connector, accounts[connector]); err != nil {
			return err
		}
	}
	return nil
}

// FollowAccount is FollowAccounts of one that has got other grants.
func FollowAccount(ctx context.Context, tx *pg.Tx, id string) error {
	var connector string
	if err := tx.QueryRow(ctx, `select a.connector_id::text from account a where a.id = $1`, id).
		Scan(&connector); err != nil {
		return fmt.Errorf("find system of account: %w", err)
	}
	needed, err := nests(ctx, tx, connector)
	if err != nil || !needed {
		return err
	}
	_, err = FollowAccounts(ctx, tx, connector, []string{id})
	return err
}
