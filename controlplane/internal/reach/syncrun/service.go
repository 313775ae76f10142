package syncrun

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
)

// Service starts and cancels sync runs, and answers for them.
type Service struct {
	DB *pg.DB
	// Connectors gives the connectors whose runs are started.
	Connectors *connector.Service
	Guard      *outbound.Guard // decides which callback addresses are allowed
	Cursors    *httpapi.Cursors
	// CallbackKey signs callbacks; each connector's secret is derived from it.
	CallbackKey []byte
	Now         func() time.Time
}
