package backup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/app/database"
	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/schema"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
)

// Restored is what a restore found and did.
type Restored struct {
	Manifest   Manifest
	Rows       int64 // as many as when the backup was made
	Tenants    int
	Secrets    int   // all of which open
	Audited    int64 // entries of audit logs, whose chains hold
	Deliveries int64 // of webhooks that were pending, and may have been made since
	Epoch      int64
}

// Restore brings a backup into an empty database, and makes sure of it: the rows are counted, every secret is opened,
// audit logs are verified, and references looked at. Tokens from before are refused from then on, because a backup
// knows nothing of what was revoked after it was made.
func Restore(ctx context.Context, c config.Config, dir string, log *slog.Logger) (r Restored, err error) {
	if r.Manifest, err = ReadManifest(dir); err != nil {
		return r, err
	}
	ring, err := keysFor(c, r.Manifest)
	if err != nil {
		return r, err
	}
	if err := r.Manifest.matches(dir); err != nil {
		return r, err
	}
	u, done, err := database.OpenEmpty(ctx, c, log)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, done(context.WithoutCancel(ctx))) }()
	if err := load(ctx, c, u, filepath.Join(dir, dumpFile)); err != nil {
		return r, err
	}
	if err := r.count(ctx, u); err != nil {
		return r, err
	}
	db, err := u.Prepare(ctx)
	if err != nil {
		return r, err
	}
	defer db.Close()
	if err := r.settle(ctx, db, ring, log); err != nil {
		return r, err
	}
	return r, finish(ctx, u.Owner)
}

// keysFor opens the master keys that the backup needs. None is made: a new one would open nothing.
func keysFor(c config.Config, m Manifest) (*seal.Keyring, error) {
	path, err := config.OwnKeyFile(c)
	if err == nil {
		if _, missing := os.Stat(path); missing != nil {
			return nil, fmt.Errorf("put the master key of the backup's time at %s first: %w", path, missing)
		}
	}
	ring, err := config.Keyring(c)
	if err != nil {
		return nil, err
	}
	have := ring.Masters()
	for _, needed := range m.MasterKeys {
		if !slices.Contains(have, needed) {
			return nil, fmt.Errorf(
				"the backup's secrets lie under master key %s, and the key file holds %v; nothing was restored, "+
					"since they would not open",
				needed,
				have,
			)
		}
	}
	return ring, nil
}

// matches refuses a dump that is not the one that the manifest speaks of, or that a newer program made.
func (m Manifest) matches(dir string) error {
	if m.Schema > schema.Head() {
		return fmt.Errorf(
			"the backup was made by version %s, whose schema %d is newer than this program's %d",
			m.Version,
			m.Schema,
			schema.Head(),
		)
	}
	digest, err := digestOf(filepath.Join(dir, dumpFile))
	if err != nil {
		return err
	}
	if digest != m.SHA256 {
		return fmt.Errorf(
			"%s was changed since the backup was made: its SHA-256 is %s and not %s",
			dumpFile,
			digest,
			m.SHA256,
		)
	}
	return nil
}

// load brings the dump in: all of it, or nothing. What is made belongs to the owner of the database.
func load(ctx context.Context, c config.Config, u database.URLs, path string) error {
	var major int
	err := database.OnConnection(ctx, u.Owner, func(conn *pgx.Conn) error {
		if _, err := conn.Exec(
			ctx,
			"create table "+database.PendingTable+" (since timestamptz not null default now())",
		); err != nil {
			return err
		}
		return conn.QueryRow(ctx, `select current_setting('server_version_num')::int / 10000`).Scan(&major)
	})
	if err != nil {
		return fmt.Errorf("begin the restore: %w", err)
	}
	tool, err := embedded.Tool(ctx, c.PGBin, "pg_restore", major)
	if err != nil {
		return err
	}
	dump, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read the backup: %w", err)
	}
	defer dump.Close()
	return runTool(ctx, tool, u.Owner, dump, nil, "--single-transaction", "--exit-on-error", "--no-owner")
}

// finish lets the database serve.
func finish(ctx context.Context, owner string) error {
	return database.OnConnection(ctx, owner, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "drop table "+database.PendingTable)
		return err
	})
}

// count holds the rows against those that the backup held, as the application sees them: every row of a table that is a
// tenant's belongs to a tenant that is there.
func (r *Restored) count(ctx context.Context, u database.URLs) error {
	db, err := pg.Open(ctx, pg.Options{URL: u.App, SetRole: u.SetRole, MaxConns: 4})
	if err != nil {
		return err
	}
	defer db.Close()
	found, err := countRows(ctx, db)
	if err != nil {
		return fmt.Errorf("count what was restored: %w", err)
	}
	for name, want := range r.Manifest.Tables {
		if found[name] != want {
			return fmt.Errorf("table %s has %d rows after the restore, and the backup held %d", name, found[name], want)
		}
		r.Rows += want
	}
	return nil
}
