package directory_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/event"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/action"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// openAt is open at an instant that the test moves.
func openAt(t *testing.T, now *time.Time) *recordtest.House {
	t.Helper()
	return recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		return (&directory.Service{DB: db, Cursors: cursors, Now: func() time.Time { return *now }}).Routes()
	})
}

func apply(h *recordtest.House, at time.Time) (due action.Due) {
	h.T.Helper()
	ctx := context.Background()
	if err := h.DB.As(
		ctx,
		h.Tenant,
		func(tx *pg.Tx) (err error) { due, err = action.ApplyDue(ctx, tx, at); return err },
	); err != nil {
		h.T.Fatal(err)
	}
	return due
}

func status(h *recordtest.House, id string) string {
	h.T.Helper()
	return h.Must(200, "admin", "GET", "/identities/"+id, nil).Text("status")
}

func TestDaysBeginWhereTheTenantIsAlsoWhenClocksChange(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	h := openAt(t, &now)
	// On 29 March 2026 clocks in Zurich go from UTC+1 to UTC+2, on 25 October back; Auckland is 13 hours ahead until 5
	// April.
	for _, tt := range []struct {
		zone, start, instant string
		want                 string
	}{
		{"Europe/Zurich", "2026-03-29", "2026-03-28T22:59:59Z", "pre_hire"},
		{"Europe/Zurich", "2026-03-29", "2026-03-28T23:00:00Z", "active"},
		{"Europe/Zurich", "2026-03-30", "2026-03-29T21:59:59Z", "pre_hire"},
		{"Europe/Zurich", "2026-03-30", "2026-03-29T22:00:00Z", "active"},
		{"Europe/Zurich", "2026-10-26", "2026-10-25T22:59:59Z", "pre_hire"},
		{"Europe/Zurich", "2026-10-26", "2026-10-25T23:00:00Z", "active"},
		{"Pacific/Auckland", "2026-04-05", "2026-04-04T10:59:59Z", "pre_hire"},
		{"Pacific/Auckland", "2026-04-05", "2026-04-04T11:00:00Z", "active"},
		{"Pacific/Auckland", "2026-04-06", "2026-04-05T11:59:59Z", "pre_hire"},
		{"Pacific/Auckland", "2026-04-06", "2026-04-05T12:00:00Z", "active"},
		{"America/St_Johns", "2026-03-09", "2026-03-09T02:29:59Z", "pre_hire"},
		{"America/St_Johns", "2026-03-09", "2026-03-09T02:30:00Z", "active"},
	} {
		h.Must(200, "admin", "PUT", "/settings/lifecycle", map[string]any{"timezone": tt.zone})
		now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		id := hire(
			h,
			strings.ReplaceAll(tt.zone+tt.instant, "/", "-"),
			map[string]any{"start_date": tt.start, "email": fmt.Sprintf("p%d@example.com", rand.Int())},
		).Text("id")
		at, _ := time.Parse(time.RFC3339, tt.instant)
		apply(h, at)
		if got := status(h, id); got != tt.want {
			t.Errorf("%s: who starts on %s is %s at %s; want %s", tt.zone, tt.start, got, tt.instant, tt.want)
		}
		h.Must(204, "admin", "DELETE", "/identities/"+id, nil)
	}
}

