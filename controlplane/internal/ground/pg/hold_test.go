package pg_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

var errOops = errors.New("oops")

func rename(ctx context.Context, name string) func(tx *pg.Tx) error {
	return func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `update tenant set name = $1`, name)
		return err
	}
}

func nameOf(t *testing.T, db *pg.DB, v viewer.Viewer) (name string) {
	t.Helper()
	err := db.As(t.Context(), v, func(tx *pg.Tx) error {
		return tx.QueryRow(t.Context(), `select name from tenant`).Scan(&name)
	})
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestWhatIsHeldCommitsTogether(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "acme")
	ctx, hold := db.Hold(t.Context(), v)
	if err := db.As(ctx, v, rename(ctx, "first")); err != nil {
		t.Fatal(err)
	}
	if got := nameOf(t, db, v); got != "acme" {
		t.Errorf("others see %q before the commit", got)
	}
	if err := db.As(ctx, v, func(tx *pg.Tx) error {
		if err := rename(ctx, "second")(tx); err != nil {
			return err
		}
		return errOops
	}); !errors.Is(err, errOops) {
		t.Fatalf("got %v", err)
	}
	if err := hold.Commit(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if got := nameOf(t, db, v); got != "first" {
		t.Errorf("after the commit the name is %q; want what the calls that succeeded have made of it", got)
	}
	if err := hold.Commit(ctx, nil); !errors.Is(err, pg.ErrReleased) {
		t.Errorf("a second commit gives %v", err)
	}
	if err := db.As(ctx, v, rename(ctx, "later")); err != nil || nameOf(t, db, v) != "later" {
		t.Errorf("after its end the Hold is still in the way: %v", err)
	}
}

func TestWhatIsReleasedHasNotHappened(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "acme")
	for name, end := range map[string]func(context.Context, *pg.Hold){
		"released": func(_ context.Context, h *pg.Hold) { h.Release(); h.Release() },
		"the last word fails": func(ctx context.Context, h *pg.Hold) {
			if err := h.Commit(ctx, func(*pg.Tx) error { return errOops }); !errors.Is(err, errOops) {
				t.Errorf("Commit = %v", err)
			}
		},
	} {
		ctx, hold := db.Hold(t.Context(), v)
		if err := db.As(ctx, v, rename(ctx, "new")); err != nil {
			t.Fatal(err)
		}
		end(ctx, hold)
		if got := nameOf(t, db, v); got != "acme" {
			t.Errorf("%s: the name is %q", name, got)
		}
	}
}

func TestEachCallUnderAHoldSeesWhatItsOwnViewerMay(t *testing.T) {
	db := pgtest.New(t)
	system := pgtest.Tenant(t, db, "acme")
	identity := "01a1f99f-1d39-767a-8283-ef45f2482195"
	manager := viewer.Viewer{
		Tenant:   system.Tenant,
		Kind:     viewer.User,
		ID:       "m",
		Identity: identity,
		Roles:    []viewer.Role{viewer.Manager},
	}
	plain := viewer.Viewer{Tenant: system.Tenant, Kind: viewer.User, ID: "p"}
	ctx, hold := db.Hold(t.Context(), system)
	defer hold.Release()
	type seen struct{ Sees, Identity, Roles, NestLoop string }
	ask := func(v viewer.Viewer, as func(context.Context, viewer.Viewer, func(*pg.Tx) error) error) (s seen) {
		const sql = `
			select current_setting('app.sees'), current_setting('app.identity_id'), current_setting('app.roles'),
			    current_setting('enable_nestloop')`
		if err := as(
			ctx,
			v,
			func(tx *pg.Tx) error { return tx.QueryRow(ctx, sql).Scan(&s.Sees, &s.Identity, &s.Roles, &s.NestLoop) },
		); err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, tt := range []struct {
		v    viewer.Viewer
		bulk bool
		want seen
	}{
		{system, true, seen{"all", "", "", "off"}},
		{manager, false, seen{"", identity, "manager", "on"}},
		{plain, false, seen{"", "", "", "on"}},
		{system, false, seen{"all", "", "", "on"}},
	} {
		as := db.As
		if tt.bulk {
			as = db.AsBulk
		}
		if diff := cmp.Diff(tt.want, ask(tt.v, as)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.v.ID, diff)
		}
	}
}

func TestAnotherTenantDoesNotJoinAHold(t *testing.T) {
	db := pgtest.New(t)
	ours, theirs := pgtest.Tenant(t, db, "ours"), pgtest.Tenant(t, db, "theirs")
	ctx, hold := db.Hold(t.Context(), ours)
	if err := db.As(ctx, ours, rename(ctx, "held")); err != nil {
		t.Fatal(err)
	}
	if err := db.As(ctx, theirs, rename(ctx, "apart")); err != nil {
		t.Fatal(err)
	}
	hold.Release()
	if got := nameOf(t, db, ours) + " " + nameOf(t, db, theirs); got != "ours apart" {
		t.Errorf("got %q", got)
	}
}

func TestAHoldTakesNoMoreThanHalfOfThePool(t *testing.T) {
	db := pgtest.New(t) // of 12 connections
	v := pgtest.Tenant(t, db, "acme")
	nothing := func(*pg.Tx) error { return nil }
	var holds []*pg.Hold
	for range 6 {
		ctx, hold := db.Hold(t.Context(), v)
		holds = append(holds, hold)
		if err := db.As(ctx, v, nothing); err != nil {
			t.Fatal(err)
		}
	}
	ctx, hold := db.Hold(t.Context(), v)
	defer hold.Release()
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if err := db.As(short, v, nothing); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the seventh is let in: %v", err)
	}
	holds[0].Release()
	if err := db.As(ctx, v, nothing); err != nil {
		t.Errorf("a place that became free is not taken: %v", err)
	}
	for _, h := range holds {
		h.Release()
	}
}

func TestAFaultUnderAHoldStaysAFault(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "acme")
	ctx, hold := db.Hold(t.Context(), v)
	defer hold.Release()
	err := db.As(ctx, v, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `select 1/0`)
		return errors.Join(fault.New(fault.Conflict, "no"), err)
	})
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v", err)
	}
	if err := db.As(ctx, v, rename(ctx, "after")); err != nil {
		t.Errorf("a statement that failed spoils the rest: %v", err)
	}
}
