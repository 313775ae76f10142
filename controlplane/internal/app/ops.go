package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/app/opslistener"
	"github.com/grantwright/grantwright/controlplane/internal/ground/schema"
)

// readyTime is how long the database may take to answer before this process calls itself not ready.
const readyTime = time.Second

// check is one of the things that must be well for a process to be ready.
type check struct {
	OK     bool   `json:"ok"`
	TookMS int64  `json:"took_ms,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// readiness is the answer of /ready.
type readiness struct {
	Status string           `json:"status"` // ready or not_ready
	Checks map[string]check `json:"checks"`
}

// ready says whether requests should come here: the database answers, its schema is not older than this program, and
// the process is not about to stop.
func (a *App) ready(ctx context.Context) readiness {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	began := time.Now()
	version, err := schema.Version(ctx, a.DB)
	database := check{OK: err == nil, TookMS: time.Since(began).Milliseconds()}
	if err != nil {
		database.Detail = fmt.Sprintf("does not answer within %s", readyTime)
	}
	migrations := check{
		OK:     err == nil && version >= schema.Head(),
		Detail: fmt.Sprintf("at %d, this program knows %d", version, schema.Head()),
	}
	stopping := check{OK: !a.draining.Load()}
	if !stopping.OK {
		stopping.Detail = "stopping"
	}
	capacity := check{OK: !a.API.Shedding()}
	if !capacity.OK {
		capacity.Detail = "requests are rejected"
	}
	out := readiness{
		Status: "ready",
		Checks: map[string]check{
			"database":   database,
			"migrations": migrations,
			"process":    stopping,
			"capacity":   capacity,
		},
	}
	for _, c := range out.Checks {
		if !c.OK {
			out.Status = "not_ready"
		}
	}
	return out
}

// opsHandler serves operators: it is never part of the API's address.
func (a *App) opsHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /live", health)
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, r *http.Request) {
		state := a.ready(r.Context())
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		if state.Status != "ready" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_ = json.NewEncoder(w).Encode(state)
	})
	mux.Handle("GET /metrics", a.metrics.Handler())
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return opslistener.OnlyHere(mux)
}

// serveOps serves operators until ctx ends: longer than the API, so that a process that stops can be watched.
func (a *App) serveOps(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           a.opsHandler(),
		ReadHeaderTimeout: readHeaderTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve operators: %w", err)
	}
	return nil
}
