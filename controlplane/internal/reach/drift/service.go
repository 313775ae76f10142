package drift

import (
	"context"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Service compares accounts with their templates, and lists and resolves drift.
type Service struct {
	DB      *pg.DB
	Place   func(ctx context.Context, tx *pg.Tx, o Order) (taskID string, err error) // hands a change in, to be made
	Cursors *httpapi.Cursors
	Log     *slog.Logger
	Now     func() time.Time
}

const (
	aboutRead = "Attributes whose value in the target, as last synced, differs from the account template. accepted " +
		"lists accepted differences; problems lists values that the " +
		"template cannot compute from the owner. Accounts that are not managed or have no owner are never compared."
	aboutList = "Managed accounts with attributes that differ from their account template, and whose differences " +
		"are not accepted."
	aboutResolve = "push writes the template values again, by a provisioning task. accept keeps the target's values " +
		"for this account until they change again; a later push of the same attribute ends the acceptance."
	aboutCheck = "Compares the managed accounts of the connector, as last synced, with their template. Nothing is " +
		"read from the target. A sync of the connector reads it, and then " +
		"compares changed accounts automatically."
)

// Routes are the paths of drift.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/accounts/drifted", "List accounts with drift", s.list).Describe(aboutList),
		httpapi.Handle("GET", "/accounts/{id}/drift", "Get the drift of an account", s.read).Describe(aboutRead),
		httpapi.Handle("POST", "/accounts/{id}/drift/resolve", "Resolve the drift of an account", s.settle).
			For(viewer.Admin).Status(200).Errors(409).Describe(aboutResolve),
		httpapi.Handle("POST", "/connectors/{id}/drift/check", "Check the accounts of a connector for drift", s.check).
			For(viewer.Admin).Status(202).Describe(aboutCheck),
	}
}
