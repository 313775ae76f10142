package reconcile

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Service answers for what runs change and hold, and takes decisions about it.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	Wake    func() // makes the engine look for runs at once; nil: it finds them by itself
	Now     func() time.Time
}
