package schedule_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/schedule"
)

func TestAScheduleIsShownWithWhatComesOfIt(t *testing.T) {
	h := open(t)
	id := h.connector("hr")
	path := "/connectors/" + id + "/schedule"
	none := h.want(200, h.call("GET", path, nil))
	if none.body["incremental_cron"] != nil || none.body["timezone"] != "UTC" || none.body["next_run_at"] != nil ||
		len(none.body["upcoming"].([]any)) != 0 {
		t.Errorf("without a schedule: %s", none.text)
	}
	h.clock.set("2026-10-24T22:00:00Z") // the night in which clocks are put back in Berlin
	a := h.schedule(
		id,
		object{"incremental_cron": " 0 */2 * * * ", "full_cron": "0 2 * * *", "timezone": "Europe/Berlin"},
	)
	var got []string
	for _, u := range a.body["upcoming"].([]any) {
		got = append(got, fmt.Sprint(u.(object)["local"], " ", u.(object)["kind"]))
	}
	want := []string{
		"2026-10-25T02:00:00+02:00 full",
		"2026-10-25T04:00:00+01:00 incremental",
		"2026-10-25T06:00:00+01:00 incremental",
		"2026-10-25T08:00:00+01:00 incremental",
		"2026-10-25T10:00:00+01:00 incremental",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if a.body["next_full_run_at"] != "2026-10-25T00:00:00Z" ||
		a.body["next_incremental_run_at"] != "2026-10-25T00:00:00Z" ||
		a.body["next_run_at"] != "2026-10-25T00:00:00Z" {
		t.Errorf("got %s", a.text)
	}
	if a.etag == none.etag {
		t.Error("the ETag is that of the connector without a schedule")
	}
	h.want(412, h.call("PUT", path, object{}, none.etag))
	if again := h.schedule(
		id,
		object{
			"incremental_cron": "0 */2 * * *",
			"full_cron":        "0 2 * * *",
			"timezone":         "Europe/Berlin",
			"jitter":           "PT0S",
		},
	); again.etag != a.etag {
		t.Error("the same settings once more are a change")
	}
	ended := h.want(200, h.call("PUT", path, object{"incremental_cron": "", "full_cron": nil}, a.etag))
	if ended.body["next_run_at"] != nil || ended.body["timezone"] != "UTC" {
		t.Errorf("an ended schedule: %s", ended.text)
	}
	if n := text[int64](h, `select count(*) from audit_event where action = 'connector.schedule_changed'`); n != 2 {
		t.Errorf("%d changes in the audit log", n)
	}
	h.want(404, h.call("GET", "/connectors/"+h.tenant.Tenant+"/schedule", nil))
	h.want(404, h.call("PUT", "/connectors/nobody/schedule", object{}))
}

func TestABadScheduleIsRefusedFieldByField(t *testing.T) {
	h := open(t)
	path := "/connectors/" + h.connector("hr") + "/schedule"
	for _, c := range []struct {
		body object
		want string
	}{
		{object{"incremental_cron": "0 25 * * *"}, "#/incremental_cron invalid hour (character 3): 25 is not between " +
			"0 and 23"},
		{object{"incremental_cron": "* * * * *", "full_cron": "0 0 31 2 *"}, "#/incremental_cron too_often one " +
			"minute apart|#/full_cron never_occurs no day"},
		{object{"full_cron": "0 0 * * *", "timezone": "Europe/Atlantis"}, "#/timezone unknown_timezone IANA"},
		{object{"full_cron": "0 0 * * *", "timezone": "Local"}, "#/timezone unknown_timezone IANA"},
		{object{"full_cron": "0 0 * * *", "timezone": "../../etc/passwd"}, "#/timezone unknown_timezone IANA"},
		{object{"full_cron": "0 0 * * *", "jitter": "five minutes"}, "#/jitter invalid ISO 8601"},
		{object{"full_cron": "0 0 * * *", "jitter": "PT"}, "#/jitter invalid ISO 8601"},
		{object{"full_cron": "0 0 * * *", "jitter": "PT13H"}, "#/jitter invalid PT12H"},
		{object{"incremental_cron": "*/15 * * * *", "jitter": "PT11M"}, "#/jitter too_long it may be PT10M at most"},
		{object{"incremental_cron": "0,58 * * * *", "jitter": "PT1M"}, "#/incremental_cron too_often 2 minutes apart"},
	} {
		a := h.want(422, h.call("PUT", path, c.body))
		wants := strings.Split(c.want, "|")
		found := a.body["errors"].([]any)
		if len(found) != len(wants) {
			t.Errorf("%v: %s", c.body, a.text)
			continue
		}
		for i, want := range wants {
			e := found[i].(object)
			where, rest, _ := strings.Cut(want, " ")
			code, words, _ := strings.Cut(rest, " ")
			if e["pointer"] != where || e["code"] != code || !strings.Contains(e["detail"].(string), words) {
				t.Errorf("%v: %v; want %s", c.body, e, want)
			}
		}
	}
	if n := text[int64](h, `select count(*) from connector_schedule`); n != 0 {
		t.Error("something was written")
	}
	h.schedule(strings.Split(path, "/")[2], object{"incremental_cron": "*/15 * * * *", "jitter": "PT10M"})
}

func TestARunStartsOnTimeAndSaysWhy(t *testing.T) {
	h := open(t)
	id := h.connector("hr")
	h.schedule(id, object{"incremental_cron": "*/15 * * * *", "full_cron": "0 13 * * *"})
	for _, step := range []struct{ at, want string }{
		{"2026-06-01T12:14:59Z", "nothing"},
		{"2026-06-01T12:15:00Z", "incremental 2026-06-01T12:15:00Z started"},
		{"2026-06-01T12:30:00Z", "incremental 2026-06-01T12:30:00Z skipped sync_already_running"},
		{"2026-06-01T12:45:00Z", "incremental 2026-06-01T12:45:00Z skipped sync_already_running"},
		{"2026-06-01T13:00:00Z", "full 2026-06-01T13:00:00Z waiting sync_already_running"},
		{"2026-06-01T13:00:16Z", "full 2026-06-01T13:00:00Z waiting sync_already_running"},
	} {
		if got := h.look(id, step.at); got != step.want {
			t.Fatalf("at %s: %s, want %s", step.at, got, step.want)
		}
	}
	var by object
	if err := json.Unmarshal(
		[]byte(text[string](h, `select requested_by::text from sync_run where trigger = 'schedule' and incremental`)),
		&by,
	); err != nil {
		t.Fatal(err)
	}
	if by["type"] != "system" || by["display"] != "schedule" {
		t.Errorf("requested by %v", by)
	}
	if s := h.want(200, h.call("GET", "/connectors/"+id+"/schedule", nil)); s.body["skipped"] != 2.0 {
		t.Errorf("got %s", s.text)
	}
	h.end(id, "succeeded", "")
	// Both are due: everything is read, once.
	if got := h.look(id, "2026-06-01T13:16:00Z"); got != "full 2026-06-01T13:00:00Z started" {
		t.Fatal(got)
	}
	h.end(id, "succeeded", "")
	if got := h.look(id, "2026-06-01T13:29:00Z"); got != "full 2026-06-01T13:00:00Z started" || h.runs(id) != 2 {
		t.Fatalf("%s, %d runs", got, h.runs(id))
	}
	if n := text[int64](
		h,
		`select count(*) from audit_event where action = 'sync_run.started'
			and event::jsonb #>> '{context,trigger}' = 'schedule' and event::jsonb #>> '{actor,display}' = 'schedule'`,
	); n != 2 {
		t.Errorf("%d starts in the audit log", n)
	}
}

func TestWhatWasMissedIsMadeUpForOnce(t *testing.T) {
	h := open(t)
	id := h.connector("hr")
	h.schedule(id, object{"incremental_cron": "*/5 * * * *"})
	if got := h.look(id, "2026-06-08T12:01:00Z"); got != "incremental 2026-06-01T12:05:00Z started caught up" {
		t.Fatal(got)
	}
	h.end(id, "succeeded", "")
	if got := h.look(id, "2026-06-08T12:04:59Z"); h.runs(id) != 1 {
		t.Fatalf("%s, %d runs", got, h.runs(id))
	}
	if got := h.look(id, "2026-06-08T12:05:00Z"); got != "incremental 2026-06-08T12:05:00Z started" {
		t.Fatal(got)
	}
}

func TestJitterIsTheSameForEveryProcessAndSpreadsConnectors(t *testing.T) {
	h := open(t)
	offsets := map[string]bool{}
	for i := range 20 {
		id := h.connector(fmt.Sprint("c", i))
		a := h.schedule(id, object{"incremental_cron": "0 * * * *", "full_cron": "0 0 * * *", "jitter": "PT30M"})
		at, err := time.Parse(time.RFC3339, a.body["next_run_at"].(string))
		if err != nil {
			t.Fatal(err)
		}
		offset := at.Sub(time.Date(2026, 6, 1, 13, 0, 0, 0, time.UTC))
		if at.Before(time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)) || offset > 30*time.Minute {
			t.Errorf("the first run is at %s", at)
		}
		offsets[offset.String()] = true
		if again := h.want(
			200,
			h.call("GET", "/connectors/"+id+"/schedule", nil),
		); again.body["next_run_at"] != a.body["next_run_at"] {
			t.Error("the jitter is another one when it is read again")
		}
		midnight := 0
		for _, u := range a.body["upcoming"].([]any) {
			if u.(object)["kind"] == "full" {
				midnight++
			}
		}
		if midnight > 1 {
			t.Errorf("two full runs in five hours: %s", a.text)
		}
	}
	if len(offsets) < 12 {
		t.Errorf("20 connectors begin at %d moments", len(offsets))
	}
}

