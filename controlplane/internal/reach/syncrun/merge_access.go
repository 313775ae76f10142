package syncrun

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// mergeAccounts inserts new accounts and updates changed ones. An account that names the person's record of the same
// source is linked to that person at once; a link that somebody has made by hand stays. One that is seen again is what
// it was.
func mergeAccounts(ctx context.Context, tx *pg.Tx, s span) (c Counts, err error) {
	sql := `
		with seen as (` + lastOf("stage_account") + `
		), merged as (
		    insert into account as a (tenant_id, id, connector_id, external_id, native_ref, native_identity,
		                              identity_external_id, identity_id, username, email, display_name, first_name,
		                              last_name, employee_number, account_type, is_disabled, is_locked,
		                              password_expired, mfa_enrolled, privileged, status, correlation_state,
		                              correlation, expires_at, last_login_at, password_last_set_at, native_created_at,
		                                  native_modified_at, owner_refs, attributes, row_hash, changed_run_id,
		                                  created_run_id)
		    select s.tenant_id, s.new_id, $4, s.external_id, s.native_ref, s.native_identity, s.identity_external_id,
		           src.identity_id, s.username, s.email, s.display_name, s.first_name, s.last_name, s.employee_number,
		           s.account_type, s.is_disabled, s.is_locked, s.password_expired, s.mfa_enrolled, s.privileged,
		           case when s.is_disabled then 'disabled' when s.is_locked then 'locked' else 'active' end,
		           case when src.identity_id is null then 'uncorrelated' else 'linked' end,
		           (case when src.identity_id is null then '{}' else ` + sameRecord + ` end)::jsonb,
		           s.expires_at, s.last_login_at, s.password_last_set_at, s.native_created_at, s.native_modified_at,
		           s.owner_refs, s.attributes, s.row_hash, s.run_id, s.run_id
		      from seen s
		      left join identity_source src
		        on src.tenant_id = s.tenant_id
		       and src.connector_id = $4
		       and src.external_id = s.identity_external_id
		    on conflict (tenant_id, connector_id, external_id) do update
		       set native_ref = excluded.native_ref, native_identity = excluded.native_identity,
		           identity_external_id = excluded.identity_external_id,
		           username = excluded.username, email = excluded.email, display_name = excluded.display_name,
		           first_name = excluded.first_name, last_name = excluded.last_name,
		           employee_number = excluded.employee_number, account_type = case
		           when a.account_type = 'unknown' then excluded.account_type else a.account_type end,
		           is_disabled = excluded.is_disabled, is_locked = excluded.is_locked,
		           password_expired = excluded.password_expired, mfa_enrolled = excluded.mfa_enrolled,
		           privileged = excluded.privileged, status = excluded.status, expires_at = excluded.expires_at,
		           last_login_at = excluded.last_login_at, password_last_set_at = excluded.password_last_set_at,
		           native_created_at = excluded.native_created_at, native_modified_at = excluded.native_modified_at,
		           owner_refs = excluded.owner_refs, attributes = excluded.attributes, row_hash = excluded.row_hash,
		               changed_run_id = excluded.changed_run_id, missing_since = null, missing_runs = 0,
		               deleted_at = null,
		           updated_at = now(), version = a.version + 1
		     where a.row_hash is distinct from excluded.row_hash
		        or a.missing_since is not null
		        or a.deleted_at is not null
		    returning (xmax = 0) as inserted
		)
		select (select count(*) from seen), count(*) filter (where inserted), count(*) filter (where not inserted),
		       ` + s.known.reappearing("account", "deleted_at") + `
		  from merged`
	if c, err = counted(tx.QueryRow(ctx, sql, s.run, s.lo, s.hi, s.connector)); err != nil || !s.known.before {
		return c, err
	}
	return c, takeNames(ctx, tx, s)
}

// takeNames takes the names that a span's accounts have now from those that had them before: somebody who was deleted
// and made anew is not the account of old, and what is granted by name is theirs alone.
func takeNames(ctx context.Context, tx *pg.Tx, s span) error {
	sql := `
		with seen as (` + lastOf("stage_account") + `
		)
		update account o
		   set native_ref = null
		  from seen s
		 where o.tenant_id = current_tenant()
		   and o.connector_id = $4
		   and o.native_ref = s.native_ref
		   and o.external_id <> s.external_id
		   and not exists (
		        select from stage_account x
		         where x.tenant_id = current_tenant()
		           and x.run_id = $1
		           and x.external_id = o.external_id
		           and not x.deleted)`
	if _, err := tx.Exec(ctx, sql, s.run, s.lo, s.hi, s.connector); err != nil {
		return fmt.Errorf("take names: %w", err)
	}
	return nil
}

