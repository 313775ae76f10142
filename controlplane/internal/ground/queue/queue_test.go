package queue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

var errPoison = errors.New("this subject cannot be worked on")

func TestItemsOfASubjectAreMerged(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "acme")
	var r record
	q := &queue.Queue{DB: db, Log: quiet, Kinds: []queue.Kind{{Name: "k", Batch: 10, Work: r.work}}}
	enqueue(t, db, v, queue.Work{Kind: "k", Subjects: []string{subject(1), subject(2)}, Cause: "b"})
	enqueue(t, db, v, queue.Work{Kind: "k", Subjects: []string{subject(1)}, Cause: "a", Urgent: true})
	enqueue(t, db, v, queue.Work{Kind: "k", Subjects: []string{subject(1)}, Cause: "later", Delay: time.Hour})
	if n := look(t, q); n != 2 {
		t.Errorf("did %d; want 2 subjects", n)
	}
	one := r.batches[0][0]
	if one.Subject != subject(1) || !slices.Equal(one.Causes, []string{"a", "b"}) || !one.Urgent || !one.Has("a") ||
		one.Has("later") {
		t.Errorf("merged item is %+v", one)
	}
	if n := count(t, db, v, `select count(*) from work_item`); n != 1 {
		t.Errorf("%d items are left; want the one that is not due", n)
	}
}

func TestItemsThatAreNotDueComeWithADueOneWhereTheKindSaysSo(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "acme")
	var r record
	q := &queue.Queue{DB: db, Log: quiet, Kinds: []queue.Kind{{Name: "k", Batch: 10, Early: true, Work: r.work}}}
	enqueue(
		t,
		db,
		v,
		queue.Work{Kind: "k", Subjects: []string{subject(1), subject(2)}, Cause: "later", Delay: time.Hour},
	)
	enqueue(t, db, v, queue.Work{Kind: "k", Subjects: []string{subject(1)}, Cause: "now"})
	if n := look(t, q); n != 1 || !r.batches[0][0].Has("later") {
		t.Errorf("did %d: %+v; want the first subject with both causes", n, r.batches)
	}
	if n := count(t, db, v, `select count(*) from work_item`); n != 1 {
		t.Errorf("%d items are left; want that of the second subject", n)
	}
}

func TestAnItemWithoutASubjectIsTheTenants(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "acme")
	var r record
	q := &queue.Queue{DB: db, Log: quiet, Kinds: []queue.Kind{{Name: "k", Batch: 10, Work: r.work}}}
	enqueue(t, db, v, queue.Work{Kind: "k"})
	enqueue(t, db, v, queue.Work{Kind: "k"})
	if n := look(t, q); n != 1 || r.batches[0][0].Subject != queue.Nobody {
		t.Errorf("did %d: %+v", n, r.batches)
	}
}

func TestUrgentItemsComeFirst(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "acme")
	var r record
	q := &queue.Queue{DB: db, Log: quiet, Kinds: []queue.Kind{{Name: "k", Batch: 2, Work: r.work}}}
	for i := range 9 {
		enqueue(t, db, v, queue.Work{Kind: "k", Subjects: []string{subject(i)}})
	}
	enqueue(t, db, v, queue.Work{Kind: "k", Subjects: []string{subject(8)}, Urgent: true})
	enqueue(t, db, v, queue.Work{Kind: "k", Subjects: []string{subject(9)}, Urgent: true})
	look(t, q)
	if got, want := queue.Subjects(r.batches[0]), []string{subject(8), subject(9)}; !slices.Equal(got, want) {
		t.Errorf("first were %v; want %v", got, want)
	}
}

func TestAFailingItemHoldsUpNoOther(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "acme")
	var done []string
	q := &queue.Queue{
		DB:  db,
		Log: quiet,
		Kinds: []queue.Kind{{Name: "k", Batch: 100, Work: func(_ context.Context, _ *pg.Tx, items []queue.Item) error {
			subjects := queue.Subjects(items)
			if slices.Contains(subjects, subject(7)) {
				return errPoison
			}
			done = append(done, subjects...)
			return nil
		}}},
	}
	for i := range 20 {
		enqueue(t, db, v, queue.Work{Kind: "k", Subjects: []string{subject(i)}})
	}
	n, err := q.Look(t.Context())
	if n != 19 || !errors.Is(err, errPoison) || len(done) != 19 {
		t.Errorf("did %d (%v), %v; want 19 and the failure", n, done, err)
	}
	left := strings(
		t,
		db,
		v,
		`select format('%s %s %s %s', subject, state, attempts, last_error) from work_item where due_at > now()`,
	)
	if diff := cmp.Diff([]string{subject(7) + " waiting 1 " + errPoison.Error()}, left); diff != "" {
		t.Error(diff)
	}
	if n := look(t, q); n != 0 {
		t.Errorf("did %d; want the failed item to wait", n)
	}
}

