package compare

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
)

// way is one column by which a staged grant can name its principal, with the value it names there.
type way struct{ column, value string }

// ways are the columns that each kind of reference is looked up in: of accounts, and of entitlements for nesting. They
// are those of the merge.
var ways = map[string]struct{ accounts, entitlements []way }{
	"account":     {accounts: []way{{"external_id", "g.ref"}}},
	"entitlement": {entitlements: []way{{"external_id", "g.ref"}}},
	"native":      {[]way{{"native_ref", "g.ref"}}, []way{{"native_ref", "g.ref"}}},
	"external_id": {[]way{{"external_id", "g.ref"}}, []way{{"external_id", "g.ref"}}},
	"username":    {accounts: []way{{"username_lc", "g.ref"}}},
	"email":       {accounts: []way{{"email_lc", "g.ref"}}},
	"any": {[]way{{"external_id", "g.ref"}, {"native_ref", "g.ref"}, {"username_lc", "lower(g.ref)"}},
		[]way{{"external_id", "g.ref"}, {"native_ref", "g.ref"}}},
}

// grants compares who holds what, as pairs of account and entitlement in the world after this run: accounts that were
// renamed or moved still hold what they held. A grant with an unknown reference resolves to no pair: it protects
// nothing and removes nothing.
func (c *comparison) grants(ctx context.Context) error {
	const pairs = `
		create temp table r_pair (account text not null, account_id uuid, entitlement text not null,
		  entitlement_id uuid,
		    seq int not null, ord int not null, deleted boolean not null, external_id text, row_hash bytea)
		      on commit drop`
	const edges = `
		create temp table r_edge (member text not null, member_id uuid, parent text not null, parent_id uuid,
		  deleted boolean not null,
		    seq int, ord int, told_by text not null) on commit drop`
	if err := c.do(ctx, "staged grants", pairs, edges); err != nil {
		return err
	}
	if err := c.resolve(ctx); err != nil {
		return err
	}
	return c.do(ctx, "grants", lastPairs, presentGrants, heldScopes, comparedGrants, changedGrants, goneGrants)
}

// stagedGrants are the staged grants with the way in which each names its principal.
const stagedGrants = `(
	select seq, ord, external_id, row_hash, deleted, entitlement_external_id,
	       case when account_external_id is not null then 'account'
	            when principal_entitlement_external_id is not null then 'entitlement'
	            when principal_ref_kind = 'employee_number' then 'any'
	            else principal_ref_kind end as kind,
	       coalesce(account_external_id, principal_entitlement_external_id, principal_ref_value) as ref
	  from stage_grant
	 where tenant_id = current_tenant() and run_id = @run)`

// lastPairs keeps the last word about each pair. Pairs rarely come twice, so this asks for them instead of sorting all.
const lastPairs = `
	delete from r_pair p
	 using (select x.ctid as place, row_number() over (partition by x.account, x.entitlement
	     order by x.seq desc, x.ord desc) as n
	          from r_pair x
	          join (select account, entitlement from r_pair group by account, entitlement having count(*) > 1) twice
	            on twice.account = x.account and twice.entitlement = x.entitlement) word
	 where p.ctid = word.place
	   and word.n > 1`

// resolve finds the pairs that the staged grants mean.
func (c *comparison) resolve(ctx context.Context) error {
	const account = `
		insert into r_pair
		select p.external_id, p.id, e.external_id, e.id, g.seq, g.ord, g.deleted, g.external_id, g.row_hash
		  from ` + stagedGrants + ` g
		  join w_account p on p.%s = %s
		  join w_entitlement e on e.external_id = g.entitlement_external_id
		 where g.kind = '%s'`
	const entitlement = `
		insert into r_edge
		select p.external_id, p.id, e.external_id, e.id, g.deleted, g.seq, g.ord, 'grant'
		  from ` + stagedGrants + ` g
		  join w_entitlement p on p.%s = %s
		  join w_entitlement e on e.external_id = g.entitlement_external_id
		 where g.kind = '%s'
		   and p.external_id <> e.external_id`
	rows, err := c.tx.Query(ctx, `select distinct kind from `+stagedGrants+` g where kind is not null`, c.args)
	if err != nil {
		return fmt.Errorf("kinds of reference: %w", err)
	}
	kinds, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("kinds of reference: %w", err)
	}
	for _, kind := range kinds {
		for _, w := range ways[kind].accounts {
			if err := c.do(ctx, "grants by "+kind, fmt.Sprintf(account, w.column, w.value, kind)); err != nil {
				return err
			}
		}
		for _, w := range ways[kind].entitlements {
			if err := c.do(ctx, "nesting by "+kind, fmt.Sprintf(entitlement, w.column, w.value, kind)); err != nil {
				return err
			}
		}
	}
	return nil
}

