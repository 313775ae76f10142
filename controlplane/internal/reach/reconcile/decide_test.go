package reconcile_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/changes"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/hold"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/removal"
	"github.com/grantwright/grantwright/controlplane/internal/reach/reconcile/safety"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// desk is a world with the API in front of it. Twenty people work in ou=0, ou=1 and ou=2, of whom half belong to Sales.
type desk struct {
	*world
	*recordtest.House
	woken int
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{}
	d.House = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		d.world = &world{t: t, db: db}
		holds := &hold.Service{DB: db, Now: time.Now, Wake: func() { d.woken++ }}
		diffs := &changes.Service{DB: db, Cursors: cursors}
		limits := &safety.Service{DB: db, Now: time.Now}
		return slices.Concat(holds.Routes(), diffs.Routes(), limits.Routes())
	})
	d.world.v = d.House.Tenant
	d.connector = d.connect("dir")
	d.Let("auditor", d.Tenant.Tenant, "", viewer.Auditor)
	d.Let("manager", d.Tenant.Tenant, "", viewer.Manager)
	d.crowd(20)
	d.exec(`insert into identity (tenant_id, id, external_id, email, display_name, department)
		select current_tenant(), gen_random_uuid(), external_id, external_id || '@x.test', external_id,
		    case when substr(external_id, 2)::int % 2 = 0 then 'Sales' end from account`)
	d.exec(
		`update account a set identity_id = i.id, correlation_state = 'linked' from identity i
			where i.external_id = a.external_id`,
	)
	return d
}

// hold lets twelve of the twenty accounts go, which is held, and brings a new one, which is not.
func (d *desk) hold() *desk {
	d.world.t.Helper()
	d.begin().sawCrowd(13, 20).sawAccount("new").complete("accounts")
	d.apply(d.evaluate())
	return d
}

func (d *desk) at(path string) string {
	return "/connectors/" + d.connector + "/sync-runs/" + d.run + path
}

func (d *desk) decision(count int, more ...row) map[string]any {
	held := d.Must(200, "admin", "GET", d.at("/holds"), nil)
	return with(
		row{"comment": "they moved to another site", "expected_count": count, "digest": held.Text("digest")},
		more,
	)
}

// finish does what the engine does with a released run.
func (d *desk) finish() map[string]reconcile.Counts {
	d.world.t.Helper()
	var left int64
	var done map[string]reconcile.Counts
	d.in(func(tx *pg.Tx) (err error) {
		if done, err = removal.Apply(context.Background(), tx, d.asRun()); err != nil {
			return err
		}
		if err = removal.Settle(context.Background(), tx, d.asRun()); err != nil {
			return err
		}
		left, err = hold.Count(context.Background(), tx, d.asRun())
		return err
	})
	status := "succeeded"
	if left > 0 {
		status = "held"
	}
	d.exec(`update sync_run set status = $2 where id = $1`, d.run, status)
	return done
}

func TestWhatIsHeldIsShownInGroupsWithItsCauses(t *testing.T) {
	d := newDesk(t).hold()
	diff := d.Must(200, "auditor", "GET", d.at("/diff"), nil)
	groups := diff.Body["groups"].([]any)
	first := groups[0].(map[string]any)
	if diff.Body["held"] != 12.0 || diff.Body["total"] != 13.0 || first["guard"] != "account_missing" ||
		first["change"] != "missing" ||
		first["count"] != 12.0 {
		t.Errorf("got %v", diff.Body)
	}
	want := []any{map[string]any{"value": nil, "count": 6.0}, map[string]any{"value": "Sales", "count": 6.0}}
	if d := cmp.Diff(want, first["departments"], cmp.Transformer("sorted", func(s []any) map[string]any {
		m := map[string]any{}
		for _, each := range s {
			m[fmt.Sprint(each.(map[string]any)["value"])] = each.(map[string]any)["count"]
		}
		return m
	})); d != "" {
		t.Errorf("departments: -want +got\n%s", d)
	}
	if n := len(first["containers"].([]any)); n != 3 || len(first["samples"].([]any)) != 5 {
		t.Errorf("%d containers, %d samples; want 3 and 5", n, len(first["samples"].([]any)))
	}
	holds := d.Must(200, "admin", "GET", d.at("/holds"), nil)
	hold := holds.Items()[0]
	if hold["kind"] != "account_missing" || hold["state"] != "open" || hold["held"] != 12.0 ||
		hold["cause"] != "only 9 of 20 accounts came" ||
		holds.Text("digest") != diff.Text("digest") {
		t.Errorf("hold %v", hold)
	}
	d.Refused(403, "forbidden", "manager", "GET", d.at("/diff"), nil)
	d.Refused(403, "read_only_role", "auditor", "POST", d.at("/release"), d.decision(12))
	d.Refused(404, "not_found", "admin", "GET", "/connectors/"+d.connector+"/sync-runs/"+newID()+"/diff", nil)
}

