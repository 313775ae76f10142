package lease_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/lease"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

var (
	terms   = lease.Terms{Length: 30 * time.Second, Every: 5 * time.Second, Doubt: 15 * time.Second}
	errDown = errors.New("the database is down")
)

// kept keeps a lease for a minute, and gives when each renewal began, how it ended, and after how long.
func kept(t *testing.T, renew func(ctx context.Context, n int) (bool, error)) (at []time.Duration, err error) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	began := time.Now()
	hold := terms.Taken(began)
	err = hold.Keep(ctx, func(ctx context.Context) error {
		at = append(at, time.Since(began))
		ours, err := renew(ctx, len(at))
		if err == nil && !ours {
			return lease.ErrLost
		}
		return err
	})
	if hold.Sure() != (err == nil) {
		t.Errorf("sure of the lease: %t, after %v", hold.Sure(), err)
	}
	return append(at, time.Since(began)), err
}

func last(at []time.Duration) time.Duration { return at[len(at)-1] }

func TestALeaseIsRenewedUntilTheWorkEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at, err := kept(t, func(context.Context, int) (bool, error) { return true, nil })
		if err != nil || len(at) < 12 || at[0] != 5*time.Second || last(at) != time.Minute {
			t.Errorf("renewed at %v, %v; want each 5 s for a minute", at, err)
		}
	})
}

func TestAHolderStopsWhenTheLeaseIsAnothers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at, err := kept(t, func(_ context.Context, n int) (bool, error) { return n < 3, nil })
		if !errors.Is(err, lease.ErrLost) || last(at) != 15*time.Second {
			t.Errorf("ended after %v with %v; want 15 s and ErrLost", last(at), err)
		}
	})
}

func TestAHolderThatCannotRenewStopsWhileTheLeaseIsStillIts(t *testing.T) {
	for name, renew := range map[string]func(ctx context.Context, n int) (bool, error){
		"refused": func(context.Context, int) (bool, error) { return false, errDown },
		"silent":  func(ctx context.Context, _ int) (bool, error) { <-ctx.Done(); return false, ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				at, err := kept(t, renew)
				if !errors.Is(err, lease.ErrLost) || last(at) != terms.Doubt {
					t.Errorf("ended after %v with %v; want %v and ErrLost", last(at), err, terms.Doubt)
				}
			})
		})
	}
}

func TestAFailedRenewalIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := kept(t, func(_ context.Context, n int) (bool, error) {
			if n%2 == 1 {
				return false, errDown
			}
			return true, nil
		})
		if err != nil {
			t.Errorf("ended with %v although every second renewal succeeded", err)
		}
	})
}

// A whole life of a lease in PostgreSQL: taken by one, refused to another, lost by its death, and fenced when it wakes.
func TestARowPassesOnWhenItsHolderHasDied(t *testing.T) {
	db, ctx := pgtest.New(t), t.Context()
	run := func(sql string, args pgx.NamedArgs) error {
		return db.Deployment(ctx, func(tx *pg.Tx) error { return lease.Fenced(tx.Exec(ctx, sql, args)) })
	}
	const add = `insert into recurring_work (name) values ('thing')`
	const take = `update recurring_work set lease_id = @me, lease_until = now() + interval '1 minute'
		where name = 'thing' and ` + lease.Free
	const write = `update recurring_work set attempts = attempts + 1 where name = 'thing' and lease_id = @me`
	const die = `update recurring_work set lease_until = now() - interval '1 second' where name = 'thing'`
	first := pgx.NamedArgs{"me": "00000000-0000-4000-8000-000000000001"}
	second := pgx.NamedArgs{"me": "00000000-0000-4000-8000-000000000002"}
	for _, step := range []struct {
		what string
		sql  string
		args pgx.NamedArgs
		want error
	}{
		{"make the row", add, nil, nil},
		{"the first takes it", take, first, nil},
		{"the second cannot take it", take, second, lease.ErrLost},
		{"the second cannot write", write, second, lease.ErrLost},
		{"the first writes", write, first, nil},
		{"the first dies", die, nil, nil},
		{"the second takes it", take, second, nil},
		{"the first wakes up and is fenced off", write, first, lease.ErrLost},
		{"the second writes", write, second, nil},
	} {
		if err := run(step.sql, step.args); !errors.Is(err, step.want) {
			t.Fatalf("%s: %v; want %v", step.what, err, step.want)
		}
	}
}
