package merge

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// matchIdentities finds the identities of records that are seen for the first time. A key that several people share on
// either side decides nothing.
func matchIdentities(ctx context.Context, tx *pg.Tx, s Span) error {
	const byKey = `
		with candidate as (
		    select m.external_id, array_agg(i.id) as ids
		      from m_identity m
		      join identity i
		        on i.tenant_id = m.tenant_id
		       and %[2]s
		     where m.identity_id is null
		       and i.status <> 'archived'
		       and not exists (select from identity_source x
		                        where x.tenant_id = i.tenant_id and x.identity_id = i.id and x.connector_id = $1)
		       and not exists (select from m_identity o where o.identity_id = i.id)
		     group by m.external_id
		), single as (
		    select ids[1] as id, min(external_id) as external_id
		      from candidate
		     where cardinality(ids) = 1
		     group by ids[1]
		    having count(*) = 1
		)
		update m_identity m
		   set identity_id = single.id, match_rule = '%[1]s'
		  from single
		 where m.external_id = single.external_id`
	for _, rule := range []struct{ name, on string }{
		{"external_id", "i.external_id = m.external_id and i.source_connector_id is null"},
		{"employee_number", "i.employee_number = m.employee_number"},
		{"email", "i.email_lc = lower(m.email)"},
	} {
		if err := pg.Exec(
			ctx,
			tx,
			"match by "+rule.name,
			fmt.Sprintf(byKey, rule.name, rule.on),
			s.Connector,
		); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, `
		update m_identity
		   set identity_id = new_id, match_rule = 'new', is_new = true
		 where identity_id is null`)
	return err
}

// freeEmails takes their address from people whose own source gives them another one in this run, where the run gives
// theirs to another person: addresses that are handed on, or swapped, in whatever order the records come. An address
// that its holder has pinned stays theirs.
func freeEmails(ctx context.Context, tx *pg.Tx, s Span) error {
	const sql = `
		with wanted as (
		    select distinct lower(m.email) as email, m.identity_id
		      from m_identity m
		     where m.email is not null
		), holder as (
		    select distinct i.id, i.email_lc, i.tenant_id
		      from wanted w
		      join identity i
		        on i.tenant_id = current_tenant()
		       and i.email_lc = w.email
		       and i.kind = 'human'
		       and i.status <> 'archived'
		       and i.id <> w.identity_id
		       and i.source_connector_id = $2
		       and not i.pins ? 'email'
		)
		update identity i
		   set email = null
		  from (select h.id, h.email_lc, (array_agg(g.email order by g.seq desc, g.ord desc))[1] as email
		          from holder h
		          join identity_source x
		            on x.tenant_id = h.tenant_id
		           and x.identity_id = h.id
		           and x.connector_id = $2
		          join stage_identity g
		            on g.tenant_id = h.tenant_id
		           and g.run_id = $1
		           and g.external_id = x.external_id
		           and not g.deleted
		           and g.held is not true
		         group by h.id, h.email_lc) given
		 where i.tenant_id = current_tenant()
		   and i.id = given.id
		   and lower(given.email) is distinct from given.email_lc`
	// Who comes back by a new record takes the address over from the record of who left.
	const rehired = `
		update identity i
		   set email = null, updated_at = now(), version = i.version + 1
		  from m_identity m
		 where m.is_new
		   and m.email is not null
		   and m.source_status is distinct from 'deactivated'
		   and i.tenant_id = m.tenant_id
		   and i.email_lc = lower(m.email)
		   and i.employee_number = m.employee_number
		   and i.kind = 'human'
		   and i.status = 'deactivated'`
	if err := pg.Exec(ctx, tx, "free e-mail addresses", sql, s.Run, s.Connector); err != nil {
		return err
	}
	return pg.Exec(ctx, tx, "free e-mail addresses of who came back", rehired)
}

// clearTakenEmails keeps the person and leaves out the address of another person: an address belongs to one person.
// The row's hash is marked, so that the next run tries again, and changes nothing while the address is still taken.
func clearTakenEmails(ctx context.Context, tx *pg.Tx, s Span) (int64, error) {
	const sql = `
		with again as (
		    select m.external_id, row_number() over (partition by lower(m.email)
		                                             order by m.source_status is not distinct from 'deactivated',
		                                                      i.email_lc = lower(m.email) is true desc, m.is_new,
		                                                          m.external_id) as n
		      from m_identity m
		      left join identity i
		        on i.tenant_id = m.tenant_id
		       and i.id = m.identity_id
		     where m.email is not null
		), taken as (
		    update m_identity m
		       set email = null, row_hash = '\x00' || row_hash
		     where m.email is not null
		       and (exists (select from again a where a.external_id = m.external_id and a.n > 1)
		         or exists (select
		                      from identity i
		                     where i.tenant_id = m.tenant_id
		                       and i.email_lc = lower(m.email)
		                       and i.kind = 'human'
		                       and i.status <> 'archived'
		                       and i.id <> m.identity_id))
		    returning m.external_id
		)
		insert into sync_error (tenant_id, run_id, object, external_id, code, message, field, retryable)
		select current_tenant(), $1, 'identity', external_id, 'duplicate_email',
		       'somebody else has this e-mail address; the person was recorded without it', 'email', true
		  from taken`
	tag, err := tx.Exec(ctx, sql, s.Run)
	if err != nil {
		return 0, fmt.Errorf("duplicate e-mails: %w", err)
	}
	return tag.RowsAffected(), nil
}

// bosses are the people whom a record of this source can name as a manager by its source's own keys: those of this
// batch and those merged before. Who is named in another way, or comes later, is resolved when all are there; this
// spares most people of a first load a second write.
var bosses = `
	select kind, reference, (array_agg(id))[1] as id, (array_agg(external_id))[1] as external_id
	  from (` + everyBoss + `) each
	 group by kind, reference
	having count(*) = 1`

var everyBoss = `
	select 'native' as kind, native_ref as reference, identity_id as id, external_id
	  from m_identity
	 where is_new and native_ref is not null
	 union all
	select 'external_id', external_id, identity_id, external_id
	  from m_identity
	 where is_new
	 union all ` + earlierBoss("native", "native_ref") + `
	 union all ` + earlierBoss("external_id", "external_id")

// earlierBoss finds those who were merged before, by one key of their source. Each key has a select of its own: one
// condition that chooses between the keys could not be hashed.
func earlierBoss(kind, key string) string {
	return `
	select '` + kind + `', named.reference, i.id, i.external_id
	  from (select distinct manager_ref_value as reference from m_identity where manager_ref_kind = '` + kind +
		`') named
	  join identity_source s
	    on s.tenant_id = current_tenant()
	   and s.connector_id = $1
	   and s.` + key + ` = named.reference
	  join identity i
	    on i.tenant_id = s.tenant_id
	   and i.id = s.identity_id
	   and i.status <> 'archived'`
}
