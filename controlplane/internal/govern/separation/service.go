package separation

import (
	"log/slog"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/control"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/duty"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/evidence"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/exchange"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/mitigation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/predict"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/revocation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/scan"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationpolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/simulation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/storedquery/answer"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/violation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
)

// Service composes the parts of separation of duties. All exported fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Log     *slog.Logger
	Now     func() time.Time
}

// Routes are the paths of separation of duties under /policies.
func (s *Service) Routes() []httpapi.Route {
	return slices.Concat(
		(&duty.Service{DB: s.DB, Cursors: s.Cursors}).Routes(),
		(&separationpolicy.Service{DB: s.DB, Cursors: s.Cursors}).Routes(),
		(&predict.Service{DB: s.DB, Now: s.Now}).Routes(),
		(&violation.Service{DB: s.DB, Cursors: s.Cursors, Now: s.Now}).Routes(),
		(&control.Service{DB: s.DB, Cursors: s.Cursors}).Routes(),
		s.mitigations().Routes(),
		(&evidence.Service{DB: s.DB, Cursors: s.Cursors, Now: s.Now}).Routes(),
		(&answer.Service{DB: s.DB, Now: s.Now}).Routes(),
		s.scans().Routes(),
		(&exchange.Service{DB: s.DB}).Routes(),
		s.simulations().Routes(),
	)
}

// Kinds are the work that finds violations and revokes access, that advances their mitigations, and that runs
// simulations.
func (s *Service) Kinds() []queue.Kind {
	return slices.Concat(s.scans().Kinds(), s.mitigations().Kinds(), s.simulations().Kinds(),
		(&revocation.Service{DB: s.DB, Now: s.Now}).Kinds())
}

func (s *Service) mitigations() *mitigation.Service {
	return &mitigation.Service{DB: s.DB, Cursors: s.Cursors, Now: s.Now, Ask: evidence.Ask}
}

func (s *Service) scans() *scan.Service { return &scan.Service{DB: s.DB, Log: s.Log, Now: s.Now} }

func (s *Service) simulations() *simulation.Service {
	return &simulation.Service{DB: s.DB, Cursors: s.Cursors, Now: s.Now}
}