func TestAnItemThatAlwaysFailsIsADeadLetterUntilItsSubjectChanges(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "acme")
	poisoned := true
	var r record
	work := func(_ context.Context, tx *pg.Tx, items []queue.Item) error {
		r.note(tx, items)
		if poisoned {
			return errPoison
		}
		return nil
	}
	q := &queue.Queue{
		DB:    db,
		Log:   quiet,
		Kinds: []queue.Kind{{Name: "k", Batch: 5, Work: work}, {Name: "forever", Batch: 5, Forever: true, Work: work}},
	}
	enqueue(t, db, v, queue.Work{Kind: "k", Subjects: []string{subject(1)}})
	enqueue(t, db, v, queue.Work{Kind: "forever", Subjects: []string{subject(1)}})
	for range 9 {
		_, _ = q.Look(t.Context())
		exec(t, db, v, `update work_item set due_at = now()`)
	}
	states := strings(t, db, v, `select format('%s %s %s', kind, state, attempts) from work_item order by kind`)
	if diff := cmp.Diff([]string{"forever waiting 9", "k dead 8"}, states); diff != "" {
		t.Fatal(diff)
	}
	poisoned = false
	enqueue(t, db, v, queue.Work{Kind: "k", Subjects: []string{subject(1)}})
	look(t, q)
	if n := count(t, db, v, `select count(*) from work_item`); n != 0 {
		t.Errorf("%d items are left; want the dead letter to go with the new item", n)
	}
	if last := r.batches[len(r.batches)-2:]; last[0][0].Attempts < 8 {
		t.Errorf("retried as %+v; want the attempts so far", last)
	}
}

func TestWhatIsNotTheItemsFaultCountsForNone(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "acme")
	q := &queue.Queue{
		DB:  db,
		Log: quiet,
		Kinds: []queue.Kind{{Name: "k", Batch: 5, Work: func(ctx context.Context, tx *pg.Tx, _ []queue.Item) error {
			_, err := tx.Exec(ctx, `select pg_terminate_backend(pg_backend_pid())`)
			return err
		}}},
	}
	enqueue(t, db, v, queue.Work{Kind: "k", Subjects: []string{subject(1), subject(2)}})
	if n, err := q.Look(t.Context()); n != 0 || err == nil {
		t.Errorf("did %d, %v; want the lost connection", n, err)
	}
	if n := count(t, db, v, `select count(*) from work_item where attempts = 0 and due_at <= now()`); n != 2 {
		t.Errorf("%d items are as before; want 2", n)
	}
}

func TestWorkThatWasOvertakenIsRepeatedAtOnce(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "acme")
	tries := 0
	q := &queue.Queue{
		DB:  db,
		Log: quiet,
		Kinds: []queue.Kind{{Name: "k", Batch: 5, Work: func(context.Context, *pg.Tx, []queue.Item) error {
			if tries++; tries < 3 {
				return fmt.Errorf("plan: %w", queue.ErrOvertaken)
			}
			return nil
		}}},
	}
	enqueue(t, db, v, queue.Work{Kind: "k", Subjects: []string{subject(1)}})
	if n := look(t, q); n != 1 || tries != 3 {
		t.Errorf("did %d in %d tries; want 1 in 3", n, tries)
	}
}

func TestKindsOfAGroupNeverWorkAtOnceInATenant(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "acme")
	var inner int
	second := &queue.Queue{
		DB:  db,
		Log: quiet,
		Kinds: []queue.Kind{
			{
				Name:  "b",
				Group: "g",
				Batch: 5,
				Work:  func(context.Context, *pg.Tx, []queue.Item) error { inner++; return nil },
			},
		},
	}
	first := &queue.Queue{
		DB:  db,
		Log: quiet,
		Kinds: []queue.Kind{
			{Name: "a", Group: "g", Batch: 5, Work: func(ctx context.Context, _ *pg.Tx, _ []queue.Item) error {
				_, err := second.Look(ctx)
				return err
			}},
		},
	}
	enqueue(t, db, v, queue.Work{Kind: "a", Subjects: []string{subject(1)}})
	enqueue(t, db, v, queue.Work{Kind: "b", Subjects: []string{subject(1)}})
	look(t, first)
	if inner != 0 {
		t.Error("a kind of the group worked beside another one")
	}
	if look(t, second); inner != 1 {
		t.Error("the kind that waited was not worked on afterwards")
	}
}

