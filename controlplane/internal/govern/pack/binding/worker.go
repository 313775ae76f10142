package binding

import (
	"context"
	"log/slog"
	"time"

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

// Kinds are the work on sector packs: to bind what installations wait for, where a sync run has ended since they were
// last looked at, or a minute has passed.
func (s *Service) Kinds() []queue.Kind {
	const due = `
		select distinct i.tenant_id::text
		  from sector_pack_installation i
		  join tenant t
		    on t.id = i.tenant_id
		   and t.status = 'active'
		 where ` + turn
	return []queue.Kind{{
		Name:  "sector_pack_bindings",
		Title: "Bindings of sector packs",
		About: "Binds the entitlements and connectors that installed sector packs wait for, once they have been read.",
		Part:  s.bindDue,
		Due:   &queue.Due{SQL: due, Args: func() []any { return []any{s.Now().Add(-anyway)} }, Every: interval},
	}}
}

// turn holds for an installation i whose turn it is. $1 is a minute ago.
const turn = `
	i.pending
	and (i.looked_at < $1 or exists (select from sync_run r
	                                  where r.tenant_id = i.tenant_id
	                                    and r.finished_at >= i.looked_at))`

// bindDue binds what waits in a tenant's installations whose turn it is, and says in how many.
func (s *Service) bindDue(ctx context.Context, tenant string) (int, error) {
	const sql = `select i.id::text from sector_pack_installation i where i.tenant_id = current_tenant() and ` + turn + `
		 order by i.looked_at
		 limit $2`
	var found []string
	err := s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) (err error) {
		found, err = pg.All[string](ctx, tx, "find packs that wait", sql, s.Now().Add(-anyway), batch)
		return err
	})
	if err != nil {
		return 0, err
	}
	for n, id := range found {
		err := s.DB.AsBulk(ctx, viewer.System(tenant), func(tx *pg.Tx) error {
			if err := installation.Lock(ctx, tx); err != nil {
				return err
			}
			return Bind(ctx, tx, id)
		})
		if ctx.Err() != nil {
			return n, ctx.Err()
		}
		if err != nil {
			s.Log.WarnContext(
				ctx,
				"cannot bind what a sector pack waits for; it is tried again later",
				"tenant",
				tenant,
				"installation",
				id,
				"err",
				err,
			)
			s.postpone(ctx, tenant, id)
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