func TestChangesAreListedPageByPageAndByFilter(t *testing.T) {
	d := newDesk(t).hold()
	for query, want := range map[string]float64{"": 13, "?state=held": 12, "?change=create": 1,
		"?object=account,grant": 13, "?object=identity": 0,
		"?guard=account_missing": 12, "?q=A1": 4, "?state=held&q=a12": 1} {
		if got := d.Must(200, "auditor", "GET", d.at("/changes")+query, nil); got.Body["total"] != want {
			t.Errorf("%q: %v changes; want %v", query, got.Body["total"], want)
		}
	}
	first := d.Must(200, "admin", "GET", d.at("/changes?limit=10"), nil)
	rest := d.Must(200, "admin", "GET", d.at("/changes?limit=10&cursor="+first.Text("next_cursor")), nil)
	if len(first.Items()) != 10 || len(rest.Items()) != 3 || rest.Body["next_cursor"] != nil {
		t.Errorf("pages of %d and %d", len(first.Items()), len(rest.Items()))
	}
	if got := first.Items()[0]; got["before"].(map[string]any)["status"] != "active" || got["department"] == "" {
		t.Errorf("first change %v", got)
	}
}

func TestAFirstLoadListsWhatItBrought(t *testing.T) {
	d := newDesk(t)
	d.begin()
	d.exec(`update account set created_run_id = $1 where external_id in ('a1', 'a2')`, d.run)
	group := d.knowGroup("staff", row{"created_run_id": d.run})
	d.knowGrant(
		one[string](d.world, `select id::text from account where external_id = 'a1'`),
		group,
		row{"created_run_id": d.run},
	)
	list := d.Must(200, "admin", "GET", d.at("/changes?limit=3"), nil)
	rest := d.Must(200, "admin", "GET", d.at("/changes?limit=3&cursor="+list.Text("next_cursor")), nil)
	if list.Body["total"] != 4.0 || len(rest.Items()) != 1 || rest.Items()[0]["display"] != "a1 in staff" ||
		rest.Items()[0]["state"] != "applied" {
		t.Errorf("got %v, then %v", list.Body, rest.Body)
	}
	if diff := d.Must(
		200,
		"admin",
		"GET",
		d.at("/diff"),
		nil,
	); diff.Body["total"] != 4.0 || diff.Body["held"] != 0.0 ||
		len(diff.Body["groups"].([]any)) != 3 {
		t.Errorf("in groups: %v", diff.Body)
	}
}

func TestAReleaseMustNameWhatWasSeen(t *testing.T) {
	d := newDesk(t).hold()
	d.Refused(
		409,
		"digest_mismatch",
		"admin",
		"POST",
		d.at("/release"),
		d.decision(12, row{"digest": strings.Repeat("0", 64)}),
	)
	d.Refused(409, "count_mismatch", "admin", "POST", d.at("/release"), d.decision(11))
	d.Refused(422, "validation_failed", "admin", "POST", d.at("/release"), d.decision(12, row{"comment": ""}))
	d.Refused(422, "unknown_field", "admin", "POST", d.at("/release"), d.decision(12, row{"subsets": row{}}))
	if n := one[int](d.world, `select count(*) from sync_change where state = 'held'`); n != 12 || d.woken != 0 {
		t.Errorf("%d changes are held after refusals, woken %d times", n, d.woken)
	}
	d.insert(
		"sync_run",
		row{
			"id":           newID(),
			"connector_id": d.connector,
			"type":         "ldap",
			"incremental":  false,
			"chunk_size":   500,
			"status":       "queued",
		},
	)
	d.Refused(409, "sync_already_running", "admin", "POST", d.at("/release"), d.decision(12))
}

