package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/grantwright/grantwright/connectorkit/crashpoint"
	"github.com/grantwright/grantwright/controlplane/internal/ground/lease"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// finishTime is how long the end of a try may take. It does not end with the request: a repeated request gets the
// answer.
const finishTime = 10 * time.Second

// Hold makes what is done with the returned context part of the commit that keeps the answer.
func (t *Try) Hold(ctx context.Context) context.Context {
	ctx, t.hold = t.keeper.DB.Hold(ctx, t.v)
	return ctx
}

// Wait is for a request that waits for the world outside, and must keep no transaction open meanwhile: what it does
// commits by itself and its answer is kept afterwards. Until then the reservation is prolonged.
func (t *Try) Wait(ctx context.Context) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	t.stop = func() { cancel(); <-ended }
	hold := terms.Taken(time.Now())
	go func() {
		defer close(ended)
		if err := hold.Keep(ctx, t.prolong); err != nil {
			t.keeper.Log.WarnContext(ctx, "a reserved key was not prolonged", "err", err)
		}
	}()
}

// prolong extends the reservation. It fails with lease.ErrLost when the key is no longer ours.
func (t *Try) prolong(ctx context.Context) error {
	const sql = `
		update kept_answer
		   set lease_until = now() + $4
		 where subject = $1
		   and key = $2
		   and claim = $3
		   and status is null`
	return t.keeper.DB.As(ctx, t.v, func(tx *pg.Tx) error {
		return lease.Fenced(tx.Exec(ctx, sql, t.subject, t.key, t.claim, terms.Length))
	})
}

// Finish ends the try with its answer, which may be sent when Finish has returned nil, and not otherwise: then nothing
// has happened, and the key is free again.
//
// An answer that comes of what was done is kept in the commit of what was done. One that says that nothing was done, so
// that another try may succeed, is not kept: what the request has written nonetheless, such as a note that it was
// refused, stays. After a failure of ours everything is undone.
func (t *Try) Finish(ctx context.Context, a Answer) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer cancel()
	defer t.Abandon(ctx)
	t.stop()
	if a.Status >= http.StatusInternalServerError {
		return nil
	}
	last := func(tx *pg.Tx) error { return t.free(ctx, tx) }
	if kept(a.Status) {
		last = func(tx *pg.Tx) error { return t.keep(ctx, tx, a) }
	}
	crashpoint.Reach("key.worked")
	var err error
	if t.hold != nil {
		err = t.hold.Commit(ctx, last)
	} else {
		err = t.keeper.DB.As(ctx, t.v, last)
	}
	switch {
	case err == nil:
		crashpoint.Reach("key.kept")
		t.over = true
		return nil
	case errors.Is(err, lease.ErrLost) && t.hold == nil:
		return nil // it is done all the same, and so is the other try
	case errors.Is(err, lease.ErrLost):
		return inProgress()
	}
	return fmt.Errorf("keep answer: %w", err)
}

// kept says which answers are kept: those of requests that were carried out, or refused for what they ask. The others
// say that the request was not looked at, and may be sent again as it is.
func kept(status int) bool {
	switch status {
	case http.StatusBadRequest,
		http.StatusUnauthorized,
		http.StatusForbidden,
		http.StatusNotAcceptable,
		http.StatusRequestTimeout,
		http.StatusRequestEntityTooLarge,
		http.StatusUnsupportedMediaType,
		http.StatusTooManyRequests:
		return false
	}
	return status < http.StatusInternalServerError
}

// keep writes the answer, if the key is still ours.
func (t *Try) keep(ctx context.Context, tx *pg.Tx, a Answer) error {
	const sql = `
		update kept_answer
		   set status = $4, headers = $5, answer = $6
		 where subject = $1
		   and key = $2
		   and claim = $3
		   and status is null`
	headers, err := json.Marshal(a.Header)
	if err != nil {
		return fmt.Errorf("write headers: %w", err)
	}
	sealed, err := t.keeper.Seal.Seal(ctx, tx, t.claim, a.Body)
	if err != nil {
		return err
	}
	return lease.Fenced(tx.Exec(ctx, sql, t.subject, t.key, t.claim, a.Status, headers, sealed))
}

// free lets the key go, if it is still ours.
func (t *Try) free(ctx context.Context, tx *pg.Tx) error {
	const sql = `
		delete from kept_answer
		 where subject = $1
		   and key = $2
		   and claim = $3
		   and status is null`
	return lease.Fenced(tx.Exec(ctx, sql, t.subject, t.key, t.claim))
}

// Abandon undoes what is not finished and lets the key go. It may be called at any time. Where the database does not
// answer, the key is free when its lease has ended.
func (t *Try) Abandon(ctx context.Context) {
	if t.over {
		return
	}
	t.over = true
	t.stop()
	if t.hold != nil {
		t.hold.Release()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishTime)
	defer cancel()
	err := t.keeper.DB.As(ctx, t.v, func(tx *pg.Tx) error { return t.free(ctx, tx) })
	if err != nil && !errors.Is(err, lease.ErrLost) {
		t.keeper.Log.WarnContext(ctx, "a reserved key was not let go", "err", err)
	}
}
