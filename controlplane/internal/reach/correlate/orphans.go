package correlate

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// OrphanSettings say when an account without an owner counts as orphaned.
type OrphanSettings struct {
	// How many days a personal account can be without an owner. The initial value is 30. Accounts that do not belong to
	// a person are orphaned immediately.
	AfterDays int `json:"after_days" minimum:"0" maximum:"3650"`
}

type orphansIn struct{}

// orphans is GET of the tenant's settings of orphan accounts.
func (s *Service) orphans(
	ctx context.Context,
	v viewer.Viewer,
	_ *orphansIn,
) (out *httpapi.One[OrphanSettings], err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		o, version, err := readOrphans(ctx, tx, "")
		out = &httpapi.One[OrphanSettings]{ETag: httpapi.ETag(version), Body: o}
		return err
	})
	return out, err
}

// readOrphans reads them with the tenant's version. The default is 30 days. locking is empty or
// "for update".
func readOrphans(ctx context.Context, tx *pg.Tx, locking string) (o OrphanSettings, version int, err error) {
	const sql = `
		select coalesce((t.settings ->> 'orphan_after_days')::int, 30), t.version
		  from tenant t
		 where t.id = current_tenant() `
	if err := tx.QueryRow(ctx, sql+locking).Scan(&o.AfterDays, &version); err != nil {
		return o, 0, fmt.Errorf("read settings of orphans: %w", err)
	}
	return o, version, nil
}

type setOrphansIn struct {
	httpapi.IfMatch
	Body OrphanSettings
}

// setOrphans is PUT of them. Equal settings change nothing and raise no version.
func (s *Service) setOrphans(
	ctx context.Context,
	v viewer.Viewer,
	in *setOrphansIn,
) (out *httpapi.One[OrphanSettings], err error) {
	const sql = `
		update tenant
		   set settings = settings || jsonb_build_object('orphan_after_days', $1::int), updated_at = now(),
		       version = version + 1
		 where id = current_tenant()
		returning version`
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		before, version, err := readOrphans(ctx, tx, "for update")
		if err != nil {
			return err
		}
		if err := in.Check(version); err != nil {
			return err
		}
		if before != in.Body {
			if err := tx.QueryRow(ctx, sql, in.Body.AfterDays).Scan(&version); err != nil {
				return fmt.Errorf("write settings of orphans: %w", err)
			}
			if err := recordOrphans(ctx, tx, before, in.Body); err != nil {
				return err
			}
		}
		out = &httpapi.One[OrphanSettings]{ETag: httpapi.ETag(version), Body: in.Body}
		return nil
	})
	return out, err
}

// recordOrphans records the change.
func recordOrphans(ctx context.Context, tx *pg.Tx, before, after OrphanSettings) error {
	return audit.Record(
		ctx,
		tx,
		audit.Entry{Action: "tenant.orphans_updated", Subject: audit.Subject{Type: "tenant", ID: tx.Viewer.Tenant},
			Changes: []audit.Change{{Field: "after_days", From: before.AfterDays, To: after.AfterDays}}},
	)
}