func TestWhateverPassedMeanwhileSomebodyIsWhatTheyAreToday(t *testing.T) {
	now := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	h := openAt(t, &now)
	ctx := context.Background()
	for name, dates := range map[string]map[string]any{
		"starts":   {"start_date": "2026-05-10"},
		"leaves":   {"start_date": "2026-05-10", "termination_date": "2026-06-30"},
		"away":     {"leave_from": "2026-06-01", "leave_to": "2026-08-31"},
		"was-away": {"leave_from": "2026-05-02", "leave_to": "2026-05-20"},
		"last-day": {"termination_date": "2026-07-15"},
		"stays":    {},
	} {
		hire(h, name, dates)
	}
	as := func(fn func(tx *pg.Tx) error) {
		t.Helper()
		if err := h.DB.As(ctx, h.Tenant, fn); err != nil {
			t.Fatal(err)
		}
	}
	as(func(tx *pg.Tx) error {
		return event.Want(ctx, tx, "test", event.IdentityUpdated, event.IdentityDeactivated)
	})
	before := h.Count(`select count(*) from audit_event`)
	now = time.Date(2026, 7, 15, 21, 0, 0, 0, time.UTC) // the service was away for ten weeks
	if got, want := apply(h, now), (action.Due{Started: 1, Left: 1, OnLeave: 1}); got != want {
		t.Errorf("moved %+v; want %+v", got, want)
	}
	if again := apply(h, now); again != (action.Due{}) {
		t.Errorf("a second time moved %+v", again)
	}
	got := h.Strings(`select external_id || ' ' || status || ' ' || status_source from identity order by 1`)
	want := []string{
		"away on_leave policy",
		"last-day notice manual",
		"leaves deactivated policy",
		"starts active policy",
		"stays active manual",
		"was-away active manual",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if n := h.Count(`select count(*) from audit_event`) - before; n != 3 {
		t.Errorf("%d moves are on record; want 3", n)
	}
	if n := h.Count(`select count(*) from event`); n != 3 {
		t.Errorf("%d moves were told; want 3", n)
	}
}

// TestEveryPairOfStatesIsAllowedOrNot tries every action from every state.
func TestEveryPairOfStatesIsAllowedOrNot(t *testing.T) {
	now := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	h := openAt(t, &now)
	make := map[string]func(id string){
		"active":   func(string) {},
		"pre_hire": func(string) {},
		"on_leave": func(id string) { h.Must(200, "admin", "POST", "/identities/"+id+"/leave", `{"reason":"x"}`) },
		"notice": func(id string) {
			h.Must(
				200,
				"admin",
				"POST",
				"/identities/"+id+"/deactivate",
				`{"reason":"x","effective_at":"2026-06-01T00:00:00Z"}`,
			)
		},
		"deactivated": func(id string) {
			h.Must(200, "admin", "POST", "/identities/"+id+"/deactivate",
				`{"reason":"x"}`)
		},
		"archived": func(id string) { h.Must(204, "admin", "DELETE", "/identities/"+id, nil) },
	}
	actions := map[string]string{
		"leave":      `{"reason":"x"}`,
		"return":     `{}`,
		"deactivate": `{"reason":"x"}`,
		"reactivate": `{}`,
		"later":      `{"reason":"x","effective_at":"2026-07-01T00:00:00Z"}`,
	}
	want := map[string]string{
		"active leave":           "on_leave",
		"active deactivate":      "deactivated",
		"active later":           "notice",
		"pre_hire deactivate":    "deactivated",
		"pre_hire reactivate":    "active",
		"on_leave return":        "active",
		"on_leave reactivate":    "active",
		"on_leave deactivate":    "deactivated",
		"on_leave later":         "notice",
		"notice reactivate":      "active",
		"notice deactivate":      "deactivated",
		"notice later":           "notice",
		"deactivated reactivate": "active",
	}
	for state, become := range make {
		for action, body := range actions {
			more := map[string]any{}
			if state == "pre_hire" {
				more["start_date"] = "2026-09-01"
			}
			id := hire(h, state+action, more).Text("id")
			become(id)
			if got := status(h, id); got != state {
				t.Fatalf("%s is %s", state, got)
			}
			path := "/identities/" + id + "/" + strings.Replace(action, "later", "deactivate", 1)
			to := want[state+" "+action]
			try := h.Call("admin", "POST", path+"?dry_run=true", body)
			if got := status(h, id); got != state {
				t.Errorf("a dry run of %s made %s of %s", action, got, state)
			}
			a := h.Call("admin", "POST", path, body)
			switch {
			case to == "" && (a.Status != 409 || a.Body["code"] != "invalid_transition" || a.Body["allowed"] == nil ||
				try.Status != 409):
				t.Errorf("%s %s: got %d %v; want it refused", state, action, a.Status, a.Body)
			case to != "" && (a.Status != 200 || a.Text("status") != to || try.Text("status") != to ||
				try.Body["impact"] == nil || a.Body["impact"] != nil):
				t.Errorf(
					"%s %s: got %d %v, dry run %v; want %s",
					state,
					action,
					a.Status,
					a.Text("status"),
					try.Text("status"),
					to,
				)
			}
		}
	}
}

// TestSQLAndGoAgreeOnStates holds the database's function against a second reading of the rules, over dates at random;
// and what the worker makes of a date against what a write makes of it.
func TestSQLAndGoAgreeOnStates(t *testing.T) {
	now := time.Date(2026, 5, 15, 12, 0, 0, 0, time.UTC)
	h := openAt(t, &now)
	h.Must(
		200,
		"admin",
		"PUT",
		"/settings/lifecycle",
		map[string]any{"timezone": "Europe/Zurich", "notice_lead": "P3D"},
	)
	r := rand.New(rand.NewPCG(5, 15))
	day := func() any {
		if r.IntN(3) == 0 {
			return nil
		}
		return time.Date(2026, 5, 10+r.IntN(11), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	}
	rule := func(d map[string]any, at time.Time) string {
		zone, _ := time.LoadLocation("Europe/Zurich")
		today := at.In(zone).Format(time.DateOnly)
		soon := at.Add(72 * time.Hour).In(zone).Format(time.DateOnly)
		text := func(name string) string { s, _ := d[name].(string); return s }
		last, _ := d["last_working_at"].(string)
		end, start, from, to := text("termination_date"), text("start_date"), text("leave_from"), text("leave_to")
		lastAt, _ := time.Parse(time.RFC3339, last)
		switch {
		case last != "" && !lastAt.After(at), last == "" && end != "" && end < today:
			return "deactivated"
		case start > today:
			return "pre_hire"
		case last != "" && !lastAt.After(at.Add(72*time.Hour)), last == "" && end != "" && end <= soon:
			return "notice"
		case from != "" && from <= today && (to == "" || to >= today):
			return "on_leave"
		}
		return "active"
	}
	type made struct {
		id    string
		dates map[string]any
	}
	var all []made
	for i := range 150 {
		d := map[string]any{
			"start_date":       day(),
			"termination_date": day(),
			"leave_from":       day(),
			"leave_to":         day(),
			"last_working_at":  nil,
		}
		if r.IntN(4) == 0 {
			d["last_working_at"] = now.Add(time.Duration(r.IntN(200)-100) * time.Hour).Format(time.RFC3339)
		}
		a := hire(h, fmt.Sprint("p", i), d)
		if got, want := a.Text("status"), rule(d, now); got != want {
			t.Errorf("made with %v they are %s; want %s", d, got, want)
		}
		all = append(all, made{a.Text("id"), d})
	}
	for range 8 {
		now = now.Add(time.Duration(r.IntN(40)) * time.Hour)
		apply(h, now)
		for _, m := range all {
			if got, want := status(h, m.id), rule(m.dates, now); got != want {
				t.Fatalf("at %s, %v: %s; want %s", now, m.dates, got, want)
			}
		}
		for range 10 { // and what is written in between
			m := all[r.IntN(len(all))]
			name := []string{"start_date", "termination_date", "leave_from", "leave_to"}[r.IntN(4)]
			m.dates[name] = day()
			got := h.Must(
				200,
				"admin",
				"PATCH",
				"/identities/"+m.id,
				map[string]any{name: m.dates[name]},
				"Content-Type",
				"application/merge-patch+json",
			)
			if want := rule(m.dates, now); got.Text("status") != want {
				t.Fatalf("at %s, %v: a change gave %s; want %s", now, m.dates, got.Text("status"), want)
			}
		}
	}
}

func TestLeaveIsDecidedAndEnds(t *testing.T) {
	now := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	h := openAt(t, &now)
	id := hire(h, "ada", nil).Text("id")
	at := "/identities/" + id
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		at+"/leave",
		`{"reason":"x","from":"2026-06-01","to":"2026-05-30"}`,
	)
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		at+"/leave",
		`{"reason":"x","from":"2026-01-01","to":"2026-01-30"}`,
	)
	h.Refused(422, "validation_failed", "admin", "POST", at+"/leave", `{"from":"2026-06-01"}`)
	if a := h.Must(
		200,
		"admin",
		"POST",
		at+"/leave",
		`{"reason":"parents","from":"2026-05-10","to":"2026-05-12"}`,
	); a.Text("status") != "active" ||
		a.Text("leave_from") != "2026-05-10" {
		t.Errorf("a leave to come: %v", a.Body)
	}
	for _, step := range []struct {
		at   string
		want string
	}{{"2026-05-09T23:59:59Z", "active"}, {"2026-05-10T00:00:00Z", "on_leave"}, {"2026-05-12T23:59:59Z", "on_leave"},
		{"2026-05-13T00:00:00Z", "active"}} {
		now, _ = time.Parse(time.RFC3339, step.at)
		apply(h, now)
		if got := status(h, id); got != step.want {
			t.Errorf("at %s they are %s; want %s", step.at, got, step.want)
		}
	}
	h.Must(200, "admin", "POST", at+"/leave", `{"reason":"again"}`)
	if a := h.Must(
		200,
		"admin",
		"GET",
		at,
		nil,
	); a.Text("status") != "on_leave" || a.Text("status_reason") != "again" || a.Text("leave_from") != "2026-05-13" ||
		a.Body["leave_to"] != nil {
		t.Errorf("an open leave: %v", a.Body)
	}
	now = now.AddDate(0, 0, 3)
	if a := h.Must(
		200,
		"admin",
		"POST",
		at+"/return",
		nil,
	); a.Text("status") != "active" ||
		a.Text("leave_to") != "2026-05-15" {
		t.Errorf("back: %v", a.Body)
	}
	apply(h, now)
	if got := status(h, id); got != "active" {
		t.Errorf("after they returned they are %s", got)
	}
}

