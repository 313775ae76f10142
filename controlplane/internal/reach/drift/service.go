package drift

import (
	"context"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// Service compares accounts, and tells and settles what is otherwise.
type Service struct {
	DB      *pg.DB
	Place   func(ctx context.Context, tx *pg.Tx, o Order) (taskID string, err error) // hands a change in, to be made
	Cursors *httpapi.Cursors
	Log     *slog.Logger
	Now     func() time.Time
}

const (
	aboutRead = "Where the target has something else than the account's template always writes, as it was last read. accepted is what may stay all the same; problems is what the " +
		"template cannot make of the owner. An account that is not managed, or nobody's, is never compared."
	aboutList    = "Managed accounts of which the target has something else than their template always writes, and for which nobody has accepted it."
	aboutResolve = "push: what the template makes is written again, by a provisioning task. accept: what the target has may stay at this account, until it becomes something else again; " +
		"a later push of the same attribute ends that."
	aboutCheck = "Compares the connector's managed accounts, as they were last read, with their template. Nothing is read from the target: sync the connector for that, after which " +
		"whatever has changed is compared by itself."
)

// Routes are the paths of drift.
func (s *Service) Routes() []httpapi.Route {
	return []httpapi.Route{
		httpapi.Handle("GET", "/accounts/drifted", "List accounts that are other than their template", s.list).Describe(aboutList),
		httpapi.Handle("GET", "/accounts/{id}/drift", "Tell where an account is other than its template", s.read).Describe(aboutRead),
		httpapi.Handle("POST", "/accounts/{id}/drift/resolve", "Settle where an account is other than its template", s.settle).
			For(viewer.Admin).Status(200).Errors(409).Describe(aboutResolve),
		httpapi.Handle("POST", "/connectors/{id}/drift/check", "Compare a connector's accounts with their template", s.check).
			For(viewer.Admin).Status(202).Describe(aboutCheck),
	}
}
