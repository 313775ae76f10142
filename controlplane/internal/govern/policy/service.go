package policy

import (
	"context"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/decisiontable"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/requirement"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/simulation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/worker"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
)

// Service manages policies, and composes the services that simulate and evaluate them. All exported fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Log     *slog.Logger
	Now     func() time.Time
}

// Simulations says what changes of policies and roles would do.
func (s *Service) Simulations() *simulation.Service { return &simulation.Service{DB: s.DB, Now: s.Now} }

// Gaps answers for what people lack that policies require.
func (s *Service) Gaps() *requirement.Service {
	return &requirement.Service{DB: s.DB, Cursors: s.Cursors, Now: s.Now}
}

// tables makes the service that checks, exports and imports decision tables.
func (s *Service) tables() *decisiontable.Service {
	return &decisiontable.Service{DB: s.DB, Simulations: s.Simulations(), Now: s.Now}
}

// Kinds are the work that evaluates policies.
func (s *Service) Kinds() []queue.Kind { return s.work().Kinds() }

// Part does one pass of that work in a tenant, and says how much was done.
func (s *Service) Part(ctx context.Context, tenant string) (int, error) {
	return s.work().Part(ctx, tenant)
}

// work makes the service that evaluates what is queued.
func (s *Service) work() *worker.Service { return &worker.Service{DB: s.DB, Log: s.Log, Now: s.Now} }
