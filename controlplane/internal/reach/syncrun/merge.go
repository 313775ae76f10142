package syncrun

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/authority"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/pin"
)

// span is a part of a run's staged chunks: those with lo <= seq <= hi.
type span struct {
	run, connector string
	lo, hi         int
	known          known
}

// part is a third of the merging of a span. Each is idempotent: what is already so is found unchanged.
type part func(ctx context.Context, tx *pg.Tx, s span) (tally, error)

// mergePeople makes a span's people true. It comes first, because accounts point to them.
func mergePeople(ctx context.Context, tx *pg.Tx, s span) (t tally, err error) {
	if t.Report.Identities, t.Counters.Errors, err = mergeIdentities(ctx, tx, s); err != nil {
		return t, fmt.Errorf("merge identities: %w", err)
	}
	return t, nil
}

// mergeEnds makes a span's accounts and entitlements true: both ends of a grant.
func mergeEnds(ctx context.Context, tx *pg.Tx, s span) (t tally, err error) {
	if t.Report.Accounts, err = mergeAccounts(ctx, tx, s); err != nil {
		return t, fmt.Errorf("merge accounts: %w", err)
	}
	if t.Report.Entitlements, err = mergeEntitlements(ctx, tx, s); err != nil {
		return t, fmt.Errorf("merge entitlements: %w", err)
	}
	return t, nil
}

// mergeHoldings makes a span's grants true.
func mergeHoldings(ctx context.Context, tx *pg.Tx, s span) (t tally, err error) {
	if t.Report.Grants, t.Report.Nestings.Created, err = mergeGrants(ctx, tx, s); err != nil {
		return t, fmt.Errorf("merge grants: %w", err)
	}
	return t, tellReturned(ctx, tx, s, t.Report.Grants.Returned)
}

// tellReturned notes in the audit log that grants came back which we had revoked.
func tellReturned(ctx context.Context, tx *pg.Tx, s span, n int64) error {
	if n == 0 {
		return nil
	}
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "grant.returned", Subject: audit.Subject{Type: "sync_run", ID: s.run},
			Context: map[string]any{"run_id": s.run, "connector_id": s.connector, "count": n}},
	)
}

// personFields are the fields of a person that a source writes, beside the e-mail address and the display name.
var personFields = slices.DeleteFunc(
	slices.Clone(pin.SourceFields),
	func(f string) bool { return f == "email" || f == "display_name" },
)

// mergeIdentities brings each person's record together with an identity: the one it has been with, or one that has the
// same external_id (created by API), the same employee number or the same e-mail address, or a new one. A record that
// this run has merged before, because it was read twice, counts once.
func mergeIdentities(ctx context.Context, tx *pg.Tx, s span) (c Counts, taken int64, err error) {
	if some, err := loadPeople(ctx, tx, s); err != nil || !some {
		return c, 0, err
	}
	if c.Unchanged, err = dropUnchanged(ctx, tx); err != nil {
		return c, 0, err
	}
	if _, err = tx.Exec(ctx, `analyze m_identity`); err != nil {
		return c, 0, err
	}
	if err := matchIdentities(ctx, tx, s); err != nil {
		return c, 0, err
	}
	filled, err := filledFields(ctx, tx, s.run)
	if err != nil {
		return c, 0, err
	}
	filled = append(filled, s.known.fields...)
	records := authority.Records{Table: "m_identity", Connector: s.connector, Filled: filled}
	if err := authority.MergeRecords(ctx, tx, records); err != nil {
		return c, 0, err
	}
	if err := pin.Keep(ctx, tx, pin.Records{Table: "m_identity", UpdatePins: true}); err != nil {
		return c, 0, err
	}
	if slices.Contains(filled, "email") {
		if err := freeEmails(ctx, tx, s); err != nil {
			return c, 0, err
		}
	}
	if taken, err = clearTakenEmails(ctx, tx, s); err != nil {
		return c, 0, err
	}
	unchanged, err := dropUnchanged(ctx, tx)
	if err != nil {
		return c, 0, err
	}
	c.Unchanged += unchanged
	if err := writePeople(ctx, tx, s, &c); err != nil {
		return c, 0, err
	}
	return c, taken, rememberSources(ctx, tx, s)
}

