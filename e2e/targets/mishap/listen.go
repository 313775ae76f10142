package mishap

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Listener serves HTTP until it is closed or its context ends.
type Listener struct {
	addr  string
	close func() error
}

// Listen serves what build makes on addr, where port 0 picks a free one. build gets the address that
// was picked, since answers hold links to it.
func Listen(ctx context.Context, addr string, build func(addr string) (http.Handler, error)) (*Listener, error) {
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	handler, err := build(l.Addr().String())
	if err != nil {
		_ = l.Close()
		return nil, err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	stop := sync.OnceValue(func() error {
		_ = server.Close()
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	})
	context.AfterFunc(ctx, func() { _ = stop() })
	return &Listener{addr: l.Addr().String(), close: stop}, nil
}

// Addr is the host and port.
func (l *Listener) Addr() string { return l.addr }

// Close ends the listener and every connection. Further calls do nothing.
func (l *Listener) Close() error { return l.close() }
