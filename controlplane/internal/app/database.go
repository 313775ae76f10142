package app

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/grantwright/grantwright/controlplane/internal/ground/embedded"
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

// urls of a database, and how the application becomes its role.
type urls struct {
	app, owner string
	setRole    bool
	tracer     pgx.QueryTracer
}

// OpenToServe opens the database for the server itself: without a database URL it starts the private PostgreSQL.
func OpenToServe(ctx context.Context, c Config, log *slog.Logger) (*Database, error) {
	if c.DatabaseURL != "" {
		return openGiven(ctx, c, log)
	}
	srv, err := embedded.Start(ctx, embedded.Config{Dir: postgresDir(c), BinDir: c.PGBin, Log: log})
	if err != nil {
		return nil, err
	}
	db, err := prepare(ctx, urls{app: srv.AppURL(), owner: srv.OwnerURL(), tracer: c.Traces.Queries()})
	if err != nil {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		return nil, errors.Join(err, srv.Stop(stop))
	}
	return &Database{DB: db, Lost: srv.Done(), close: srv.Stop}, nil
}

// OpenToWork opens the database for another command, whether the server runs or not.
func OpenToWork(ctx context.Context, c Config, log *slog.Logger) (*Database, error) {
	if c.DatabaseURL != "" {
		return openGiven(ctx, c, log)
	}
	end, err := embedded.Open(ctx, embedded.Config{Dir: postgresDir(c), BinDir: c.PGBin, Log: log})
	if err != nil {
		return nil, err
	}
	db, err := prepare(ctx, urls{app: end.AppURL(), owner: end.OwnerURL(), tracer: c.Traces.Queries()})
	if err != nil {
		return nil, errors.Join(err, end.Close(context.WithoutCancel(ctx)))
	}
	return &Database{DB: db, close: end.Close}, nil
}

func postgresDir(c Config) string { return filepath.Join(c.Data, "postgres") }

func openGiven(ctx context.Context, c Config, log *slog.Logger) (*Database, error) {
	u, err := given(ctx, c, log)
	if err != nil {
		return nil, err
	}
	db, err := prepare(ctx, u)
	if err != nil {
		return nil, err
	}
	return &Database{DB: db}, nil
}

// given makes the roles in a database that is not ours to run.
func given(ctx context.Context, c Config, log *slog.Logger) (urls, error) {
	u := urls{app: c.DatabaseURL, owner: c.DatabaseOwnerURL, tracer: c.Traces.Queries()}
	roles := embedded.Roles{}
	if u.owner == "" {
		log.WarnContext(
			ctx,
			"one database URL for both owner and application: its login can read every tenant; give "+
				"DATABASE_OWNER_URL and a login of its own for the application",
		)
		u.owner, u.setRole = u.app, true
		roles.Assume = true
	} else {
		u.setRole = userOf(u.app) != pg.AppRole
	}
	return u, onConnection(ctx, u.owner, func(conn *pgx.Conn) error { return embedded.EnsureRoles(ctx, conn, roles) })
}

// withoutURL keeps the server's words and drops the connection string that the driver adds to its own.
func withoutURL(err error) error {
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
func prepare(ctx context.Context, u urls) (*pg.DB, error) {
	if err := refusePending(ctx, u.owner); err != nil {
		return nil, err
	}
	return u.prepare(ctx)
}

// prepare migrates, connects as the application, and refuses a database that would not keep tenants apart.
func (u urls) prepare(ctx context.Context) (*pg.DB, error) {
	if err := schema.Migrate(ctx, u.owner); err != nil {
		return nil, err
	}
	db, err := pg.Open(ctx, pg.Options{URL: u.app, SetRole: u.setRole, MaxConns: 20, Tracer: u.tracer})
	if err != nil {
		return nil, err
	}
	if err := schema.Check(ctx, db); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}
