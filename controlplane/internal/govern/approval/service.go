package approval

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Service keeps approval rules and calendars. All fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Now     func() time.Time
}

// Routes are the paths under /approval-rules.
func (s *Service) Routes() []httpapi.Route { return nil }
