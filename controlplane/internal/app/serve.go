package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/app/opslistener"
)

// Limits of the server. Streams set their own deadline for each event.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 30 * time.Second
	writeTimeout      = 60 * time.Second
	idleTimeout       = 120 * time.Second
	maxHeaderBytes    = 32 << 10
)

// server is one life of the API's listener.
type server struct {
	*http.Server
	app      *App
	config   config.Config
	listener net.Listener
}

// Serve answers requests and does the work beside them until ctx ends, then stops in order. ready is called with the
// address once requests are answered.
func (a *App) Serve(ctx context.Context, c config.Config, lost <-chan error, ready func(addr string)) error {
	s, err := a.listen(c)
	if err != nil {
		return err
	}
	// What goes on while the server stops has contexts of its own, each of which ends a little later than ctx.
	work, endWork := context.WithCancel(context.WithoutCancel(ctx))
	defer endWork()
	agents, endAgents := context.WithCancel(context.WithoutCancel(ctx))
	defer endAgents()
	group, ctx := errgroup.WithContext(ctx)
	if c.Ops() != "" {
		ops, err := opslistener.Listen(c.Ops())
		if err != nil {
			return errors.Join(err, s.listener.Close())
		}
		group.Go(func() error { return a.serveOps(agents, ops) })
	}
	group.Go(func() error { return runAll(work, a.workers) })
	group.Go(func() error { return a.Hub.Run(agents) })
	group.Go(s.serve)
	group.Go(func() error {
		defer endAgents()
		defer endWork()
		select {
		case <-ctx.Done():
			return s.drain(context.WithoutCancel(ctx), endWork)
		case err, open := <-lost:
			if open && err != nil {
				_ = s.Close()
				return fmt.Errorf("the private PostgreSQL stopped unexpectedly: %w", err)
			}
		}
		<-ctx.Done()
		return s.drain(context.WithoutCancel(ctx), endWork)
	})
	ready(s.listener.Addr().String())
	return group.Wait()
}

func (a *App) listen(c config.Config) (*server, error) {
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s: %w", c.Listen, err)
	}
	s := &server{app: a, config: c, listener: a.connections.Listen(l)}
	s.Server = &http.Server{
		Handler:           a.Handler(),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
		TLSConfig:         &tls.Config{MinVersion: tls.VersionTLS12},
	}
	return s, nil
}

func (s *server) serve() (err error) {
	if s.config.TLSCert != "" {
		err = s.ServeTLS(s.listener, s.config.TLSCert, s.config.TLSKey)
	} else {
		err = s.Serve(s.listener)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// drain stops the server in order, and calls endWork when nothing new is to be begun.
func (s *server) drain(ctx context.Context, endWork func()) error {
	began := time.Now()
	s.app.draining.Store(true)
	if s.config.Ops() != "" {
		time.Sleep(s.config.DrainDelay)
	}
	endWork()
	s.app.endStreams()
	rest := min(config.InFlightTime, config.StopTime-time.Since(began))
	ctx, cancel := context.WithTimeout(ctx, rest)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		s.app.log.Warn(
			"requests were cut off, because they did not end in time",
			"after",
			time.Since(began).Round(time.Millisecond),
		)
		return s.Close()
	}
	return nil
}

// Handler is the API as it is served: every request is observed, and streams end when the server is about to stop. They
// would go on for ever otherwise, and nothing is lost by their end: who follows one comes again.
func (a *App) Handler() http.Handler {
	return a.observer.Around(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/events") || strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
			ctx, cancel := context.WithCancel(r.Context())
			defer context.AfterFunc(a.streams, cancel)()
			defer cancel()
			r = r.WithContext(ctx)
		}
		a.API.Router.ServeHTTP(w, r)
	}))
}
