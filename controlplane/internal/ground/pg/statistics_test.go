package pg_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

// fill writes people as a first read of a system does.
func fill(t *testing.T, db *pg.DB, system viewer.Viewer, people int) {
	t.Helper()
	err := db.As(t.Context(), system, func(tx *pg.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into identity (tenant_id, id, external_id, display_name)
			select current_tenant(), gen_random_uuid(), gen_random_uuid()::text,
			    'Person ' || n from generate_series(1, $1) n`, people)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// withoutAutovacuum keeps the server from doing by itself what the test waits for.
func withoutAutovacuum(t *testing.T, ownerURL string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), ownerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `alter table identity set (autovacuum_enabled = off)`); err != nil {
		t.Fatal(err)
	}
}

// believed is how many people the planner thinks there are; -1: it has never looked.
func believed(t *testing.T, db *pg.DB) (people int) {
	t.Helper()
	if err := db.Pool().
		QueryRow(t.Context(), `select reltuples::int from pg_class where oid = 'identity'::regclass`).
		Scan(&people); err != nil {
		t.Fatal(err)
	}
	return people
}

func TestThePlannerKnowsWithinSecondsWhatWasLoaded(t *testing.T) {
	d := pgtest.Fresh(t)
	db, system := d.DB, pgtest.Tenant(t, d.DB, "acme")
	withoutAutovacuum(t, d.OwnerURL)
	ctx, stop := context.WithCancel(t.Context())
	var both sync.WaitGroup
	for range 2 { // as of two processes
		both.Go(func() {
			if err := db.KeepStatistics(ctx, slog.New(slog.DiscardHandler)); err != nil {
				t.Error(err)
			}
		})
	}
	defer both.Wait()
	defer stop()
	for _, people := range []int{1000, 5000} {
		fill(t, db, system, people-max(believed(t, db), 0))
		for until := time.Now().Add(20 * time.Second); believed(t, db) != people; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(until) {
				t.Fatalf("the planner believes in %d people; there are %d", believed(t, db), people)
			}
		}
	}
}

func TestTheApplicationMayHaveTablesAnalyzedAndNothingElse(t *testing.T) {
	db := pgtest.New(t)
	var owns bool
	if err := db.Pool().
		QueryRow(t.Context(), `select pg_has_role(current_user, relowner, 'usage') from pg_class
			where oid = 'identity'::regclass`).
		Scan(&owns); err != nil ||
		owns {
		t.Errorf("the application owns the table: %t, %v", owns, err)
	}
	var table *string
	if err := db.Pool().QueryRow(t.Context(), `select catch_up_statistics()`).Scan(&table); err != nil || table != nil {
		t.Errorf("with nothing loaded, %v was analyzed, %v; want nothing", table, err)
	}
}
