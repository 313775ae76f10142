package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

// Limits of the server. Streams set their own deadline for each event.
const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 30 * time.Second
	writeTimeout      = 60 * time.Second
	idleTimeout       = 120 * time.Second
	maxHeaderBytes    = 32 << 10
	drainTime         = 25 * time.Second
)

// Serve answers requests and does the work beside them until ctx ends, then stops in order: no new connections, requests
// finished, agents sent away, runs handed back. ready is called with the address once requests are answered.
func (a *App) Serve(ctx context.Context, c Config, lost <-chan error, ready func(addr string)) error {
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", c.Listen, err)
	}
	server := &http.Server{
		Handler: a.API.Router, ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
		MaxHeaderBytes: maxHeaderBytes, ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return a.Run(ctx) })
	if c.DebugListen != "" {
		group.Go(func() error { return serveProfiles(ctx, c.DebugListen) })
	}
	group.Go(func() error {
		if c.TLSCert != "" {
			err = server.ServeTLS(l, c.TLSCert, c.TLSKey)
		} else {
			err = server.Serve(l)
		}
		if errors.Is(err, http.ErrServerClosed) {
			return nil
		}
		return err
	})
	group.Go(func() error {
		select {
		case <-ctx.Done():
		case err, open := <-lost:
			if open && err != nil {
				_ = server.Close()
				return fmt.Errorf("the private PostgreSQL has ended by itself: %w", err)
			}
			<-ctx.Done()
		}
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
		defer cancel()
		if err := server.Shutdown(drain); err != nil {
			return server.Close() // whoever streams still is cut off
		}
		return nil
	})
	ready(l.Addr().String())
	return group.Wait()
}
