package event_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

var ctx = context.Background()

const listener = "test"

func newID() string { return uuid.Must(uuid.NewV7()).String() }

func as(t testing.TB, db *pg.DB, v viewer.Viewer, fn func(tx *pg.Tx) error) {
	t.Helper()
	if err := db.As(ctx, v, fn); err != nil {
		t.Fatal(err)
	}
}

func publish(t testing.TB, db *pg.DB, v viewer.Viewer, e event.Event) {
	t.Helper()
	as(t, db, v, func(tx *pg.Tx) error { return event.Publish(ctx, tx, e) })
}

func want(t testing.TB, db *pg.DB, v viewer.Viewer, kinds ...event.Kind) {
	t.Helper()
	as(t, db, v, func(tx *pg.Tx) error { return event.Want(ctx, tx, listener, kinds...) })
}

func take(t testing.TB, db *pg.DB, v viewer.Viewer, limit int) (taken []event.Stored) {
	t.Helper()
	as(t, db, v, func(tx *pg.Tx) (err error) {
		taken, err = event.Take(ctx, tx, listener, limit)
		return err
	})
	return taken
}

func count(t testing.TB, db *pg.DB, v viewer.Viewer, table string) (n int) {
	t.Helper()
	as(t, db, v, func(tx *pg.Tx) error { return tx.QueryRow(ctx, "select count(*) from "+table).Scan(&n) })
	return n
}

func TestAnEventIsWrittenOnlyWhereSomebodyWantsItsKind(t *testing.T) {
	db := pgtest.New(t)
	first, second := pgtest.Tenant(t, db, "first"), pgtest.Tenant(t, db, "second")
	want(t, db, first, event.IdentityCreated, event.IdentityUpdated)
	id := newID()
	created := event.Event{
		Kind:     event.IdentityCreated,
		Resource: event.Resource{Type: "identity", ID: id},
		Version:  1,
		Data:     map[string]any{"status": "active"},
	}
	publish(t, db, first, created)
	publish(t, db, second, created)
	publish(
		t,
		db,
		first,
		event.Event{Kind: event.IdentityDeactivated, Resource: event.Resource{Type: "identity", ID: id}},
	)
	publish(
		t,
		db,
		first,
		event.Event{
			Kind:     event.IdentityUpdated,
			Resource: event.Resource{Type: "identity", ID: id},
			Version:  2,
			Changed:  []string{"title"},
		},
	)
	if n := count(t, db, second, "event") + count(t, db, second, "event_head"); n != 0 {
		t.Errorf("%d rows were written for nobody", n)
	}
	tenants, err := event.Waiting(ctx, db, listener)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{first.Tenant}, tenants); diff != "" {
		t.Error(diff)
	}
	taken := take(t, db, first, 10)
	if len(taken) != 2 {
		t.Fatalf("took %d events; want 2", len(taken))
	}
	if a, b := taken[0], taken[1]; a.Kind != event.IdentityCreated || a.Sequence != 1 || *a.Version != 1 ||
		string(a.Data) != `{"status": "active"}` ||
		b.Sequence != 2 ||
		!cmp.Equal(b.Changed, []string{"title"}) ||
		uuid.MustParse(a.ID).Version() != 7 {
		t.Errorf("took %+v", taken)
	}
	if again := take(t, db, first, 10); len(again) != 0 {
		t.Errorf("took %d events twice", len(again))
	}
	want(t, db, first)
	publish(t, db, first, created)
	if n := count(t, db, first, "event"); n != 2 {
		t.Errorf("%d events; one was written after nobody wanted it any more", n)
	}
}

func TestAnEventGoesWithTheChangeItTellsOf(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "one")
	want(t, db, v, event.AgentOnline)
	undone := errors.New("undone")
	err := db.As(ctx, v, func(tx *pg.Tx) error {
		if err := event.Publish(
			ctx,
			tx,
			event.Event{Kind: event.AgentOnline, Resource: event.Resource{Type: "agent", ID: newID()}},
		); err != nil {
			return err
		}
		return undone
	})
	if !errors.Is(err, undone) || count(t, db, v, "event") != 0 || count(t, db, v, "event_due") != 0 {
		t.Errorf("%v, and something stayed", err)
	}
}

func TestAHandlerThatFailsHearsAgain(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "one")
	want(t, db, v, event.AgentOnline)
	publish(t, db, v, event.Event{Kind: event.AgentOnline, Resource: event.Resource{Type: "agent", ID: newID()}})
	_ = db.As(ctx, v, func(tx *pg.Tx) error {
		if taken, err := event.Take(ctx, tx, listener, 10); err != nil || len(taken) != 1 {
			t.Errorf("took %d, %v", len(taken), err)
		}
		return errors.New("the handler failed")
	})
	if taken := take(t, db, v, 10); len(taken) != 1 {
		t.Errorf("took %d after a failure; want 1", len(taken))
	}
}

