package pg

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Listen calls heard for each notification on a channel until ctx ends or the connection is lost. A notification says only
// that there may be something to do: whoever hears it looks for itself, and looks now and then without hearing anything.
func Listen(ctx context.Context, db *DB, channel string, heard func()) error {
	conn, err := db.pool.Acquire(ctx)
	if err != nil {
		return Translate(fmt.Errorf("connect to listen on %s: %w", channel, err))
	}
	// A connection that listens must not go back to the pool.
	raw := conn.Hijack()
	defer raw.Close(context.WithoutCancel(ctx))
	if _, err := raw.Exec(ctx, "listen "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return fmt.Errorf("listen on %s: %w", channel, err)
	}
	heard() // what was announced before we listened
	for {
		if _, err := raw.WaitForNotification(ctx); err != nil {
			return err
		}
		heard()
	}
}

// Notify announces on a channel when the transaction commits.
func Notify(ctx context.Context, tx *Tx, channel, payload string) error {
	if _, err := tx.Exec(ctx, `select pg_notify($1, $2)`, channel, payload); err != nil {
		return fmt.Errorf("announce on %s: %w", channel, err)
	}
	return nil
}
