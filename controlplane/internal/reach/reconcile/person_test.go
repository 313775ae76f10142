package reconcile_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
)

// team knows p1 … pn, who work in Sales.
func team(t testing.TB, n int) *world {
	t.Helper()
	w := newWorld(t)
	for i := 1; i <= n; i++ {
		w.knowPerson(fmt.Sprintf("p%d", i), row{"department": "Sales", "employee_number": fmt.Sprint(i)})
	}
	return w
}

// sawTeam stages those from p<from> to p<to>, each with these columns of their own.
func (w *world) sawTeam(from, to int, more ...row) *world {
	w.t.Helper()
	for i := from; i <= to; i++ {
		w.sawPerson(
			fmt.Sprintf("p%d", i),
			append([]row{{"department": "Sales", "employee_number": fmt.Sprint(i)}}, more...)...)
	}
	return w
}

func (w *world) person(ext string) string {
	w.t.Helper()
	return one[string](
		w,
		`select status || ' ' || coalesce(status_reason, '-') from identity where external_id = $1`,
		ext,
	)
}

func TestWhoTheSourceLosesIsDeactivatedWhenTheirAbsenceIsProvenAgain(t *testing.T) {
	w := team(t, 12)
	mailbox := w.connect("mail")
	w.insert(
		"account",
		row{
			"id":                newID(),
			"connector_id":      mailbox,
			"external_id":       "p1",
			"identity_id":       one[string](w, `select id::text from identity where external_id = 'p1'`),
			"correlation_state": "linked",
			"row_hash":          hash("h"),
		},
	)
	w.begin().sawTeam(2, 12).complete("identities")
	w.apply(w.evaluate())
	if got := w.person("p1"); got != "active -" {
		t.Errorf("after the first absence: %s", got)
	}
	w.begin().sawTeam(2, 12).complete("identities")
	v := w.evaluate()
	if diff := cmp.Diff([]string{"identity.remove p1 pending"}, w.changes()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	w.apply(v)
	if got := w.person("p1"); got != "deactivated source_removed" {
		t.Errorf("after the second: %s", got)
	}
	if got := one[string](w, `select status || version from account`); got != "active1" {
		t.Errorf("their account at another connector is %s; want it untouched", got)
	}
	if n := one[int](
		w,
		`select count(*) from audit_event where action = 'identity.deactivated'
			and (event::json -> 'context' ->> 'count') = '1'`,
	); n != 1 {
		t.Errorf("%d audit entries; want 1", n)
	}
	w.begin().sawTeam(1, 12).complete("identities")
	w.apply(w.evaluate())
	if got := w.person("p1"); got != "active -" ||
		one[int](w, `select count(*) from identity_source where removed_at is not null or missing_runs > 0`) != 0 {
		t.Errorf("back again: %s", got)
	}
}

func TestWhoAnotherSourceKnowsOrAPersonDecidedAboutStays(t *testing.T) {
	w := team(t, 30)
	id := func(ext string) string {
		return one[string](w, `select id::text from identity where external_id = $1`, ext)
	}
	w.feed(w.connect("hr"), "E1", id("p1"))
	w.exec(`update identity set status_source = 'manual' where external_id = 'p2'`)
	w.exec(`update identity set source_connector_id = null where external_id = 'p3'`)
	w.begin()
	for i := 1; i <= 4; i++ {
		w.sawPerson(fmt.Sprintf("p%d", i), deleted)
	}
	v := w.evaluate()
	want := []string{
		"p1 - another source still knows this person",
		"p2 - the source says that they were deleted",
		"p3 - the source says that they were deleted",
		"p4 identity_deactivation the source says that they were deleted",
	}
	if diff := cmp.Diff(
		want,
		w.lines(`select external_id || ' ' || coalesce(guard, '-') || ' ' || reason from sync_change order by n`),
	); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	w.apply(v) // the person is named by the source that still has them
	for ext, want := range map[string]string{"E1": "active -", "p2": "active -", "p3": "active -",
		"p4": "deactivated source_removed"} {
		if got := w.person(ext); got != want {
			t.Errorf("%s is %s; want %s", ext, got, want)
		}
	}
}

func TestWhoTheSourceCallsInactiveStaysSoWhenTheyComeBack(t *testing.T) {
	w := team(t, 20)
	w.begin().sawPerson("p1", deleted)
	w.apply(w.evaluate())
	w.begin().sawPerson("p1", row{"source_status": "deactivated", "is_disabled": true})
	w.apply(w.evaluate())
	if got := w.person("p1"); got != "deactivated source_removed" {
		t.Errorf("p1 is %s", got)
	}
}

func TestOnlyNamedFieldsAreToldAndNeverWhatElseARecordHolds(t *testing.T) {
	w := team(t, 20).begin()
	w.sawPerson(
		"p1",
		row{
			"department":      "Support",
			"employee_number": "1",
			"location":        "Bern",
			"attributes":      `{"secret": "s3cret"}`,
			"row_hash":        hash("new"),
		},
	)
	w.evaluate()
	got := w.lines(
		`select array_to_string(fields, ',') || ' | ' || before::text || ' | ' || after::text || ' | ' || guard
			from sync_change`,
	)
	want := []string{`department,location | {"department": "Sales"} | {"department": "Support"} | attribute_rewrite`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestRewritesInMassAreHeldByTheFieldThatIsRewritten(t *testing.T) {
	w := team(t, 30)
	w.begin().
		sawTeam(1, 18, row{"department": nil, "row_hash": hash("new")}).
		sawTeam(19, 28, row{"title": "Rep", "row_hash": hash("new")})
	w.sawTeam(29, 30, row{"department": "Support", "row_hash": hash("new")})
	v := w.evaluate()
	if diff := cmp.Diff([]string{"attribute_rewrite.department limit"}, holdKinds(v)); diff != "" {
		t.Fatalf("-want +got\n%s", diff)
	}
	if v.Holds[0].Observed != 20 || v.Holds[0].Population != 30 ||
		v.Holds[0].Cause != "the department of 18 people becomes empty: the source no longer sends it, or sends it "+
			"under another name" {
		t.Errorf("hold %+v", v.Holds[0])
	}
	if n := one[int](w, `select count(*) from stage_identity where held`); n != 20 {
		t.Errorf("%d records are left out of the merge; want 20: new titles go on", n)
	}
}

func TestFillingWhatWasEmptyIsNoRewrite(t *testing.T) {
	w := team(t, 30)
	w.exec(`update identity set department = null`)
	w.begin().sawTeam(1, 30, row{"row_hash": hash("new")})
	if v := w.evaluate(); len(v.Holds) != 0 || v.Changes["identity.update"] != 30 {
		t.Errorf("holds %v, changes %v", v.Holds, v.Changes)
	}
}

func TestWhoIsDisabledAtTheirSourceIsWeighedAsLeaving(t *testing.T) {
	w := team(t, 30)
	w.begin().sawTeam(1, 6, row{"source_status": "deactivated", "is_disabled": true, "row_hash": hash("off")})
	v := w.evaluate()
	if diff := cmp.Diff(
		[]string{"identity_deactivation limit"},
		holdKinds(v),
	); diff != "" ||
		v.Changes["identity.disable"] != 6 {
		t.Errorf("changes %v, -want +got\n%s", v.Changes, diff)
	}
	if v.Holds[0].Cause != "6 of 6 belong to the department Sales" {
		t.Errorf("cause %q", v.Holds[0].Cause)
	}
}

func TestAManagerWhoMovesIsNoNewManager(t *testing.T) {
	w := team(t, 30)
	w.exec(
		`update identity set manager_id = (select id from identity where external_id = 'p1'),
			manager_external_id = 'p1', manager_from_source = true where external_id <> 'p1'`,
	)
	w.exec(
		`update identity_source set manager_ref_kind = 'native',
			manager_ref_value = 'uid=p1,ou=people' where external_id <> 'p1'`,
	)
	w.begin().
		sawTeam(2, 29, row{"manager_ref_kind": "native", "manager_ref_value": "uid=p1,ou=board",
			"row_hash": hash("new"), "title": "Rep"})
	w.sawTeam(1, 1, row{"native_ref": "uid=p1,ou=board", "row_hash": hash("moved")})
	w.sawTeam(
		30,
		30,
		row{"manager_ref_kind": "native", "manager_ref_value": "uid=p2,ou=people", "row_hash": hash("new")},
	)
	v := w.evaluate()
	if len(v.Holds) != 0 {
		t.Errorf("holds %+v", v.Holds)
	}
	if got := w.lines(
		`select external_id || ' ' || (before ->> 'manager') || ' ' || (after ->> 'manager') from sync_change
			where 'manager' = any(fields)`,
	); !cmp.Equal(
		got,
		[]string{"p30 p1 p2"},
	) {
		t.Errorf("managers change: %v", got)
	}
}

func TestNewPeopleInMassAreHeldAsWhenTheKeyChanges(t *testing.T) {
	w := team(t, 40).begin().complete("identities")
	for i := 1; i <= 40; i++ {
		w.sawPerson(
			fmt.Sprintf("new-%d", i),
			row{"email": fmt.Sprintf("p%d@x.test", i), "employee_number": fmt.Sprint(i)},
		)
	}
	v := w.evaluate()
	if diff := cmp.Diff(
		[]string{"identity_deactivation total_loss", "identity_create limit"},
		holdKinds(v),
	); diff != "" {
		t.Fatalf("-want +got\n%s", diff)
	}
	if v.Holds[1].Cause != "40 of 40 have the e-mail address of an existing identity: the key field of the source "+
		"may have changed" {
		t.Errorf("cause %q", v.Holds[1].Cause)
	}
}

func TestSomebodyWhoIsKnownFromElsewhereIsNoNewPerson(t *testing.T) {
	w := team(t, 20)
	w.insert(
		"identity",
		row{
			"id":              newID(),
			"external_id":     "X9",
			"email":           "nine@x.test",
			"employee_number": "900",
			"display_name":    "Nine",
		},
	)
	w.begin().
		sawPerson("p900", row{"email": "other@x.test", "employee_number": "900", "title": "Rep"}).
		sawPerson("p901")
	v := w.evaluate()
	if diff := cmp.Diff(map[string]int64{"identity.update": 1, "identity.create": 1}, v.Changes); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := w.lines(
		`select display || ' ' || array_to_string(fields, ',') from sync_change where change = 'update'`,
	); !cmp.Equal(got, []string{"Nine title,username"}) &&
		!cmp.Equal(got, []string{"Nine title"}) {
		t.Errorf("update: %v; want the title filled in, and the address kept", got)
	}
}

func TestATakenAddressIsNoChangeInEveryRun(t *testing.T) {
	w := team(t, 20)
	w.exec(`update identity set email = null where external_id = 'p1'`)
	w.exec(`update identity_source set row_hash = '\x00'::bytea || row_hash where external_id = 'p1'`)
	w.begin().sawTeam(1, 1, row{"email": "p2@x.test"})
	if w.evaluate(); len(w.changes()) != 0 {
		t.Errorf("changes %v; want none while the address is taken", w.changes())
	}
	w.begin().sawTeam(1, 1, row{"email": "free@x.test"})
	if w.evaluate(); !cmp.Equal(w.changes(), []string{"identity.update p1 pending"}) {
		t.Errorf("changes %v; want an update once it is free", w.changes())
	}
}

func TestAFirstLoadHasNothingToCompareButItsPreviewCounts(t *testing.T) {
	first := func(r *reconcile.Run) { r.FirstLoad = true }
	preview := func(r *reconcile.Run) { r.FirstLoad, r.Preview = true, true }
	w := newWorld(t).begin().
		complete(everything...).
		sawPerson("ann").
		sawAccount("ann").
		sawGroup("staff").
		sawMember("staff", dn("ann"))
	if v := w.evaluate(first); len(v.Changes) != 0 || len(w.changes()) != 0 {
		t.Errorf("first load: %v", v.Changes)
	}
	v := w.evaluate(preview)
	want := map[string]int64{"identity.create": 1, "account.create": 1, "entitlement.create": 1, "grant.create": 1}
	if diff := cmp.Diff(want, v.Changes); diff != "" {
		t.Errorf("preview: -want +got\n%s", diff)
	}
	w.apply(v, preview)
	if diff := cmp.Diff(
		[]string{
			"identity.create ann previewed",
			"account.create ann previewed",
			"entitlement.create staff previewed",
			"grant.create ann in staff previewed",
		},
		w.changes(),
	); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestAPreviewTellsWhatApplyingDoesAndDoesNothing(t *testing.T) {
	for name, fill := range map[string]func(o *office){
		"small": func(o *office) { o.sawAllBut("staff/cy").sawPerson("new") },
		"held":  func(o *office) { o.begin().complete(everything...).sawAccount("ann") },
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t)
			diff := func(change ...func(*reconcile.Run)) ([]string, []string, reconcile.Verdict) {
				fill(o)
				v := o.evaluate(change...)
				o.apply(v, change...)
				return o.lines(
					`select concat_ws(' ', object, change, external_id, guard, before, after) from sync_change
							where run_id = $1 order by n`,
					o.run,
				), holdKinds(v), v
			}
			before := o.lines(
				`select 'a' || status || version from account union all select 'g' || status || version
					from access_grant order by 1`,
			)
			previewed, wouldHold, _ := diff(func(r *reconcile.Run) { r.Preview = true })
			if after := o.lines(
				`select 'a' || status || version from account union all select 'g' || status || version
					from access_grant order by 1`,
			); !cmp.Equal(
				before,
				after,
			) {
				t.Errorf("the preview changed %s", cmp.Diff(before, after))
			}
			if n := one[int](
				o.world,
				`select count(*) from sync_change where state <> 'previewed'`,
			) + one[int](
				o.world,
				`select count(*) from stage_account where held`,
			) + one[int](
				o.world,
				`select count(*) from sync_hold where state <> 'previewed'`,
			); n != 0 {
				t.Errorf("%d rows look as if the preview were to be applied", n)
			}
			applied, holds, _ := diff()
			if d := cmp.Diff(previewed, applied); d != "" || len(applied) == 0 {
				t.Errorf("%d changes; -preview +apply\n%s", len(applied), d)
			}
			if d := cmp.Diff(wouldHold, holds); d != "" {
				t.Errorf("holds: -preview +apply\n%s", d)
			}
		})
	}
}
