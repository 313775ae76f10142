package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/catalog"
	"github.com/grantwright/grantwright/controlplane/internal/front/apidocs"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/outbound"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/reach/agents"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/correlate"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/record/access"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// App is the control plane, put together.
type App struct {
	API  *httpapi.API
	DB   *pg.DB
	Auth *auth.Service
	Hub  *agents.Hub
	Runs *syncrun.Service

	log *slog.Logger
}

// Keyring opens the deployment's master key, making it on the first start.
func Keyring(c Config) (*seal.Keyring, error) {
	if c.MasterKeyFile != "" {
		return seal.OpenFile(c.MasterKeyFile)
	}
	return seal.OpenOrCreateFile(filepath.Join(c.Data, "keys", "master.key"))
}

// New wires every room once. version goes into /openapi.json and to agents.
func New(ctx context.Context, c Config, version string, db *pg.DB, ring *seal.Keyring, log *slog.Logger) (*App, error) {
	guard, err := guard(c)
	if err != nil {
		return nil, err
	}
	cursors, err := httpapi.NewCursors(ring.Derive("cursor"), time.Now)
	if err != nil {
		return nil, err
	}
	sessions, err := auth.New(ctx, db, ring, log)
	if err != nil {
		return nil, err
	}
	hub := &agents.Hub{DB: db, Seal: ring, Log: log}
	registry := &agents.Registry{DB: db, Tokens: sessions, Cursors: cursors, PublicURL: c.URL(c.Listen), Log: log, Now: time.Now}
	dispatcher := &dispatch.Dispatcher{HostedConnector: hosted(guard, log), Agents: hub}
	connectors := &connector.Service{DB: db, Seal: ring, Dispatch: dispatcher, Now: time.Now, Log: log, Cursors: cursors}
	runs := &syncrun.Service{
		DB: db, Connectors: connectors, Dispatch: dispatcher, Agents: hub, Guard: guard, Cursors: cursors,
		CallbackKey: ring.Derive("callback"), MaxRuns: c.MaxRuns, Log: log, Now: time.Now,
	}
	held := &reconcile.Service{DB: db, Cursors: cursors, Wake: runs.Wake, Now: time.Now}
	people := &directory.Service{DB: db, Cursors: cursors, Now: time.Now}
	owners := &correlate.Service{DB: db, Now: time.Now}
	rights := &access.Service{DB: db, Cursors: cursors, Now: time.Now}
	api := httpapi.New(httpapi.Config{
		Title: "Grantwright", Version: version, Log: log, User: sessions.AuthenticateUser, Agent: registry.Authenticate, PublicDocs: c.PublicDocs,
		BehindProxy: c.BehindTLSProxy,
	})
	api.Add(sessions.Routes()...)
	api.Add(people.Routes()...)
	api.Add(rights.Routes()...)
	api.Add(connectors.Routes()...)
	api.Add(owners.Routes()...)
	api.Add(runs.Routes()...)
	api.Add(held.Routes()...)
	api.Add(registry.Routes()...)
	api.Mount(http.MethodGet, httpapi.Prefix+"/agent", hub.Handler())
	api.Mount(http.MethodGet, "/health", http.HandlerFunc(health))
	api.Mount(http.MethodGet, "/", http.RedirectHandler("/docs", http.StatusSeeOther))
	apidocs.Mount(api, apidocs.Options{Public: c.PublicDocs, User: sessions.AuthenticateUser})
	return &App{API: api, DB: db, Auth: sessions, Hub: hub, Runs: runs, log: log}, nil
}

func guard(c Config) (*outbound.Guard, error) {
	ranges, err := outbound.ParseCIDRs(c.EgressCIDRs)
	if err != nil {
		return nil, fmt.Errorf("egress-allow-cidrs: %w", err)
	}
	return &outbound.Guard{AllowCIDRs: ranges, AllowPlaintext: c.EgressPlain}, nil
}

// hosted gives the connectors that run in this process: one of each type for its whole life, so that tokens and rate budgets
// are shared by all calls.
func hosted(guard *outbound.Guard, log *slog.Logger) func(string) (connectorkit.Connector, error) {
	name, err := os.Hostname()
	if err != nil {
		name = "control plane"
	}
	env := connectorkit.Env{
		Dial: guard.Dial, Plaintext: guard.Plaintext, Log: log, Now: time.Now, By: v1.ExecutedBy{Mode: dispatch.Hosted, Hostname: name},
	}
	connectors := map[string]connectorkit.Connector{}
	failed := map[string]error{}
	for _, t := range catalog.Types() {
		connectors[t], failed[t] = catalog.Open(env, t)
	}
	return func(connectorType string) (connectorkit.Connector, error) {
		if c := connectors[connectorType]; c != nil {
			return c, nil
		}
		if err := failed[connectorType]; err != nil {
			return nil, err
		}
		return nil, &v1.ErrorDetail{Class: v1.ClassConfig, Code: "unknown_type", Message: fmt.Sprintf("there is no connector of type %q here", connectorType)}
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
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return a.Hub.Run(ctx) })
	group.Go(func() error { return a.Runs.Run(ctx) })
	group.Go(func() error { return a.applyDue(ctx) })
	return group.Wait()
}
