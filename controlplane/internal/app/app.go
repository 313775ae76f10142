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
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/record/auth"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// App is the control plane, put together.
type App struct {
	API  *httpapi.API
	DB   *pg.DB
	Auth *auth.Service
	Hub  *agents.Hub
	Runs *syncrun.Service

	log     *slog.Logger
	workers []func(context.Context) error
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
	p := &parts{
		config: c, version: version, db: db, ring: ring, log: log, guard: guard, cursors: cursors, sessions: sessions,
		api: httpapi.Config{
			Title: "Grantwright", Version: version, Log: log, User: sessions.AuthenticateUser, PublicDocs: c.PublicDocs, BehindProxy: c.BehindTLSProxy,
		},
	}
	p.reach()
	for _, add := range rooms {
		if err := add(ctx, p); err != nil {
			return nil, err
		}
	}
	api := httpapi.New(p.api)
	api.Add(sessions.Routes()...)
	api.Add(p.routes...)
	api.Mount(http.MethodGet, httpapi.Prefix+"/agent", p.hub.Handler())
	api.Mount(http.MethodGet, "/health", http.HandlerFunc(health))
	api.Mount(http.MethodGet, "/", http.RedirectHandler("/docs", http.StatusSeeOther))
	apidocs.Mount(api, apidocs.Options{Public: c.PublicDocs, User: sessions.AuthenticateUser})
	a := &App{API: api, DB: db, Auth: sessions, Hub: p.hub, Runs: p.runs, log: log}
	a.workers = append(p.workers, a.Hub.Run, a.Runs.Run, a.applyDue)
	return a, nil
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
	for _, work := range a.workers {
		group.Go(func() error { return work(ctx) })
	}
	return group.Wait()
}