func TestNothingStartsWhereNothingIsToHappen(t *testing.T) {
	h := open(t)
	ids := map[string]string{}
	for _, status := range []string{"draft", "paused", "disabled", "quarantined"} {
		ids[status] = h.connector(status)
		h.schedule(ids[status], object{"incremental_cron": "*/5 * * * *"})
		h.exec(`update connector set status = $2 where id = $1`, ids[status], status)
	}
	gone := h.connector("gone")
	h.schedule(gone, object{"incremental_cron": "*/5 * * * *"})
	h.exec(`update connector set status = 'deleted', deleted_at = now() where id = $1`, gone)
	for status, id := range ids {
		if got, want := h.look(
			id,
			"2026-06-01T12:05:00Z",
		), "incremental 2026-06-01T12:05:00Z skipped connector_"+status; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		c := h.want(200, h.call("GET", "/connectors/"+id+"/schedule", nil))
		if c.body["next_run_at"] != nil || len(c.body["upcoming"].([]any)) != 0 {
			t.Errorf("%s: %s", status, c.text)
		}
	}
	if n := text[int64](h, `select count(*) from connector_schedule where connector_id = $1`, gone); n != 0 {
		t.Error("a deleted connector keeps its schedule")
	}

	living := h.connector("living")
	h.schedule(living, object{"incremental_cron": "*/5 * * * *"})
	h.exec(`update tenant set status = 'suspended' where id = current_tenant()`)
	if got := h.look(living, "2026-06-01T15:00:00Z"); got != "nothing" {
		t.Errorf("in a suspended tenant: %s", got)
	}
	h.exec(`update tenant set status = 'active' where id = current_tenant()`)
	if got := h.look(living, "2026-06-01T15:00:00Z"); got != "incremental 2026-06-01T12:10:00Z started caught up" {
		t.Errorf("once it goes on: %s", got)
	}
	if n := text[int64](h, `select count(*) from sync_run`); n != 1 {
		t.Errorf("%d runs", n)
	}
}

