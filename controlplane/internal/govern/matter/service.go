package matter

import (
	"context"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Service looks at what has to be decided. All fields are needed.
type Service struct {
	DB  *pg.DB
	Log *slog.Logger
	Now func() time.Time
}

// Answers carry out what was decided, by kind of task.
func (s *Service) Answers() map[string]decision.Answer { return nil }

// Run looks until ctx ends.
func (s *Service) Run(ctx context.Context) error { <-ctx.Done(); return nil }
