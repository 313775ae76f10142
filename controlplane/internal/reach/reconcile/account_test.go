package reconcile_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
)

// crowd knows n accounts a1 … an.
func (w *world) crowd(n int) *world {
	w.t.Helper()
	w.exec(`
		insert into account (tenant_id, id, connector_id, external_id, native_ref, native_identity, username, row_hash)
		select current_tenant(), gen_random_uuid(), $1, 'a' || i, 'uid=a' || i || ',ou=' || i % 3,
		    'uid=a' || i || ',ou=' || i % 3, 'a' || i, 'h'
		  from generate_series(1, $2::int) i`, w.connector, n)
	return w
}

// sawCrowd stages the accounts from a<from> to a<to> as they are known.
func (w *world) sawCrowd(from, to int) *world {
	w.t.Helper()
	w.seq++
	w.exec(`
		insert into stage_account (tenant_id, run_id, seq, ord, new_id, external_id, native_ref, native_identity,
		    username, row_hash, account_type, attributes, deleted)
		select current_tenant(), $1, $2, i, gen_random_uuid(), 'a' || i, 'uid=a' || i || ',ou=' || i % 3,
		    'uid=a' || i || ',ou=' || i % 3, 'a' || i, 'h', 'person', '{}', false
		  from generate_series($3::int, $4::int) i`, w.run, w.seq, from, to)
	return w
}

func (w *world) states() string {
	w.t.Helper()
	return one[string](
		w,
		`select coalesce(string_agg(status || ' ' || n, ', ' order by status), '') from (select status, count(*) as n
			from account where connector_id = $1 group by 1) s`,
		w.connector,
	)
}

func TestAnAccountIsMissingFirstAndDeletedWhenItsAbsenceIsProvenAgain(t *testing.T) {
	w := newWorld(t).crowd(20)
	group := w.knowGroup("staff")
	held := w.knowGrant(one[string](w, `select id::text from account where external_id = 'a1'`), group)
	w.begin().sawCrowd(2, 20).complete("accounts")
	v := w.evaluate()
	done := w.apply(v)
	if diff := cmp.Diff(map[string]reconcile.Counts{"account": {Missing: 1}}, done); diff != "" {
		t.Errorf("first absence: -want +got\n%s", diff)
	}
	if got := w.states(); got != "active 19, missing 1" {
		t.Errorf("after the first absence: %s", got)
	}
	if got := one[string](w, `select status from access_grant where id = $1`, held); got != "active" {
		t.Errorf("the grant of a missing account is %s; want it untouched", got)
	}
	w.begin().sawCrowd(2, 20).complete("accounts")
	v = w.evaluate()
	if diff := cmp.Diff(
		[]string{"account.remove a1 pending", "grant.remove a1 in staff pending"},
		w.changes(),
	); diff != "" {
		t.Errorf("second absence: -want +got\n%s", diff)
	}
	if diff := cmp.Diff(
		map[string]reconcile.Counts{"account": {Removed: 1}, "grant": {Removed: 1}},
		w.apply(v),
	); diff != "" {
		t.Errorf("second absence: -want +got\n%s", diff)
	}
	if got := one[string](
		w,
		`select a.status || ' ' || g.status || ' ' || (a.deleted_at is not null) || ' ' || (g.revoked_at is not null)
		    || ' ' || a.version
		from account a join access_grant g on g.account_id = a.id`,
	); got != "deleted revoked true true 3" {
		t.Errorf("account, grant, when and version: %s", got)
	}
	if diff := cmp.Diff(
		[]string{"account.missing 1", "account.removed 1", "grant.removed 1"},
		w.lines(
			`select action || ' ' || (event::json -> 'context' ->> 'count') from audit_event order by action`,
		),
	); diff != "" {
		t.Errorf("audit: -want +got\n%s", diff)
	}
	if got := w.lines(
		`select state from sync_change where run_id = $1`,
		w.run,
	); !cmp.Equal(
		got,
		[]string{"applied", "applied"},
	) {
		t.Errorf("changes are %v; want both applied", got)
	}
}

