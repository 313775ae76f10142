package syncrun_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/counters"
	"github.com/grantwright/grantwright/controlplane/internal/reach/syncrun/worker"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestAPreviewTellsWhatWouldChangeAndChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.source.script = telling("c1", nil, staff(6)...)
	got := w.full(syncrun.Trigger{Mode: "preview"})
	if got.Status != syncrun.Previewed || got.Report.Accounts.Created != 6 || got.Report.Identities.Created != 6 ||
		got.Report.Grants.Created != 9 {
		t.Errorf("on an empty store: %s, %+v, %+v", got.Status, got.Report, got.Error)
	}
	if got := w.holdings(); got != "" {
		t.Errorf("a preview has written %s", got)
	}
	if state := one[string](
		w,
		`select status || ' ' || funnel_state from connector where id = $1`,
		w.connector,
	); state != "ready bootstrapped" {
		t.Errorf("after a preview the connector is %s", state)
	}
	w.full(syncrun.Trigger{})
	before := w.holdings()
	changed := staff(6)
	changed[1] = person("p001", "Other Name", "p001@x.test", map[string]any{"manager": "uid=p000"})
	w.source.script = telling("c2", nil, append(changed[:5:5], changed[6:]...)...) // p005 is gone
	got = w.full(syncrun.Trigger{Mode: "preview"})
	want := counters.Counts{Updated: 1, Unchanged: 4, Missing: 1}
	if diff := cmp.Diff(want, got.Report.Accounts); diff != "" || got.Status != syncrun.Previewed {
		t.Errorf("accounts of a preview that ended %s: -want +got\n%s", got.Status, diff)
	}
	if got := w.holdings(); got != before {
		t.Errorf("a preview changed the store to\n%s\nfrom\n%s", got, before)
	}
	w.stop()
	if n := one[int](w, `select (select count(*) from stage_account) + (select count(*) from stage_scope)`); n != 0 {
		t.Errorf("%d rows are still staged", n)
	}
}

func TestWhatIsHeldWaitsAndTheRestHappens(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.source.script = telling("c1", nil, staff(20)...)
	w.full(syncrun.Trigger{})
	few := append(staff(20)[:4:4], person("new", "New", "new@x.test", nil), staff(20)[20], staff(20)[21])
	w.source.script = telling("c2", nil, few...)
	got := w.full(syncrun.Trigger{})
	if got.Status != syncrun.Held || got.Holds == 0 || got.HeldUntil == nil || got.FinishedAt != nil {
		t.Fatalf(
			"the run is %s with %d holds until %v, finished %v: %+v",
			got.Status,
			got.Holds,
			got.HeldUntil,
			got.FinishedAt,
			got.Error,
		)
	}
	if n := one[int](w, `select count(*) from account where status = 'active'`); n != 21 {
		t.Errorf("%d accounts are active; want the 20 and the new one", n)
	}
	if got.Report.Accounts.Created != 1 || got.Report.Accounts.Missing != 0 {
		t.Errorf("accounts: %+v", got.Report.Accounts)
	}
	w.stop()
	w.worker = w.service(t)
	if n := one[int](w, `select count(*) from stage_account where run_id = $1`, got.ID); n == 0 {
		t.Error("what the held run has staged is gone")
	}
	// The next run does not wait for the decision: it computes anew and takes its place.
	w.source.script = telling("c3", nil, append(staff(20), person("new", "New", "new@x.test", nil))...)
	if next := w.full(syncrun.Trigger{}); next.Status != syncrun.Succeeded {
		t.Errorf("the next run ended %s: %+v", next.Status, next.Error)
	}
	if got = w.run(got.ID); got.Status != syncrun.Discarded || got.FinishedAt == nil {
		t.Errorf("the run that was held is %s", got.Status)
	}
}

func TestAbsenceCountsTwiceAndASecondSightIsAReappearance(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := staff(40)
	w.source.script = telling("c1", nil, all...)
	w.full(syncrun.Trigger{})
	without := append(append([]v1.SyncResponse{}, all[:5]...), all[6:]...)
	account := func() string {
		return one[string](
			w,
			`select a.status || ' ' || (a.missing_since is not null) || ' ' || (a.deleted_at is not null)
				from account a where external_id = 'p005'`,
		)
	}
	var reports []string
	for _, step := range []struct {
		pages []v1.SyncResponse
		want  string
	}{{without, "missing true false"}, {all, "active false false"}, {without, "missing true false"},
		{without, "deleted true true"}, {all, "active false false"}} {
		w.source.script = telling("c1", nil, step.pages...)
		got := w.full(syncrun.Trigger{})
		if got.Status != syncrun.Succeeded || account() != step.want {
			t.Errorf("the account is %s after a run that ended %s; want %s", account(), got.Status, step.want)
		}
		a := got.Report.Accounts
		reports = append(reports, fmt.Sprint(a.Missing, a.Removed, a.Reappeared, a.Updated, a.Unchanged))
	}
	if want := "1 0 0 0 39,0 0 1 0 39,1 0 0 0 39,0 1 0 0 39,0 0 1 0 39"; strings.Join(reports, ",") != want {
		t.Errorf("missing, removed, reappeared, updated, unchanged: %v; want %s", reports, want)
	}
	if got := one[string](w, `select status from identity where external_id = 'p005'`); got != "active" {
		t.Errorf("the person who came back is %s", got)
	}
}

