package request

import (
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/inbox"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Service answers for access requests. All fields are needed.
type Service struct {
	DB      *pg.DB
	Cursors *httpapi.Cursors
	// Chains carries approvals, and Inbox the decision tasks of approvers.
	Chains *chain.Service
	Inbox  *inbox.Service
	Log    *slog.Logger
	Now    func() time.Time
}