func TestAnOccurrenceSurvivesWhoeverDiesOverIt(t *testing.T) {
	h := open(t)
	id := h.connector("hr")
	h.schedule(id, object{"incremental_cron": "*/5 * * * *"})
	h.clock.set("2026-06-01T12:05:00Z")
	// A process that dies between its claim and its commit: the server rolls its transaction back. Meanwhile nobody
	// else starts it.
	held := make(chan struct{})
	died := make(chan error, 1)
	die := make(chan struct{})
	go func() {
		died <- h.db.As(ctx, h.tenant, func(tx *pg.Tx) error {
			if _, err := tx.Exec(ctx, `select from connector_schedule where connector_id = $1
				for update`, id); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `update connector_schedule set due_at = null,
				incremental_at = null where connector_id = $1`, id); err != nil {
				return err
			}
			close(held)
			<-die
			return errors.New("killed")
		})
	}()
	<-held
	if _, err := h.pass(h.first); err != nil {
		t.Fatal(err)
	}
	if h.runs(id) != 0 {
		t.Error("two have the same occurrence")
	}
	close(die)
	if err := <-died; err == nil {
		t.Fatal("it did not die")
	}
	if got := h.look(id, "2026-06-01T12:05:02Z"); got != "incremental 2026-06-01T12:05:00Z started" {
		t.Error(got)
	}
}