func TestAnUrgentTerminationIsMarkedUntilTheyAreBack(t *testing.T) {
	now := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	h := openAt(t, &now)
	heir := hire(h, "heir", nil).Text("id")
	id := hire(h, "ada", map[string]any{"backup_owner_id": heir}).Text("id")
	bot := hire(
		h,
		"bot",
		map[string]any{"kind": "non_human", "email": nil, "sponsor_id": id, "backup_owner_id": heir},
	).Text("id")
	lonely := hire(
		h,
		"lonely",
		map[string]any{"kind": "non_human", "email": nil, "sponsor_id": id, "backup_owner_id": id},
	).Text("id")
	group := h.Entitlement(ldap, "g", id)
	at := "/identities/" + id
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		at+"/deactivate",
		`{"reason":"x","urgent":true,"effective_at":"2026-06-01T00:00:00Z"}`,
	)
	a := h.Must(200, "admin", "POST", at+"/deactivate", `{"reason":"fraud","urgent":true}`)
	if a.Body["urgent"] != true || a.Text("status") != "deactivated" {
		t.Errorf("got %v", a.Body)
	}
	if h.Count(`select count(*) from identity where id = $1 and sponsor_id = $2`, bot, heir) != 1 ||
		h.Count(`select count(*) from entitlement where id = $1 and owner_ids = array[$2::uuid]`, group, heir) != 1 {
		t.Error("what they answered for was not handed over")
	}
	list := h.Must(200, "admin", "GET", at+"/handover", nil).Items()
	if len(list) != 2 || list[0]["id"] != lonely || list[0]["as"] != "sponsor" {
		t.Errorf("nobody takes %v; want the lonely one, as sponsor and backup owner", list)
	}
	back := h.Must(200, "admin", "POST", at+"/reactivate", `{"reason":"an error"}`)
	if back.Body["urgent"] != false || back.Text("status_reason") != "an error" || back.Body["last_working_at"] != nil {
		t.Errorf("back: %v", back.Body)
	}
}