func TestATenantThatIsNotActiveWaits(t *testing.T) {
	db := pgtest.New(t)
	v := pgtest.Tenant(t, db, "acme")
	var r record
	q := &queue.Queue{DB: db, Log: quiet, Kinds: []queue.Kind{{Name: "k", Batch: 5, Work: r.work}}}
	enqueue(t, db, v, queue.Work{Kind: "k"})
	exec(t, db, v, `update tenant set status = 'suspended'`)
	if n := look(t, q); n != 0 {
		t.Errorf("did %d for a suspended tenant", n)
	}
	exec(t, db, v, `update tenant set status = 'active'`)
	if n := look(t, q); n != 1 {
		t.Errorf("did %d; want the item to have waited", n)
	}
}

func TestPartsAreFoundByItemsAndByDates(t *testing.T) {
	db := pgtest.New(t)
	pgtest.Tenant(t, db, "acme")
	w := pgtest.Tenant(t, db, "beta")
	var seen []string
	part := func(_ context.Context, tenant string) (int, error) { seen = append(seen, tenant); return 0, nil }
	q := &queue.Queue{DB: db, Log: quiet, Kinds: []queue.Kind{
		{
			Name: "k",
			Part: part,
			Due: &queue.Due{
				SQL:  `select id::text from tenant where slug = $1`,
				Args: func() []any { return []any{"beta"} },
			},
		},
	}}
	look(t, q)
	if !slices.Equal(seen, []string{w.Tenant}) {
		t.Errorf("did a part in %v; want %s", seen, w.Tenant)
	}
}

func TestDatesAreAskedForNoMoreOftenThanTheirKindSays(t *testing.T) {
	db := pgtest.New(t)
	w := pgtest.Tenant(t, db, "acme")
	var asked, dated atomic.Int32
	worked := make(chan struct{}, 1)
	q := &queue.Queue{DB: db, Log: quiet, Kinds: []queue.Kind{
		{Name: "k", Batch: 10, Work: func(context.Context, *pg.Tx, []queue.Item) error {
			worked <- struct{}{}
			return nil
		}},
		{
			Name: "dated",
			Part: func(context.Context, string) (int, error) { dated.Add(1); return 0, nil },
			Due: &queue.Due{
				SQL:   `select id::text from tenant where slug = $1`,
				Args:  func() []any { asked.Add(1); return []any{"acme"} },
				Every: time.Hour,
			},
		},
	}}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- q.Run(ctx) }()
	for n := range 5 {
		enqueue(t, db, w, queue.Work{Kind: "k", Subjects: []string{subject(n)}})
		<-worked
	}
	stop()
	if err := <-done; err != nil || asked.Load() != 1 || dated.Load() != 1 {
		t.Errorf("asked %d times and worked %d times (%v); want once each", asked.Load(), dated.Load(), err)
	}
}

// A queue that runs notices what is committed elsewhere, and a small tenant is served beside a flood.
func TestAFloodOfOneTenantDoesNotStarveAnother(t *testing.T) {
	db := pgtest.New(t)
	flood, small := pgtest.Tenant(t, db, "flood"), pgtest.Tenant(t, db, "small")
	exec(t, db, flood, `select enqueue_work('k', array(select gen_random_uuid() from generate_series(1, 2000)), '', 1)`)
	enqueue(t, db, small, queue.Work{Kind: "k", Subjects: []string{subject(1)}})
	passes, at := 0, 0
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	served := make(chan struct{})
	q := &queue.Queue{
		DB:  db,
		Log: quiet,
		Kinds: []queue.Kind{
			{Name: "k", Batch: 10, Group: "g", Work: func(_ context.Context, tx *pg.Tx, _ []queue.Item) error {
				passes++
				if tx.Viewer.Tenant == small.Tenant && at == 0 {
					at = passes
					close(served)
				}
				return nil
			}},
		},
	}
	// One pass at a time makes the order of passes the agenda's own.
	queue.OneSlot(q)
	done := make(chan error, 1)
	go func() { done <- q.Run(ctx) }()
	select {
	case <-served:
	case <-time.After(time.Minute):
		t.Fatal("the small tenant was never served")
	}
	stop()
	if err := <-done; err != nil || at > 4 {
		t.Errorf("the small tenant came as number %d (%v); want it among the first four of two hundred passes", at, err)
	}
}
