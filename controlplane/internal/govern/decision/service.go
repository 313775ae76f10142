package decision

import (
	"context"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Service is the inbox. All fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Log     *slog.Logger
	Now     func() time.Time
	Answers map[string]Answer // by kind of task: who is told of decisions
}

// Routes are the paths under /decision-tasks.
func (s *Service) Routes() []httpapi.Route { return nil }

// Run applies decisions whose time to be undone has passed, and begins and ends delegations, until ctx ends.
func (s *Service) Run(ctx context.Context) error { <-ctx.Done(); return nil }

// Look does what is due.
func (s *Service) Look(ctx context.Context) error { return nil }