// presentGrants are those that the run named by their own key, there or deleted, without saying more.
const presentGrants = `
	create temp table r_named on commit drop as
	select distinct on (external_id) external_id, deleted
	  from (select external_id, deleted, seq from ` + stagedGrants +
	` g where external_id is not null and (deleted or kind is null)
	         union all
	        select external_id, false, seq
	          from stage_present
	         where tenant_id = current_tenant() and run_id = @run and kind = 'grants') n
	 order by external_id, seq desc`

// heldScopes are the entitlements and accounts whose grants, and what is nested in them, were read to their end.
const heldScopes = `
	create temp table r_within on commit drop as
	select e.id, 'entitlement' as of
	  from r_scope s
	  join w_entitlement e on 'entitlement:' || e.external_id = s.key
	 where s.kind = 'grants' and e.id is not null
	 union all
	select a.id, 'account'
	  from r_scope s
	  join w_account a on 'account:' || a.external_id = s.key
	 where s.kind = 'grants' and a.id is not null`

// comparedGrants brings the store's direct grants together with the pairs of the run. What is left out is unchanged, or
// lies where absence proves nothing. What we are about to grant is not there yet, and what we granted or revoked since
// the run began, or revoked minutes ago, a reading may not have noticed: none of it is judged by its absence, or taken
// for its return.
const comparedGrants = `
	create temp table c_grant on commit drop as
	with begun as (
	    select coalesce(started_at, created_at) as at
	      from sync_run
	     where tenant_id = current_tenant() and id = @run
	), known as (
	    select g.id, g.account_id, g.entitlement_id, g.status, g.row_hash, g.missing_runs, g.external_id,
	           g.status = 'revoked' and (g.suppress_reimport_until > now() or g.suppress_reimport_until is not null
	             and g.revoked_at > (select at from begun)) as late,
	           g.status in ('pending', 'requested', 'failed') or g.wanted_at is not null and g.updated_at > (select at
	             from begun) as young
	      from access_grant g
	     where g.tenant_id = current_tenant()
	       and g.connector_id = @connector
	       and g.directness = 'direct'
	), going as (
	    select object, object_id, bool_or(change = 'remove') as final
	      from r_change
	     where change in ('missing', 'remove') and object in ('account', 'entitlement')
	     group by object, object_id
	)
	select k.id, k.account_id, k.entitlement_id, k.status, k.missing_runs, k.external_id, k.young,
	       p.account, p.account_id as pair_account_id, p.entitlement, p.entitlement_id as pair_entitlement_id,
	       p.seq, p.ord, p.external_id as pair_external_id, p.row_hash is distinct from k.row_hash as differs,
	       (p.account is not null and not p.deleted or p.account is null and not n.deleted) as present,
	       coalesce(p.deleted, n.deleted, false) as gone,
	       a.final as account_final, e.final as entitlement_final
	  from known k
	  full join r_pair p on p.account_id = k.account_id and p.entitlement_id = k.entitlement_id
	  left join r_named n on n.external_id = k.external_id
	  left join going a on a.object = 'account' and a.object_id = k.account_id
	  left join going e on e.object = 'entitlement' and e.object_id = k.entitlement_id
	  left join (select distinct id from r_within where of = 'entitlement') se on se.id = k.entitlement_id
	  left join (select distinct id from r_within where of = 'account') sa on sa.id = k.account_id
	  left join r_confirmed y on y.account_id = k.account_id and y.entitlement_id = k.entitlement_id
	 where k.late is not true
	   and (a.final or e.final
	        or k.id is null and not p.deleted
	        or p.deleted or n.deleted
	        or p.account is not null and (p.row_hash is distinct from k.row_hash or k.status in ('missing', 'revoked'))
	        or n.external_id is not null and k.status in ('missing', 'revoked')
	        or p.account is null and n.external_id is null and k.young is not true
	            and (@whole_grant or se.id is not null or sa.id is not null or y.account_id is not null))`