func TestAnAccountThatComesBackIsItselfAgainWithoutAStorm(t *testing.T) {
	w := newWorld(t).crowd(20)
	w.exec(
		`update account set status = 'missing', missing_since = now(), missing_runs = 1,
			is_disabled = (external_id = 'a2') where external_id in ('a1', 'a2')`,
	)
	w.exec(
		`update account set status = 'deleted', missing_since = now(), missing_runs = 1,
			deleted_at = now() where external_id = 'a3'`,
	)
	w.begin().sawCrowd(1, 19).complete("accounts")
	w.insert("stage_present", row{"run_id": w.run, "seq": 99, "kind": "accounts", "external_id": "a20"})
	v := w.evaluate()
	if diff := cmp.Diff(
		[]string{"account.reappear a1 pending", "account.reappear a2 pending", "account.reappear a3 pending"},
		w.changes(),
	); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff(map[string]reconcile.Counts{"account": {Reappeared: 3}}, w.apply(v)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := w.states(); got != "active 19, disabled 1" {
		t.Errorf("states: %s", got)
	}
	if n := one[int](
		w,
		`select count(*) from account where missing_since is not null or missing_runs > 0 or deleted_at is not null`,
	); n != 0 {
		t.Errorf("%d accounts still look absent", n)
	}
	w.begin().sawCrowd(1, 20).complete("accounts")
	w.apply(w.evaluate())
	if got := w.changes(); len(got) != 0 {
		t.Errorf("the next run changes %v; want nothing", got)
	}
}

func TestWithoutAProvenCompleteReadingNothingGoesMissing(t *testing.T) {
	w := newWorld(t).crowd(3)
	for name, read := range map[string]func(w *world) func(*reconcile.Run){
		"nothing was read, nothing attested": func(w *world) func(*reconcile.Run) { return func(*reconcile.Run) {} },
		"the first page of forty": func(w *world) func(*reconcile.Run) {
			w.sawCrowd(1,
				1)
			return func(*reconcile.Run) {}
		},
		"attested, but the run says it is not whole": func(w *world) func(*reconcile.Run) {
			w.sawCrowd(1, 2).complete("accounts")
			return func(r *reconcile.Run) { r.Complete["accounts"] = false }
		},
		"another kind is complete": func(w *world) func(*reconcile.Run) {
			w.sawCrowd(1, 2).complete("entitlements")
			return func(*reconcile.Run) {}
		},
		"a record came without its key": func(w *world) func(*reconcile.Run) {
			w.sawCrowd(1, 2).complete("accounts")
			w.insert("sync_error", row{"run_id": w.run, "object": "account", "code": "missing_key", "message": "m"})
			return func(*reconcile.Run) {}
		},
	} {
		t.Run(name, func(t *testing.T) {
			change := read(w.begin())
			v := w.evaluate(change)
			w.apply(v, change)
			if got := w.states(); got != "active 3" || len(v.Holds) != 0 {
				t.Errorf("states %s, holds %v; want three active accounts", got, v.Holds)
			}
		})
	}
}

func TestARecordThatWasSetAsideIsNotGone(t *testing.T) {
	w := newWorld(t).crowd(20).begin().sawCrowd(2, 20).complete("accounts")
	w.insert(
		"sync_error",
		row{"run_id": w.run, "object": "account", "external_id": "a1", "code": "record_too_large", "message": "m"},
	)
	w.evaluate()
	if got := w.changes(); len(got) != 0 {
		t.Errorf("changes %v; want none", got)
	}
}

func TestAnEmptyAnswerIsHeldWithItsCause(t *testing.T) {
	w := newWorld(t).crowd(6).begin().complete("accounts")
	v := w.evaluate()
	if diff := cmp.Diff([]string{"account_missing total_loss"}, holdKinds(v)); diff != "" {
		t.Fatalf("holds: -want +got\n%s", diff)
	}
	if v.Holds[0].Cause != "the source answered without any of 6 accounts" || v.HeldUntil == nil {
		t.Errorf("cause %q until %v", v.Holds[0].Cause, v.HeldUntil)
	}
	if diff := cmp.Diff(map[string]reconcile.Counts{}, w.apply(v)); diff != "" {
		t.Errorf("applied: -want +got\n%s", diff)
	}
	if got := w.states(); got != "active 6" {
		t.Errorf("states: %s", got)
	}
}

func TestTheGuardWeighsTheRunAndTheDayBefore(t *testing.T) {
	for _, tt := range []struct {
		name               string
		known, gone, daily int
		want               []string
	}{
		{"3 of 20", 20, 3, 0, []string{}},
		{"300 of 5,000", 5000, 300, 0, []string{"account_missing limit"}},
		{"60 of 5,000 after 100 others", 5000, 60, 100, []string{"account_missing limit"}},
		{"50 of 5,000 after 100 others", 5000, 50, 100, []string{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t).crowd(tt.known)
			if tt.daily > 0 {
				w.begin().sawCrowd(1, tt.known-tt.daily).complete("accounts")
				w.apply(w.evaluate())
			}
			w.begin().sawCrowd(tt.gone+1, tt.known).complete("accounts")
			v := w.evaluate()
			if diff := cmp.Diff(tt.want, holdKinds(v)); diff != "" {
				t.Errorf("holds: -want +got\n%s", diff)
			}
			if len(v.Holds) > 0 &&
				(v.Holds[0].Observed != int64(tt.gone) || v.Holds[0].Recent != int64(tt.daily) ||
					v.Holds[0].Allowed != 150) {
				t.Errorf("hold %+v; want %d after %d with 150 allowed", v.Holds[0], tt.gone, tt.daily)
			}
		})
	}
}

