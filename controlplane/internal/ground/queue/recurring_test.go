package queue_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

func TestAJobRunsInOneOfManyProcesses(t *testing.T) {
	db := pgtest.New(t)
	var runs atomic.Int32
	free := make(chan struct{})
	job := queue.Job{
		Name:  "purge",
		Every: time.Hour,
		Run:   func(context.Context) error { runs.Add(1); <-free; return nil },
	}
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() {
			if err := queue.RunJob(&queue.Queue{DB: db, Log: quiet}, t.Context(), job); err != nil {
				t.Error(err)
			}
		})
	}
	for runs.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	close(free)
	group.Wait()
	if n := runs.Load(); n != 1 {
		t.Errorf("ran %d times; want once within its hour", n)
	}
}

func TestAFailedJobIsTriedAgainSoonAndSaysWhy(t *testing.T) {
	db := pgtest.New(t)
	job := queue.Job{Name: "purge", Every: time.Hour, Run: func(context.Context) error { return errPoison }}
	if err := queue.RunJob(&queue.Queue{DB: db, Log: quiet}, t.Context(), job); !errors.Is(err, errPoison) {
		t.Fatalf("gave %v", err)
	}
	var soon bool
	var why string
	const sql = `select due_at <= now() + interval '1 minute' and lease_id is null and attempts = 1,
		last_error from recurring_work`
	err := db.Deployment(t.Context(), func(tx *pg.Tx) error { return tx.QueryRow(t.Context(), sql).Scan(&soon, &why) })
	if err != nil || !soon || why != errPoison.Error() {
		t.Errorf("soon %v, %q, %v", soon, why, err)
	}
}

func TestAProcessThatStopsLeavesItsJobToOthersAtOnce(t *testing.T) {
	db := pgtest.New(t)
	ctx, stop := context.WithCancel(t.Context())
	job := queue.Job{Name: "purge", Every: time.Hour, Run: func(ctx context.Context) error { stop(); return ctx.Err() }}
	_ = queue.RunJob(&queue.Queue{DB: db, Log: quiet}, ctx, job)
	ran := false
	job.Run = func(context.Context) error { ran = true; return nil }
	if err := queue.RunJob(&queue.Queue{DB: db, Log: quiet}, t.Context(), job); err != nil || !ran {
		t.Errorf("ran %v, %v", ran, err)
	}
}

// A process that was cut off finds its lease gone and records nothing: the token fences it.
func TestAProcessWhoseLeaseIsAnothersRecordsNothing(t *testing.T) {
	db := pgtest.New(t)
	other := "00000000-0000-4000-8000-000000000001"
	job := queue.Job{Name: "purge", Every: time.Hour, Run: func(ctx context.Context) error {
		return db.Deployment(ctx, func(tx *pg.Tx) error {
			_, err := tx.Exec(ctx, `update recurring_work set lease_id = $1`, other)
			return err
		})
	}}
	if err := queue.RunJob(&queue.Queue{DB: db, Log: quiet}, t.Context(), job); err != nil {
		t.Fatal(err)
	}
	var holder string
	err := db.Deployment(t.Context(), func(tx *pg.Tx) error {
		return tx.QueryRow(t.Context(), `select lease_id::text from recurring_work where finished_at is null`).
			Scan(&holder)
	})
	if err != nil || holder != other {
		t.Errorf("the lease is %q, %v; want the other process's", holder, err)
	}
}

func TestALeaseThatRanOutIsTakenOver(t *testing.T) {
	db := pgtest.New(t)
	err := db.Deployment(t.Context(), func(tx *pg.Tx) error {
		_, err := tx.Exec(
			t.Context(),
			`insert into recurring_work (name, lease_id, lease_until) values ('purge', gen_random_uuid(),
			now() - interval '1 second'), ('held', gen_random_uuid(), now() + interval '1 minute')`,
		)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]bool{}
	for _, name := range []string{"purge", "held"} {
		job := queue.Job{
			Name:  name,
			Every: time.Hour,
			Run:   func(context.Context) error { ran[name] = true; return nil },
		}
		if err := queue.RunJob(&queue.Queue{DB: db, Log: quiet}, t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
	if !ran["purge"] || ran["held"] {
		t.Errorf("ran %v; want the job whose lease ran out", ran)
	}
}

func TestJobsRunWhileTheQueueRuns(t *testing.T) {
	db := pgtest.New(t)
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan string, 10)
	jobs := []queue.Job{}
	for _, name := range []string{"a", "b"} {
		jobs = append(
			jobs,
			queue.Job{Name: name, Every: time.Hour, Run: func(context.Context) error { ran <- name; return nil }},
		)
	}
	q := &queue.Queue{DB: db, Log: quiet, Jobs: jobs}
	done := make(chan error, 1)
	go func() { done <- q.Run(ctx) }()
	if got := <-ran + <-ran; got != "ab" && got != "ba" {
		t.Errorf("ran %q", got)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