// changedGrants are those that are new, different or back.
var changedGrants = `
	insert into r_change (object, change, object_id, external_id, display, fields, container, owner_id, account_id,
	    entitlement_id, stage_seq, stage_ord)
	select 'grant', case when c.id is null then 'create' when c.status in ('missing', 'revoked') then 'reappear'
	       else 'update' end, c.id, coalesce(c.pair_external_id, c.external_id, c.account || ' in ' || c.entitlement),
	       coalesce(` + account.Display + `, c.account) || ' in ' || coalesce(` + EntitlementName + `, c.entitlement),
	       case when c.id is not null and c.differs then '{attributes}'::text[] else '{}' end,
	       ` + Container("a.native_identity") + `, a.identity_id, coalesce(c.account_id, c.pair_account_id),
	       coalesce(c.entitlement_id, c.pair_entitlement_id), c.seq, c.ord
	  from c_grant c
	  left join account a
	    on a.tenant_id = current_tenant() and a.id = coalesce(c.account_id, c.pair_account_id)
	  left join entitlement e
	    on e.tenant_id = current_tenant() and e.id = coalesce(c.entitlement_id, c.pair_entitlement_id)
	 where c.present
	   and c.account_final is not true
	   and c.entitlement_final is not true
	   and (c.id is null or c.status in ('missing', 'revoked') or c.account is not null and c.differs)`

// goneGrants: a grant goes at once with its account or entitlement, by a tombstone, or when we are revoking it; by
// absence step by step. What goes because its account does was weighed with that account, so its guard is the
// account's, and it is not counted again; what we revoke is no surprise, and has no guard.
var goneGrants = `
	insert into r_change (object, change, object_id, external_id, display, guard, before, after, container, owner_id,
	    account_id, entitlement_id, reason)
	select 'grant', case when g.final then 'remove' else 'missing' end, g.id,
	       coalesce(g.external_id, a.external_id || ' in ' || e.external_id),
	       coalesce(` + account.Display + `, '') || ' in ' || coalesce(` + EntitlementName + `, ''),
	       case when g.ordered then null
	            when g.account_final is not null then 'account_missing'
	            when g.final or g.status <> 'missing' then 'grant_removed' end,
	       jsonb_build_object('status', g.status, 'missing_runs', g.missing_runs),
	       case when g.final then jsonb_build_object('status', 'revoked')
	            else jsonb_build_object('status', 'missing', 'missing_runs', g.missing_runs + 1) end,
	       ` + Container("a.native_identity") + `, a.identity_id, g.account_id, g.entitlement_id,
	       case when g.account_final then 'its account goes'
	            when g.entitlement_final then 'its entitlement goes'
	            when g.gone then 'the target says that it was deleted'
	            when g.ordered then 'we revoked it' end
	  from (select c.*, c.status = 'revoking' as ordered,
	               coalesce(c.account_final, false) or coalesce(c.entitlement_final, false) or c.gone
	                   or c.status = 'revoking'
	               or c.missing_runs + 1 >= @required as final
	          from c_grant c
	         where c.id is not null
	           and c.status not in ('revoked', 'pending', 'requested', 'failed')
	           and (c.account_final or c.entitlement_final or c.present is not true)) g
	  left join account a
	    on a.tenant_id = current_tenant() and a.id = g.account_id
	  left join entitlement e
	    on e.tenant_id = current_tenant() and e.id = g.entitlement_id`