func TestATombstoneRemovesAndIsNotMerged(t *testing.T) {
	w := newWorld(t)
	w.source.script = telling("c1", nil, staff(40)...)
	w.full(syncrun.Trigger{})
	gone := v1.SyncResponse{
		Identities: []v1.RemoteIdentity{{ExternalID: "p007", Deleted: true}, {ExternalID: "never", Deleted: true}},
		Accounts:   []v1.RemoteAccount{{ExternalID: "p007", Deleted: true}, {ExternalID: "never", Deleted: true}},
	}
	w.source.script = changes("c2", gone)
	got := w.full(syncrun.Trigger{Incremental: true})
	if got.Status != syncrun.Succeeded || got.Report.Accounts.Removed != 1 || got.Counters.AccountsDiscovered != 0 ||
		w.cursor() != "c2" {
		t.Errorf("the run ended %s: %+v, %+v", got.Status, got.Report.Accounts, got.Error)
	}
	if got := one[string](w, `select status from account where external_id = 'p007'`); got != "deleted" {
		t.Errorf("the account is %s", got)
	}
	if n := one[int](w, `select count(*) from account where external_id = 'never'`); n != 0 {
		t.Error("a tombstone has made an account")
	}
}

func TestTooManyBadRecordsFailTheRunBeforeAnythingIsRemoved(t *testing.T) {
	for _, tt := range []struct {
		good, bad int
		status    syncrun.Status
	}{{100, 5, syncrun.Partial}, {110, 6, syncrun.Failed}, {120, 6, syncrun.Partial}, {0, 5, syncrun.Partial},
		{0, 6, syncrun.Failed}} {
		t.Run(fmt.Sprint(tt.good, "good", tt.bad, "bad"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.source.script = telling("c1", nil, v1.SyncResponse{Accounts: []v1.RemoteAccount{{ExternalID: "first"}}})
			w.full(syncrun.Trigger{})
			var page v1.SyncResponse
			for i := range tt.good {
				page.Accounts = append(page.Accounts, v1.RemoteAccount{ExternalID: fmt.Sprint("g", i)})
			}
			for i := range tt.bad {
				page.Accounts = append(
					page.Accounts,
					v1.RemoteAccount{ExternalID: fmt.Sprint("b", i), Username: p("a\x00")},
				)
			}
			w.source.script = telling("c2", nil, page)
			got := w.full(syncrun.Trigger{})
			if got.Status != tt.status ||
				(tt.status == syncrun.Failed) != (got.Error != nil && got.Error.Code == "too_many_bad_records") {
				t.Errorf("the run ended %s: %+v", got.Status, got.Error)
			}
			if got.Report.Accounts.Quarantined != int64(tt.bad) || got.Complete["accounts"] {
				t.Errorf("%+v, complete %v", got.Report.Accounts, got.Complete)
			}
			if got := one[string](w, `select status from account where external_id = 'first'`); got != "active" {
				t.Errorf("the account that was not read is %s", got)
			}
		})
	}
}

func TestAThousandAndOneBadRecordsEndTheReading(t *testing.T) {
	w := newWorld(t)
	w.source.script = func(ctx context.Context, _ v1.SyncRequest, emit connectorkit.Emit) error {
		for n := 0; ; n++ {
			var page v1.SyncResponse
			for range 100 {
				page.Accounts = append(page.Accounts, v1.RemoteAccount{Username: p(fmt.Sprint(n, len(page.Accounts)))})
			}
			page.Success = true
			if err := emit(ctx, page); err != nil {
				return err
			}
		}
	}
	got := w.full(syncrun.Trigger{})
	if got.Status != syncrun.Failed || got.Error.Code != "too_many_bad_records" || got.Counters.Skipped <= 1000 ||
		got.Counters.Skipped > 1500 {
		t.Errorf("the run ended %s after %d bad records: %+v", got.Status, got.Counters.Skipped, got.Error)
	}
}

func TestNumbersThatDoNotAgreeMakeAReadingIncomplete(t *testing.T) {
	n := func(i int) *int { return &i }
	for _, tt := range []struct {
		name     string
		count    int
		estimate *v1.Estimate
		want     bool
		warning  string
	}{
		{"as attested", 50, nil, true, ""},
		{"one lost on the way", 51, nil, false, "accounts: the connector counted 51, but 50 arrived; none of them " +
			"is treated as deleted"},
		{"98 of 100 of what the source says", 50, &v1.Estimate{Accounts: n(51)}, true, ""},
		{"fewer", 50, &v1.Estimate{Accounts: n(53)}, false, "accounts: the source reports 53, but 50 were " +
			"read; none of them is treated as deleted"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			var page v1.SyncResponse
			for i := range 50 {
				page.Accounts = append(page.Accounts, v1.RemoteAccount{ExternalID: fmt.Sprint("a", i)})
			}
			w.source.script = func(ctx context.Context, _ v1.SyncRequest, emit connectorkit.Emit) error {
				page := page
				page.Success = true
				page.Page = &v1.Page{
					Estimate: tt.estimate,
					Scopes:   []v1.Scope{{Kind: v1.Accounts, Key: "*", Complete: true, Count: tt.count}},
				}
				return emit(ctx, page)
			}
			got := w.full(syncrun.Trigger{})
			var told string
			if len(got.Warnings) > 0 {
				told = got.Warnings[0].Message
			}
			if got.Complete["accounts"] != tt.want || told != tt.warning {
				t.Errorf("complete: %v, told: %q; want %v, %q", got.Complete["accounts"], told, tt.want, tt.warning)
			}
		})
	}
}

