package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/console"
	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/app/tracing"
	"github.com/grantwright/grantwright/controlplane/internal/front/apidocs"
	webconsole "github.com/grantwright/grantwright/controlplane/internal/front/console"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi/admission"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/telemetry"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents/hub"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/worker"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// App is the control plane, put together.
type App struct {
	API  *httpapi.API
	DB   *pg.DB
	Auth *auth.Service
	Hub  *hub.Hub
	Sync *worker.Service

	log      *slog.Logger
	workers  []func(context.Context) error // all but the hub's
	metrics  *telemetry.Metrics
	observer *telemetry.Observer

	connections *admission.Connections
	draining    atomic.Bool     // the server is stopping
	streams     context.Context // ends when streams must
	endStreams  context.CancelFunc
}

// New wires every feature once. version goes into /openapi.json and to agents.
func New(
	ctx context.Context,
	c config.Config,
	version string,
	db *pg.DB,
	ring *seal.Keyring,
	log *slog.Logger,
) (*App, error) {
	if c.OpenConnector == nil {
		return nil, errors.New("the configuration has no OpenConnector")
	}
	guard, err := guard(c)
	if err != nil {
		return nil, err
	}
	cursorKey, err := ring.PurposeKey(ctx, db, seal.Cursors)
	if err != nil {
		return nil, err
	}
	cursors, err := httpapi.NewCursors(cursorKey, time.Now)
	if err != nil {
		return nil, err
	}
	callbackKey, err := ring.PurposeKey(ctx, db, seal.Callbacks)
	if err != nil {
		return nil, err
	}
	sessions, err := auth.New(ctx, db, ring, log)
	if err != nil {
		return nil, err
	}
	p := &parts{
		config: c, version: version, db: db, ring: ring, log: log, guard: guard, cursors: cursors, sessions: sessions,
		metrics: telemetry.NewMetrics(version), connections: connections(c),
		api: httpapi.Config{
			Title:       "Grantwright",
			Version:     version,
			Log:         log,
			User:        sessions.AuthenticateUser,
			PublicDocs:  c.PublicDocs,
			BehindProxy: c.BehindTLSProxy,
		},
	}
	p.reach(callbackKey)
	for _, add := range features {
		if err := add(ctx, p); err != nil {
			return nil, err
		}
	}
	api := httpapi.New(p.api)
	api.Add(sessions.Routes()...)
	api.Add(p.routes...)
	api.Mount(http.MethodGet, httpapi.Prefix+"/agent", p.hub.Handler())
	api.Mount(http.MethodGet, "/health", http.HandlerFunc(health))
	webconsole.Mount(api, console.Files())
	apidocs.Mount(api, apidocs.Options{Public: c.PublicDocs, User: sessions.AuthenticateUser})
	a := &App{
		API:         api,
		DB:          db,
		Auth:        sessions,
		Hub:         p.hub,
		Sync:        p.worker,
		log:         log,
		metrics:     p.metrics,
		connections: p.connections,
	}
	a.streams, a.endStreams = context.WithCancel(context.WithoutCancel(ctx))
	a.observer = &telemetry.Observer{Metrics: p.metrics, Log: log, Traces: c.Traces, Routes: api.Router, Now: time.Now}
	work := &queue.Queue{DB: db, Log: log, Kinds: p.kinds, Jobs: p.jobs, Observe: workMetrics(p.metrics)}
	a.workers = append(
		p.workers,
		work.Run,
		a.Sync.Run,
		func(ctx context.Context) error { return db.KeepStatistics(ctx, log) },
	)
	return a, nil
}

func guard(c config.Config) (*outbound.Guard, error) {
	ranges, err := outbound.ParseCIDRs(c.EgressCIDRs)
	if err != nil {
		return nil, fmt.Errorf("egress-allow-cidrs: %w", err)
	}
	return &outbound.Guard{AllowCIDRs: ranges, AllowPlaintext: c.EgressPlain, Own: config.OwnAddresses(c)}, nil
}

// hosted gives the connectors that run in this process: one of each type for its whole life, so that tokens and rate
// budgets are shared by all calls.
func hosted(
	guard *outbound.Guard,
	open func(connectorkit.Env, string) (connectorkit.Connector, error),
	traces *telemetry.Traces,
	log *slog.Logger,
) func(string) (connectorkit.Connector, error) {
	name, err := os.Hostname()
	if err != nil {
		name = "control plane"
	}
	env := connectorkit.Env{
		Dial:      guard.Dial,
		Plaintext: guard.Plaintext,
		Log:       log,
		Now:       time.Now,
		By:        v1.ExecutedBy{Mode: dispatch.Hosted, Hostname: name},
	}
	opened := map[string]connectorkit.Connector{}
	failed := map[string]error{}
	for _, t := range catalog.Types() {
		c, err := open(env, t)
		opened[t], failed[t] = tracing.Wrap(c, traces, t), err
	}
	return func(connectorType string) (connectorkit.Connector, error) {
		if c := opened[connectorType]; c != nil {
			return c, nil
		}
		if err := failed[connectorType]; err != nil {
			return nil, err
		}
		return nil, &v1.ErrorDetail{
			Class:   v1.ClassConfig,
			Code:    "unknown_type",
			Message: fmt.Sprintf("there is no connector of type %q here", connectorType),
		}
	}
}

// health says that the process serves. It asks nothing of anybody, so that it cannot be used to keep the database busy.
func health(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(`{"status":"ok"}` + "\n"))
}

// Run does the work that no request asks for, until ctx ends.
func (a *App) Run(ctx context.Context) error {
	return runAll(ctx, append(slices.Clone(a.workers), a.Hub.Run))
}

func runAll(ctx context.Context, workers []func(context.Context) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, work := range workers {
		group.Go(func() error { return work(ctx) })
	}
	return group.Wait()
}
