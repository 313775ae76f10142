package removal

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
)

// Apply makes the run's pending removals and returns true, by kind of object: identity, account, entitlement, grant,
// nesting. It comes after the merge and in its transaction. Each row is looked at again: one that is no longer in the
// state that its change was computed from is skipped, and the change says why.
func Apply(ctx context.Context, tx *pg.Tx, r reconcile.Run) (map[string]reconcile.Counts, error) {
	done := map[string]reconcile.Counts{}
	if r.Preview {
		return done, nil
	}
	if there, err := anythingDue(ctx, tx, r); err != nil || !there {
		return done, err
	}
	for _, o := range removals {
		counts, err := applyTo(ctx, tx, r, o)
		if err != nil {
			return done, err
		}
		add(done, o.object, counts)
		if o.after == nil {
			continue
		}
		along, err := o.after(ctx, tx, r)
		if err != nil {
			return done, err
		}
		for object, n := range along {
			add(done, object, n)
		}
	}
	return done, auditRemovals(ctx, tx, r, done)
}

// add sums up what was done to an object; what was not touched is not named.
func add(done map[string]reconcile.Counts, object string, n reconcile.Counts) {
	if n == (reconcile.Counts{}) {
		return
	}
	sum := done[object]
	done[object] = reconcile.Counts{
		Missing:    sum.Missing + n.Missing,
		Removed:    sum.Removed + n.Removed,
		Reappeared: sum.Reappeared + n.Reappeared,
		Returned:   sum.Returned + n.Returned,
		Skipped:    sum.Skipped + n.Skipped,
	}
}

// anythingDue says whether the run has removals or returns to apply. Most runs have none and end
// here.
func anythingDue(ctx context.Context, tx *pg.Tx, r reconcile.Run) (there bool, err error) {
	const sql = `
		select exists (select from sync_change
		                where tenant_id = current_tenant() and run_id = $1 and state = 'pending'
		                    and change in ('missing', 'remove', 'reappear'))`
	if err := tx.QueryRow(ctx, sql, r.ID).Scan(&there); err != nil {
		return false, fmt.Errorf("look for removals: %w", err)
	}
	return there, nil
}

// removal is how one kind of object goes missing, goes for good, and comes back. sql is the statement that does it to
// the rows of the table due (n, object_id, parent_id, external_id, change, before), and returns the n of those that it
// did.
type removal struct {
	object string
	sql    string
	after  func(ctx context.Context, tx *pg.Tx, r reconcile.Run) (map[string]reconcile.Counts, error)
}

// removals in the order in which one thing takes another along. What an account or entitlement takes along is no longer
// due when its own turn comes.
var removals = []removal{
	{"account", removeAccounts, grantsOfAccounts},
	{"entitlement", removeEntitlements, grantsOfEntitlements},
	{"grant", removeGrants, returnedGrants},
	{"nesting", removeNesting, nil},
	{"identity", removeSources, people},
}

// asWeighed holds while an object x is in the state that its change d was computed from.
const asWeighed = `x.missing_runs = (d.before ->> 'missing_runs')::int`

const removeAccounts = `
	update account x
	   set status = case d.change when 'missing' then 'missing' when 'remove' then 'deleted'
	                     else case when x.is_disabled then 'disabled' when x.is_locked then 'locked'
	       else 'active' end end, missing_since = case when d.change <> 'reappear' then coalesce(x.missing_since,
	       now()) end, missing_runs = case d.change when 'missing' then x.missing_runs + 1 when 'reappear' then 0
	           else x.missing_runs end,
	       deleted_at = case when d.change = 'remove' then now() end,
	       changed_run_id = $1, updated_at = now(), version = x.version + 1
	  from due d
	 where x.tenant_id = current_tenant()
	   and x.id = d.object_id
	   and case when d.change = 'reappear' then x.status in ('missing', 'deleted') or x.missing_runs > 0
	       or x.deleted_at is not null
	            else x.status = d.before ->> 'status' and ` + asWeighed + ` end
	returning d.n`

const removeEntitlements = `
	update entitlement x
	   set lifecycle = case d.change when 'remove' then 'retired' when 'missing' then x.lifecycle
	                        else case when x.removed_at is not null then 'active' else x.lifecycle end end,
	       missing_since = case when d.change <> 'reappear' then coalesce(x.missing_since, now()) end,
	       missing_runs = case d.change when 'missing' then x.missing_runs + 1 when 'reappear' then 0
	       else x.missing_runs end, removed_at = case when d.change = 'remove' then now() end,
	       changed_run_id = $1, updated_at = now(), version = x.version + 1
	  from due d
	 where x.tenant_id = current_tenant()
	   and x.id = d.object_id
	   and case when d.change = 'reappear' then x.missing_runs > 0 or x.missing_since is not null
	       or x.removed_at is not null
	            else x.removed_at is null and ` + asWeighed + ` end
	returning d.n`

