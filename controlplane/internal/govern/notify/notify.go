package notify

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/choice"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/message"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/outbox"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/plan"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/settings"
	"github.com/grantwright/grantwright/controlplane/internal/govern/notify/template"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// Service sends notifications. All fields but Relay are needed.
type Service struct {
	DB      *pg.DB
	Seal    *seal.Keyring
	Guard   *outbound.Guard
	Cursors *httpapi.Cursors
	Log     *slog.Logger
	Now     func() time.Time
	BaseURL func(slug string) string // where a tenant's console is
	Relay   *settings.Relay          // the operators' mail server; nil: none
}

func (s *Service) settings() *settings.Service {
	return &settings.Service{DB: s.DB, Seal: s.Seal, Guard: s.Guard, Relay: s.Relay, Now: s.Now}
}

func (s *Service) plan() *plan.Service {
	return &plan.Service{DB: s.DB, Now: s.Now, BaseURL: s.BaseURL}
}

// Routes are all paths of notifications.
func (s *Service) Routes() []httpapi.Route {
	log := &message.Service{DB: s.DB, Cursors: s.Cursors}
	own := &choice.Service{DB: s.DB}
	words := &template.Service{DB: s.DB, Plan: s.plan()}
	return slices.Concat(s.settings().Routes(), log.Routes(), own.Routes(), words.Routes())
}

// Kinds is the work on the queue.
func (s *Service) Kinds() []queue.Kind {
	out := &outbox.Service{DB: s.DB, Seal: s.Seal, Settings: s.settings(), Log: s.Log}
	return append(s.plan().Kinds(), out.Kind())
}

// Jobs is the periodic work.
func (s *Service) Jobs() []queue.Job { return s.plan().Jobs(s.Log) }

// Announce stores whether the operators configured a mail server. Without one, tenants that have none of
// their own write no notifications.
func (s *Service) Announce(ctx context.Context) error {
	return s.DB.Deployment(ctx, func(tx *pg.Tx) error {
		return pg.Exec(ctx, tx, "note the mail server of the installation",
			`update deployment set mail = $1 where mail <> $1`, s.Relay != nil)
	})
}
