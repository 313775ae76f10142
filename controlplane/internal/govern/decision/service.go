package decision

import (
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
