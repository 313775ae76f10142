package database

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded"
	"github.com/grantwright/grantwright/controlplane/internal/ground/schema"
)

// OpenBeyondRows gives a login that sees the rows of all tenants: the private server's superuser, or the one that the
// operator names. The server is started where none runs.
func OpenBeyondRows(
	ctx context.Context,
	c config.Config,
	log *slog.Logger,
) (url string, done func(context.Context) error, err error) {
	if c.DatabaseURL == "" {
		end, err := embedded.Open(ctx, embedded.Config{Dir: postgresDir(c), BinDir: c.PGBin, Log: log})
		if err != nil {
			return "", nil, err
		}
		return end.AdminURL(), end.Close, nil
	}
	return firstOf(
		c.DatabaseBackupURL,
		c.DatabaseOwnerURL,
		c.DatabaseURL,
	), func(context.Context) error { return nil }, nil
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// PendingTable is there from the beginning of a restore to its end: a database with it has tokens in it that must not
// come back to life, and serves no requests.
const PendingTable = "restore_pending"

// errPending refuses such a database.
var errPending = errors.New(
	"a restore into this database did not come to its end; drop the database, and restore again into an empty one",
)

// OpenEmpty opens a database that has its roles and nothing else.
func OpenEmpty(
	ctx context.Context,
	c config.Config,
	log *slog.Logger,
) (u URLs, done func(context.Context) error, err error) {
	done = func(context.Context) error { return nil }
	if c.DatabaseURL == "" {
		end, err := embedded.Open(ctx, embedded.Config{Dir: postgresDir(c), BinDir: c.PGBin, Log: log})
		if err != nil {
			return u, nil, err
		}
		u, done = URLs{App: end.AppURL(), Owner: end.OwnerURL()}, end.Close
	} else if u, err = UseRoles(ctx, c, log); err != nil {
		return u, nil, err
	}
	if err := u.mustBeEmpty(ctx); err != nil {
		return u, nil, errors.Join(err, done(context.WithoutCancel(ctx)))
	}
	return u, done, nil
}

func (u URLs) mustBeEmpty(ctx context.Context) error {
	var tables int
	const sql = `
		select count(*)
		  from pg_class c
		 where c.relnamespace = 'public'::regnamespace
		   and c.relkind in ('r', 'p', 'v')
		   and ` + schema.Own
	err := OnConnection(ctx, u.Owner, func(conn *pgx.Conn) error { return conn.QueryRow(ctx, sql).Scan(&tables) })
	if err != nil {
		return err
	}
	if tables > 0 {
		return fmt.Errorf(
			"the database is not empty: it has %d tables. A backup is restored into a new one, such as an empty "+
				"--data directory gives",
			tables,
		)
	}
	return nil
}

func OnConnection(ctx context.Context, raw string, do func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, raw)
	if err != nil {
		return fmt.Errorf("the database does not take the owner's connection: %w", WithoutURL(err))
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return do(conn)
}

// refusePending keeps a half restored database from serving.
func refusePending(ctx context.Context, owner string) error {
	var pending bool
	err := OnConnection(ctx, owner, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `select to_regclass('public.`+PendingTable+`') is not null`).Scan(&pending)
	})
	if err == nil && pending {
		return errPending
	}
	return err
}
