package position

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// fullEvery is how long changes alone may be read. After it everything is read once, in case a change was missed. A
// target that has not shown that its changes tell of removed memberships is read in full once a day: nothing else would
// find them.
const (
	fullEvery      = 7 * 24 * time.Hour
	fullEveryBlind = 24 * time.Hour
)

// Ask is what a run asks its connector for. It is chosen once, when the run is taken for the first time, and kept by
// every attempt after that.
type Ask struct {
	// Whether only changes since the cursor are read.
	Incremental bool `json:"incremental"`
	// Position after the last successful run, in the connector's own form. Empty: none.
	Cursor     string     `json:"cursor,omitempty"`
	LastSyncAt *time.Time `json:"last_sync_at,omitempty"` // the greatest source time that the last run saw
}

// Position is how far a connector's merged data reaches.
type Position struct {
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

// Find returns the position of a connector, and nil if no run of it has ended well yet.
func Find(ctx context.Context, tx *pg.Tx, connector string) (*Position, error) {
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
	p, err := pg.OneBy(
		ctx,
		tx,
		"find position",
		pgx.RowToAddrOfStructByName[Position],
		sql,
		connector,
		fullEvery.String(),
		fullEveryBlind.String(),
	)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return p, nil
}

// Choose decides between changes and everything; reason says why an incremental run reads everything.
func Choose(p *Position, settings []byte) (a Ask, reason string) {
	switch {
	case p == nil || !p.Full && string(p.Settings) == string(settings):
		return Ask{}, "first_sync"
	case string(p.Settings) != string(settings):
		return Ask{}, "settings_changed"
	case p.FullDue != nil:
		return Ask{}, "full_due: " + *p.FullDue
	case !p.Recent:
		return Ask{}, "full_older_than_7d"
	case !p.Fresh && !p.Sighted:
		return Ask{}, "full_older_than_1d"
	case !p.Fresh && p.Absent:
		return Ask{}, "membership_missing"
	case p.Cursor == nil:
		return Ask{}, "no_cursor"
	}
	return Ask{Incremental: true, Cursor: *p.Cursor, LastSyncAt: p.Watermark}, ""
}
