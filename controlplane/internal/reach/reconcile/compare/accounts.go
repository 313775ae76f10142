package compare

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/record/directory/account"
)

// accountColumns are those that a run writes; the first of them are shown with their values.
var (
	accountTold    = []string{"username", "email", "display_name", "employee_number", "is_disabled"}
	accountColumns = append(
		accountTold[:len(accountTold):len(accountTold)],
		"native_ref",
		"native_identity",
		"identity_external_id",
		"first_name",
		"last_name",
		"is_locked",
		"password_expired",
		"mfa_enrolled",
		"privileged",
		"expires_at",
		"last_login_at",
		"password_last_set_at",
		"native_created_at",
		"native_modified_at",
		"owner_refs",
		"attributes",
	)
)

// stagedAccountName names an account s of the stage as one of the store would be.
const stagedAccountName = `coalesce(nullif(s.username, ''), nullif(s.display_name, ''), nullif(s.native_identity, ''),
	s.external_id)`

// accounts compares accounts. c_account holds those that are new, different or back; an account that only changed its
// name is the same account, by its external_id.
func (c *comparison) accounts(ctx context.Context) error {
	if err := c.seen(ctx, "account", "accounts"); err != nil {
		return err
	}
	const different = `
		create temp table c_account on commit drop as
		select r.external_id, r.seq, r.ord, r.content, a.id, a.status, a.missing_runs
		  from r_account r
		  left join account a
		    on a.tenant_id = current_tenant()
		   and a.connector_id = @connector
		   and a.external_id = r.external_id
		 where not r.gone
		   and (r.content and a.row_hash is distinct from r.row_hash or a.status in ('missing', 'deleted'))`
	changed := `
		insert into r_change (object, change, object_id, external_id, display, guard, fields, before, after, container,
		    owner_id, stage_seq, stage_ord)
		select 'account',
		       case when c.id is null then 'create'
		            when c.status in ('missing', 'deleted') then 'reappear'
		            when s.is_disabled and a.is_disabled is not true then 'disable'
		            else 'update' end,
		       c.id, c.external_id, ` + stagedAccountName + `,
		       case when s.is_disabled and a.is_disabled is not true and c.status in ('active',
		       'locked') then 'account_disabled' end, case when c.id is null then '{}'
		           else ` + changedFields("a", "s", accountColumns...) + ` end,
		       case when c.id is not null then ` + changedValues("a", "a", "s", accountTold...) + ` end,
		       ` + changedValues("s", "a", "s", accountTold...) + `,
		       ` + Container("s.native_identity") + `, a.identity_id, c.seq, c.ord
		  from c_account c
		  join stage_account s
		    on s.tenant_id = current_tenant() and s.run_id = @run and s.seq = c.seq and s.ord = c.ord
		  left join account a
		    on a.tenant_id = current_tenant() and a.id = c.id
		 where c.content`
	back := `
		insert into r_change (object, change, object_id, external_id, display, before, container, owner_id)
		select 'account', 'reappear', a.id, a.external_id, ` + account.Display + `,
		       jsonb_build_object('status', a.status), ` + Container("a.native_identity") + `, a.identity_id
		  from c_account c
		  join account a
		    on a.tenant_id = current_tenant() and a.id = c.id
		 where not c.content`
	return c.do(ctx, "accounts", different, changed, back, accountsGone(account.Display))
}

// accountsGone: a tombstone removes at once, absence step by step and only where it is proven. The first step counts
// for the guard, and so does the last; what lies between changes nothing but a number. What we are making is not there
// yet, and what we have made since the run began a reading may not have noticed.
func accountsGone(display string) string {
	return `
		insert into r_change (object, change, object_id, external_id, display, guard, before, after, container,
		    owner_id, reason)
		select 'account', case when g.final then 'remove' else 'missing' end, g.id, g.external_id, ` + display + `,
		       case when g.final or g.status <> 'missing' then 'account_missing' end,
		       jsonb_build_object('status', g.status, 'missing_runs', g.missing_runs),
		       case when g.final then jsonb_build_object('status', 'deleted')
		            else jsonb_build_object('status', 'missing', 'missing_runs', g.missing_runs + 1) end,
		       ` + Container("a.native_identity") + `, a.identity_id,
		       case when g.gone then 'the target says that it was deleted' end
		  from (select a.id, a.external_id, a.status, a.missing_runs, r.gone, coalesce(r.gone, false)
		      or a.missing_runs + 1 >= @required as final
		          from account a
		          left join r_account r on r.external_id = a.external_id
		         where a.tenant_id = current_tenant()
		           and a.connector_id = @connector
		           and a.status in ('active', 'disabled', 'locked', 'missing', 'deprovisioning')
		           and (r.gone
		                or r.external_id is null and @whole_account
		                   and not (a.wanted_at is not null
		                            and a.updated_at > (select coalesce(started_at, created_at) from sync_run
		                                where tenant_id = current_tenant() and id = @run)))) g
		  join account a
		    on a.tenant_id = current_tenant() and a.id = g.id`
}

// accountsAfter lists the accounts as they will be called after this run, so that what refers to them is found under
// new names as well as old ones. A name that a record of this run has taken is no longer the name of whoever had it
// before.
func (c *comparison) accountsAfter(ctx context.Context) error {
	const renamed = `
		create temp table w_account on commit drop as
		select c.id, c.external_id, s.native_ref, lower(s.username) as username_lc, lower(s.email) as email_lc
		  from c_account c
		  join stage_account s
		    on s.tenant_id = current_tenant() and s.run_id = @run and s.seq = c.seq and s.ord = c.ord
		 where c.content
		 union all
		select a.id, a.external_id, a.native_ref, a.username_lc, a.email_lc
		  from c_account c
		  join account a
		    on a.tenant_id = current_tenant() and a.id = c.id and a.status = 'deleted'
		 where not c.content`
	const others = `
		insert into w_account
		select a.id, a.external_id, case when n.name is null then a.native_ref end,
		    case when u.name is null then a.username_lc end, a.email_lc
		  from account a
		  left join c_account c on c.external_id = a.external_id and c.content
		  left join r_account r on r.external_id = a.external_id and r.gone
		  left join (select distinct native_ref as name from w_account) n on n.name = a.native_ref
		  left join (select distinct username_lc as name from w_account) u on u.name = a.username_lc
		 where a.tenant_id = current_tenant()
		   and a.connector_id = @connector
		   and a.status <> 'deleted'
		   and c.external_id is null
		   and r.external_id is null`
	return c.do(ctx, "names of accounts", renamed, others)
}
