package merge

import (
	"context"
	"fmt"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// Unresolved counts the staged grants that name an account or entitlement that is not there, and lists the first of
// them in sync_error if tell is set. They stay visible instead of being dropped: a member outside the part of a
// directory that is read looks like this. examples are a few of them, as text.
func Unresolved(ctx context.Context, tx *pg.Tx, s Span, tell bool) (n int64, examples []string, err error) {
	const sql = `
		with open as (
		    select s.entitlement_external_id,
		           coalesce(s.account_external_id, s.principal_entitlement_external_id,
		               s.principal_ref_value) as principal, coalesce(e.display_name, s.entitlement_external_id) as name,
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
		           case when no_entitlement then 'the entitlement of this grant was not read; its member is ' ||
		               left(principal, 500)
		                else 'the member ' || left(principal,
		                    500) || ' of this entitlement was not read: it lies outside what this connector reads, '
		                     || 'or the filter for people leaves it out' end
		      from open
		     where $5
		     limit 1000
		)
		select (select count(*) from open),
		       array(select left(principal, 200) || ' of ' || left(name, 200) from open order by name, principal
		           limit $6)`
	if err := tx.QueryRow(ctx, sql, s.Run, s.Lo, s.Hi, s.Connector, tell, MaxExamples).
		Scan(&n, &examples); err != nil {
		return 0, nil, fmt.Errorf("unresolved references: %w", err)
	}
	return n, examples, nil
}

// MaxExamples is how many memberships the warning about unresolved ones names.
const MaxExamples = 5

// UnresolvedWarning is what a run says of memberships whose member, or entitlement, was not read: access that no one
// sees here.
func UnresolvedWarning(n int64, examples []string) v1.Warning {
	return v1.Warning{Code: "unresolved_memberships", Message: fmt.Sprintf(
		"Memberships that name a member or an entitlement that was not read: %d, such as %s. "+
			"The errors of the run list them.",
		n,
		strings.Join(examples, "; "),
	)}
}

// resolves is true for a staged grant whose principal is known. Each kind of reference looks up its own index.
const resolves = `
	case
	when s.account_external_id is not null then
	     exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4
	       and p.external_id = s.account_external_id and p.status <> 'deleted')
	when s.principal_entitlement_external_id is not null then
	     exists (select from entitlement p where p.tenant_id = s.tenant_id and p.connector_id = $4
	       and p.external_id = s.principal_entitlement_external_id)
	when s.principal_ref_kind = 'native' then
	     exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4
	       and p.native_ref = s.principal_ref_value and p.status <> 'deleted')
	  or exists (select from entitlement p where p.tenant_id = s.tenant_id and p.connector_id = $4
	    and p.native_ref = s.principal_ref_value)
	when s.principal_ref_kind = 'username' then
	     exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4
	       and p.username_lc = s.principal_ref_value and p.status <> 'deleted')
	when s.principal_ref_kind = 'email' then
	     exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4
	       and p.email_lc = s.principal_ref_value and p.status <> 'deleted')
	else exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4
	  and p.external_id = s.principal_ref_value and p.status <> 'deleted')
	  or exists (select from entitlement p where p.tenant_id = s.tenant_id and p.connector_id = $4
	    and p.external_id = s.principal_ref_value)
	  or exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4
	    and p.native_ref = s.principal_ref_value and p.status <> 'deleted')
	  or exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4
	    and p.username_lc = lower(s.principal_ref_value) and p.status <> 'deleted')
	end`
