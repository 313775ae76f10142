package correlate

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Run looks for the owners of accounts that have none, in the whole tenant, because a person may have arrived through
// another connector. One clear owner is linked; several make the account disputed, with all of them named. The explanation
// is stored with the account.
func Run(ctx context.Context, tx *pg.Tx, _ string) (linked int64, err error) {
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