// lastOf selects, of a span's records in a stage, the last of each that is neither a tombstone nor held.
func lastOf(stage string) string {
	return `
		    select *
		      from (select distinct on (external_id) *
		              from ` + stage + `
		             where tenant_id = current_tenant()
		               and run_id = $1
		               and seq between $2 and $3
		             order by external_id, seq desc, ord desc) last
		     where not deleted
		       and held is not true`
}

// reappearing counts the seen records that the store has as missing or removed. It looks at the store as it was before
// the statement, and not at all where nothing of the connector is gone.
func (k known) reappearing(table, removed string) string {
	if !k.gone {
		return "0::bigint"
	}
	return `(select count(*)
		          from seen s
		          join ` + table + ` o
		            on o.tenant_id = s.tenant_id
		           and o.connector_id = $4
		           and o.external_id = s.external_id
		         where o.missing_since is not null or o.` + removed + ` is not null)`
}

// sameRecord explains the strongest link there is: the source itself says whose account it is.
const sameRecord = `'{"rule_ids": ["same_record"], "score": 1, "explanation": ["the source names this person as the owner of the account"]}'`

func counted(row pgx.Row) (c Counts, err error) {
	var seen, written int64
	err = row.Scan(&seen, &c.Created, &written, &c.Reappeared)
	c.Updated = written - c.Reappeared
	c.Unchanged = seen - c.Created - written
	return c, err
}

// mergeEntitlements inserts new entitlements and updates changed ones. What people have set about one stays. Other
// references to owners than before end a person's decision about its owners; findOwners then follows them.
func mergeEntitlements(ctx context.Context, tx *pg.Tx, s span) (Counts, error) {
	sql := `
		with seen as (` + lastOf("stage_entitlement") + `
		), merged as (
		    insert into entitlement as e (tenant_id, id, connector_id, external_id, native_ref, native_identity, kind,
		                                  name, display_name, description, resource, privileged, requestable, grantable,
		                                  revocable, exclusion_group, max_members, owner_refs, attributes, row_hash,
		                                      changed_run_id, created_run_id)
		    select tenant_id, new_id, $4, external_id, native_ref, native_identity, kind, name, display_name,
		           description, resource, coalesce(privileged, false), coalesce(requestable, false),
		           coalesce(grantable, true), coalesce(revocable, true), exclusion_group, max_members, owner_refs,
		               attributes, row_hash, run_id, run_id
		      from seen
		    on conflict (tenant_id, connector_id, external_id) do update
		       set native_ref = excluded.native_ref, native_identity = excluded.native_identity, kind = excluded.kind,
		           name = excluded.name, display_name = excluded.display_name, description = excluded.description,
		           privileged = case when e.privileged_source is null then excluded.privileged else e.privileged end,
		           resource = excluded.resource, grantable = excluded.grantable, revocable = excluded.revocable,
		           exclusion_group = excluded.exclusion_group, max_members = excluded.max_members,
		           owner_refs = excluded.owner_refs, owners_decided = e.owners_decided
		           and e.owner_refs = excluded.owner_refs, attributes = excluded.attributes,
		           row_hash = excluded.row_hash, changed_run_id = excluded.changed_run_id,
		           lifecycle = case when e.removed_at is not null then 'active' else e.lifecycle end,
		               missing_since = null, missing_runs = 0, removed_at = null, updated_at = now(),
		               version = e.version + 1
		     where e.row_hash is distinct from excluded.row_hash
		        or e.missing_since is not null
		        or e.removed_at is not null
		    returning (xmax = 0) as inserted
		)
		select (select count(*) from seen), count(*) filter (where inserted), count(*) filter (where not inserted),
		       ` + s.known.reappearing("entitlement", "removed_at") + `
		  from merged`
	return counted(tx.QueryRow(ctx, sql, s.run, s.lo, s.hi, s.connector))
}

// reference is a way in which a staged grant names its principal, with the condition that finds the account or
// entitlement p.
type reference struct{ which, account, entitlement string }