func TestWhoComesBackIsLinkedByNumberNeverByName(t *testing.T) {
	h := open(t)
	h.Must(200, "admin", "PUT", "/settings/lifecycle", map[string]any{"rehire_attribute": "ahv"})
	old := hire(
		h,
		"old",
		map[string]any{
			"employee_number": "77",
			"first_name":      "Ada",
			"last_name":       "Lind",
			"attributes":      map[string]any{"ahv": "756.1"},
		},
	).Text("id")
	hire(h, "still", map[string]any{"employee_number": "78"})
	h.Must(200, "admin", "POST", "/identities/"+old+"/deactivate", `{"reason":"left"}`)
	for name, tt := range map[string]struct {
		more map[string]any
		want any
	}{
		"number":    {map[string]any{"employee_number": "77"}, old},
		"attribute": {map[string]any{"attributes": map[string]any{"ahv": "756.1"}}, old},
		"name":      {map[string]any{"first_name": "Ada", "last_name": "Lind"}, nil},
		"not-gone":  {map[string]any{"employee_number": "78"}, nil},
	} {
		if got := hire(h, name, tt.more).Body["previous_identity_id"]; got != tt.want {
			t.Errorf("by %s: previous_identity_id = %v; want %v", name, got, tt.want)
		}
	}
}

