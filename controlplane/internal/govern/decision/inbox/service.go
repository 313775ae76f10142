package inbox

import (
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/delegation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Service is the inbox. All fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Log     *slog.Logger
	Now     func() time.Time
	Answers map[string]decision.Answer // by kind of task: who handles decisions
}

// delegations are the delegations of people, with the same database and clock.
func (s *Service) delegations() *delegation.Service {
	return &delegation.Service{DB: s.DB, Cursors: s.Cursors, Now: s.Now}
}
