package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/pprof"
)

// serveProfiles serves Go's profiles on an address of their own, never on the API's.
func serveProfiles(ctx context.Context, address string) error {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := &http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: readHeaderTimeout}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("cannot serve profiles on %s: %w", address, err)
	}
	return nil
}
