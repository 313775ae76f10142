package syncrun_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// interrupted reads pages with the worker killed before each page in turn.
func interrupted(
	t *testing.T,
	w *world,
	pages []v1.SyncResponse,
	trigger syncrun.Trigger,
) (run syncrun.Run, reread []int) {
	t.Helper()
	var id string
	started := make(chan struct{})
	killed := make([]bool, len(pages)+1)
	came := make([]atomic.Int32, len(pages))
	w.source.script = paged(pages, func(ctx context.Context, n int) error {
		<-started
		came[n].Add(1)
		if killed[n] {
			return nil
		}
		killed[n] = true
		// What came before is durable, but nobody heard so.
		w.settle(id)
		w.kill(id)
		<-ctx.Done()
		return ctx.Err()
	})
	id = w.start(trigger).ID
	close(started)
	run = w.ended(id)
	for n := range came {
		reread = append(reread, int(came[n].Load()))
	}
	return run, reread
}

func TestARunThatIsKilledBeforeEveryPageGoesOnAndCountsExactly(t *testing.T) {
	t.Parallel()
	pages := staff(6)
	calm := newWorld(t)
	calm.source.script = paged(pages, nil)
	want := calm.full(syncrun.Trigger{ChunkSize: 2})
	if want.Status != syncrun.Succeeded || want.Resumes != 0 || want.Reread != 0 {
		t.Fatalf("uninterrupted: %s, %d resumes, %d reread, %+v", want.Status, want.Resumes, want.Reread, want.Error)
	}
	w := newWorld(t)
	got, came := interrupted(t, w, pages, syncrun.Trigger{ChunkSize: 2})
	if got.Status != syncrun.Succeeded {
		t.Fatalf("the run ended %s: %+v", got.Status, got.Error)
	}
	same(t, "killed before every page", want, got, calm.holdings(), w.holdings())
	if got.Attempt != len(pages)+1 || got.Resumes != len(pages)-1 {
		t.Errorf("%d attempts and %d resumes; want %d and %d", got.Attempt, got.Resumes, len(pages)+1, len(pages)-1)
	}
	for n, times := range came {
		if times > 3 {
			t.Errorf("page %d was begun %d times: a takeover reads one page again at most", n, times)
		}
	}
	if last := pages[6].Len(); got.Reread > int64(last) {
		t.Errorf("%d records were read again; want those of one page at most, %d", got.Reread, last)
	}
}

func TestASecondReadingThatIsKilledCountsExactly(t *testing.T) {
	t.Parallel()
	before, after := staff(6), staff(8)
	after[0] = person("p000", "Somebody Else", "p000@x.test", nil)
	run := func(t *testing.T, interrupt bool) (syncrun.Run, string) {
		w := newWorld(t)
		w.source.script = paged(before, nil)
		w.full(syncrun.Trigger{ChunkSize: 2})
		if interrupt {
			got, _ := interrupted(t, w, after, syncrun.Trigger{ChunkSize: 3})
			return got, w.holdings()
		}
		w.source.script = paged(after, nil)
		return w.full(syncrun.Trigger{ChunkSize: 3}), w.holdings()
	}
	want, wantStore := run(t, false)
	got, gotStore := run(t, true)
	same(t, "second reading", want, got, wantStore, gotStore)
	if want.Status != syncrun.Succeeded || got.Status != want.Status {
		t.Errorf("the runs ended %s and %s; %+v", want.Status, got.Status, got.Error)
	}
	if c := want.Report.Accounts; c.Created != 2 || c.Updated != 1 || c.Unchanged != 5 {
		t.Errorf("accounts: %+v; want 2 created, 1 updated, 5 unchanged", c)
	}
}