const removeGrants = `
	update access_grant x
	   set status = case d.change when 'missing' then 'missing' when 'remove' then 'revoked'
	                     else case when x.status in ('missing', 'revoked') then 'active' else x.status end end,
	       missing_since = case when d.change <> 'reappear' then coalesce(x.missing_since, now()) end,
	       missing_runs = case d.change when 'missing' then x.missing_runs + 1 when 'reappear' then 0
	       else x.missing_runs end, revoked_at = case when d.change = 'remove' then now() end,
	       reappeared = x.reappeared or d.change = 'reappear' and x.status = 'revoked'
	       and x.suppress_reimport_until is not null, suppress_reimport_until = case
	       when d.change <> 'reappear' then x.suppress_reimport_until end, changed_run_id = $1, updated_at = now(),
	           version = x.version + 1
	  from due d
	 where x.tenant_id = current_tenant()
	   and x.id = d.object_id
	   and case when d.change = 'reappear' then x.status in ('missing', 'revoked') or x.missing_runs > 0
	       or x.revoked_at is not null
	            else x.directness = 'direct' and x.status = d.before ->> 'status' and ` + asWeighed + ` end
	returning d.n`

const removeNesting = `
	update entitlement_edge x
	   set missing_since = case when d.change <> 'reappear' then coalesce(x.missing_since, now()) end,
	       missing_runs = case d.change when 'missing' then x.missing_runs + 1 when 'reappear' then 0
	       else x.missing_runs end, changed_run_id = $1
	  from due d
	 where x.tenant_id = current_tenant()
	   and x.member_id = d.object_id
	   and x.parent_id = d.parent_id
	   and case when d.change = 'reappear' then x.missing_runs > 0 or x.missing_since is not null
	       else ` + asWeighed + ` end
	returning d.n`

const removeSources = `
	update identity_source x
	   set missing_since = case when d.change <> 'reappear' then coalesce(x.missing_since, now()) end,
	       missing_runs = case d.change when 'missing' then x.missing_runs + 1 when 'reappear' then 0
	       else x.missing_runs end, removed_at = case when d.change = 'remove' then now() end,
	       changed_at = now(), changed_run_id = $1
	  from due d
	 where x.tenant_id = current_tenant()
	   and x.connector_id = $2
	   and x.external_id = d.external_id
	   and case when d.change = 'reappear' then x.missing_runs > 0 or x.missing_since is not null
	       or x.removed_at is not null
	            else x.removed_at is null and ` + asWeighed + ` end
	returning d.n`

// applyTo does what is due to one kind of object and notes at each change what became of it. What came back may have
// been written by the merge already, so it counts as done either way.
func applyTo(ctx context.Context, tx *pg.Tx, r reconcile.Run, o removal) (reconcile.Counts, error) {
	sql := `
		with due as materialized (
		    select c.n, c.object_id, c.parent_id, c.external_id, c.change, c.before
		      from sync_change c
		     where c.tenant_id = current_tenant()
		       and c.run_id = $1
		       and c.connector_id = $2
		       and c.object = $3
		       and c.state = 'pending'
		       and c.change in ('missing', 'remove', 'reappear')
		), done as (` + o.sql + `
		), noted as (
		    update sync_change c
		       set state = case when f.n is not null or d.change = 'reappear' then 'applied' else 'skipped' end,
		           reason = case when f.n is null
		           and d.change <> 'reappear' then 'it was no longer as it had been when this was weighed'
		               else c.reason end, at = now()
		      from due d
		      left join done f on f.n = d.n
		     where c.tenant_id = current_tenant()
		       and c.run_id = $1
		       and c.n = d.n
		    returning c.change, c.state
		)
		select count(*) filter (where change = 'missing' and state = 'applied'),
		       count(*) filter (where change = 'remove' and state = 'applied'),
		           count(*) filter (where change = 'reappear'), count(*) filter (where state = 'skipped')
		  from noted`
	var n reconcile.Counts
	if err := tx.QueryRow(ctx, sql, r.ID, r.Connector, o.object).
		Scan(&n.Missing, &n.Removed, &n.Reappeared, &n.Skipped); err != nil {
		return n, fmt.Errorf("apply to each %s: %w", o.object, err)
	}
	if o.object != "nesting" {
		return n, nil
	}
	const gone = `
		delete from entitlement_edge x
		 using sync_change c
		 where c.tenant_id = current_tenant()
		   and c.run_id = $1
		   and c.object = 'nesting'
		   and c.change = 'remove'
		   and c.state = 'applied'
		   and c.at = now()
		   and x.tenant_id = current_tenant()
		   and x.member_id = c.object_id
		   and x.parent_id = c.parent_id`
	if err := pg.Exec(ctx, tx, "remove nesting", gone, r.ID); err != nil {
		return n, err
	}
	return n, nil
}
