package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/migrations"
)

// JobSchema is where the job queue keeps its tables. They hold no tenant's data but ids.
const JobSchema = "job"

// lockWait bounds how long a migration may wait for a table, because whoever comes after it waits as well.
const lockWait = "2s"

// Migrate applies what is missing, as the owner. Several processes may start at once: one migrates, the others wait.
func Migrate(ctx context.Context, ownerURL string) error {
	config, err := pgx.ParseConfig(ownerURL)
	if err != nil {
		return errors.New("the owner's database URL cannot be read; it must look like postgres://user:password@host:port/database")
	}
	config.RuntimeParams["application_name"] = "grantwright-migrate"
	config.RuntimeParams["lock_timeout"] = lockWait
	db := stdlib.OpenDB(*config)
	defer db.Close()
	if err := migrateJobs(ctx, ownerURL); err != nil {
		return err
	}
	return migrateTables(ctx, db)
}

func migrateTables(ctx context.Context, db *sql.DB) error {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return fmt.Errorf("migration lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, migrations.Files, goose.WithSessionLocker(locker), goose.WithTableName("schema_migration"))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	const tries = 30
	for try := 1; ; try++ {
		_, err = provider.Up(ctx)
		if err == nil {
			return nil
		}
		if try == tries || ctx.Err() != nil || !lockTimedOut(err) {
			return fmt.Errorf("migrate the database: %w", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// migrateJobs makes the job queue's own tables and opens them to the application.
func migrateJobs(ctx context.Context, ownerURL string) error {
	config, err := pgxpool.ParseConfig(ownerURL)
	if err != nil {
		return errors.New("the owner's database URL cannot be read")
	}
	config.MaxConns = 2
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	defer pool.Close()
	// The queue's migrations take no lock of their own, and they must run in transactions of theirs, so two first starts
	// are kept apart by a lock of the session.
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, `select pg_advisory_lock(7261849302114)`); err != nil {
		return fmt.Errorf("lock for job tables: %w", err)
	}
	defer conn.Exec(context.WithoutCancel(ctx), `select pg_advisory_unlock(7261849302114)`)
	if _, err := conn.Exec(ctx, "create schema if not exists "+JobSchema); err != nil {
		return fmt.Errorf("make schema %s: %w", JobSchema, err)
	}
	m, err := rivermigrate.New(riverpgxv5.New(pool), &rivermigrate.Config{Schema: JobSchema, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("job tables: %w", err)
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("job tables: %w", err)
	}
	return openJobs(ctx, conn)
}

// openJobs lets the application use the job queue's tables.
func openJobs(ctx context.Context, conn *pgxpool.Conn) error {
	_, err := conn.Exec(ctx, `
		grant usage on schema `+JobSchema+` to `+pg.AppRole+`;
		grant select, insert, update, delete on all tables in schema `+JobSchema+` to `+pg.AppRole+`;
		grant usage, select on all sequences in schema `+JobSchema+` to `+pg.AppRole+`;
		grant execute on all functions in schema `+JobSchema+` to `+pg.AppRole)
	if err != nil {
		return fmt.Errorf("rights on job tables: %w", err)
	}
	return nil
}
