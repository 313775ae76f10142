package merge

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
)

// reference is a way in which a staged grant names its principal, with the condition that finds the account or
// entitlement p.
type reference struct{ which, account, entitlement string }

// references of grants. A source that lists members by another key than the immutable one is resolved here, where
// everything it can point to is known, instead of in the memory of the reader.
var references = map[string]reference{
	"account": {"s.account_external_id is not null", "p.external_id = s.account_external_id", ""},
	"entitlement": {
		"s.principal_entitlement_external_id is not null",
		"",
		"p.external_id = s.principal_entitlement_external_id",
	},
	"native": {"s.principal_ref_kind = 'native'",
		"p.native_ref = s.principal_ref_value", "p.native_ref = s.principal_ref_value"},
	"external_id": {"s.principal_ref_kind = 'external_id'",
		"p.external_id = s.principal_ref_value", "p.external_id = s.principal_ref_value"},
	"username": {"s.principal_ref_kind = 'username'", "p.username_lc = s.principal_ref_value", ""},
	"email":    {"s.principal_ref_kind = 'email'", "p.email_lc = s.principal_ref_value", ""},
	"any": {
		"s.principal_ref_kind in ('any', 'employee_number')",
		"(p.external_id = s.principal_ref_value or p.native_ref = s.principal_ref_value or p.username_lc = " +
			"lower(s.principal_ref_value))",
		"(p.external_id = s.principal_ref_value or p.native_ref = s.principal_ref_value)",
	},
}

// nth numbers the accounts that one staged grant names, where it may name several: two that have the same user name
// hold it both.
func (r reference) nth() string {
	if r.unique() {
		return "1"
	}
	return "row_number() over (partition by s.seq, s.ord order by p.id desc)"
}

// unique says whether the reference names at most one account: the key does, other names may not.
func (r reference) unique() bool { return strings.HasPrefix(r.account, "p.external_id = ") }

// mergeGrants records who holds what, and what is nested in what. References may point to records that a later chunk
// brings; what cannot be resolved yet is tried again at the end.
func mergeGrants(ctx context.Context, tx *pg.Tx, s Span) (total counters.Counts, nested int64, err error) {
	kinds, err := kindsOfReference(ctx, tx, s)
	if err != nil {
		return total, 0, err
	}
	for _, kind := range kinds {
		ref, known := references[kind]
		if !known {
			continue
		}
		if ref.account != "" {
			c, err := grantsCounted(tx.QueryRow(ctx, grantsSQL(s, ref), s.Run, s.Lo, s.Hi, s.Connector))
			if err != nil {
				return total, 0, fmt.Errorf("of accounts by %s: %w", kind, err)
			}
			total.Add(c)
		}
		if ref.entitlement != "" {
			tag, err := tx.Exec(ctx, fmt.Sprintf(edgesSQL, ref.which, ref.entitlement), s.Run, s.Lo, s.Hi, s.Connector)
			if err != nil {
				return total, 0, fmt.Errorf("of entitlements by %s: %w", kind, err)
			}
			nested += tag.RowsAffected()
		}
	}
	parents, err := mergeParents(ctx, tx, s)
	return total, nested + parents, err
}

