package authority

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/pin"
)

// Reapply brings the identities whose ids the query gives, which may name arguments, up to date with their stored
// source records, and returns how many changed. It is for records that were removed or restored without being read,
// and for changed ranks.
func Reapply(ctx context.Context, tx *pg.Tx, people string, args pgx.NamedArgs) (int64, error) {
	gather := `
		create temp table k_person on commit drop as
		select i.id as identity_id, i.external_id,
		    i.` + strings.Join(pin.SourceFields, ", i.") + `, i.attributes, null::text as source_status,
		       null::jsonb as told, null::jsonb as says, null::text as said_before, null::uuid as owner_id,
		           null::text as owner_external_id
		  from identity i
		 where i.tenant_id = current_tenant()
		   and i.id in (` + people + `)
		   and i.status <> 'archived'
		   for update of i`
	if err := pg.Exec(ctx, tx, "merge people again", `drop table if exists k_person`); err != nil {
		return 0, err
	}
	tag, err := tx.Exec(ctx, gather, args)
	if err != nil {
		return 0, fmt.Errorf("merge people again: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return 0, nil
	}
	if err := MergeRecords(ctx, tx, Records{Table: "k_person"}); err != nil {
		return 0, err
	}
	if err := pg.Exec(ctx, tx, "merge people again", `delete from k_person where says is null`); err != nil {
		return 0, err
	}
	if err := pin.Keep(ctx, tx, pin.Records{Table: "k_person", UpdatePins: true}); err != nil {
		return 0, err
	}
	if err := freeAndClearEmails(ctx, tx); err != nil {
		return 0, err
	}
	return writeReapplied(ctx, tx)
}

// freeAndClearEmails lets the people of k_person exchange addresses, and leaves out an address that another person has.
// The records that give it are marked, so that the next run tries again.
func freeAndClearEmails(ctx context.Context, tx *pg.Tx) error {
	const free = `
		update identity i
		   set email = null
		  from k_person m
		 where i.tenant_id = current_tenant()
		   and i.id = m.identity_id
		   and i.email_lc is distinct from lower(m.email)`
	const clear = `
		with rival as (
		    select m.identity_id, row_number() over (partition by lower(m.email) order by i.status = 'deactivated',
		        m.identity_id) as n
		      from k_person m
		      join identity i
		        on i.tenant_id = current_tenant() and i.id = m.identity_id and i.kind = 'human'
		     where m.email is not null
		), taken as (
		    update k_person m
		       set email = null
		     where m.email is not null
		       and (exists (select from rival a where a.identity_id = m.identity_id and a.n > 1)
		         or exists (select
		                      from identity o
		                     where o.tenant_id = current_tenant()
		                       and o.email_lc = lower(m.email)
		                       and o.kind = 'human'
		                       and o.status <> 'archived'
		                       and o.id <> m.identity_id))
		    returning m.identity_id
		)
		update identity_source s
		   set row_hash = '\x00' || s.row_hash
		  from taken t
		 where s.tenant_id = current_tenant()
		   and s.identity_id = t.identity_id
		   and s.told ? 'email'
		   and (length(s.row_hash) = 0 or get_byte(s.row_hash, 0) <> 0)`
	const before = `
		create temp table k_address on commit drop as
		select m.identity_id, i.email
		  from k_person m
		  join identity i
		    on i.tenant_id = current_tenant() and i.id = m.identity_id`
	for _, sql := range []string{`drop table if exists k_address`, before, free, clear} {
		if err := pg.Exec(ctx, tx, "settle the addresses of people", sql); err != nil {
			return err
		}
	}
	return nil
}

// writeReapplied writes those of k_person that differ, and publishes their events.
func writeReapplied(ctx context.Context, tx *pg.Tx) (int64, error) {
	differs := make([]string, len(pin.SourceFields))
	for i, f := range pin.SourceFields {
		differs[i] = fmt.Sprintf("case when i.%[1]s is distinct from m.%[1]s then '%[1]s' end", f)
	}
	differs[slices.Index(pin.SourceFields, "email")] = "case when a.email is distinct from m.email then 'email' end"
	changed := `
		create temp table k_changed on commit drop as
		select c.*
		  from (select m.identity_id, array_remove(array[` + strings.Join(differs, ", ") + `,
		               case when ` + attributesMerged + ` <> i.attributes then 'attributes' end,
		               case when ` + StatusApplies + ` and i.standing is distinct from m.source_status then 'status'
		               end, case when i.source_connector_id <> m.owner_id then 'source_connector_id' end,
		               case when m.owner_id is not null
		                   and i.external_id <> m.owner_external_id then 'external_id' end], null) as fields
		          from k_person m
		          join k_address a on a.identity_id = m.identity_id
		          join identity i
		            on i.tenant_id = current_tenant() and i.id = m.identity_id) c
		 where c.fields <> '{}'`
	write := `
		update identity i
		   set ` + Assignments() + `,
		       standing = case when ` + StatusApplies + ` then m.source_status else i.standing end,
		       updated_at = now(), version = i.version + 1
		  from k_person m
		  join k_changed c on c.identity_id = m.identity_id
		 where i.tenant_id = current_tenant() and i.id = m.identity_id`
	// An address that was freed for nothing comes back.
	const restore = `
		update identity i set email = m.email from k_person m
		 where i.tenant_id = current_tenant() and i.id = m.identity_id and i.email is distinct from m.email`
	for _, sql := range []string{`drop table if exists k_changed`, changed} {
		if err := pg.Exec(ctx, tx, "merge people again", sql); err != nil {
			return 0, err
		}
	}
	if err := AdoptSourceNames(ctx, tx, "k_person"); err != nil {
		return 0, err
	}
	tag, err := tx.Exec(ctx, write)
	if err != nil {
		return 0, fmt.Errorf("merge people again: %w", err)
	}
	if err := pg.Exec(ctx, tx, "merge people again", restore); err != nil {
		return 0, err
	}
	if _, err := lifecycle.ApplyDates(ctx, tx, "hr", `select identity_id from k_changed`, nil); err != nil {
		return 0, err
	}
	return tag.RowsAffected(), publishReapplied(ctx, tx)
}

// publishReapplied publishes an event for each identity of k_changed.
func publishReapplied(ctx context.Context, tx *pg.Tx) error {
	wanted, err := event.Wanted(ctx, tx, event.IdentityUpdated, event.IdentityDeactivated)
	if err != nil || !wanted {
		return err
	}
	const sql = `
		select case when i.status = 'deactivated' and i.status_changed_at = now() then 'identity.deactivated'
		       else 'identity.updated' end, i.id, i.version, c.fields,
		           jsonb_build_object('external_id', i.external_id, 'kind', i.kind, 'status', i.status)
		  from k_changed c
		  join identity i
		    on i.tenant_id = current_tenant() and i.id = c.identity_id`
	_, err = event.PublishEach(ctx, tx, "identity", sql, nil)
	return err
}

// ApplyRanks brings identities up to date with the ranks of their sources: those that a connector shares with another
// source, if its rank has changed, or it was deleted or restored, since the last call. It returns how many identities
// changed.
func ApplyRanks(ctx context.Context, tx *pg.Tx) (int64, error) {
	const due = `
		update connector
		   set authority_applied = case when deleted_at is null then authority_rank end
		 where tenant_id = current_tenant()
		   and authority_applied is distinct from case when deleted_at is null then authority_rank end
		returning id::text`
	rows, err := tx.Query(ctx, due)
	if err != nil {
		return 0, fmt.Errorf("find connectors of another rank: %w", err)
	}
	connectors, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(connectors) == 0 {
		return 0, err
	}
	const shared = `
		select s.identity_id
		  from identity_source s
		 where s.tenant_id = current_tenant()
		   and s.connector_id = any(@connectors::text[]::uuid[])
		   and exists (select
		                 from identity_source o
		                where o.tenant_id = current_tenant()
		                  and o.identity_id = s.identity_id
		                  and o.connector_id <> s.connector_id)`
	return Reapply(ctx, tx, shared, pgx.NamedArgs{"connectors": connectors})
}