func TestWhereverTheDatabaseStopsEachPartIsMergedOnce(t *testing.T) {
	pages := staff(6)
	calm := newWorld(t)
	calm.source.script = paged(pages, nil)
	want := calm.full(syncrun.Trigger{ChunkSize: 2})
	wantAgain := calm.full(syncrun.Trigger{ChunkSize: 2})
	for _, broken := range []struct {
		table, when string
		nth         int
	}{
		{"sync_chunk", "true", 3},
		{"sync_merge", "new.part = 'people'", 1},
		{"sync_merge", "new.part = 'ends'", 1},
		{"sync_merge", "new.part = 'grants'", 1},
		{"sync_merge", "new.part = 'proof'", 1},
		{"sync_merge", "new.part = 'end'", 1},
		{"sync_merge", "new.part = 'people'", 2}, // the second reading's
		{"sync_merge", "new.part = 'grants'", 2},
		{"sync_merge", "new.part = 'proof'", 2},
		{"sync_merge", "new.part = 'end'", 2},
	} {
		t.Run(fmt.Sprint(broken), func(t *testing.T) {
			t.Parallel()
			w := breaks(t, broken.table, broken.when, broken.nth)
			w.source.script = paged(pages, nil)
			got := w.full(syncrun.Trigger{ChunkSize: 2})
			same(t, "first reading", want, got, calm.holdings(), w.holdings())
			again := w.full(syncrun.Trigger{ChunkSize: 2})
			same(t, "second reading", wantAgain, again, calm.holdings(), w.holdings())
			if got.Attempt+again.Attempt != 3 {
				t.Errorf("%d and %d attempts; the break did not come once", got.Attempt, again.Attempt)
			}
		})
	}
}

func TestAConnectorWithoutCheckpointsIsReadFromTheBeginningAndCountsOnce(t *testing.T) {
	t.Parallel()
	pages := staff(5)
	read := func(fail bool) script {
		return func(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
			for i, page := range pages {
				if fail && i == 4 {
					fail = false
					return &v1.ErrorDetail{
						Class:     v1.ClassTransient,
						Code:      "reset",
						Message:   "connection reset",
						Retryable: true,
					}
				}
				page.Success = true
				if err := emit(ctx, page); err != nil {
					return err
				}
			}
			return emit(ctx, v1.SyncResponse{Success: true, Page: &v1.Page{Scopes: counted(pages)}})
		}
	}
	calm := newWorld(t)
	calm.source.script = read(false)
	want := calm.full(syncrun.Trigger{ChunkSize: 2})
	w := newWorld(t)
	w.source.script = read(true)
	got := w.full(syncrun.Trigger{ChunkSize: 2})
	same(t, "read from the beginning", want, got, calm.holdings(), w.holdings())
	if got.Resumes != 1 || got.Reread != 8 || !got.Complete["accounts"] {
		t.Errorf(
			"%d resumes, %d reread, complete %v; want 1, 8 (four people with two records each), all",
			got.Resumes,
			got.Reread,
			got.Complete,
		)
	}
}

func TestAttemptsThatMoveOnAreNotCountedAndOthersAre(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pages := staff(20)
	// Every page costs an attempt: far more than a run may fail.
	tried := map[int]bool{}
	w.source.script = paged(pages, func(_ context.Context, n int) error {
		if !tried[n] {
			tried[n] = true
			return &v1.ErrorDetail{
				Class:     v1.ClassTransient,
				Code:      "reset",
				Message:   "connection reset",
				Retryable: true,
			}
		}
		return nil
	})
	// The very first page may not fail before anything is read: that is told at once.
	tried[0] = true
	run := w.start(syncrun.Trigger{ChunkSize: 1})
	if got := w.ended(run.ID); got.Status != syncrun.Succeeded || got.Attempt < 15 {
		t.Errorf("the run ended %s after %d attempts: %+v", got.Status, got.Attempt, got.Error)
	}
	w = newWorld(t)
	w.source.script = paged(pages, func(_ context.Context, n int) error {
		if n == 7 {
			return &v1.ErrorDetail{
				Class:     v1.ClassTransient,
				Code:      "reset",
				Message:   "connection reset",
				Retryable: true,
			}
		}
		return nil
	})
	if got := w.full(syncrun.Trigger{ChunkSize: 1}); got.Status != syncrun.Failed || got.Attempt > 7 ||
		got.Error.Code != "reset" {
		t.Errorf("a run that cannot get on ended %s after %d attempts: %+v", got.Status, got.Attempt, got.Error)
	}
}

