package embedded

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded/roles"
)

var (
	// ErrNotRunning says that no control plane runs a server on the directory: the caller may start its own.
	ErrNotRunning = errors.New("no private PostgreSQL runs on the data directory")
	// ErrStarting says that a control plane is just starting the server: the caller should look again soon.
	ErrStarting = errors.New("the private PostgreSQL is just starting")
)

// Endpoint is a private server to connect to: another process's (Attach) or our own (Open).
type Endpoint struct {
	addr    address
	secrets secrets
	own     *Server
}

// OwnerURL is the connection URL of the database's owner. It holds a password.
func (e *Endpoint) OwnerURL() string { return e.addr.url(roles.Owner, e.secrets.Owner, databaseName) }

// AppURL is the connection URL of the application's login. It holds a password.
func (e *Endpoint) AppURL() string { return e.addr.url(roles.App, e.secrets.App, databaseName) }

// String names the endpoint without its passwords.
func (e *Endpoint) String() string {
	network, addr := e.addr.dial()
	return fmt.Sprintf("private PostgreSQL at %s %s", network, addr)
}

// Close stops the server when Open started it; another process's server stays.
func (e *Endpoint) Close(ctx context.Context) error {
	if e.own == nil {
		return nil
	}
	return e.own.Stop(ctx)
}

// Attach finds the server that a running control plane keeps on the data directory dir (Config.Dir), for the
// other commands of the same installation. It fails with ErrNotRunning or ErrStarting.
func Attach(dir string) (*Endpoint, error) {
	dir, err := resolve(absolute(dir))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotRunning, err)
	}
	h := home{data: dir}
	n := h.readNote()
	if !running(n.ControlPlane) {
		return nil, ErrNotRunning
	}
	if !n.Ready {
		return nil, ErrStarting
	}
	e := &Endpoint{addr: address{host: n.Host, port: n.Port}}
	if !running(n.Postmaster) || !e.answers() {
		return nil, ErrNotRunning
	}
	s, err := h.readSecrets()
	if err != nil {
		return nil, err
	}
	e.secrets = s
	return e, nil
}

// answers reports whether something listens at the address.
func (e *Endpoint) answers() bool {
	network, addr := e.addr.dial()
	conn, err := net.DialTimeout(network, addr, time.Second)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// Open attaches to the server of a control plane that runs on c.Dir, waiting for one that is just starting, or
// starts a server of its own for as long as the Endpoint is open.
func Open(ctx context.Context, c Config) (*Endpoint, error) {
	began := time.Now()
	for {
		e, err := Attach(c.Dir)
		if errors.Is(err, ErrNotRunning) {
			e, err = openOwn(ctx, c)
		}
		// A control plane may have taken the directory between the two, or be about to leave it.
		_, taken := errors.AsType[*InUseError](err)
		if taken = taken && time.Since(began) < 2*patience; !taken && !errors.Is(err, ErrStarting) {
			return e, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		case <-time.After(5 * poll):
		}
	}
}

func openOwn(ctx context.Context, c Config) (*Endpoint, error) {
	srv, err := Start(ctx, c)
	if err != nil {
		return nil, err
	}
	return &Endpoint{addr: srv.addr, secrets: srv.inst.secrets, own: srv}, nil
}