// writePeople inserts who is new and updates the others, and tells of both where somebody listens.
// Their states follow from what is written of them.
func writePeople(ctx context.Context, tx *pg.Tx, s span, c *Counts) error {
	listened, err := heard(ctx, tx)
	if err != nil {
		return err
	}
	if listened {
		if err := rememberPeople(ctx, tx); err != nil {
			return err
		}
	}
	tag, err := tx.Exec(ctx, insertIdentities(), s.connector)
	if err != nil {
		return fmt.Errorf("insert: %w", err)
	}
	c.Created = tag.RowsAffected()
	if err := updatePeople(ctx, tx, c); err != nil {
		return err
	}
	if c.Created > 0 {
		if err := lifecycle.LinkRehires(
			ctx,
			tx,
			`select m.identity_id from m_identity m where m.is_new`,
			nil,
		); err != nil {
			return err
		}
	}
	if _, err := lifecycle.ApplyDates(
		ctx,
		tx,
		"hr",
		`select m.identity_id from m_identity m`,
		nil,
	); err != nil ||
		!listened {
		return err
	}
	return tellPeople(ctx, tx)
}

// loadPeople gathers a span's people with what is known of their records.
func loadPeople(ctx context.Context, tx *pg.Tx, s span) (some bool, err error) {
	const temp = `
		create temp table if not exists m_identity (
		    like stage_identity, identity_id uuid, old_hash bytea, match_rule text, gone boolean, removed boolean, again boolean, is_new boolean,
		    said text, ` + authority.RecordColumns + `
		) on commit delete rows`
	load := `
		insert into m_identity
		select s.*, src.identity_id, src.row_hash, src.match_rule,
		       coalesce(src.missing_since is not null or src.missing_runs > 0 or src.removed_at is not null, false),
		       src.removed_at is not null, coalesce(src.changed_run_id = s.run_id, false), false,
		       s.source_status, ` + authority.ReportedSQL("s") + `, null, src.source_status
		  from (select distinct on (external_id) *
		          from stage_identity
		         where tenant_id = current_tenant()
		           and run_id = $1
		           and seq between $2 and $3
		         order by external_id, seq desc, ord desc) s
		  left join identity_source src
		    on src.tenant_id = s.tenant_id
		   and src.connector_id = $4
		   and src.external_id = s.external_id
		 where not s.deleted
		   and s.held is not true`
	if _, err := tx.Exec(ctx, temp); err != nil {
		return false, err
	}
	// Whoever was archived stays so; when their source says that they are here again, it is as somebody new.
	const anew = `
		update m_identity m
		   set identity_id = null
		  from identity i
		 where i.tenant_id = m.tenant_id
		   and i.id = m.identity_id
		   and i.status = 'archived'
		   and i.merged_into_id is null
		   and (m.said_before = 'deactivated' or i.status_reason = 'retention')
		   and m.said is distinct from 'deactivated'
		   and (m.termination_date is null or m.termination_date >= current_date)
		   and m.old_hash <> m.row_hash`
	tag, err := tx.Exec(ctx, load, s.run, s.lo, s.hi, s.connector)
	if err != nil {
		return false, fmt.Errorf("load: %w", err)
	}
	if _, err := tx.Exec(ctx, anew); err != nil {
		return false, fmt.Errorf("load who is here again: %w", err)
	}
	return tag.RowsAffected() > 0, nil
}

// dropUnchanged leaves out whom the store knows as they are.
func dropUnchanged(ctx context.Context, tx *pg.Tx) (n int64, err error) {
	const sql = `
		with dropped as (
		    delete from m_identity
		     where old_hash = row_hash and not gone
		    returning again
		)
		select count(*) from dropped where not again`
	if err := tx.QueryRow(ctx, sql).Scan(&n); err != nil {
		return 0, fmt.Errorf("drop unchanged: %w", err)
	}
	return n, nil
}

// updatePeople writes whom the store knows otherwise.
func updatePeople(ctx context.Context, tx *pg.Tx, c *Counts) error {
	if err := authority.AdoptSourceNames(ctx, tx, "m_identity"); err != nil {
		return err
	}
	sql := `
		with updated as (` + updateIdentities() + `
		    returning m.again, m.gone
		)
		select count(*) filter (where not again and not gone), count(*) filter (where not again and gone) from updated`
	if err := tx.QueryRow(ctx, sql).Scan(&c.Updated, &c.Reappeared); err != nil {
		return fmt.Errorf("update: %w", err)
	}
	return nil
}

// matchIdentities finds the identities of records that are seen for the first time. A key that several people share on
// either side decides nothing.
func matchIdentities(ctx context.Context, tx *pg.Tx, s span) error {
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
		if _, err := tx.Exec(ctx, fmt.Sprintf(byKey, rule.name, rule.on), s.connector); err != nil {
			return fmt.Errorf("match by %s: %w", rule.name, err)
		}
	}
	_, err := tx.Exec(ctx, `
		update m_identity
		   set identity_id = new_id, match_rule = 'new', is_new = true
		 where identity_id is null`)
	return err
}