func TestReleasingAPartLeavesTheRestHeld(t *testing.T) {
	d := newDesk(t).hold()
	out := d.Must(
		202,
		"admin",
		"POST",
		d.at("/release"),
		d.decision(6, row{"subset": row{"kinds": []string{"account_missing"}, "departments": []string{"Sales"}}}),
	)
	if out.Body["released"] != 6.0 || out.Body["held"] != 6.0 || out.Text("status") != "applying" || d.woken != 1 {
		t.Errorf("released %v, woken %d", out.Body, d.woken)
	}
	if got := one[string](
		d.world,
		`select status || ' ' || (release ->> 'changes') || ' ' || (release ->> 'held') from sync_run`,
	); got != "applying 6 6" {
		t.Errorf("the run is %s", got)
	}
	d.Refused(409, "invalid_transition", "admin", "POST", d.at("/discard"), `{"comment":"no"}`)
	if diff := cmp.Diff(map[string]reconcile.Counts{"account": {Missing: 6}}, d.finish()); diff != "" {
		t.Errorf("applied: -want +got\n%s", diff)
	}
	if got := d.states(); got != "active 14, missing 6" {
		t.Errorf("states: %s", got)
	}
	hold := d.Must(200, "admin", "GET", d.at("/holds"), nil).Items()[0]
	if hold["state"] != "partly_released" || hold["held"] != 6.0 || hold["comment"] != "they moved to another site" {
		t.Errorf("hold %v", hold)
	}
	d.Must(202, "admin", "POST", d.at("/release"), d.decision(2, row{"subset": row{"containers": []string{"ou=1"}}}))
	d.finish()
	d.Must(
		202,
		"admin",
		"POST",
		d.at("/release"),
		d.decision(
			1,
			row{
				"subset": row{
					"external_ids": []string{"a3"},
					"objects":      []string{"account"},
					"changes":      []string{"missing"},
				},
			},
		),
	)
	d.finish()
	d.Must(202, "admin", "POST", d.at("/release"), d.decision(3))
	d.finish()
	if got := d.states(); got != "active 8, missing 12" {
		t.Errorf("at last: %s", got)
	}
	if hold := d.Must(
		200,
		"admin",
		"GET",
		d.at("/holds"),
		nil,
	); hold.Items()[0]["state"] != "released" ||
		hold.Body["held"] != 0.0 {
		t.Errorf("at last: %v", hold.Body)
	}
	if n := one[int](
		d.world,
		`select count(*) from audit_event where action = 'sync_run.released'
			and event::json -> 'context' ->> 'comment' = 'they moved to another site'`,
	); n != 4 {
		t.Errorf("%d releases are audited; want 4", n)
	}
}