func TestAScheduleThatCannotBeKeptIsTriedAgainAndHoldsUpNobody(t *testing.T) {
	h := open(t)
	bad, good := h.connector("bad"), h.connector("good")
	for _, id := range []string{bad, good} {
		h.schedule(id, object{"incremental_cron": "*/5 * * * *"})
	}
	h.exec(`update connector set credentials = 'not sealed', credential_keys = '{bind_password}' where id = $1`, bad)
	h.clock.set("2026-06-01T12:05:00Z")
	if _, err := h.pass(h.first); err != nil {
		t.Fatal(err)
	}
	if h.runs(good) != 1 || h.runs(bad) != 0 {
		t.Errorf("%d and %d runs", h.runs(good), h.runs(bad))
	}
	if n, err := h.pass(h.first); err != nil || n != 0 {
		t.Errorf("it is tried again at once: %d, %v", n, err)
	}
	h.exec(`update connector set credentials = null, credential_keys = '{}' where id = $1`, bad)
	if got := h.look(bad, "2026-06-01T12:06:00Z"); got != "incremental 2026-06-01T12:05:00Z started" {
		t.Error(got)
	}
}

func TestTwoSchedulersStartEachOfAThousandOccurrencesOnce(t *testing.T) {
	h := open(t)
	const connectors, rounds = 100, 10
	for i := range connectors {
		h.schedule(h.connector(fmt.Sprintf("c%03d", i)), object{"incremental_cron": "*/5 * * * *", "jitter": "PT0S"})
	}
	other := pgtest.Tenant(t, h.db, "second")
	processes := []*schedule.Service{h.first, h.process()}
	for round := range rounds {
		h.clock.set(time.Date(2026, 6, 1, 12, 5*(round+1), 0, 0, time.UTC).Format(time.RFC3339))
		var group sync.WaitGroup
		for _, p := range processes {
			group.Go(func() {
				for range 50 {
					n, err := h.pass(p)
					if err != nil {
						t.Error(err)
						return
					}
					if n == 0 {
						return
					}
				}
				t.Error("there is no end of it")
			})
		}
		group.Wait()
		if n := text[int64](
			h,
			`select count(*) from sync_run where status = 'queued' and trigger = 'schedule'`,
		); n != connectors {
			t.Fatalf("round %d: %d runs, want %d", round, n, connectors)
		}
		h.exec(`update sync_run set status = 'succeeded', finished_at = now() where status = 'queued'`)
	}
	if n := text[int64](h, `select count(*) from sync_run`); n != connectors*rounds {
		t.Errorf("%d runs for %d occurrences", n, connectors*rounds)
	}
	if n := text[int64](
		h,
		`select max(n) from (select count(*) as n from sync_run group by connector_id) c`,
	); n != rounds {
		t.Errorf("one connector has %d runs", n)
	}
	if n := count(t, h.db, other); n != 0 {
		t.Errorf("%d runs in another tenant", n)
	}
}

func count(t *testing.T, db *pg.DB, v viewer.Viewer) (n int64) {
	t.Helper()
	if err := db.As(
		ctx,
		v,
		func(tx *pg.Tx) error { return tx.QueryRow(ctx, `select count(*) from sync_run`).Scan(&n) },
	); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTheWorkerStartsWhatIsDueUntilItIsStopped(t *testing.T) {
	h := open(t)
	id := h.connector("hr")
	h.schedule(id, object{"incremental_cron": "*/5 * * * *"})
	h.clock.set("2026-06-01T12:05:00Z")
	stop, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- h.work(h.first).Run(stop) }()
	for deadline := time.Now().Add(20 * time.Second); h.runs(id) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nothing was started")
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