// freeEmails takes their address from people whose own source gives them another one in this run, where the run gives
// theirs to somebody else: addresses that are handed on, or swapped, in whatever order the records come. An address
// that its holder has pinned stays theirs.
func freeEmails(ctx context.Context, tx *pg.Tx, s span) error {
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
	if _, err := tx.Exec(ctx, sql, s.run, s.connector); err != nil {
		return fmt.Errorf("free e-mail addresses: %w", err)
	}
	if _, err := tx.Exec(ctx, rehired); err != nil {
		return fmt.Errorf("free e-mail addresses of who came back: %w", err)
	}
	return nil
}

// clearTakenEmails keeps the person and leaves out an address that somebody else has: an address belongs to one person.
// The row's hash is marked, so that the next run tries again, and changes nothing while the address is still taken.
func clearTakenEmails(ctx context.Context, tx *pg.Tx, s span) (int64, error) {
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
	tag, err := tx.Exec(ctx, sql, s.run)
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

func insertIdentities() string {
	columns := strings.Join(personFields, ", ")
	return `
		insert into identity (tenant_id, id, external_id, source_connector_id, email, display_name, ` + columns + `,
		                      status, standing, status_source, last_synced_at, manager_id, manager_external_id,
		                          manager_from_source, attributes)
		select p.tenant_id, p.identity_id, p.external_id, $1, p.email,
		    coalesce(p.display_name, p.email, p.username, p.external_id), p.` +
		strings.Join(personFields, ", p.") + `,
		       coalesce(p.source_status, 'active'), coalesce(p.source_status, 'active'), 'hr', now(), boss.id,
		           boss.external_id, boss.id is not null, jsonb_strip_nulls(p.attributes)
		  from m_identity p
		  left join (` + bosses + `) boss
		    on boss.reference = p.manager_ref_value
		   and boss.kind = p.manager_ref_kind
		   and boss.id <> p.identity_id
		 where p.is_new`
}

// written are all fields that a source writes.
var written = append([]string{"email", "display_name"}, personFields...)

// filledFields says which fields the run fills for at least one person.
func filledFields(ctx context.Context, tx *pg.Tx, run string) ([]string, error) {
	var asked strings.Builder
	for i, f := range written {
		if i > 0 {
			asked.WriteString(", ")
		}
		fmt.Fprintf(&asked, "case when bool_or(%s is not null) then '%s' end", f, f)
	}
	sql := `
		select array_remove(array[` + asked.String() + `], null)
		  from stage_identity
		 where tenant_id = current_tenant()
		   and run_id = $1
		   and not deleted`
	names := []string{}
	if err := tx.QueryRow(ctx, sql, run).Scan(&names); err != nil {
		return nil, fmt.Errorf("fields that the source fills: %w", err)
	}
	return names, nil
}

// updateIdentities writes what the sources of a person say together. What somebody has decided about a person's state
// stays until the authoritative source says something else about it; one that has lost a person and has them again
// makes them active.
func updateIdentities() string {
	return `
		update identity i
		   set ` + authority.Assignments() + `,
		       standing = case when ` + authority.StatusApplies + ` then m.source_status
		                       when ` + foundAgain + ` then 'active' else i.standing end,
		       last_synced_at = now(), updated_at = now(), version = i.version + 1
		  from m_identity m
		 where i.tenant_id = m.tenant_id
		   and i.id = m.identity_id
		   and not m.is_new
		   and i.status <> 'archived'`
}

// foundAgain holds where the authoritative record had been removed, is back, and says nothing of the person's state.
const foundAgain = `(m.removed and m.external_id = m.owner_external_id and m.owner_id = i.source_connector_id
		           and m.said is null and i.status_source <> 'manual')`

func rememberSources(ctx context.Context, tx *pg.Tx, s span) error {
	const sql = `
		insert into identity_source (tenant_id, connector_id, external_id, identity_id, native_ref, manager_ref_kind,
		                             manager_ref_value, row_hash, match_rule, changed_run_id, created_run_id,
		                                 source_status, told)
		select tenant_id, $1, external_id, identity_id, native_ref, manager_ref_kind, manager_ref_value, row_hash,
		    match_rule, run_id, run_id, said, told
		  from m_identity
		on conflict (tenant_id, connector_id, external_id) do update
		   set identity_id = excluded.identity_id, native_ref = excluded.native_ref,
		       manager_ref_kind = excluded.manager_ref_kind, manager_ref_value = excluded.manager_ref_value,
		       row_hash = excluded.row_hash, changed_run_id = excluded.changed_run_id, changed_at = now(),
		       missing_since = null, missing_runs = 0, removed_at = null, source_status = excluded.source_status,
		           told = excluded.told`
	if _, err := tx.Exec(ctx, sql, s.connector); err != nil {
		return fmt.Errorf("remember sources: %w", err)
	}
	return nil
}
