package policy

import (
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Service keeps policies and does what they say. All exported fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Log     *slog.Logger
	Now     func() time.Time
}