// references of grants. A source that lists members by another key than the immutable one is resolved here, where
// everything it can point to is known, instead of in the memory of whoever reads.
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

func (r reference) unique() bool { return strings.HasPrefix(r.account, "p.external_id = ") }

// mergeGrants records who holds what, and what is nested in what. References may point to records that a later chunk
// brings; what cannot be resolved yet is tried again at the end.
func mergeGrants(ctx context.Context, tx *pg.Tx, s span) (total Counts, nested int64, err error) {
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
			c, err := grantsCounted(tx.QueryRow(ctx, grantsSQL(s, ref), s.run, s.lo, s.hi, s.connector))
			if err != nil {
				return total, 0, fmt.Errorf("of accounts by %s: %w", kind, err)
			}
			total.add(c)
		}
		if ref.entitlement != "" {
			tag, err := tx.Exec(ctx, fmt.Sprintf(edgesSQL, ref.which, ref.entitlement), s.run, s.lo, s.hi, s.connector)
			if err != nil {
				return total, 0, fmt.Errorf("of entitlements by %s: %w", kind, err)
			}
			nested += tag.RowsAffected()
		}
	}
	parents, err := mergeParents(ctx, tx, s)
	return total, nested + parents, err
}

func kindsOfReference(ctx context.Context, tx *pg.Tx, s span) ([]string, error) {
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
	rows, err := tx.Query(ctx, sql, s.run, s.lo, s.hi)
	if err != nil {
		return nil, fmt.Errorf("kinds of reference: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// grantsCounted is counted for grants, of which some may have been revoked by us.
func grantsCounted(row pgx.Row) (c Counts, err error) {
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
	                  or %[1]s.revoked_at > (select coalesce(r.started_at, r.created_at) from sync_run r where r.tenant_id = current_tenant() and r.id = $1)))`

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
func grantsSQL(s span, ref reference) string {
	back := "0::bigint, 0::bigint, 0::bigint"
	if s.known.gone {
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

// edgesSQL records nesting: a member that is itself an entitlement. %s stand for the kind of reference and the
// condition that resolves it.
const edgesSQL = `
	insert into entitlement_edge (tenant_id, member_id, parent_id, connector_id, changed_run_id)
	select distinct s.tenant_id, p.id, e.id, $4::uuid, s.run_id
	  from stage_grant s
	  join entitlement e
	    on e.tenant_id = s.tenant_id
	   and e.connector_id = $4
	   and e.external_id = s.entitlement_external_id
	   and e.removed_at is null
	  join entitlement p
	    on p.tenant_id = s.tenant_id
	   and p.connector_id = $4
	   and p.removed_at is null
	   and %[2]s
	 where s.tenant_id = current_tenant()
	   and s.run_id = $1
	   and s.seq between $2 and $3
	   and not s.deleted
	   and s.held is not true
	   and %[1]s
	   and p.id <> e.id` + edgeAgain

// edgeAgain keeps an edge that is there, and takes back that it was missing.
const edgeAgain = `
	on conflict (tenant_id, member_id, parent_id) do update
	   set missing_since = null, missing_runs = 0, changed_run_id = excluded.changed_run_id
	 where entitlement_edge.missing_since is not null`

// mergeParents records nesting that entitlements tell themselves.
func mergeParents(ctx context.Context, tx *pg.Tx, s span) (int64, error) {
	const sql = `
		insert into entitlement_edge (tenant_id, member_id, parent_id, connector_id, changed_run_id)
		select distinct s.tenant_id, m.id, p.id, $4::uuid, s.run_id
		  from stage_entitlement s
		 cross join unnest(s.parent_external_ids) as parent (external_id)
		  join entitlement m
		    on m.tenant_id = s.tenant_id
		   and m.connector_id = $4
		   and m.external_id = s.external_id
		  join entitlement p
		    on p.tenant_id = s.tenant_id
		   and p.connector_id = $4
		   and p.external_id = parent.external_id
		 where s.tenant_id = current_tenant()
		   and s.run_id = $1
		   and s.seq between $2 and $3
		   and s.parent_external_ids is not null
		   and not s.deleted
		   and s.held is not true
		   and m.id <> p.id` + edgeAgain
	tag, err := tx.Exec(ctx, sql, s.run, s.lo, s.hi, s.connector)
	if err != nil {
		return 0, fmt.Errorf("parents: %w", err)
	}
	return tag.RowsAffected(), nil
}