func TestAGroupWhoseMembersDidNotAllArriveLosesNone(t *testing.T) {
	w := newWorld(t)
	w.source.script = telling("c1", nil, staff(40)...)
	w.full(syncrun.Trigger{})
	half := group("inner", "uid=p000", "uid=p001", "uid=p002")
	reread := func(count int) syncrun.Run {
		w.source.script = func(ctx context.Context, _ v1.SyncRequest, emit connectorkit.Emit) error {
			page := half
			page.Success = true
			page.Page = &v1.Page{
				HasMore: true,
				Scopes:  []v1.Scope{{Kind: v1.Grants, Key: "entitlement:inner", Complete: true, Count: count}},
			}
			if err := emit(ctx, page); err != nil {
				return err
			}
			return changes("c2")(ctx, v1.SyncRequest{}, emit)
		}
		return w.full(syncrun.Trigger{Incremental: true})
	}
	if got := reread(20); got.Report.Grants.Missing != 0 || len(got.Warnings) != 1 {
		t.Errorf("with 3 of 20 members: %+v, %+v", got.Report.Grants, got.Warnings)
	}
	if got := reread(3); got.Status == syncrun.Succeeded && got.Report.Grants.Missing != 17 {
		t.Errorf("with all 3 members: %s, %+v", got.Status, got.Report.Grants)
	}
}

func TestASilentConnectorIsStuckAndAWaitingOneIsNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.stop()
	w.worker = w.service(t, func(s *worker.Service) { s.Silence = 1500 * time.Millisecond })
	pages := staff(3)
	attempts := 0
	w.source.script = func(ctx context.Context, req v1.SyncRequest, emit connectorkit.Emit) error {
		if attempts++; attempts == 1 {
			return paged(pages, func(ctx context.Context, n int) error {
				if n == 2 {
					<-ctx.Done()
				}
				return ctx.Err()
			})(ctx, req, emit)
		}
		until := time.Now().Add(3 * time.Second).Truncate(time.Millisecond)
		connectorkit.ReportOf(ctx).Send(v1.Progress{RateWaitUntil: &until, Message: "waiting for the target"})
		time.Sleep(time.Until(until))
		return paged(pages, nil)(ctx, req, emit)
	}
	run := w.start(syncrun.Trigger{ChunkSize: 1})
	told := w.await(run.ID, func(r syncrun.Run) bool {
		if r.Status == syncrun.Queued && r.Attempt == 1 {
			w.exec(`update sync_run set lease_until = now() where id = $1 and status = 'queued'`, run.ID)
		}
		return r.RateWaitUntil != nil || r.Status.Ended()
	})
	if told.RateWaitUntil == nil || told.Message != "waiting for the target" {
		t.Errorf("the wait is not shown: %+v", told)
	}
	got := w.ended(run.ID)
	if got.Status != syncrun.Succeeded || got.Attempt != 2 || got.RateWaitUntil != nil {
		t.Errorf("the run ended %s in attempt %d: %+v", got.Status, got.Attempt, got.Error)
	}
}

func TestRecordsArriveWholeWhateverTheSizes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	was := 0
	for _, tt := range []struct{ records, chunk int }{
		{0, 500}, {1, 500}, {999, 1000}, {1000, 1000}, {1001, 1000}, {65535, 10000}, {65536, 10000}, {65537, 9999},
	} {
		w.source.script = func(ctx context.Context, _ v1.SyncRequest, emit connectorkit.Emit) error {
			page := v1.SyncResponse{
				Success: true,
				Page:    &v1.Page{Scopes: []v1.Scope{{Kind: v1.Accounts, Key: "*", Complete: true, Count: tt.records}}},
			}
			for i := range tt.records {
				page.Accounts = append(page.Accounts, v1.RemoteAccount{ExternalID: fmt.Sprint("a", i)})
			}
			return emit(ctx, page)
		}
		got := w.full(syncrun.Trigger{ChunkSize: tt.chunk})
		want := counters.Counts{Created: int64(tt.records - was), Unchanged: int64(was)}
		n := one[int](w, `select count(*) from account`)
		if diff := cmp.Diff(want, got.Report.Accounts); diff != "" || n != tt.records || !got.Complete["accounts"] {
			t.Errorf(
				"%d in chunks of %d: %d accounts, complete %v; -want +got\n%s",
				tt.records,
				tt.chunk,
				n,
				got.Complete,
				diff,
			)
		}
		was = tt.records
	}
}
