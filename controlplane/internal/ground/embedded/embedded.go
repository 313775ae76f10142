// Package embedded runs a private PostgreSQL from the binaries that are installed on the machine, so that a
// control plane needs nothing else set up, and makes the roles that every database of ours has (EnsureRoles).
//
// The server belongs to one control plane: it listens on a Unix socket inside its data directory (or on the
// loopback address where the path is too long for one), ends when its control plane ends, however it ends, and
// comes back with every committed row. Beside the data directory DIR lies DIR.control, which PostgreSQL's own
// account cannot read: the lock against a second control plane, the passwords, and the note that shows other
// commands of the same installation where the server listens (Attach, Open).
package embedded

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

// defaultConnections is PostgreSQL's own default; a control plane's pools stay well below it.
const defaultConnections = 100

// Config says where the private server lives and how it runs.
type Config struct {
	// Dir is PostgreSQL's data directory, for instance ./data/postgres. It is made when missing. It may be empty,
	// but must not itself be a mount point.
	Dir string
	// BinDir holds the binaries to use; empty means GRANTWRIGHT_PG_BIN, and then the usual places.
	BinDir string
	// Log receives what happens to the server; nil discards it. PostgreSQL's own log lies in Dir/log.
	Log *slog.Logger
	// Fast gives up durability (fsync, full_page_writes, synchronous_commit off). For tests alone.
	Fast bool
	// MaxConnections is PostgreSQL's max_connections; 0 means 100.
	MaxConnections int
}

// complete returns the configuration with its defaults and with an absolute Dir free of symbolic links, since
// PostgreSQL's processes are recognised by the directory they run in.
func (c Config) complete() (Config, error) {
	if c.Dir == "" {
		return c, errors.New("embedded PostgreSQL: no data directory given")
	}
	dir := absolute(c.Dir)
	if err := makeParent(filepath.Dir(dir)); err != nil {
		return c, fmt.Errorf("embedded PostgreSQL: %w", err)
	}
	real, err := resolve(dir)
	if err != nil {
		return c, fmt.Errorf("embedded PostgreSQL: %w", err)
	}
	c.Dir = real
	if c.BinDir == "" {
		c.BinDir = os.Getenv("GRANTWRIGHT_PG_BIN")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.MaxConnections == 0 {
		c.MaxConnections = defaultConnections
	}
	return c, nil
}

// makeParent makes the folder above the data directory. Run as root it must let PostgreSQL's account through;
// what is secret in it has modes of its own.
func makeParent(parent string) error {
	mode := os.FileMode(0o700)
	if os.Geteuid() == 0 {
		mode = 0o711
	}
	return os.MkdirAll(parent, mode)
}

// absolute is filepath.Abs, which fails only where the current directory is gone.
func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// resolve follows symbolic links, of the data directory itself or, while there is none, of its parent.
func resolve(dir string) (string, error) {
	real, err := filepath.EvalSymlinks(dir)
	if errors.Is(err, os.ErrNotExist) {
		parent, err := filepath.EvalSymlinks(filepath.Dir(dir))
		return filepath.Join(parent, filepath.Base(dir)), err
	}
	return real, err
}

// Start brings up the private server of c.Dir and returns when it accepts connections and has its roles and
// its database. ctx bounds the start (crash recovery included), not the server's life.
//
// Errors to tell apart: *NotFoundError, *VersionError, *InUseError, *UnreachableError. Nothing is ever deleted
// from a data directory.
func Start(ctx context.Context, c Config) (*Server, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	home := home{data: c.Dir}
	lock, err := home.lock()
	if err != nil {
		return nil, err
	}
	srv, err := start(ctx, c, home)
	if err != nil {
		lock.release()
		return nil, fmt.Errorf("embedded PostgreSQL in %s: %w", c.Dir, err)
	}
	srv.lock = lock
	return srv, nil
}

// start does the work of Start; the caller holds the lock.
func start(ctx context.Context, c Config, h home) (*Server, error) {
	began := time.Now()
	before := h.readNote()
	if err := h.writeNote(note{ControlPlane: os.Getpid(), Postmaster: before.Postmaster}); err != nil {
		return nil, err
	}
	inst, err := prepare(ctx, c, h, before.Postmaster)
	if err != nil {
		// The next start must still know which server was ours.
		return nil, errors.Join(err, h.writeNote(note{Postmaster: before.Postmaster}))
	}
	srv, err := inst.run(ctx)
	if err != nil {
		h.dropNote()
		return nil, err
	}
	c.Log.InfoContext(ctx, "private PostgreSQL is up", "dir", c.Dir, "version", inst.bins.version,
		"account", inst.as.name, "pid", srv.PID(), "took", time.Since(began).Round(time.Millisecond))
	return srv, nil
}

// installation is a data directory that is ready to be served: by which binaries, as whom, with which passwords.
type installation struct {
	config  Config
	home    home
	bins    binaries
	as      account
	secrets secrets
}

// prepare finds binaries and an account to run them as, waits for what an earlier life left running, and makes
// the cluster when there is none. postmaster is the process id of the server that we started last, or 0.
func prepare(ctx context.Context, c Config, h home, postmaster int) (*installation, error) {
	major, err := h.clusterVersion()
	if err != nil {
		return nil, err
	}
	inst := &installation{config: c, home: h}
	if inst.bins, err = findBinaries(ctx, c.BinDir, c.Dir, major); err != nil {
		return nil, err
	}
	if inst.as, err = chooseAccount(ctx, c.Dir, inst.bins); err != nil {
		return nil, err
	}
	fresh := false
	if inst.secrets, fresh, err = h.secrets(); err != nil {
		return nil, err
	}
	if major == 0 {
		return inst, inst.initdb(ctx)
	}
	if err := awaitPredecessor(ctx, c, inst.bins, postmaster); err != nil {
		return nil, err
	}
	if err := inst.as.own(c.Dir, c.Log); err != nil {
		return nil, err
	}
	if fresh {
		// The data came without its passwords, for instance from a file backup.
		return inst, inst.resetSuperuser(ctx)
	}
	return inst, nil
}