func TestPeopleWhoLeftLongAgoAreArchivedAndForgotten(t *testing.T) {
	now := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	h := openAt(t, &now)
	h.Must(
		200,
		"admin",
		"PUT",
		"/settings/lifecycle",
		map[string]any{"archive_after": "P30D", "rehire_attribute": "ahv"},
	)
	leave := func(name string, more map[string]any) string {
		id := hire(h, name, more).Text("id")
		h.Must(200, "admin", "POST", "/identities/"+id+"/deactivate", `{"reason":"left"}`)
		return id
	}
	gone := leave(
		"gone",
		map[string]any{
			"employee_number": "7",
			"department":      "Sales",
			"title":           "Rep",
			"leave_from":      "2020-01-01",
			"leave_to":        "2020-02-01",
			"attributes":      map[string]any{"ahv": "756", "religion": "x"},
		},
	)
	usable := leave("usable", nil)
	h.Account(ldap, "usable", usable)
	deleted := hire(h, "deleted", nil).Text("id")
	h.Must(204, "admin", "DELETE", "/identities/"+deleted, nil)
	if due := apply(h, now.AddDate(0, 0, 29)); due != (action.Due{}) {
		t.Errorf("too early: %+v", due)
	}
	if due := apply(h, now.AddDate(0, 0, 30)); due.Archived != 2 {
		t.Errorf("archived %+v; want the one who left and the one who was archived by hand", due)
	}
	if due := apply(h, now.AddDate(0, 0, 31)); due != (action.Due{}) {
		t.Errorf("a second time: %+v", due)
	}
	got := h.Must(200, "admin", "GET", "/identities/"+gone, nil).Body
	for member, want := range map[string]any{"status": "archived", "status_reason": "retention", "external_id": "gone",
		"employee_number": "7", "department": "Sales",
		"email": nil, "first_name": nil, "title": nil, "leave_from": nil, "display_name": "Archived identity gone",
		"status_source": "policy"} {
		if got[member] != want {
			t.Errorf("%s = %v; want %v", member, got[member], want)
		}
	}
	if diff := cmp.Diff(map[string]any{"ahv": "756"}, got["attributes"]); diff != "" {
		t.Errorf("attributes: %s", diff)
	}
	if status(h, usable) != "deactivated" {
		t.Error("somebody whose account can still be used was archived")
	}
}

