package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded/roles"
)

// Server is a running private PostgreSQL. Its methods may be used from several goroutines.
type Server struct {
	inst   *installation
	addr   address
	pid    int
	stderr *tail
	ended  chan struct{} // closed when the process is gone
	exit   error         // what it left with; read after ended
	done   chan error

	mu       sync.Mutex
	stopping bool
	lock     *dirLock
}

// errPortTaken says that another program took the loopback port before PostgreSQL could.
var errPortTaken = errors.New("the port was taken")

// run starts the server, waits for it and makes its roles and its database.
func (i *installation) run(ctx context.Context) (*Server, error) {
	const attempts = 3
	for attempt := 1; ; attempt++ {
		srv, err := i.try(ctx)
		if err == nil || attempt == attempts || !errors.Is(err, errPortTaken) {
			return srv, err
		}
	}
}

func (i *installation) try(ctx context.Context) (*Server, error) {
	addr, err := chooseAddress(i.config.Dir)
	if err != nil {
		return nil, err
	}
	srv, err := i.spawn(addr)
	if err != nil {
		return nil, err
	}
	if err := srv.settle(ctx); err != nil {
		patient, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
		defer cancel()
		return nil, errors.Join(err, srv.Stop(patient))
	}
	return srv, nil
}

// settle waits for the server, makes its databases and roles, and writes where it is for other commands.
func (s *Server) settle(ctx context.Context) error {
	n := note{ControlPlane: os.Getpid(), Postmaster: s.pid, Host: s.addr.host, Port: s.addr.port}
	if err := s.inst.home.writeNote(n); err != nil {
		return err
	}
	if err := s.awaitReady(ctx); err != nil {
		return err
	}
	if err := s.prepareDatabase(ctx); err != nil {
		return err
	}
	n.Ready = true
	return s.inst.home.writeNote(n)
}

// spawn starts postgres as our child. A goroutine keeps the thread that started it for the server's whole life:
// the signal at the parent's death follows that thread.
func (i *installation) spawn(addr address) (*Server, error) {
	args := []string{"-D", i.config.Dir}
	for _, setting := range settings(i.config, addr) {
		args = append(args, "-c", setting)
	}
	// The server outlives the context of its start.
	cmd := i.command(context.Background(), "postgres", args...)
	dieWithParent(cmd.SysProcAttr, fast)
	srv := &Server{inst: i, addr: addr, stderr: &tail{}, ended: make(chan struct{}), done: make(chan error, 1)}
	cmd.Stdout, cmd.Stderr = srv.stderr, srv.stderr
	// Backends that outlive a killed postmaster keep our pipe open; they must not keep us from seeing its end.
	cmd.WaitDelay = time.Second
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			srv.watch(cmd)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start postgres: %w", err)
	}
	srv.pid = cmd.Process.Pid
	return srv, nil
}

// watch waits for the server's end and signals it on Done.
func (s *Server) watch(cmd *exec.Cmd) {
	err := cmd.Wait()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	s.mu.Lock()
	wanted := s.stopping
	s.mu.Unlock()
	if err == nil && !wanted {
		err = errors.New("it was shut down from outside")
	}
	s.exit = err
	if !wanted {
		s.inst.config.Log.Error("private PostgreSQL stopped unexpectedly", "dir", s.inst.config.Dir, "err", err)
		s.done <- fmt.Errorf("private PostgreSQL stopped unexpectedly: %w%s", err, s.lastWords())
	}
	close(s.ended)
	close(s.done)
}

// awaitReady returns when the server accepts connections, after crash recovery if need be.
func (s *Server) awaitReady(ctx context.Context) error {
	for {
		err := s.ping(ctx)
		if err == nil {
			return nil
		}
		var refused *pgconn.PgError
		if errors.As(err, &refused) && refused.Code != cannotConnectNow && refused.Code != tooManyConnections {
			return fmt.Errorf("log in to the private PostgreSQL: %w", err)
		}
		select {
		case <-s.ended:
			words := s.lastWords()
			if !s.addr.unix() && strings.Contains(words, "could not create any TCP/IP sockets") {
				return fmt.Errorf("postgres did not start: %w%s", errPortTaken, words)
			}
			return fmt.Errorf("postgres did not start: %w%s", s.exit, words)
		case <-ctx.Done():
			return fmt.Errorf("postgres did not accept connections in time: %w%s", ctx.Err(), s.lastWords())
		case <-time.After(poll):
		}
	}
}

// SQLSTATEs of a server that is on its way.
const (
	cannotConnectNow   = "57P03"
	tooManyConnections = "53300"
)

func (s *Server) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	conn, err := s.connect(ctx, "postgres")
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

// connect logs in as the superuser.
func (s *Server) connect(ctx context.Context, database string) (*pgx.Conn, error) {
	return pgx.Connect(ctx, s.addr.url(superuser, s.inst.secrets.Superuser, database))
}

// OwnerURL is the connection URL of the database's owner, for migrations. It holds a password.
func (s *Server) OwnerURL() string {
	return s.addr.url(roles.Owner, s.inst.secrets.Owner, databaseName)
}

// AppURL is the connection URL of the application's login, which owns nothing. It holds a password.
func (s *Server) AppURL() string { return s.addr.url(roles.App, s.inst.secrets.App, databaseName) }

// PID is the process id of the server's postmaster.
func (s *Server) PID() int { return s.pid }

// String names the server without its passwords.
func (s *Server) String() string {
	return fmt.Sprintf("private PostgreSQL %s in %s (process %d)", s.inst.bins.version, s.inst.config.Dir, s.pid)
}

// Done delivers an error when the server ends without a call of Stop, and is closed after any end.
func (s *Server) Done() <-chan error { return s.done }

// Stop ends the server: it disconnects its clients and writes everything out. When ctx ends first, or after half
// a minute, it is made to leave at once; then nothing committed is lost, but the next start takes longer, and an
// error says so. A second call waits for the first.
func (s *Server) Stop(ctx context.Context) error {
	s.mu.Lock()
	s.stopping = true
	s.mu.Unlock()
	err := s.shutDown(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lock != nil {
		s.inst.home.dropNote()
		s.lock.release()
		s.lock = nil
	}
	return err
}

// shutDown goes through the signals until the process is gone.
func (s *Server) shutDown(ctx context.Context) error {
	for _, step := range []struct {
		sig   syscall.Signal
		limit time.Duration
		ctx   context.Context
	}{
		{fast, patience, ctx},
		{immediate, 5 * time.Second, context.Background()},
		{syscall.SIGKILL, 5 * time.Second, context.Background()},
	} {
		select {
		case <-s.ended:
			return nil
		default:
		}
		if err := s.inst.bins.signal(s.pid, step.sig); err != nil && running(s.pid) {
			return fmt.Errorf("stop the private PostgreSQL: %w", err)
		}
		if s.endsWithin(step.ctx, step.limit) {
			if step.sig == fast {
				return nil
			}
			return fmt.Errorf("the private PostgreSQL had to be ended by %v; the next start recovers it", step.sig)
		}
	}
	return fmt.Errorf("the private PostgreSQL (process %d) does not end", s.pid)
}

func (s *Server) endsWithin(ctx context.Context, limit time.Duration) bool {
	select {
	case <-s.ended:
		return true
	case <-ctx.Done():
	case <-time.After(limit):
	}
	return false
}
