package merge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/staging"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/authority"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/pin"
)

// mergeIdentities brings each person's record together with an identity: the one it has been with, or one that has the
// same external_id (created by API), the same employee number or the same e-mail address, or a new one. A record that
// this run has merged before, because it was read twice, counts once.
func mergeIdentities(ctx context.Context, tx *pg.Tx, s Span) (c counters.Counts, taken int64, err error) {
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
	filled, err := staging.FilledFields(ctx, tx, s.Run)
	if err != nil {
		return c, 0, err
	}
	filled = append(filled, s.Known.fields...)
	records := authority.Records{Table: "m_identity", Connector: s.Connector, Filled: filled}
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

// writePeople inserts who is new and updates the others, and publishes both if there is a subscriber.
// Their states follow from what is written of them.
func writePeople(ctx context.Context, tx *pg.Tx, s Span, c *counters.Counts) error {
	listened, err := wanted(ctx, tx)
	if err != nil {
		return err
	}
	if listened {
		if err := rememberPeople(ctx, tx); err != nil {
			return err
		}
	}
	tag, err := tx.Exec(ctx, insertIdentities(), s.Connector)
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
	return publishPeople(ctx, tx)
}

// loadPeople gathers a span's people with what is known of their records.
func loadPeople(ctx context.Context, tx *pg.Tx, s Span) (some bool, err error) {
	const temp = `
		create temp table if not exists m_identity (
		    like stage_identity, identity_id uuid, old_hash bytea, match_rule text, gone boolean, removed boolean,
		      again boolean, is_new boolean,
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
	// Archived people stay archived; when their source reports them again, a new identity is created.
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
	tag, err := tx.Exec(ctx, load, s.Run, s.Lo, s.Hi, s.Connector)
	if err != nil {
		return false, fmt.Errorf("load: %w", err)
	}
	if err := pg.Exec(ctx, tx, "load who is here again", anew); err != nil {
		return false, err
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
func updatePeople(ctx context.Context, tx *pg.Tx, c *counters.Counts) error {
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

// insertIdentities is the statement that inserts new people of m_identity. The display name falls
// back to address, username and key, since people need some name. A manager who is named but
// unknown is kept as a reference and resolved when that person is read.
func insertIdentities() string {
	columns := strings.Join(staging.OtherFields, ", ")
	return `
		insert into identity (tenant_id, id, external_id, source_connector_id, email, display_name, ` + columns + `,
		                      status, standing, status_source, last_synced_at, manager_id, manager_external_id,
		                          manager_from_source, attributes)
		select p.tenant_id, p.identity_id, p.external_id, $1, p.email,
		    coalesce(p.display_name, p.email, p.username, p.external_id), p.` +
		strings.Join(staging.OtherFields, ", p.") + `,
		       coalesce(p.source_status, 'active'), coalesce(p.source_status, 'active'), 'hr', now(), boss.id,
		           boss.external_id, boss.id is not null, jsonb_strip_nulls(p.attributes)
		  from m_identity p
		  left join (` + bosses + `) boss
		    on boss.reference = p.manager_ref_value
		   and boss.kind = p.manager_ref_kind
		   and boss.id <> p.identity_id
		 where p.is_new`
}

// updateIdentities writes what the sources of a person say together. What a user has decided about a person's state
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

func rememberSources(ctx context.Context, tx *pg.Tx, s Span) error {
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
	return pg.Exec(ctx, tx, "remember sources", sql, s.Connector)
}
