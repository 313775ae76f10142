package upkeep

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/attempt"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/plan"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/planner"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/settle"
	"github.com/grantwright/grantwright/controlplane/internal/record/access/grantstatus"
	"github.com/grantwright/grantwright/controlplane/internal/record/ledger"
)

// Service looks after what comes with time: see Keep and ReadBack.
type Service struct {
	DB         *pg.DB
	Connectors attempt.Connectors
	Dispatch   attempt.Dispatcher
	Planner    *planner.Planner
	Log        *slog.Logger
	Now        func() time.Time
	CallLimit  time.Duration // how long one reading may take
}

// Keep looks, in every tenant, after what comes with time or with settings: reasons that begin and end, grants that are
// ending, accounts whose time to be deleted has come, connectors that write in another way now, and changes that a
// reading of the target has shown.
func (s *Service) Keep(ctx context.Context) error {
	tenants, err := pg.FindAcross(ctx, s.DB, pgx.RowTo[string], `select id::text from tenant where status = 'active'`)
	if err != nil {
		return fmt.Errorf("list tenants: %w", err)
	}
	rand.Shuffle(len(tenants), func(i, j int) { tenants[i], tenants[j] = tenants[j], tenants[i] })
	var failed error
	for _, tenant := range tenants {
		failed = errors.Join(
			failed,
			s.DB.As(ctx, viewer.System(tenant), func(tx *pg.Tx) error { return s.KeepTenant(ctx, tx) }),
		)
	}
	return failed
}

// KeepTenant is Keep in one tenant, within its transaction.
func (s *Service) KeepTenant(ctx context.Context, tx *pg.Tx) error {
	const alone = `select pg_try_advisory_xact_lock(hashtextextended('provisioning upkeep|' || current_tenant()::text,
		0))`
	var mine bool
	if err := tx.QueryRow(ctx, alone).Scan(&mine); err != nil || !mine {
		return err
	}
	now := s.Now()
	if _, _, err := ledger.Settle(ctx, tx, now); err != nil {
		return err
	}
	if err := grantstatus.ApplyNearing(ctx, tx, now.Add(plan.Notice)); err != nil {
		return err
	}
	steps := []func(context.Context, *pg.Tx) error{
		s.Planner.Refresh,
		followModes,
		overdueAccounts,
		settle.Appeared,
		settle.Fulfilled,
		visible,
		settle.Verify,
		settle.Expire,
		settle.Outdated,
		settle.Unblock,
		escalate,
		round,
	}
	for _, step := range steps {
		if err := step(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}
