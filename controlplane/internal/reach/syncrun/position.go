package syncrun

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// fullEvery is how long changes alone may be read. After it everything is read once, in case a change was never told. A
// target that has not shown that its changes tell of removed memberships is read in full once a day: nothing else would
// find them.
const (
	fullEvery      = 7 * 24 * time.Hour
	fullEveryBlind = 24 * time.Hour
)

// ask is what a run asks its connector for. It is chosen once, when the run is taken for the first time, and kept by
// every attempt after that.
type ask struct {
	Incremental bool       `json:"incremental"`
	Cursor      string     `json:"cursor,omitempty"`
	LastSyncAt  *time.Time `json:"last_sync_at,omitempty"` // the greatest source time that the last run saw
}

// position is how far a connector's merged data reaches.
type position struct {
	Cursor    *string    `db:"cursor"`
	Watermark *time.Time `db:"watermark"`
	Settings  []byte     `db:"settings_digest"`
	FullDue   *string    `db:"full_due"`
	Recent    bool       `db:"recent"`  // the last full sync is young enough
	Fresh     bool       `db:"fresh"`   // the last full sync is no older than a day
	Sighted   bool       `db:"sighted"` // changes tell of removed memberships, or there are none to be read
	Absent    bool       `db:"absent"`  // a membership has been missing for a day, and no run has confirmed it
	Full      bool       `db:"full"`    // there was a full reading
	Fields    []string   `db:"fields"`  // of people, which the source fills for anybody
}

// sighted is true of a position p whose incremental runs find removed memberships, or whose target has none to find.
const sighted = `(p.removals is not null or not exists (
		            select from access_grant g
		             where g.tenant_id = p.tenant_id and g.connector_id = p.connector_id and g.directness = 'direct'))`

// findPosition returns nil where no run has ended well yet.
func findPosition(ctx context.Context, tx *pg.Tx, connector string) (*position, error) {
	sql := `
		select cursor, watermark, settings_digest, full_due, fields, full_at is not null as full,
		       coalesce(full_at > now() - $2::interval, false) as recent,
		           coalesce(full_at > now() - $3::interval, false) as fresh,
		       ` + sighted + ` as sighted,
		       exists (select from access_grant g
		                where g.tenant_id = p.tenant_id and g.connector_id = p.connector_id and g.status = 'missing'
		                  and g.directness = 'direct' and g.missing_since <= now() - $3::interval) as absent
		  from sync_position p
		 where tenant_id = current_tenant()
		   and connector_id = $1`
	rows, err := tx.Query(ctx, sql, connector, fullEvery.String(), fullEveryBlind.String())
	if err != nil {
		return nil, fmt.Errorf("find position: %w", err)
	}
	p, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByName[position])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("find position: %w", err)
	}
	return p, nil
}

// settingsDigest stands for everything that decides what a connector reads: what was read with other settings is no
// base for reading changes. Secrets are not part of it; a renewed password reads the same target.
func settingsDigest(ctx context.Context, tx *pg.Tx, connector string) ([]byte, error) {
	const sql = `
		select type, coalesce(vendor_key, ''), purpose, connection::text, mapping_version
		  from connector
		 where tenant_id = current_tenant()
		   and id = $1`
	parts, mappings := make([]string, 4), 0
	if err := tx.QueryRow(ctx, sql, connector).Scan(&parts[0], &parts[1], &parts[2], &parts[3], &mappings); err != nil {
		return nil, fmt.Errorf("digest of settings: %w", err)
	}
	if mappings > 0 {
		parts = append(parts, strconv.Itoa(mappings)) // without any it is the digest of a time when there were none
	}
	b, err := json.Marshal(parts)
	if err != nil {
		return nil, fmt.Errorf("digest of settings: %w", err)
	}
	sum := sha256.Sum256(b)
	return sum[:], nil
}

// choose decides between changes and everything; reason says why an incremental run reads everything.
func choose(p *position, settings []byte) (a ask, reason string) {
	switch {
	case p == nil || !p.Full && string(p.Settings) == string(settings):
		return ask{}, "first_sync"
	case string(p.Settings) != string(settings):
		return ask{}, "settings_changed"
	case p.FullDue != nil:
		return ask{}, "full_due: " + *p.FullDue
	case !p.Recent:
		return ask{}, "full_older_than_7d"
	case !p.Fresh && !p.Sighted:
		return ask{}, "full_older_than_1d"
	case !p.Fresh && p.Absent:
		return ask{}, "membership_missing"
	case p.Cursor == nil:
		return ask{}, "no_cursor"
	}
	return ask{Incremental: true, Cursor: *p.Cursor, LastSyncAt: p.Watermark}, ""
}

// savePosition notes in the transaction that ends the merge how far the merged data reaches. The cursor advances only
// when everything that was read is in the store; what is not, the next run must see again. It never comes from our own
// clock.
func (w *work) savePosition(ctx context.Context, tx *pg.Tx) error {
	if w.capped {
		return nil
	}
	refused, err := w.refused(ctx, tx)
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
	fields, err := filledFields(ctx, tx, w.id)
	if err != nil {
		return err
	}
	changes := w.effective.Incremental
	full := !changes && all(w.complete)
	if _, err := tx.Exec(
		ctx,
		sql,
		w.connector,
		filled(w.cursor),
		w.mark,
		filled(w.effective.Strategy),
		w.id,
		w.settings,
		full,
		w.clean(),
		fields,
		changes,
	); err != nil {
		return fmt.Errorf("save position: %w", err)
	}
	return w.fullDue(ctx, tx)
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

// clean is true when every record that was read could be used.
func (w *work) clean() bool {
	c := w.tally.shown()
	return c.Skipped == 0
}

// refused is true when something of the run was held and has not been let go: it is not in the store.
func (w *work) refused(ctx context.Context, tx *pg.Tx) (is bool, err error) {
	const sql = `
		select exists (select from sync_hold where tenant_id = current_tenant() and run_id = $1
		    and state <> 'released')`
	if err := tx.QueryRow(ctx, sql, w.id).Scan(&is); err != nil {
		return false, fmt.Errorf("look for holds: %w", err)
	}
	return is, nil
}

// fullDue makes the next run read everything when this one was told that something is still there which the store does
// not know: its content was never read, or was lost.
func (w *work) fullDue(ctx context.Context, tx *pg.Tx) error {
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
	if _, err := tx.Exec(ctx, sql, w.id, w.connector); err != nil {
		return fmt.Errorf("look for what is unknown: %w", err)
	}
	return nil
}
