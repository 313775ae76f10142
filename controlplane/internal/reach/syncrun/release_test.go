package syncrun_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/hold"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// release lets what a run holds be applied, or the part of it, after looking at what it is.
func (w *world) release(run string, part *hold.Subset) {
	w.t.Helper()
	decisions := &hold.Service{DB: w.db, Now: time.Now, Wake: w.worker.Wake}
	d := hold.Decision{Subset: part, Comment: "seen", ExpectedCount: 1, Digest: strings.Repeat("0", 64)}
	_, err := decisions.Release(context.Background(), w.admin, w.connector, run, d)
	var f *fault.Fault
	if !errors.As(err, &f) || f.Code != "digest_mismatch" {
		w.t.Fatalf("a release of something else: %v", err)
	}
	d.Digest, _ = f.Extra["digest"].(string)
	d.ExpectedCount = 1 << 40
	if _, err = decisions.Release(
		context.Background(),
		w.admin,
		w.connector,
		run,
		d,
	); !errors.As(err, &f) ||
		f.Code != "count_mismatch" {
		w.t.Fatalf("a release of another number: %v", err)
	}
	d.ExpectedCount, _ = f.Extra["count"].(int64)
	if _, err = decisions.Release(context.Background(), w.admin, w.connector, run, d); err != nil {
		w.t.Fatal(err)
	}
}

// renamed is a directory in which everybody has got another department.
func renamed(people int) []v1.SyncResponse {
	pages := staff(people)
	for i, page := range pages[:people] {
		page.Identities[0].Attributes["department"] = "New"
		pages[i] = page
	}
	return pages
}

func TestWhatIsReleasedInPartsIsMergedOnceThoughTheDatabaseStops(t *testing.T) {
	for _, when := range []string{"new.part = 'none'", "new.part = 'people:r1'", "new.part = 'end:r1'",
		"new.part = 'ends:r2'", "new.part = 'end:r2'"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			w := breaks(t, "sync_merge", when, 1)
			old := staff(30)
			for _, page := range old[:30] {
				page.Identities[0].Attributes["department"] = "Old"
			}
			w.source.script = telling("c1", nil, old...)
			w.full(syncrun.Trigger{})
			w.source.script = telling("c2", nil, renamed(30)...)
			held := w.full(syncrun.Trigger{})
			if held.Status != syncrun.Held || held.Report.Identities.Updated != 0 {
				t.Fatalf("thirty of thirty departments rewritten: %s, %+v", held.Status, held.Report.Identities)
			}
			w.release(held.ID, &hold.Subset{ExternalIDs: []string{"p001", "p002"}})
			part := w.ended(held.ID)
			if part.Status != syncrun.Held || part.Report.Identities.Updated != 2 || w.cursor() != "c1" {
				t.Errorf(
					"after the release of two: %s, %+v, cursor %s",
					part.Status,
					part.Report.Identities,
					w.cursor(),
				)
			}
			w.release(held.ID, nil)
			all := w.ended(held.ID)
			if diff := cmp.Diff(
				counters.Counts{Updated: 30},
				all.Report.Identities,
			); diff != "" || all.Status != syncrun.Succeeded ||
				w.cursor() != "c2" {
				t.Errorf("after the release of all: %s, cursor %s, people -want +got\n%s", all.Status, w.cursor(), diff)
			}
			if diff := cmp.Diff(counters.Counts{Updated: 30}, all.Report.Accounts); diff != "" {
				t.Errorf("accounts, of which the attributes tell the department: -want +got\n%s", diff)
			}
			if n := one[int](w, `select count(*) from identity where department = 'New'`); n != 30 {
				t.Errorf("%d people have the new department", n)
			}
		})
	}
}
