package inbox

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/loop"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Times and sizes of the work.
const (
	interval = time.Second      // how soon is noticed what is due
	putOff   = 30 * time.Second // how long a decision waits that could not be applied
	batch    = 200              // decisions in one transaction
	sweeping = 10 * time.Minute // how soon is noticed what nobody noted
)

// Run applies decisions whose time to be undone has passed, begins and ends delegations, and asks others where somebody
// has left, until ctx ends. Any number of processes may do so at once.
func (s *Service) Run(ctx context.Context) error {
	var swept time.Time
	return loop.Worker{
		Every:  interval,
		Log:    s.Log,
		Cannot: "cannot look what is due in inboxes",
	}.Run(
		ctx,
		func(ctx context.Context) error {
			if time.Since(swept) > sweeping {
				swept = time.Now()
				if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
					s.Log.WarnContext(
						ctx,
						"cannot look whose tasks wait for people whose records were deleted",
						"err",
						err,
					)
				}
			}
			return s.Look(ctx)
		},
	)
}

// Look does what is due, in every tenant.
func (s *Service) Look(ctx context.Context) error {
	const sql = `
		select tenant_id from decision_task where apply_at <= @now
		 union
		select tenant_id from decision_delegation where state = 'scheduled' and starts_at <= @now or state = 'active'
		    and ends_at <= @now
		 union
		select tenant_id from decision_leaver`
	tenants, err := s.tenants(ctx, sql)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		for _, do := range []func(context.Context, viewer.Viewer) error{s.applyDue, s.delegations().Turn,
			s.followLeavers} {
			if err := do(ctx, viewer.System(tenant)); err != nil && ctx.Err() == nil {
				s.Log.WarnContext(
					ctx,
					"cannot do what is due in the inbox of a tenant; it is tried again",
					"tenant",
					tenant,
					"err",
					err,
				)
			}
		}
	}
	return ctx.Err()
}

// Sweep notes who has left while they were being asked, which their leaving could not note.
func (s *Service) Sweep(ctx context.Context) error {
	const open = `select distinct tenant_id from decision_task where state in ('open', 'claimed')
		and @now::timestamptz is not null`
	const sql = `
		insert into decision_leaver (tenant_id, identity_id)
		select distinct a.tenant_id, a.identity_id
		  from decision_assignee a
		 where a.tenant_id = current_tenant()
		   and a.dropped_at is null
		   and a.open
		   and unable_to_decide(a.identity_id) in ('left', 'user_disabled')`
	tenants, err := s.tenants(ctx, open)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		err := s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error { _, err := tx.Exec(ctx, sql); return err })
		if err != nil {
			return fmt.Errorf("note who has left: %w", err)
		}
	}
	return nil
}

// tenants are those that a statement finds, in any order.
func (s *Service) tenants(ctx context.Context, sql string) (ids []string, err error) {
	ids, err = pg.FindAcross(ctx, s.DB, pgx.RowTo[string], sql, pgx.NamedArgs{"now": s.Now()})
	if err != nil {
		return nil, fmt.Errorf("find tenants with something due: %w", err)
	}
	rand.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids, nil
}