func TestWhoWentMissingYesterdayIsNotCountedAgainWhenTheyGo(t *testing.T) {
	w := newWorld(t).crowd(5000).begin().sawCrowd(101, 5000).complete("accounts")
	w.apply(w.evaluate())
	w.begin().sawCrowd(101, 5000).complete("accounts")
	v := w.evaluate()
	if len(v.Holds) != 0 || v.Changes["account.remove"] != 100 {
		t.Errorf("holds %v, changes %v; want 100 removals to pass", v.Holds, v.Changes)
	}
}

func TestATombstoneRemovesAtOnceAndTheLastWordWins(t *testing.T) {
	w := newWorld(t).crowd(20).begin()
	incremental := func(r *reconcile.Run) { r.Incremental, r.Complete = true, map[string]bool{} }
	w.sawAccount("a1", deleted).sawAccount("a2", deleted).sawAccount("a2", row{"row_hash": hash("new")})
	w.sawAccount("a3").sawAccount("a3", deleted).sawAccount("unknown", deleted)
	w.sawAccount("a4", deleted)
	w.insert("stage_present", row{"run_id": w.run, "seq": 99, "kind": "accounts", "external_id": "a4"})
	v := w.evaluate(incremental)
	if diff := cmp.Diff(
		[]string{"account.remove a1 pending", "account.remove a3 pending", "account.update a2 pending"},
		w.changes(),
	); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	w.apply(v, incremental)
	if got := w.states(); got != "active 18, deleted 2" {
		t.Errorf("states: %s", got)
	}
}

