package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/govern/pack"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/table"
	"github.com/grantwright/grantwright/controlplane/internal/govern/rolemodel"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/linkcheck"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/admission"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/telemetry"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/hub"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/registry"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/fieldmap"
	"github.com/grantwright/grantwright/controlplane/internal/reach/mapping/transform"
	"github.com/grantwright/grantwright/controlplane/internal/reach/onboard"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/changes"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/hold"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/safety"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/callback"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/worker"
	"github.com/grantwright/grantwright/controlplane/internal/record/access"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
)

// parts are what the control plane is put together from. A feature takes what it needs and leaves its routes and its
// work.
type parts struct {
	config   config.Config
	version  string
	db       *pg.DB
	ring     *seal.Keyring
	log      *slog.Logger
	guard    *outbound.Guard
	cursors  *httpapi.Cursors
	sessions *auth.Service
	hub      *hub.Hub
	runs     *syncrun.Service
	worker   *worker.Service
	policies *policy.Service
	roles    *rolemodel.Service
	guide    *onboard.Service
	changes  *provision.Service
	packs    *pack.Service
	metrics  *telemetry.Metrics

	// invited writes the message with a user's sign-in link.
	invited func(ctx context.Context, tx *pg.Tx, userID, token string) error
	// invitedByRule writes the messages with the links that sign-in rules give, by user.
	invitedByRule func(ctx context.Context, tx *pg.Tx, tokens map[string]string) error

	connections *admission.Connections

	api     httpapi.Config // of the API that is about to be made
	routes  []httpapi.Route
	workers []func(context.Context) error // what no request asks for; each ends with its context
	kinds   []queue.Kind                  // of work on the queue
	jobs    []queue.Job                   // periodic work
}

// features are added in this order.
var features = []func(context.Context, *parts) error{
	addSignin,
	addTenants,
	addNotifications,
	addPeople,
	addAudit,
	addWebhooks,
	addSchedules,
	addShapes,
	addProvisioning,
	addPipeline,
	addPolicies,
	addSeparation,
	addRoles,
	addPacks,
	addHistory,
	addAsking,
	addDashboard,
	addWork,
	addOperations,
}

// reach adds the features that know people and their access, and those that reach target systems.
func (p *parts) reach(callbackKey []byte) {
	p.hub = &hub.Hub{
		DB:         p.db,
		Seal:       p.ring,
		Log:        p.log,
		PublicURL:  p.config.URL(p.config.Listen),
		MinVersion: p.config.MinAgentVersion,
	}
	registry := &registry.Registry{
		DB:        p.db,
		Tokens:    p.sessions,
		Cursors:   p.cursors,
		PublicURL: p.config.URL(p.config.Listen),
		Log:       p.log,
		Now:       time.Now,
	}
	p.api.Agent = registry.Authenticate
	dispatcher := &dispatch.Dispatcher{
		HostedConnector: hosted(p.guard, p.config.OpenConnector, p.config.Traces, p.log),
		Agents:          p.hub,
	}
	connectors := &connector.Service{
		DB:       p.db,
		Seal:     p.ring,
		Dispatch: dispatcher,
		Now:      time.Now,
		Log:      p.log,
		Cursors:  p.cursors,
	}
	fields := &fieldmap.Service{
		DB:         p.db,
		Connectors: connectors,
		Cursors:    p.cursors,
		Compile:    transform.Compile,
		Offers:     pack.Offers,
		Log:        p.log,
		Now:        time.Now,
	}
	p.runs = &syncrun.Service{
		DB:          p.db,
		Connectors:  connectors,
		Guard:       p.guard,
		Cursors:     p.cursors,
		CallbackKey: callbackKey,
		Now:         time.Now,
	}
	p.worker = &worker.Service{
		DB:         p.db,
		Connectors: connectors,
		Fields:     fields,
		Dispatch:   dispatcher,
		Agents:     p.hub,
		Callbacks: &callback.Sender{
			DB:   p.db,
			Runs: p.runs,
			HTTP: p.guard.Client(callback.Timeout),
			Log:  p.log,
			Now:  time.Now,
		},
		MaxRuns: p.config.MaxRuns,
		Log:     p.log,
		Now:     time.Now,
	}
	p.guide = &onboard.Service{
		DB:         p.db,
		Connectors: connectors,
		Fields:     fields,
		Runs:       p.runs,
		Cursors:    p.cursors,
		Now:        time.Now,
	}
	diffs := &changes.Service{DB: p.db, Cursors: p.cursors}
	holds := &hold.Service{DB: p.db, Wake: p.worker.Wake, Now: time.Now}
	limits := &safety.Service{DB: p.db, Now: time.Now}
	people := &directory.Service{DB: p.db, Cursors: p.cursors, Now: time.Now, AdmitLinks: linkcheck.Admit}
	owners := &correlate.Service{DB: p.db, Now: time.Now, AdmitLinks: linkcheck.Admit}
	rights := &access.Service{DB: p.db, Cursors: p.cursors, Now: time.Now, Say: sentence, Rows: table.Explain,
		Conditions: offeredTo, Admit: separation.AdmitGrant}
	for _, routes := range [][]httpapi.Route{
		people.Routes(), rights.Routes(), connectors.Routes(), fields.Routes(), transform.Routes(), p.guide.Routes(),
		owners.Routes(), p.runs.Routes(), diffs.Routes(), holds.Routes(), limits.Routes(),
		registry.Routes(),
	} {
		p.routes = append(p.routes, routes...)
	}
}
