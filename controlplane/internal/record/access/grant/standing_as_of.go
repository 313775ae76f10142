package grant

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// mainAccountAsOf is mainAccount for the accounts that the owner had then. How those stood does not decide.
const mainAccountAsOf = `
	(a.account_type in ('person', 'unknown')
	 and not exists (select
	                   from owner_at(@as_of) w
	                   join account o on o.id = w.account_id
	                  where w.identity_id = g.identity_id
	                    and o.connector_id = a.connector_id
	                    and o.account_type in ('person', 'unknown')
	                    and o.created_at <= @as_of
	                    and (o.deleted_at is null or o.deleted_at > @as_of)
	                    and (o.managed in ('protected', 'unmanaged'), o.account_type <> 'person', o.created_at, o.id)
	                      < (a.managed in ('protected', 'unmanaged'), a.account_type <> 'person', a.created_at, a.id)))`

// standingAsOf joins what the ledger said, as s, to the grants g of accounts a: standing for the past.
const standingAsOf = `
	cross join lateral (
	    select coalesce(` + mainAccountAsOf + `, false) as is
	) main
	cross join lateral (
	    select coalesce(bool_or(r.state = 'active'), false) as allowed,
	           coalesce(bool_or(r.state = 'active' and r.ends_at is null), false) as lasting,
	           coalesce(bool_or(r.state = 'active' and r.kind in ` + decided + `), false) as decided,
	           coalesce(bool_or(r.state = 'ended'), false) as past,
	           coalesce(array_agg(r.kind) filter (where r.state = 'active'), '{}') as kinds,
	           max(r.ends_at) filter (where r.state = 'active') as until
	      from reason_at(@as_of) r
	     where r.identity_id = g.identity_id
	       and r.entitlement_id = g.entitlement_id
	       and r.effect = 'allow'
	       and (r.account_id = g.account_id or r.account_id is null and main.is)
	) given
	cross join lateral (
	    select given.*, given.allowed and not no.denied as desired, no.denied, true as observed
	      from (select exists (select from reason_at(@as_of) d
	                            where d.identity_id = g.identity_id
	                              and d.connector_id = g.connector_id
	                              and d.effect = 'deny'
	                              and d.state = 'active'
	                              and (d.entitlement_id is null or d.entitlement_id = g.entitlement_id)
	                              and (d.account_id = g.account_id or d.account_id is null)) as denied) no
	) s`

// complianceAsOf is compliance with the moment for now.
var complianceAsOf = strings.ReplaceAll(complianceSQL, "now()", "@as_of::timestamptz")

// standingsAsOf tell, for the grants of a page, what the ledger said of each: the reasons that stood then. What became
// of those since they tell too.
var standingsAsOf = `
	select g.id::text, s.desired, s.observed, ` + complianceAsOf + `, null::timestamptz, ` + NativeSQL + `, null::text,
	       coalesce((select jsonb_agg(` + reasonObject + ` order by r.starts_at, r.id)
	                   from reason_at(@as_of) r` + reasonSources + `
	                  where r.identity_id = g.identity_id
	                    and r.connector_id = g.connector_id
	                    and r.state = 'active'
	                    and (r.entitlement_id = g.entitlement_id or r.entitlement_id is null and r.effect = 'deny')
	                    and (r.account_id = g.account_id or r.account_id is null and (main.is or r.effect = 'deny'))),
	                        '[]')
	  from (select h.*, o.identity_id, 'active' as status, false as reappeared
	          from grant_at(@as_of) h
	          left join lateral (select w.identity_id from owner_at(@as_of) w
	              where w.account_id = h.account_id offset 0) o on true
	         where h.id = any(@ids::text[]::uuid[])) g
	  left join account a on a.id = g.account_id
	  left join lateral (select t.id, t.status from identity_at(@as_of) t where t.id = g.identity_id offset 0) i
	      on true` + standingAsOf

