package syncrun_test

import (
	"slices"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
)

func (w *world) accounts() int {
	return one[int](w, `select count(*) from account where status = 'active'`)
}

func TestLimitedRunsTogetherReadEverythingAndRemoveNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.source.script = paged(staff(10), nil)
	limit := 4
	before := ""
	for i, want := range []int{4, 8, 10} {
		got := w.full(syncrun.Trigger{MaxRecords: &limit})
		if got.Status != syncrun.Partial || w.accounts() != want {
			t.Errorf("run %d ended %s with %d accounts; want partial and %d", i, got.Status, w.accounts(), want)
		}
		if continues := deref(got.Continues); continues != before {
			t.Errorf("run %d continues %q; want %q", i, continues, before)
		}
		for kind, complete := range got.Complete {
			if complete {
				t.Errorf("run %d says that it read all %s", i, kind)
			}
		}
		before = got.ID
	}
	if n := one[int](w, `select count(*) from access_grant where status = 'active'`); n == 0 {
		t.Error("the last limited run has read no grants")
	}
	// The reading has come to its end, so the next one begins at the start. Nobody whom it does not show is missing.
	w.source.script = paged(slices.Delete(staff(10), 6, 8), nil)
	for range 3 {
		if got := w.full(
			syncrun.Trigger{MaxRecords: &limit},
		); got.Report.Accounts.Missing+got.Report.Accounts.Removed != 0 {
			t.Errorf("a limited run has removed accounts: %+v", got.Report.Accounts)
		}
	}
	if w.accounts() != 10 || w.cursor() != "" {
		t.Errorf("%d accounts and cursor %q; want 10 and none", w.accounts(), w.cursor())
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func TestALimitedRunBeginsAtTheStart(t *testing.T) {
	t.Parallel()
	limit := 4
	for name, between := range map[string]func(w *world) *syncrun.Trigger{
		"after a run without a limit": func(w *world) *syncrun.Trigger { w.full(syncrun.Trigger{}); return nil },
		"with other settings": func(w *world) *syncrun.Trigger {
			w.exec(`update connector set connection = '{"base_dn": "dc=x"}'`)
			return nil
		},
		"as a preview": func(*world) *syncrun.Trigger { return &syncrun.Trigger{Mode: "preview", MaxRecords: &limit} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.source.script = paged(staff(10), nil)
			w.full(syncrun.Trigger{MaxRecords: &limit})
			next := between(w)
			if next == nil {
				next = &syncrun.Trigger{MaxRecords: &limit}
			}
			if got := w.full(*next); got.Continues != nil || w.asksFor().Options.Checkpoint != "" {
				t.Errorf("the run continues %v at %q", got.Continues, w.asksFor().Options.Checkpoint)
			}
		})
	}
}

func TestALimitedRunThatIsKilledBeforeEveryPageReadsWhatAnUndisturbedOneReads(t *testing.T) {
	t.Parallel()
	pages, limit := staff(9), 6
	calm := newWorld(t)
	calm.source.script = paged(pages, nil)
	want := calm.full(syncrun.Trigger{ChunkSize: 2, MaxRecords: &limit})
	w := newWorld(t)
	got, came := interrupted(t, w, pages[:6], syncrun.Trigger{ChunkSize: 2, MaxRecords: &limit})
	same(t, "a limited run", want, got, calm.holdings(), w.holdings())
	for n, times := range came {
		if times > 3 {
			t.Errorf("page %d was begun %d times: the run began anew", n, times)
		}
	}
}

func TestLimitedRunsOfChangesTogetherReadThemAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.source.script = telling("c1", nil, staff(2)...)
	w.full(syncrun.Trigger{})
	limit := 3
	w.source.script = changing(staff(8), "c2")
	for i, want := range []struct {
		accounts int
		cursor   string
	}{{3, "c1"}, {6, "c1"}, {8, "c2"}} {
		got := w.full(syncrun.Trigger{Incremental: true, MaxRecords: &limit})
		if w.accounts() != want.accounts || w.cursor() != want.cursor {
			t.Errorf("run %d (%s): %d accounts, cursor %s; want %+v", i, got.Status, w.accounts(), w.cursor(), want)
		}
	}
}