func TestManagersInACircleAreKeptAndTold(t *testing.T) {
	h := open(t)
	a := h.Person("a", "")
	b, c := h.Person("b", a), ""
	c = h.Person("c", b)
	h.Exec(`update identity set manager_id = $1 where id = $2`, c, a)
	report := h.Person("report", c)
	list := h.Must(200, "admin", "GET", "/identities?manager_cycle=true&sort=display_name", nil)
	if diff := cmp.Diff([]any{"a", "b", "c"}, list.Values("external_id")); diff != "" {
		t.Errorf("in circles: %s", diff)
	}
	if others := h.Must(200, "admin", "GET", "/identities?manager_cycle=false", nil); len(others.Items()) != 1 {
		t.Errorf("in no circle: %v", others.Values("external_id"))
	}
	for id, want := range map[string]bool{a: true, b: true, c: true, report: false} {
		if got := h.Must(200, "admin", "GET", "/identities/"+id, nil).Body["manager_cycle"]; got != want {
			t.Errorf("manager_cycle = %v; want %v", got, want)
		}
	}
	if n := len(h.Must(200, "admin", "GET", "/identities/"+a+"/reports?indirect=true", nil).Items()); n != 3 {
		t.Errorf("%d report to a; want 3", n)
	}
}

func TestAttributesFollowTheSchema(t *testing.T) {
	h := open(t)
	schema := map[string]any{"open": false, "attributes": []any{
		map[string]any{"name": "desk", "type": "number", "required": true},
		map[string]any{"name": "tier", "type": "enum", "allowed": []any{"gold", "silver"}},
		map[string]any{"name": "since", "type": "date"}, map[string]any{"name": "remote", "type": "boolean"},
		map[string]any{"name": "skills", "type": "list", "allowed": []any{"go", "sql"}, "pii": true},
	}}
	if a := h.Must(
		200,
		"admin",
		"GET",
		"/identities/schema/attributes",
		nil,
	); a.Body["open"] != true ||
		a.Header.Get("ETag") != `"0"` {
		t.Errorf("the default is %v", a.Body)
	}
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"PUT",
		"/identities/schema/attributes",
		`{"attributes":[{"name":"a","type":"enum"},{"name":"a","type":"string"},{"name":"9","type":"string"}]}`,
	)
	h.Must(200, "admin", "PUT", "/identities/schema/attributes", schema, "If-Match", `"0"`)
	h.Refused(412, "precondition_failed", "admin", "PUT", "/identities/schema/attributes", schema, "If-Match", `"0"`)
	good := map[string]any{"desk": 7, "tier": "gold", "since": "2026-01-31", "remote": true, "skills": []any{"go"}}
	id := hire(h, "ada", map[string]any{"attributes": good}).Text("id")
	for name, value := range map[string]any{"desk": "7", "tier": "bronze", "since": "31.1.2026", "remote": "yes",
		"skills": "go", "other": 1, "": nil} {
		bad := map[string]any{}
		for n, v := range good {
			bad[n] = v
		}
		if bad[name] = value; name == "" {
			delete(bad, "")
			delete(bad, "desk")
		}
		a := h.Refused(
			422,
			"invalid_attributes",
			"admin",
			"POST",
			"/identities",
			map[string]any{"external_id": "x", "email": "x@example.com", "attributes": bad},
		)
		if wrong, _ := a.Body["errors"].([]any); len(wrong) != 1 {
			t.Errorf("%s: %v", name, a.Body["errors"])
		}
	}
	h.Refused(
		422,
		"invalid_attributes",
		"admin",
		"PATCH",
		"/identities/"+id,
		`{"attributes":{"desk":null}}`,
		"Content-Type",
		"application/merge-patch+json",
	)
	h.Must(
		200,
		"admin",
		"PATCH",
		"/identities/"+id,
		`{"attributes":{"desk":8}}`,
		"Content-Type",
		"application/merge-patch+json",
	)
}
