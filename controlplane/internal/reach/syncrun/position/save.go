package position

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/staging"
)

// Reached is how far a run has come whose records are merged.
type Reached struct {
	Run, Connector string
	Settings       []byte // of the reading
	Cursor         string // where the next reading of changes begins; empty: the connector gave none
	Watermark      *time.Time
	Strategy       string
	Incremental    bool
	Full           bool // everything was read, to its proven end
	Clean          bool // every record that was read could be used
}

// Save notes in the transaction that ends the merge how far the merged data reaches. The cursor advances only if
// everything that was read is in the store; what is not, the next run must see again. It never comes from our own
// clock.
func (r Reached) Save(ctx context.Context, tx *pg.Tx) error {
	refused, err := r.refused(ctx, tx)
	if err != nil || refused {
		return err
	}
	const sql = `
		insert into sync_position as p (tenant_id, connector_id, cursor, watermark, strategy, run_id, settings_digest,
		                                full_run_id, full_at, fields, removals)
		values (current_tenant(), $1, case when $8 then $2::text end, case when $8 then $3::timestamptz end, $4, $5, $6,
		        case when $7 then $5::uuid end, case when $7 then now() end, $9,
		            case when $10 then ` + removalsTold + ` end)
		on conflict (tenant_id, connector_id) do update
		   set cursor = case when $8 then coalesce(excluded.cursor, case when $10 then p.cursor end)
		                     when p.settings_digest = excluded.settings_digest then p.cursor end,
		       watermark = case when $8 then greatest(excluded.watermark, case
		           when p.settings_digest = excluded.settings_digest then p.watermark end)
		                        when p.settings_digest = excluded.settings_digest then p.watermark end,
		       strategy = excluded.strategy, run_id = excluded.run_id, settings_digest = excluded.settings_digest,
		       full_run_id = case when $7 then excluded.full_run_id
		       when p.settings_digest = excluded.settings_digest then p.full_run_id end,
		       full_at = case when $7 then excluded.full_at
		       when p.settings_digest = excluded.settings_digest then p.full_at end,
		       full_due = case when $7 then null else p.full_due end,
		           fields = case when $10 then array(select distinct unnest(p.fields || excluded.fields))
		           else excluded.fields end, removals = case when p.settings_digest = excluded.settings_digest
		           and p.removals = 'immediate' then p.removals
		                       when p.settings_digest = excluded.settings_digest then coalesce(excluded.removals,
		                           p.removals)
		                       else excluded.removals end,
		       updated_at = now()`
	fields, err := staging.FilledFields(ctx, tx, r.Run)
	if err != nil {
		return err
	}
	if err := pg.Exec(
		ctx,
		tx,
		"save position",
		sql,
		r.Connector,
		staging.NullIfEmpty(r.Cursor),
		r.Watermark,
		staging.NullIfEmpty(r.Strategy),
		r.Run,
		r.Settings,
		r.Full,
		r.Clean,
		fields,
		r.Incremental,
	); err != nil {
		return err
	}
	return r.fullDue(ctx, tx)
}

// removalsTold is how the incremental run $5, read by the strategy $4, showed that it finds removed memberships: it
// told of one, or it read the memberships of what had changed to their end, as every way of reading a directory's
// changes does. Null: it did not.
const removalsTold = `
	case when exists (select from stage_grant g where g.tenant_id = current_tenant() and g.run_id = $5
	    and g.deleted) then 'immediate'
	     when $4 like 'ldap\_%'
	       or exists (select from stage_scope s
	                   where s.tenant_id = current_tenant() and s.run_id = $5 and s.kind = 'grants'
	                       and s.complete) then 'next_incremental' end`

// refused is true when something of the run was held and has not been let go: it is not in the store.
func (r Reached) refused(ctx context.Context, tx *pg.Tx) (is bool, err error) {
	const sql = `
		select exists (select from sync_hold where tenant_id = current_tenant() and run_id = $1
		    and state <> 'released')`
	if err := tx.QueryRow(ctx, sql, r.Run).Scan(&is); err != nil {
		return false, fmt.Errorf("look for holds: %w", err)
	}
	return is, nil
}

// fullDue makes the next run read everything if this one found something still present which the store does
// not know: its content was never read, or was lost.
func (r Reached) fullDue(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		update sync_position
		   set full_due = 'unknown_present'
		 where tenant_id = current_tenant()
		   and connector_id = $2
		   and exists (
		        select from stage_present p
		         where p.tenant_id = current_tenant()
		           and p.run_id = $1
		           and case p.kind
		               when 'identities' then not exists (
		                    select from identity_source s where s.tenant_id = p.tenant_id and s.connector_id = $2
		                        and s.external_id = p.external_id)
		               when 'accounts' then not exists (
		                    select from account a where a.tenant_id = p.tenant_id and a.connector_id = $2
		                        and a.external_id = p.external_id)
		               when 'entitlements' then not exists (
		                    select from entitlement e where e.tenant_id = p.tenant_id and e.connector_id = $2
		                        and e.external_id = p.external_id)
		               else false end)`
	return pg.Exec(ctx, tx, "look for what is unknown", sql, r.Run, r.Connector)
}
