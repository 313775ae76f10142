package connector

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/health"
)

type funnelOut struct{ Body health.Funnel }

func (s *Service) funnel(ctx context.Context, v viewer.Viewer, _ *struct{}) (*funnelOut, error) {
	out := &funnelOut{Body: health.Funnel{State: Bootstrapped}}
	const sql = `
		select c.id, c.business_id, c.name, c.funnel_state, c.status, c.last_run_id, c.last_success_at
		  from connector c
		 where c.deleted_at is null
		 order by c.created_at, c.id`
	const connected = `select exists (select from connector c where c.funnel_state = 'connected')`
	err := s.DB.As(ctx, v, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, sql)
		if err != nil {
			return fmt.Errorf("read funnel: %w", err)
		}
		if out.Body.PerConnector, err = pgx.CollectRows(
			rows,
			pgx.RowToStructByName[health.FunnelConnector],
		); err != nil {
			return err
		}
		var is bool
		if err := tx.QueryRow(ctx, connected).Scan(&is); err != nil {
			return fmt.Errorf("read funnel: %w", err)
		}
		if is {
			out.Body.State = Connected
		}
		return nil
	})
	return out, err
}
