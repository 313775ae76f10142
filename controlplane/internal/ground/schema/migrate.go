package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/grantwright/grantwright/controlplane/migrations"
)

// lockWait bounds how long a migration may wait for a table, because later statements on it wait as well.
const lockWait = "2s"

// Migrate applies what is missing, as the owner. Several processes may start at once: one migrates, the others wait.
func Migrate(ctx context.Context, ownerURL string) error {
	config, err := pgx.ParseConfig(ownerURL)
	if err != nil {
		return errors.New(
			"the owner's database URL cannot be read; it must look like postgres://user:password@host:port/database",
		)
	}
	config.RuntimeParams["application_name"] = "grantwright-migrate"
	config.RuntimeParams["lock_timeout"] = lockWait
	db := stdlib.OpenDB(*config)
	defer db.Close()
	return migrateTables(ctx, db)
}

func migrateTables(ctx context.Context, db *sql.DB) error {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return fmt.Errorf("migration lock: %w", err)
	}
	provider, err := goose.NewProvider(
		goose.DialectPostgres,
		db,
		migrations.Files,
		goose.WithSessionLocker(locker),
		goose.WithTableName("schema_migration"),
	)
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
