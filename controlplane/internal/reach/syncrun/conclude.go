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
	     exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.external_id = s.account_external_id)
	when s.principal_entitlement_external_id is not null then
	     exists (select from entitlement p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.external_id = s.principal_entitlement_external_id)
	when s.principal_ref_kind = 'native' then
	     exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.native_ref = s.principal_ref_value)
	  or exists (select from entitlement p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.native_ref = s.principal_ref_value)
	when s.principal_ref_kind = 'username' then
	     exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.username_lc = s.principal_ref_value)
	when s.principal_ref_kind = 'email' then
	     exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.email_lc = s.principal_ref_value)
	else exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.external_id = s.principal_ref_value)
	  or exists (select from entitlement p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.external_id = s.principal_ref_value)
	  or exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.native_ref = s.principal_ref_value)
	  or exists (select from account p where p.tenant_id = s.tenant_id and p.connector_id = $4 and p.username_lc = lower(s.principal_ref_value))
	end`

// correlate looks for the owners of accounts that have none, in the whole tenant, because a person may have arrived through
// another connector. One clear owner is linked; several make the account disputed, with all of them named. The explanation
// is stored with the account.
func correlate(ctx context.Context, tx *pg.Tx, connector string) (int64, error) {
	const sql = `
		with loose as (
		    select a.id, a.connector_id, a.employee_number, a.email_lc, a.username_lc, a.identity_external_id
		      from account a
		     where a.tenant_id = current_tenant()
		       and a.identity_id is null
		       and a.correlation_state in ('uncorrelated', 'disputed')
		), hit as (
		    select l.id, src.identity_id, 'same_record' as rule, 1.00 as score, 'the source says that this account belongs to this person' as why
		      from loose l
		      join identity_source src
		        on src.tenant_id = current_tenant()
		       and src.connector_id = l.connector_id
		       and src.external_id = l.identity_external_id
		     union all
		    select l.id, i.id, 'employee_number', 0.98, 'account and person have the same employee number'
		      from loose l
		      join identity i
		        on i.tenant_id = current_tenant()
		       and i.employee_number = l.employee_number
		       and i.status <> 'archived'
		     union all
		    select l.id, i.id, 'email', 0.95, 'account and person have the same e-mail address'
		      from loose l
		      join identity i
		        on i.tenant_id = current_tenant()
		       and i.email_lc = l.email_lc
		       and i.status <> 'archived'
		     union all
		    select l.id, i.id, 'username_is_email', 0.90, 'the account''s user name is the person''s e-mail address'
		      from loose l
		      join identity i
		        on i.tenant_id = current_tenant()
		       and i.email_lc = l.username_lc
		       and i.status <> 'archived'
		), owner as (
		    select id, identity_id, max(score) as score, array_agg(rule order by score desc) as rules, array_agg(why order by score desc) as whys
		      from hit
		     group by id, identity_id
		), verdict as (
		    select id, (array_agg(identity_id order by score desc))[1] as best, max(score) as score,
		           count(*) filter (where score = 1) as certain, count(*) as owners,
		           (array_agg(to_jsonb(rules) order by score desc))[1] as rules, (array_agg(to_jsonb(whys) order by score desc))[1] as whys,
		           jsonb_agg(jsonb_build_object('identity_id', identity_id, 'score', score, 'explanation', whys) order by score desc) as candidates
		      from owner
		     group by id
		)
		update account a
		   set identity_id = case when v.owners = 1 or v.certain = 1 then v.best end,
		       correlation_state = case when v.owners = 1 or v.certain = 1 then 'linked' else 'disputed' end,
		       correlation = jsonb_build_object('rule_ids', v.rules, 'score', v.score, 'explanation', v.whys, 'candidates', v.candidates, 'decided_at', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
		       updated_at = now(), version = a.version + 1
		  from verdict v
		 where a.tenant_id = current_tenant()
		   and a.id = v.id
		   and (v.owners = 1 or v.certain = 1 or a.correlation_state <> 'disputed')
		returning a.correlation_state = 'linked'`
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return 0, fmt.Errorf("correlate accounts: %w", err)
	}
	defer rows.Close()
	var linked int64
	for rows.Next() {
		var is bool
		if err := rows.Scan(&is); err != nil {
			return 0, fmt.Errorf("correlate accounts: %w", err)
		}
		if is {
			linked++
		}
	}
	return linked, rows.Err()
}

// forget drops what a connector's runs have staged, but for a run that another process may be working on. It comes after a
// run has ended, so that nobody waits for it, and before the next begins, in case it did not come to it.
func forget(ctx context.Context, tx *pg.Tx, connector, own string) error {
	for _, t := range tables {
		sql := "delete from " + t.name + ` s
			using sync_run r
			where s.tenant_id = current_tenant()
			  and r.tenant_id = s.tenant_id
			  and r.id = s.run_id
			  and r.connector_id = $1
			  and (r.id = $2 or r.finished_at is not null)`
		if _, err := tx.Exec(ctx, sql, connector, own); err != nil {
			return fmt.Errorf("clear %s: %w", t.name, err)
		}
	}
	return nil
}
