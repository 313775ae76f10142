package provision

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
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
		n, err := s.start(ctx)
		if err != nil {
			return err
		}
		s.group.Wait()
		if planned+n == 0 {
			return nil
		}
	}
}

// Owner is the process as the owner of leases.
func (s *Service) Owner() string { s.init(); return s.me }

// KeepTenant looks after one tenant.
func (s *Service) KeepTenant(ctx context.Context, v viewer.Viewer) error {
	s.init()
	return s.DB.As(ctx, v, func(tx *pg.Tx) error { return s.keep(ctx, tx) })
}
