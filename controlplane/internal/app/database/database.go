package database

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/grantwright/grantwright/controlplane/internal/app/config"
	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded"
	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded/roles"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/schema"
)

// Database is an open database at the present schema that has been found to keep tenants apart.
type Database struct {
	*pg.DB
	// Lost gets an error when the private server has died by itself; nil for a database that is not ours to run.
	Lost  <-chan error
	close func(context.Context) error
}

// Close ends the connections and, where we started it, the private server.
func (d *Database) Close(ctx context.Context) error {
	d.DB.Close()
	if d.close == nil {
		return nil
	}
	return d.close(ctx)
}

// URLs of a database, and how the application becomes its role.
type URLs struct {
	App, Owner string
	SetRole    bool
	tracer     pgx.QueryTracer
}

// OpenToServe opens the database for the server itself: without a database URL it starts the private PostgreSQL.
func OpenToServe(ctx context.Context, c config.Config, log *slog.Logger) (*Database, error) {
	if c.DatabaseURL != "" {
		return openGiven(ctx, c, log)
	}
	srv, err := embedded.Start(ctx, embedded.Config{Dir: postgresDir(c), BinDir: c.PGBin, Log: log})
	if err != nil {
		return nil, err
	}
	db, err := prepare(ctx, URLs{App: srv.AppURL(), Owner: srv.OwnerURL(), tracer: c.Traces.Queries()})
	if err != nil {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		return nil, errors.Join(err, srv.Stop(stop))
	}
	return &Database{DB: db, Lost: srv.Done(), close: srv.Stop}, nil
}

// OpenToWork opens the database for another command, whether the server runs or not.
func OpenToWork(ctx context.Context, c config.Config, log *slog.Logger) (*Database, error) {
	if c.DatabaseURL != "" {
		return openGiven(ctx, c, log)
	}
	end, err := embedded.Open(ctx, embedded.Config{Dir: postgresDir(c), BinDir: c.PGBin, Log: log})
	if err != nil {
		return nil, err
	}
	db, err := prepare(ctx, URLs{App: end.AppURL(), Owner: end.OwnerURL(), tracer: c.Traces.Queries()})
	if err != nil {
		return nil, errors.Join(err, end.Close(context.WithoutCancel(ctx)))
	}
	return &Database{DB: db, close: end.Close}, nil
}

func postgresDir(c config.Config) string { return filepath.Join(c.Data, "postgres") }

func openGiven(ctx context.Context, c config.Config, log *slog.Logger) (*Database, error) {
	u, err := UseRoles(ctx, c, log)
	if err != nil {
		return nil, err
	}
	db, err := prepare(ctx, u)
	if err != nil {
		return nil, err
	}
	return &Database{DB: db}, nil
}

// UseRoles makes the roles in a database that is not ours to run.
func UseRoles(ctx context.Context, c config.Config, log *slog.Logger) (URLs, error) {
	u := URLs{App: c.DatabaseURL, Owner: c.DatabaseOwnerURL, tracer: c.Traces.Queries()}
	spec := roles.Roles{}
	if u.Owner == "" {
		log.WarnContext(
			ctx,
			"one database URL for both owner and application: its login can read every tenant; give "+
				"DATABASE_OWNER_URL and a login of its own for the application",
		)
		u.Owner, u.SetRole = u.App, true
		spec.Assume = true
	} else {
		u.SetRole = userOf(u.App) != pg.AppRole
	}
	return u, OnConnection(ctx, u.Owner, func(conn *pgx.Conn) error { return roles.Ensure(ctx, conn, spec) })
}

// WithoutURL keeps the server's words and drops the connection string that the driver adds to its own.
func WithoutURL(err error) error {
	var parse *pgconn.ParseConfigError
	if errors.As(err, &parse) {
		return errors.New("the URL cannot be read; it must look like postgres://user:password@host:port/database")
	}
	return err
}

func userOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.User == nil {
		return ""
	}
	return u.User.Username()
}

// prepare is urls.prepare for a database that is not just being restored.
func prepare(ctx context.Context, u URLs) (*pg.DB, error) {
	if err := refusePending(ctx, u.Owner); err != nil {
		return nil, err
	}
	return u.Prepare(ctx)
}

// Prepare migrates, connects as the application, and refuses a database that would not keep tenants apart.
func (u URLs) Prepare(ctx context.Context) (*pg.DB, error) {
	if err := schema.Migrate(ctx, u.Owner); err != nil {
		return nil, err
	}
	db, err := pg.Open(ctx, pg.Options{URL: u.App, SetRole: u.SetRole, MaxConns: 20, Tracer: u.tracer})
	if err != nil {
		return nil, err
	}
	if err := schema.Check(ctx, db); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}
