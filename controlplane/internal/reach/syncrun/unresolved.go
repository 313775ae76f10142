package syncrun

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// unresolved counts the staged grants that name somebody, or something, that is not there, and tells of the first of them
// when asked to. They stay visible instead of being dropped: a member outside the part of a directory that is read looks like
// this.
func unresolved(ctx context.Context, tx *pg.Tx, s span, tell bool) (int64, error) {
	const sql = `
		with open as (
		    select s.entitlement_external_id, coalesce(s.account_external_id, s.principal_entitlement_external_id, s.principal_ref_value) as principal,
		           e.id is null as no_entitlement
		      from stage_grant s
		      left join entitlement e
		        on e.tenant_id = s.tenant_id
		       and e.connector_id = $4
		       and e.external_id = s.entitlement_external_id
		     where s.tenant_id = current_tenant()
		       and s.run_id = $1
		       and s.seq between $2 and $3
		       and not s.deleted
		       and s.held is not true
		       and (e.id is null or not (` + resolves + `))
		), told as (
		    insert into sync_error (tenant_id, run_id, object, external_id, code, message)
		    select current_tenant(), $1, 'grant', entitlement_external_id, 'unresolved_reference',
		           case when no_entitlement then 'the entitlement of this grant was not read'
		                else 'a member of this entitlement was not read: it lies outside what this connector reads' end
		      from open
		     where $5
		     limit 1000
		)
		select count(*) from open`
	var n int64
	if err := tx.QueryRow(ctx, sql, s.run, s.lo, s.hi, s.connector, tell).Scan(&n); err != nil {
		return 0, fmt.Errorf("unresolved references: %w", err)
	}
	return n, nil
}

// resolves is true for a staged grant whose principal is known. Each kind of reference looks up its own index.
const resolves = `
	case
	when s.account_external_id is not null then
	     exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.external_id = s.account_external_id and p.status <> 'deleted')
	when s.principal_entitlement_external_id is not null then
	     exists (select from entitlement p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.external_id = s.principal_entitlement_external_id)
	when s.principal_ref_kind = 'native' then
	     exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.native_ref = s.principal_ref_value and p.status <> 'deleted')
	  or exists (select from entitlement p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.native_ref = s.principal_ref_value)
	when s.principal_ref_kind = 'username' then
	     exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.username_lc = s.principal_ref_value and p.status <> 'deleted')
	when s.principal_ref_kind = 'email' then
	     exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.email_lc = s.principal_ref_value and p.status <> 'deleted')
	else exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.external_id = s.principal_ref_value and p.status <> 'deleted')
	  or exists (select from entitlement p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.external_id = s.principal_ref_value)
	  or exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.native_ref = s.principal_ref_value and p.status <> 'deleted')
	  or exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.username_lc = lower(s.principal_ref_value) and p.status <> 'deleted')
	end`