func TestOneConfirmationOrThreeAreUpToTheConnector(t *testing.T) {
	for required, want := range map[int]string{1: "active 19, deleted 1", 3: "active 19, missing 1"} {
		t.Run(fmt.Sprint(required), func(t *testing.T) {
			w := newWorld(t).crowd(20)
			w.exec(`update connector set deletion = jsonb_build_object('missing_runs_required', $1::int)`, required)
			rounds := 1
			if required == 3 {
				rounds = 2
			}
			for range rounds {
				w.begin().sawCrowd(2, 20).complete("accounts")
				w.apply(w.evaluate())
			}
			if got := w.states(); got != want {
				t.Errorf("after %d absences: %s; want %s", rounds, got, want)
			}
			w.begin().sawCrowd(2, 20).complete("accounts")
			w.apply(w.evaluate())
			if got := w.states(); got != "active 19, deleted 1" {
				t.Errorf("at last: %s", got)
			}
		})
	}
}

func TestDisabledAccountsInMassAreHeldAndTheirRowsLeftOutOfTheMerge(t *testing.T) {
	w := newWorld(t).crowd(30).begin().sawCrowd(13, 30).complete("accounts")
	for i := 1; i <= 12; i++ {
		w.sawAccount(fmt.Sprintf("a%d", i), row{"is_disabled": true, "row_hash": hash("off")})
	}
	v := w.evaluate()
	if diff := cmp.Diff([]string{"account_disabled limit"}, holdKinds(v)); diff != "" {
		t.Fatalf("holds: -want +got\n%s", diff)
	}
	if n := one[int](w, `select count(*) from stage_account where held`); n != 12 {
		t.Errorf("%d staged rows are held; want 12", n)
	}
	again := w.evaluate()
	if diff := cmp.Diff(
		v,
		again,
		cmpopts.IgnoreFields(reconcile.Hold{}, "ID", "ExpiresAt"),
		cmpopts.IgnoreFields(reconcile.Verdict{}, "HeldUntil"),
	); diff != "" {
		t.Errorf("evaluated twice: -first +second\n%s", diff)
	}
	if n := one[int](w, `select count(*) from sync_change where run_id = $1`, w.run); n != 12 {
		t.Errorf("%d changes after evaluating twice; want 12", n)
	}
}

func TestARunAfterOtherSettingsRemovesNothingUnseen(t *testing.T) {
	w := newWorld(t).crowd(30).begin().sawCrowd(2, 30).complete("accounts")
	v := w.evaluate(func(r *reconcile.Run) { r.SettingsChanged = true })
	if diff := cmp.Diff(
		[]string{"account_missing settings_changed"},
		holdKinds(v),
	); diff != "" ||
		v.Holds[0].Cause != "the connection settings changed since the last good run" {
		t.Errorf("holds %+v; -want +got\n%s", v.Holds, diff)
	}
}

func TestTheBranchThatIsGoneIsNamed(t *testing.T) {
	w := newWorld(t).crowd(60).begin().complete("accounts")
	w.seq++
	w.exec(
		`insert into stage_account (tenant_id, run_id, seq, ord, new_id, external_id, row_hash, account_type,
		    attributes, deleted)
		select current_tenant(), $1, 1, i, gen_random_uuid(), 'a' || i, 'h', 'person', '{}',
		    false from generate_series(1, 60) i where i % 3 <> 1`,
		w.run,
	)
	v := w.evaluate()
	if len(v.Holds) != 1 || v.Holds[0].Cause != "everything under ou=1 is gone: 20 of 20" {
		t.Errorf("holds %+v", v.Holds)
	}
}

func TestHoldingTheWholeRunLeavesEverythingOut(t *testing.T) {
	w := newWorld(t).crowd(6)
	w.exec(`update connector set safety = '{"hold_scope": "run", "hold_ttl": "PT1H"}'`)
	w.begin().complete("accounts").sawAccount("new")
	v := w.evaluate()
	if !v.HoldRun || len(v.Holds) != 1 || one[int](w, `select count(*) from sync_change where state <> 'held'`) != 0 ||
		one[int](w, `select count(*) from stage_account where held is not true`) != 0 {
		t.Errorf("verdict %+v, changes %v", v, w.changes())
	}
	if got := one[bool](w, `select held_until between now() + '59 min' and now() + '1 h' from sync_run`); !got {
		t.Error("the hold does not end after an hour")
	}
}