func TestAWorkerThatLostItsRunWritesNothingMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pages := staff(4)
	first, second := make(chan struct{}), make(chan struct{})
	var calls atomic.Int32
	w.source.script = func(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
		if calls.Add(1) == 1 {
			if err := emit(
				ctx,
				v1.SyncResponse{Success: true, Identities: pages[0].Identities, Accounts: pages[0].Accounts},
			); err != nil {
				return err
			}
			close(first)
			<-second // the worker that lost the run goes on as if nothing were
			ghost := person("ghost", "Ghost", "ghost@x.test", nil)
			ghost.Success = true
			return emit(ctx, ghost)
		}
		return paged(pages, nil)(ctx, req, emit)
	}
	run := w.start(syncrun.Trigger{ChunkSize: 1})
	<-first
	w.await(run.ID, func(r syncrun.Run) bool { return r.Chunks >= 1 })
	w.kill(run.ID)
	w.await(run.ID, func(r syncrun.Run) bool { return r.Attempt == 2 })
	close(second)
	if got := w.ended(run.ID); got.Status != syncrun.Succeeded {
		t.Fatalf("the run ended %s: %+v", got.Status, got.Error)
	}
	if n := one[int](w, `select count(*) from identity where external_id = 'ghost'`); n != 0 {
		t.Errorf("a worker without the lease has written %d people", n)
	}
}

func TestACheckpointThatCannotBeUsedIsTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pages := staff(4)
	failed := false
	w.source.script = func(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
		if req.Options.Checkpoint != "" {
			req.Options.Checkpoint = ""
			if err := emit(
				ctx,
				v1.SyncResponse{
					Success: true,
					Page: &v1.Page{
						HasMore:  true,
						Warnings: []v1.Warning{{Code: "checkpoint_unusable", Message: "too old"}},
					},
				},
			); err != nil {
				return err
			}
		}
		return paged(pages, func(_ context.Context, n int) error {
			if n == 3 && !failed {
				failed = true
				return &v1.ErrorDetail{Class: v1.ClassTransient, Code: "reset", Message: "connection reset"}
			}
			return nil
		})(ctx, req, emit)
	}
	got := w.full(syncrun.Trigger{ChunkSize: 1})
	if got.Status != syncrun.Succeeded || len(got.Warnings) != 1 || got.Warnings[0].Code != "checkpoint_unusable" {
		t.Errorf("the run ended %s with warnings %+v", got.Status, got.Warnings)
	}
	if got.Counters.IdentitiesRead != 4 || got.Reread != 6 {
		t.Errorf("%d people, %d records reread; want 4 and 6", got.Counters.IdentitiesRead, got.Reread)
	}
}

func TestSettingsThatChangeInTheMiddleMakeTheRunReadAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pages := staff(4)
	var checkpoints []string
	failed := false
	w.source.script = func(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
		checkpoints = append(checkpoints, req.Options.Checkpoint)
		return paged(pages, func(_ context.Context, n int) error {
			if n == 3 && !failed {
				failed = true
				w.exec(`update connector set connection = '{"base_dn": "dc=other"}' where id = $1`, w.connector)
				return &v1.ErrorDetail{Class: v1.ClassTransient, Code: "reset", Message: "connection reset"}
			}
			return nil
		})(ctx, req, emit)
	}
	got := w.full(syncrun.Trigger{ChunkSize: 1})
	if got.Status != syncrun.Succeeded || got.Counters.IdentitiesRead != 4 || fmt.Sprint(checkpoints) != "[ ]" {
		t.Errorf(
			"the run ended %s with %d people; checkpoints %q",
			got.Status,
			got.Counters.IdentitiesRead,
			checkpoints,
		)
	}
	if len(got.Warnings) != 1 || got.Warnings[0].Code != "read_anew" {
		t.Errorf("warnings: %+v", got.Warnings)
	}
}