// kindsOfReference are the ways in which the staged grants of a span name their holder. Each is
// merged by a statement of its own, because a join that chooses between columns cannot use a hash.
func kindsOfReference(ctx context.Context, tx *pg.Tx, s Span) ([]string, error) {
	const sql = `
		select distinct case when account_external_id is not null then 'account'
		                     when principal_entitlement_external_id is not null then 'entitlement'
		                     when principal_ref_kind = 'employee_number' then 'any'
		                     else principal_ref_kind end
		  from stage_grant
		 where tenant_id = current_tenant()
		   and run_id = $1
		   and seq between $2 and $3
		   and not deleted`
	rows, err := tx.Query(ctx, sql, s.Run, s.Lo, s.Hi)
	if err != nil {
		return nil, fmt.Errorf("kinds of reference: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// grantsCounted is counted for grants, of which some may have been revoked by us.
func grantsCounted(row pgx.Row) (c counters.Counts, err error) {
	var seen, written int64
	err = row.Scan(&seen, &c.Created, &written, &c.Reappeared, &c.Returned, &c.Suppressed)
	c.Updated = written - c.Reappeared
	c.Unchanged = seen - c.Created - written - c.Suppressed
	return c, err
}

// late is the condition that a reading which shows a revoked grant %[1]s may only not have noticed that we revoked it:
// that was minutes ago, or after the run began.
const late = `(%[1]s.status = 'revoked' and %[1]s.suppress_reimport_until is not null
	             and (%[1]s.suppress_reimport_until > now()
	                  or %[1]s.revoked_at > (select coalesce(r.started_at, r.created_at) from sync_run r
	                    where r.tenant_id = current_tenant() and r.id = $1)))`

// gone counts the seen grants that the store has as missing or revoked, those of them that we revoked, and those that
// are late.
var gone = `
	       ` + among(`not `+fmt.Sprintf(late, "o")) + `,
	       ` + among(`o.status = 'revoked' and o.suppress_reimport_until is not null and not `+fmt.Sprintf(late, "o")) +
	`,
	       ` + among(fmt.Sprintf(late, "o"))

func among(condition string) string {
	return `(select count(*)
	          from seen s
	          join access_grant o
	            on o.tenant_id = s.tenant_id
	           and o.account_id = s.account_id
	           and o.entitlement_id = s.entitlement_id
	         where (o.missing_since is not null or o.revoked_at is not null)
	           and ` + condition + `)`
}

// grantsSQL records the grants of accounts that are named in one way. One that was missing or revoked, or that we are
// about to make, and is seen, is active; one that we revoked and is seen in good time after that has come back. When a
// reason of ours ends is not for the target to forget.
func grantsSQL(s Span, ref reference) string {
	back := "0::bigint, 0::bigint, 0::bigint"
	if s.Known.gone {
		back = gone
	}
	return `
	with seen as (
	    select distinct on (p.id, e.id) s.*, p.id as account_id, e.id as entitlement_id, ` + ref.nth() + ` as nth
	      from stage_grant s
	      join entitlement e
	        on e.tenant_id = s.tenant_id
	       and e.connector_id = $4
	       and e.external_id = s.entitlement_external_id
	       and e.removed_at is null
	      join account p
	        on p.tenant_id = s.tenant_id
	       and p.connector_id = $4
	       and p.status <> 'deleted'
	       and ` + ref.account + `
	     where s.tenant_id = current_tenant()
	       and s.run_id = $1
	       and s.seq between $2 and $3
	       and not s.deleted
	       and s.held is not true
	       and ` + ref.which + `
	     order by p.id, e.id, s.seq desc, s.ord desc
	), merged as (
	    insert into access_grant as g (tenant_id, id, connector_id, account_id, entitlement_id, external_id, directness,
	                                   immutable, assigned_by, starts_at, ends_at, granted_at, last_used_at, attributes,
	                                       row_hash, changed_run_id, created_run_id)
	    select tenant_id, case when nth = 1 then new_id else gen_random_uuid() end, $4, account_id, entitlement_id,
	           external_id, 'direct', coalesce(immutable, false), assigned_by, starts_at, expires_at, granted_at,
	               last_used_at, coalesce(attributes, '{}'), row_hash, run_id, run_id
	      from seen
	    on conflict (tenant_id, account_id, entitlement_id) do update
	       set external_id = excluded.external_id, directness = 'direct', immutable = excluded.immutable,
	           assigned_by = excluded.assigned_by, starts_at = excluded.starts_at,
	           ends_at = case when g.wanted_at is null then excluded.ends_at else coalesce(excluded.ends_at,
	           g.ends_at) end, granted_at = case when g.wanted_at is null then excluded.granted_at
	           else coalesce(excluded.granted_at, g.granted_at) end, last_used_at = excluded.last_used_at,
	           attributes = excluded.attributes, row_hash = excluded.row_hash, changed_run_id = excluded.changed_run_id,
	           status = case when g.status in ('missing', 'revoked', 'pending', 'requested', 'failed') then 'active'
	           else g.status end, reappeared = g.reappeared or g.status = 'revoked'
	               and g.suppress_reimport_until is not null, suppress_reimport_until = null, missing_since = null,
	               missing_runs = 0, revoked_at = null, updated_at = now(), version = g.version + 1
	     where (g.row_hash is distinct from excluded.row_hash
	            or g.missing_since is not null
	            or g.revoked_at is not null
	            or g.status in ('pending', 'requested', 'failed'))
	       and not ` + fmt.Sprintf(late, "g") + `
	    returning (xmax = 0) as inserted
	)
	select (select count(*) from seen), count(*) filter (where inserted), count(*) filter (where not inserted),
	       ` + back + `
	  from merged`
}
