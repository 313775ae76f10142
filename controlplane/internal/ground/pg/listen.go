package pg

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
)

// Listen calls heard for each notification on a channel until ctx ends or the connection is lost. A notification says
// only that there may be something to do: whoever hears it looks for itself, and looks now and then without hearing
// anything.
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

// Line is a channel that is listened on for as long as there is work.
type Line struct {
	DB      *DB
	Channel string
	Again   time.Duration // how long is waited before a line that was lost is opened again
	Log     *slog.Logger
	Lost    string // what the log says when it was
}

// Listen calls heard for each notification until ctx ends. A line that is lost is opened again, and heard is called for
// what may have been announced meanwhile.
func (l Line) Listen(ctx context.Context, heard func()) {
	for ctx.Err() == nil {
		if err := Listen(ctx, l.DB, l.Channel, heard); ctx.Err() == nil {
			l.Log.WarnContext(ctx, l.Lost, "err", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(l.Again):
		}
	}
}

// Notify announces on a channel when the transaction commits.
func Notify(ctx context.Context, tx *Tx, channel, payload string) error {
	if _, err := tx.Exec(ctx, `select pg_notify($1, $2)`, channel, payload); err != nil {
		return fmt.Errorf("announce on %s: %w", channel, err)
	}
	return nil
}
