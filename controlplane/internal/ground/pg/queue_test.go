package pg_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

// small is a pool of so few connections on a database with one tenant.
func small(t *testing.T, conns int) (*pg.DB, viewer.Viewer) {
	t.Helper()
	d := pgtest.Fresh(t)
	system := pgtest.Tenant(t, d.DB, "acme")
	db, err := pg.Open(t.Context(), pg.Options{URL: d.AppURL, MaxConns: conns})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db, system
}

func read(ctx context.Context) func(tx *pg.Tx) error {
	return func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, "select 1")
		return err
	}
}

func wantsBusy(t *testing.T, what string, err error) {
	t.Helper()
	var f *fault.Fault
	if !errors.As(err, &f) || f.Kind != fault.Unavailable || f.Code != "temporarily_overloaded" ||
		f.RetryAfter < time.Second ||
		f.RetryAfter > 5*time.Second {
		t.Errorf("%s: %v; want temporarily_overloaded, and when to come again", what, err)
	}
}

func TestWhoAsksIsSentAwayWhenAllConnectionsStayInUseAndTheRestWaits(t *testing.T) {
	db, system := small(t, 1)
	user := viewer.Viewer{Tenant: system.Tenant, Kind: viewer.User, ID: "u", Roles: []viewer.Role{viewer.Admin}}
	in, let := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		err := db.As(t.Context(), system, func(*pg.Tx) error {
			close(in)
			<-let
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-in
	all.Go(func() { // in the background, and first in the queue
		if err := db.As(t.Context(), system, read(t.Context())); err != nil {
			t.Errorf("what nobody waits for: %v", err)
		}
	})
	wantsBusy(t, "a request", db.As(t.Context(), user, read(t.Context())))
	held, hold := db.Hold(t.Context(), user)
	wantsBusy(t, "a request with a key", db.As(held, user, read(held)))
	hold.Release()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.As(gone, user, read(gone)); !errors.Is(err, context.Canceled) {
		t.Errorf("who has gone: %v", err)
	}
	close(let)
	all.Wait()
	if err := db.As(t.Context(), user, read(t.Context())); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestWhoAsksIsSentAwayWhenAllPlacesToHoldStayTaken(t *testing.T) {
	db, system := small(t, 2) // one may be held
	user := viewer.Viewer{Tenant: system.Tenant, Kind: viewer.User, ID: "u", Roles: []viewer.Role{viewer.Admin}}
	first, hold := db.Hold(t.Context(), user)
	if err := db.As(first, user, read(first)); err != nil {
		t.Fatal(err)
	}
	second, other := db.Hold(t.Context(), user)
	wantsBusy(t, "the second to hold", db.As(second, user, read(second)))
	if err := hold.Commit(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := db.As(second, user, read(second)); err != nil {
		t.Errorf("when the first has ended: %v", err)
	}
	other.Release()
}