func TestAnEventThatIsCommittedLateIsNotPassedOver(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "one")
	want(t, db, v, event.AgentOnline)
	slow := newID()
	published, commit, committed := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		committed <- db.As(ctx, v, func(tx *pg.Tx) error {
			err := event.Publish(ctx, tx, event.Event{Kind: event.AgentOnline,
				Resource: event.Resource{Type: "agent", ID: slow}})
			close(published)
			<-commit
			return err
		})
	}()
	<-published
	publish(t, db, v, event.Event{Kind: event.AgentOnline, Resource: event.Resource{Type: "agent", ID: newID()}})
	if taken := take(t, db, v, 10); len(taken) != 1 || taken[0].ResourceID == slow {
		t.Errorf("took %+v; want the quick one alone, at once", taken)
	}
	close(commit)
	if err := <-committed; err != nil {
		t.Fatal(err)
	}
	if taken := take(t, db, v, 10); len(taken) != 1 || taken[0].ResourceID != slow {
		t.Errorf("took %+v; want the slow one", taken)
	}
}

func TestOnlyOneTransactionTakesAtATime(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "one")
	want(t, db, v, event.AgentOnline)
	for range 3 {
		publish(t, db, v, event.Event{Kind: event.AgentOnline, Resource: event.Resource{Type: "agent", ID: newID()}})
	}
	as(t, db, v, func(tx *pg.Tx) error {
		mine, err := event.Take(ctx, tx, listener, 1)
		if err != nil || len(mine) != 1 {
			t.Errorf("took %d, %v", len(mine), err)
		}
		if other := take(t, db, v, 10); len(other) != 0 {
			t.Errorf("another took %d meanwhile", len(other))
		}
		return nil
	})
	if rest := take(t, db, v, 10); len(rest) != 2 {
		t.Errorf("took %d; want the other two", len(rest))
	}
}

func TestManyEventsAreWrittenByOneStatement(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "one")
	const each = `
		select case when n % 2 = 0 then 'identity.created' else 'identity.deactivated' end, gen_random_uuid(), n::int,
		       '{status}'::text[], jsonb_build_object('n', n)
		  from generate_series(1, @n::int) n`
	publishEach := func() (n int64) {
		as(t, db, v, func(tx *pg.Tx) (err error) {
			n, err = event.PublishEach(ctx, tx, "identity", each, pgx.NamedArgs{"n": 1000})
			return err
		})
		return n
	}
	if n := publishEach(); n != 0 {
		t.Errorf("%d events for nobody", n)
	}
	want(t, db, v, event.IdentityCreated)
	if n := publishEach(); n != 500 {
		t.Errorf("%d events; want the 500 of the wanted kind", n)
	}
	taken := take(t, db, v, 1000)
	ids := map[string]bool{}
	for _, e := range taken {
		ids[e.ID] = true
		if e.Kind != event.IdentityCreated || e.Sequence != 1 || *e.Version%2 != 0 || e.ResourceType != "identity" {
			t.Fatalf("took %+v", e)
		}
	}
	if len(ids) != 500 {
		t.Errorf("%d different ids; want 500", len(ids))
	}
}

func TestWhatIsTooLargeToSendIsLeftOut(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "one")
	want(t, db, v, event.AgentOnline)
	for _, size := range []int{100, 100_000} {
		publish(
			t,
			db,
			v,
			event.Event{
				Kind:     event.AgentOnline,
				Resource: event.Resource{Type: "agent", ID: newID()},
				Data:     map[string]string{"name": strings.Repeat("x", size)},
			},
		)
	}
	var sizes []int
	for _, e := range take(t, db, v, 10) {
		var data map[string]any
		if err := json.Unmarshal(e.Data, &data); err != nil {
			t.Fatal(err)
		}
		if name, ok := data["name"].(string); ok {
			sizes = append(sizes, len(name))
		} else if data["truncated"] == true {
			sizes = append(sizes, -1)
		}
	}
	if diff := cmp.Diff([]int{100, -1}, sizes); diff != "" {
		t.Error(diff)
	}
	err := db.As(ctx, v, func(tx *pg.Tx) error {
		return event.Publish(
			ctx,
			tx,
			event.Event{Kind: event.AgentOnline, Resource: event.Resource{Type: "agent", ID: newID()}, Data: []int{1}},
		)
	})
	if err == nil {
		t.Error("data that is no object was accepted")
	}
}

func TestOldEventsGoUnlessSomebodyHasStillToHear(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "one")
	want(t, db, v, event.AgentOnline)
	for range 3 {
		publish(t, db, v, event.Event{Kind: event.AgentOnline, Resource: event.Resource{Type: "agent", ID: newID()}})
	}
	heard := take(t, db, v, 2)
	as(t, db, v, func(tx *pg.Tx) error {
		if _, err := tx.Exec(
			ctx,
			`update event set at = now() - interval '31 days' where id <> $1`,
			heard[0].ID,
		); err != nil {
			return err
		}
		n, err := event.Purge(ctx, tx)
		if n != 1 {
			t.Errorf("deleted %d; want 1: one is young, one is not heard yet", n)
		}
		return err
	})
	if n := count(t, db, v, "event"); n != 2 {
		t.Errorf("%d events are left; want 2", n)
	}
}

func TestTheSpecificationsKindsComeWithoutBeingNamedAndOthersDoNot(t *testing.T) {
	nine := 0
	for _, d := range event.Catalog {
		if !d.OptIn {
			nine++
		}
		if d.Description == "" || d.Group == "" || !event.Known(d.Kind) {
			t.Errorf("%s lacks words", d.Kind)
		}
	}
	if nine != 9 || event.Known("identity.*") {
		t.Errorf("%d kinds of the specification; want 9", nine)
	}
}