func TestAReleasedChangeIsLookedAtAgain(t *testing.T) {
	d := newDesk(t).hold()
	d.exec(`update account set status = 'deleted' where external_id = 'a1'`)
	d.Must(202, "admin", "POST", d.at("/release"), d.decision(12))
	if diff := cmp.Diff(map[string]reconcile.Counts{"account": {Missing: 11, Skipped: 1}}, d.finish()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestReleasedRowsComeBackIntoTheMerge(t *testing.T) {
	d := newDesk(t)
	d.begin().sawCrowd(13, 20).complete("accounts")
	for i := 1; i <= 12; i++ {
		d.sawAccount(fmt.Sprintf("a%d", i), row{"is_disabled": true, "row_hash": hash("off")})
	}
	d.apply(d.evaluate())
	d.Must(
		202,
		"admin",
		"POST",
		d.at("/release"),
		d.decision(2, row{"subset": row{"external_ids": []string{"a1", "a2"}}}),
	)
	if n := one[int](d.world, `select count(*) from stage_account where held`); n != 10 {
		t.Errorf("%d rows are still left out; want 10", n)
	}
}

func TestAWhollyHeldRunStaysHeldUntilAllOfItIsDecided(t *testing.T) {
	d := newDesk(t)
	d.exec(`update connector set safety = '{"hold_scope": "run"}'`)
	d.hold()
	state := func() string {
		return one[string](
			d.world,
			`select r.status || ' ' || h.state || ' ' || (select count(*) from stage_account where held)
				from sync_run r join sync_hold h on h.run_id = r.id`,
		)
	}
	d.Must(
		202,
		"admin",
		"POST",
		d.at("/release"),
		d.decision(12, row{"subset": row{"kinds": []string{"account_missing"}}}),
	)
	d.finish()
	if got := state(); got != "held partly_released 9" || d.states() != "active 8, missing 12" {
		t.Errorf("after the missing ones: %s; accounts %s", got, d.states())
	}
	d.Must(202, "admin", "POST", d.at("/release"), d.decision(1))
	d.finish()
	if got := state(); got != "succeeded released 0" {
		t.Errorf("after all of it: %s", got)
	}
}

func TestDiscardingAppliesNothingAndEndsTheRun(t *testing.T) {
	d := newDesk(t).hold()
	d.Refused(422, "validation_failed", "admin", "POST", d.at("/discard"), `{"comment":""}`)
	d.Must(200, "admin", "POST", d.at("/discard"), `{"comment":"the directory was being repaired"}`)
	if got := d.states(); got != "active 20" {
		t.Errorf("states: %s", got)
	}
	if got := one[string](
		d.world,
		`select r.status || ' ' || (r.error ->> 'code') || ' ' || h.state || ' ' || h.comment from sync_run r
			join sync_hold h on h.run_id = r.id`,
	); got != "discarded discarded discarded the directory was being repaired" {
		t.Errorf("run and hold: %s", got)
	}
	d.Refused(
		409,
		"invalid_transition",
		"admin",
		"POST",
		d.at("/release"),
		row{"comment": "x", "expected_count": 1, "digest": strings.Repeat("0", 64)},
	)
}

func TestAHoldThatNobodyDecidesAboutExpiresToNothing(t *testing.T) {
	d := newDesk(t).hold()
	expire := func(now time.Time) {
		t.Helper()
		if err := hold.Expire(context.Background(), d.world.db, now); err != nil {
			t.Fatal(err)
		}
	}
	expire(time.Now().Add(71 * time.Hour))
	if got := one[string](d.world, `select status from sync_run`); got != "held" {
		t.Errorf("after 71 hours the run is %s", got)
	}
	expire(time.Now().Add(73 * time.Hour))
	if got := one[string](
		d.world,
		`select r.status || ' ' || h.state || ' ' || (select string_agg(distinct state, ',') from sync_change
		    where guard is not null)
		from sync_run r join sync_hold h on h.run_id = r.id`,
	); got != "expired expired discarded" ||
		d.states() != "active 20" {
		t.Errorf("after 73 hours: %s; accounts %s", got, d.states())
	}
	d.begin().sawCrowd(13, 20).complete("accounts")
	if v := d.evaluate(); len(v.Holds) != 1 || v.Holds[0].Observed != 12 || v.Holds[0].Recent != 0 {
		t.Errorf("the next run computes %+v anew", v.Holds)
	}
}

func TestANewerRunTakesThePlaceOfWhatIsHeld(t *testing.T) {
	d := newDesk(t).hold()
	earlier := d.run
	d.begin().sawCrowd(1, 20).complete("accounts")
	for _, preview := range []bool{true, false} {
		d.in(func(tx *pg.Tx) error {
			return hold.Supersede(
				context.Background(),
				tx,
				d.asRun(func(r *reconcile.Run) { r.Preview = preview }),
			)
		})
		want := map[bool]string{true: "held open", false: "discarded superseded"}[preview]
		if got := one[string](
			d.world,
			`select r.status || ' ' || h.state from sync_run r join sync_hold h on h.run_id = r.id where r.id = $1`,
			earlier,
		); got != want {
			t.Errorf("after a preview=%v: %s; want %s", preview, got, want)
		}
	}
}

func TestSafetyIsDecidedByTheRulesAndLooseningNeedsAReason(t *testing.T) {
	d := newDesk(t)
	at := "/connectors/" + d.connector + "/safety"
	now := d.Must(200, "auditor", "GET", at, nil)
	if now.Text("window") != "PT24H" || now.Body["total_loss"] != true || len(now.Body["effective"].([]any)) != 10 {
		t.Errorf("the standard is %v", now.Body)
	}
	safety := func(more ...row) row {
		return with(
			row{
				"limits":     []row{},
				"window":     "PT24H",
				"total_loss": true,
				"hold_scope": "kind",
				"hold_ttl":   "PT72H",
				"deletion":   row{"missing_runs_required": 2},
			},
			more,
		)
	}
	limits := func(kind string, floor, pct, most any) row {
		return row{"limits": []row{{"kind": kind, "floor": floor, "pct": pct, "cap": most}}}
	}
	d.Refused(422, "validation_failed", "admin", "PUT", at, safety(limits("accounts", 1, 1, 1)))
	d.Refused(422, "validation_failed", "admin", "PUT", at, safety(limits("account_missing", 5, 1, 1)))
	d.Refused(422, "validation_failed", "admin", "PUT", at, safety(limits("account_missing", 1, 101, 1)))
	d.Refused(422, "validation_failed", "admin", "PUT", at, safety(row{"window": "24h"}))
	d.Refused(422, "validation_failed", "admin", "PUT", at, safety(row{"hold_ttl": "P31D"}))
	d.Refused(422, "unknown_field", "admin", "PUT", at, safety(row{"unknown": 1}))
	d.Refused(422, "reason_required", "admin", "PUT", at, safety(limits("account_missing", 100, 50, 5000)))
	d.Refused(422, "reason_required", "admin", "PUT", at, safety(row{"total_loss": false}))
	d.Refused(422, "reason_required", "admin", "PUT", at, safety(row{"deletion": row{"missing_runs_required": 1}}))
	tighter := d.Must(
		200,
		"admin",
		"PUT",
		at,
		safety(limits("account_missing", 0, 1, 10), row{"hold_scope": "run", "window": "P2D"}),
		"If-Match",
		now.Header.Get("ETag"),
	)
	d.Refused(412, "precondition_failed", "admin", "PUT", at, safety(), "If-Match", now.Header.Get("ETag"))
	if again := d.Must(
		200,
		"admin",
		"GET",
		at,
		nil,
	); again.Header.Get("ETag") != tighter.Header.Get("ETag") ||
		again.Text("hold_scope") != "run" {
		t.Errorf("decided %v", again.Body)
	}
	d.Must(200, "admin", "PUT", at, safety(row{"reason": "the directory is being split"}))
	if got := d.lines(
		`select (event::json -> 'context' ->> 'reason') || ' ' || (event::jsonb -> 'context' -> 'loosened')
			from audit_event where action = 'connector.safety_changed' order by seq`,
	); !cmp.Equal(
		got,
		[]string{" []", `the directory is being split ["account_missing", "hold_scope", "window"]`},
	) {
		t.Errorf("audited: %v", got)
	}
	d.Refused(403, "forbidden", "manager", "GET", at, nil)
}

func TestTheTableOfChangesIsSafeInASpreadsheet(t *testing.T) {
	w := newWorld(t).crowd(20).begin()
	w.sawAccount("=cmd|' /C calc'!A0").sawAccount("+1").sawAccount(" @x").sawAccount("plain, with \"quotes\"")
	w.apply(w.evaluate())
	cursors, err := httpapi.NewCursors(make([]byte, 32), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	admin := viewer.Viewer{Tenant: w.v.Tenant, Kind: viewer.User, ID: "u", Roles: []viewer.Role{viewer.Admin}}
	known := func(context.Context, string, *http.Request) (viewer.Viewer, error) { return admin, nil }
	api := httpapi.New(
		httpapi.Config{Title: "test", Version: "1", Log: slog.New(slog.DiscardHandler), User: known, Agent: known},
	)
	api.Add((&changes.Service{DB: w.db, Cursors: cursors}).Routes()...)
	server := httptest.NewServer(api.Router)
	defer server.Close()
	req, err := http.NewRequest(
		"GET",
		server.URL+"/api/v1/connectors/"+w.connector+"/sync-runs/"+w.run+"/changes.csv?change=create",
		nil,
	)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer x")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines, err := csv.NewReader(res.Body).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/csv; charset=utf-8" ||
		!strings.HasPrefix(res.Header.Get("Content-Disposition"), "attachment;") ||
		len(lines) != 5 {
		t.Fatalf("got %d %v with %d lines", res.StatusCode, res.Header, len(lines))
	}
	var keys []string
	for _, line := range lines[1:] {
		keys = append(keys, line[5])
	}
	if diff := cmp.Diff([]string{"' @x", "'+1", "'=cmd|' /C calc'!A0", "plain, with \"quotes\""}, keys); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if n := one[int](w, `select count(*) from audit_event where action = 'sync_run.changes_exported'`); n != 1 {
		t.Errorf("%d exports are audited; want 1", n)
	}
}
