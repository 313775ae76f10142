package pg

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// ErrReleased is the error of a commit after a Hold has ended.
var ErrReleased = errors.New("the held transaction has ended")

// Hold is one transaction of a tenant that stays open over several calls of As: each runs inside a savepoint of it, and
// all of them commit together, or none does. It is how the answer of a request is kept in the commit of what the
// request did.
//
// Calls under one Hold run one after the other, and none may begin inside another's function. Another tenant's, Across
// and Deployment use a connection of their own, and so does everything once the Hold has ended.
type Hold struct {
	db    *DB
	v     viewer.Viewer
	turn  chan struct{} // has one place: who is in it may touch what follows
	conn  *pgxpool.Conn // nil until the first call
	raw   pgx.Tx        // on conn
	ended bool
}

// turnWait is how long a call waits for another under the same Hold: longer only happens to a call inside the other's
// function, which would wait for ever.
const turnWait = 10 * time.Second

type holdKey struct{}

// Hold begins to hold a transaction for v's tenant: calls of As with the returned context join it. Nothing is asked of
// the database before the first of them. The caller ends it by Commit or Release.
func (db *DB) Hold(ctx context.Context, v viewer.Viewer) (context.Context, *Hold) {
	h := &Hold{db: db, v: v, turn: make(chan struct{}, 1)}
	return context.WithValue(ctx, holdKey{}, h), h
}

// heldFor is the Hold that a call of As joins; nil: none.
func heldFor(ctx context.Context, v viewer.Viewer) *Hold {
	h, _ := ctx.Value(holdKey{}).(*Hold)
	if h == nil || h.v.Tenant != v.Tenant {
		return nil
	}
	return h
}

// join runs fn inside a savepoint. joined is false when the Hold has ended, and fn was not called.
func (h *Hold) join(
	ctx context.Context,
	settings string,
	v viewer.Viewer,
	fn func(tx *Tx) error,
) (joined bool, err error) {
	if err := h.enter(ctx); err != nil {
		return true, err
	}
	defer h.leave()
	if h.ended {
		return false, nil
	}
	if err := h.begin(ctx); err != nil {
		return true, Translate(err)
	}
	for attempt := 1; ; attempt++ {
		err := h.once(ctx, settings, v, fn)
		if err == nil || attempt == 3 || !canRetry(err) {
			return true, Translate(err)
		}
	}
}

func (h *Hold) enter(ctx context.Context) error {
	select { // the usual case needs no timer
	case h.turn <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(turnWait)
	defer timer.Stop()
	select {
	case h.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for a turn in the held transaction: %w", ctx.Err())
	case <-timer.C:
		return errors.New("a transaction was begun inside another that is held")
	}
}

func (h *Hold) leave() { <-h.turn }

// begin opens the transaction, once there is a place for it.
func (h *Hold) begin(ctx context.Context) error {
	if h.raw != nil {
		return nil
	}
	if err := h.takePlace(ctx); err != nil {
		return err
	}
	conn, err := h.db.acquire(ctx, h.v)
	if err != nil {
		<-h.db.holds
		return err
	}
	raw, err := begin(ctx, conn, pgx.TxOptions{}, h.v)
	if err != nil {
		conn.Release()
		<-h.db.holds
		return err
	}
	h.conn, h.raw = conn, raw
	return nil
}

// takePlace waits for a place, as long as acquire does for a connection.
func (h *Hold) takePlace(ctx context.Context) error {
	waiting := ctx
	if asks(h.v) {
		short, cancel := context.WithTimeout(ctx, queueTime)
		defer cancel()
		waiting = short
	}
	select {
	case h.db.holds <- struct{}{}:
		return nil
	case <-waiting.Done():
		if ctx.Err() == nil {
			return busy(waiting.Err())
		}
		return fmt.Errorf("wait for a transaction to hold: %w", ctx.Err())
	}
}

// usualSettings undo what an earlier call under the same Hold has set for itself.
const usualSettings = "set local statement_timeout to default; set local lock_timeout to default; set local work_mem " +
	"to default; set local enable_nestloop to default; " +
	"set local jit to default; set local plan_cache_mode to default; "

// once runs fn inside a savepoint of its own.
func (h *Hold) once(ctx context.Context, settings string, v viewer.Viewer, fn func(tx *Tx) error) error {
	inner, err := h.raw.Begin(ctx)
	if err != nil {
		return fmt.Errorf("begin savepoint: %w", err)
	}
	defer func() {
		// As with whole transactions: going back must reach the server even when the caller has gone away.
		bg, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		_ = inner.Rollback(bg)
	}()
	if _, err := inner.Exec(ctx, usualSettings+settings); err != nil {
		return fmt.Errorf("act as viewer: %w", err)
	}
	if err := fn(&Tx{Tx: inner, Viewer: v}); err != nil {
		return err
	}
	if err := inner.Commit(ctx); err != nil {
		return fmt.Errorf("release savepoint: %w", err)
	}
	return nil
}

// Commit runs last, which may be nil, as the Hold's viewer, and commits everything. When it fails, nothing has
// happened, but for a connection lost during the commit itself, which leaves open whether it has. It returns
// ErrReleased when the Hold has ended.
func (h *Hold) Commit(ctx context.Context, last func(tx *Tx) error) error {
	settings, err := settingsOf(h.v)
	if err != nil {
		return err
	}
	if last == nil {
		last = func(*Tx) error { return nil }
	}
	defer h.Release()
	joined, err := h.join(ctx, settings, h.v, last)
	switch {
	case err != nil:
		return err
	case !joined:
		return ErrReleased
	}
	if err := h.enter(ctx); err != nil {
		return err
	}
	defer h.leave()
	if err := h.raw.Commit(ctx); err != nil {
		return Translate(fmt.Errorf("commit: %w", err))
	}
	return nil
}

// Release ends the Hold and undoes what was not committed. It may be called more than once, and after Commit.
func (h *Hold) Release() {
	h.turn <- struct{}{}
	defer h.leave()
	if h.ended {
		return
	}
	h.ended = true
	if h.raw == nil {
		return
	}
	bg, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	_ = h.raw.Rollback(bg) // after a commit it does nothing
	h.conn.Release()
	<-h.db.holds
}
