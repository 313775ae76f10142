package merge

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
)

// mergeAccounts inserts new accounts and updates changed ones. An account that names the person's record of the same
// source is linked to that person at once; a link made by a user stays. One that is seen again is what
// it was.
func mergeAccounts(ctx context.Context, tx *pg.Tx, s Span) (c counters.Counts, err error) {
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
		       ` + s.Known.reappearing("account", "deleted_at") + `
		  from merged`
	if c, err = scanCounts(tx.QueryRow(ctx, sql, s.Run, s.Lo, s.Hi, s.Connector)); err != nil || !s.Known.before {
		return c, err
	}
	return c, takeNames(ctx, tx, s)
}

// takeNames takes the names that a span's accounts have now from those that had them before: a person who was deleted
// and made anew is not the account of old, and what is granted by name is theirs alone.
func takeNames(ctx context.Context, tx *pg.Tx, s Span) error {
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
	return pg.Exec(ctx, tx, "take names", sql, s.Run, s.Lo, s.Hi, s.Connector)
}

// sameRecord explains the strongest link there is: the source itself says whose account it is.
const sameRecord = `'{"rule_ids": ["same_record"], "score": 1,
	"explanation": ["the source names this person as the owner of the account"]}'`