// FillStandingAsOf is fillStanding for the past.
func FillStandingAsOf(ctx context.Context, tx *pg.Tx, grants []Grant, at time.Time) error {
	if len(grants) == 0 {
		return nil
	}
	index := make(map[string]*Grant, len(grants))
	ids := make([]string, len(grants))
	for i := range grants {
		index[grants[i].ID], ids[i] = &grants[i], grants[i].ID
		grants[i].Reasons = []GrantReason{}
	}
	rows, err := tx.Query(ctx, standingsAsOf, pgx.NamedArgs{"ids": ids, "as_of": at})
	if err != nil {
		return fmt.Errorf("reasons of past grants: %w", err)
	}
	for rows.Next() {
		if err := scanStanding(rows, index); err != nil {
			rows.Close()
			return fmt.Errorf("reasons of past grants: %w", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("reasons of past grants: %w", err)
	}
	return nil
}

// FillPathsAsOf is fillPaths for the past: through what was nested then.
func FillPathsAsOf(ctx context.Context, tx *pg.Tx, grants []Grant, at time.Time) error {
	const beneath = `
		with recursive beneath (member_id, parent_id) as (
			select n.member_id, n.parent_id from edge_at(@as_of) n
			    where n.parent_id = any(@entitlements::text[]::uuid[])
			 union
			select n.member_id, n.parent_id from beneath b join edge_at(@as_of) n on n.parent_id = b.member_id
		)
		select member_id::text, parent_id::text from beneath order by 1, 2`
	const holding = `
		select g.account_id::text, g.entitlement_id::text
		  from grant_at(@as_of) g
		 where g.account_id = any(@accounts::text[]::uuid[]) and g.directness = 'direct'`
	args := pgx.NamedArgs{"as_of": at}
	entitlements, accounts := make([]string, len(grants)), make([]string, len(grants))
	for i, g := range grants {
		entitlements[i], accounts[i] = g.EntitlementID, g.AccountID
	}
	args["entitlements"], args["accounts"] = entitlements, accounts
	n, direct := graph{}, map[string]map[string]bool{}
	err := eachOfAsOf(ctx, tx, beneath, args, func(member, parent string) { n[parent] = append(n[parent], member) })
	if err != nil {
		return err
	}
	err = eachOfAsOf(ctx, tx, holding, args, func(account, entitlement string) {
		if direct[account] == nil {
			direct[account] = map[string]bool{}
		}
		direct[account][entitlement] = true
	})
	if err != nil {
		return err
	}
	for i := range grants {
		paths := n.paths(direct[grants[i].AccountID], grants[i].EntitlementID)
		grants[i].Paths = &paths
	}
	return hidePaths(ctx, tx, grants)
}

// eachOfAsOf calls take for each row of two texts.
func eachOfAsOf(ctx context.Context, tx *pg.Tx, sql string, args pgx.NamedArgs, take func(a, b string)) error {
	var a, b string
	return pg.Each(ctx, tx, "paths of past grants", []any{&a, &b}, func() error { take(a, b); return nil }, sql, args)
}

// ReasonsByID reads reasons with the names of what they come from. Whether the viewer may hear of them, the caller
// knows.
func ReasonsByID(ctx context.Context, tx *pg.Tx, ids []string) (map[string]GrantReason, error) {
	found := make(map[string]GrantReason, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	const sql = `select r.id::text, ` + reasonObject + ` from access_reason r` + reasonSources +
		` where r.id = any($1::text[]::uuid[])`
	var id string
	var r GrantReason
	if err := pg.Each(
		ctx,
		tx,
		"read reasons",
		[]any{&id, &r},
		func() error { found[id] = r; r = GrantReason{}; return nil },
		sql,
		ids,
	); err != nil {
		return nil, err
	}
	return found, nil
}

// Summary is what a reason comes down to, in plain words that go on a sentence.
func (r GrantReason) Summary() string { return r.says() }
