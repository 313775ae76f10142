package binding

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/pack/installation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Times of the work on what waits.
const (
	interval = 2 * time.Second // how soon the end of a run is noticed
	anyway   = time.Minute     // how soon it is looked at although no run has ended
	batch    = 100
)

// Service binds what installations wait for. It needs all fields.
type Service struct {
	DB  *pg.DB
	Log *slog.Logger
	Now func() time.Time
}

// Jobs is the periodic work: to bind what installations wait for.
func (s *Service) Jobs() []queue.Job {
	return []queue.Job{{
		Name:  "sector_pack_bindings",
		Title: "Bindings of sector packs",
		About: "Binds the entitlements and connectors that installed sector packs wait for, once they have been read.",
		Every: interval,
		Run: func(ctx context.Context) error {
			_, err := s.Look(ctx)
			return err
		},
	}}
}

// Look binds what waits in installations whose turn it is: where a run has ended since it was last looked at, or a
// minute has passed. It tells how many it has looked at.
func (s *Service) Look(ctx context.Context) (int, error) {
	const sql = `
		select i.tenant_id::text, i.id::text
		  from sector_pack_installation i
		  join tenant t
		    on t.id = i.tenant_id
		   and t.status = 'active'
		 where i.pending
		   and (i.looked_at < $1 or exists (select from sync_run r
		                                     where r.tenant_id = i.tenant_id
		                                       and r.finished_at >= i.looked_at))
		 order by i.looked_at
		 limit $2`
	type waiting struct{ Tenant, ID string }
	found, err := pg.FindAcross(ctx, s.DB, pgx.RowToStructByPos[waiting], sql, s.Now().Add(-anyway), batch)
	if err != nil {
		return 0, fmt.Errorf("find packs that wait: %w", err)
	}
	for n, w := range found {
		err := s.DB.AsBulk(ctx, viewer.System(w.Tenant), func(tx *pg.Tx) error {
			if err := installation.Lock(ctx, tx); err != nil {
				return err
			}
			return Bind(ctx, tx, w.ID)
		})
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
		if err != nil {
			s.Log.WarnContext(
				ctx,
				"cannot bind what a sector pack waits for; it is tried again later",
				"tenant",
				w.Tenant,
				"installation",
				w.ID,
				"err",
				err,
			)
			s.postpone(ctx, w.Tenant, w.ID)
		}
	}
	return len(found), nil
}

// postpone keeps an installation that cannot be looked at from being looked at over and over.
func (s *Service) postpone(ctx context.Context, tenant, id string) {
	err := s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
		_, err := tx.Exec(
			ctx,
			`update sector_pack_installation set looked_at = now() where tenant_id = current_tenant() and id = $1`,
			id,
		)
		return err
	})
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "cannot put a sector pack off", "tenant", tenant, "installation", id, "err", err)
	}
}
