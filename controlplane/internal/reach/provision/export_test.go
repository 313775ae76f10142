package provision

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/order"
)

// PlanAll does one pass of planning in each tenant.
func (s *Service) PlanAll(ctx context.Context) (int, error) {
	q := queue.Queue{DB: s.DB, Log: s.Log, Kinds: s.Kinds()}
	return q.Look(ctx)
}

// Drain plans and makes changes until nothing is due any more.
func (s *Service) Drain(ctx context.Context) error {
	s.init()
	for {
		planned, err := s.PlanAll(ctx)
		if err != nil {
			return err
		}
		n, err := s.lanes.Start(ctx)
		if err != nil {
			return err
		}
		s.lanes.Wait()
		if planned+n == 0 {
			return nil
		}
	}
}

// Owner is the process as the owner of leases.
func (s *Service) Owner() string { s.init(); return s.lanes.Owner() }

// Keep looks after all tenants.
func (s *Service) Keep(ctx context.Context) error { s.init(); return s.upkeep.Keep(ctx) }

// ReadBack reads back what was not seen.
func (s *Service) ReadBack(ctx context.Context) error { s.init(); return s.upkeep.ReadBack(ctx) }

// KeepTenant looks after one tenant.
func (s *Service) KeepTenant(ctx context.Context, v viewer.Viewer) error {
	s.init()
	return s.DB.As(ctx, v, func(tx *pg.Tx) error { return s.upkeep.KeepTenant(ctx, tx) })
}

// DisableAll disables accounts as the bulk call does.
func (s *Service) DisableAll(ctx context.Context, tx *pg.Tx, b order.BulkDisable) (order.BulkDisabled, error) {
	return s.orders().DisableAll(ctx, tx, b, false)
}
