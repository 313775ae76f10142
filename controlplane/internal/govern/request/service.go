package request

import (
	"context"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/fulfil"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Service answers for access requests. All fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Chains  *chain.Service
	Inbox   *decision.Service
	Log     *slog.Logger
	Now     func() time.Time
}

// Routes are the paths under /access-requests, but for the catalogue, and the replay of approval rules.
func (s *Service) Routes() []httpapi.Route { return nil }

// Decided is told by chains what became of items.
func (s *Service) Decided(ctx context.Context, tx *pg.Tx, outcomes []chain.Outcome) error { return nil }

// Moved is told by fulfilments how far items are.
func (s *Service) Moved(ctx context.Context, tx *pg.Tx, moved []fulfil.Progress) error { return nil }

// Answers are the kinds of task that this room asks itself.
func (s *Service) Answers() map[string]decision.Answer { return nil }
