package connector

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connectorstate"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/deletion"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Restore brings a deleted connector back within 30 days, with what was read of it. Its secrets were erased with its
// deletion: a connector that had some is a draft until they are given again. It is a fault of kind NotFound when there
// is no such deleted connector, or its 30 days are over, and Conflict when another connector has taken its business_id.
func (s *Service) Restore(ctx context.Context, v viewer.Viewer, id string) (c Connector, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		if err := revive(ctx, tx, id, s.Now().Add(-deletion.Restorable)); err != nil {
			return err
		}
		back, err := deletion.Reconnect(ctx, tx, id)
		if err != nil {
			return err
		}
		const full = `update sync_position set full_due = 'restored' where tenant_id = current_tenant()
			and connector_id = $1`
		if err := pg.Exec(ctx, tx, "restore connector", full, id); err != nil {
			return err
		}
		if c, err = Find(ctx, tx, id); err != nil {
			return err
		}
		return recordRestored(ctx, tx, c, back)
	})
	var business string
	if c.BusinessID != "" {
		business = c.BusinessID
	}
	return c, taken(err, business)
}

func revive(ctx context.Context, tx *pg.Tx, id string, since time.Time) error {
	const sql = `
		update connector
		   set status = case when had_credentials then 'draft' else 'ready' end, deleted_at = null, updated_at = now(),
		       version = version + 1
		 where tenant_id = current_tenant()
		   and id = $1
		   and deleted_at > $2
		   and purged_at is null
		returning id::text`
	missing := fault.New(
		fault.NotFound,
		"Deleted connector %s was not found, or was deleted more than 30 days ago.",
		id,
	)
	if !listing.IsID(id) {
		return missing
	}
	err := tx.QueryRow(ctx, sql, id, since).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return missing
	}
	if err != nil {
		return fmt.Errorf("restore connector: %w", err)
	}
	return nil
}

func (s *Service) restore(ctx context.Context, v viewer.Viewer, in *oneIn) (*httpapi.One[Connector], error) {
	return shownOne(s.Restore(ctx, v, in.ID))
}

func recordDeleted(ctx context.Context, tx *pg.Tx, c Connector, d deletion.Disconnected) error {
	return audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  actionDeleted,
			Subject: connectorstate.AuditSubject(c.ID, c.BusinessID),
			Context: d.AuditContext(),
		},
	)
}

func recordRestored(ctx context.Context, tx *pg.Tx, c Connector, d deletion.Disconnected) error {
	return audit.Record(
		ctx,
		tx,
		audit.Entry{
			Action:  actionRestored,
			Subject: connectorstate.AuditSubject(c.ID, c.BusinessID),
			Context: d.AuditContext(),
		},
	)
}
