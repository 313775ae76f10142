package schedule_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector/connectorstate"
)

// state is what is shown of a connector's, in short.
func state(a answer) string {
	health := a.body["health"].(object)
	return fmt.Sprintf("%v %v %v", a.body["status"], health["state"], health["cause"])
}

func TestPeopleStopConnectorsAndLetThemGoOn(t *testing.T) {
	h := open(t)
	id := h.connector("hr")
	path := "/connectors/" + id
	h.schedule(id, object{"incremental_cron": "*/5 * * * *"})
	stop := object{"reason": "moving house"}

	a := h.want(200, h.call("POST", path+"/pause", stop))
	if state(a) != "paused paused moving house" || a.body["next_run_at"] != nil ||
		a.body["schedule"].(object)["incremental_cron"] != "*/5 * * * *" {
		t.Errorf("paused: %s", a.text)
	}
	again := h.want(409, h.call("POST", path+"/pause", stop))
	if again.body["code"] != "invalid_transition" || fmt.Sprint(again.body["allowed"]) != "[resume disable]" {
		t.Errorf("paused twice: %s", again.text)
	}
	h.want(422, h.call("POST", path+"/pause", object{"reason": ""}))
	h.clock.set("2026-06-01T14:02:00Z")
	h.want(412, h.call("POST", path+"/resume", nil, `"1"`))
	if a = h.want(
		200,
		h.call("POST", path+"/resume", nil, a.etag),
	); state(a) != "active healthy <nil>" ||
		a.body["next_run_at"] != "2026-06-01T14:05:00Z" {
		t.Errorf("resumed: %s", a.text)
	}
	if got := h.look(id, "2026-06-01T14:04:00Z"); got != "nothing" {
		t.Errorf("what was missed in the pause is made up for: %s", got)
	}
	// Disabling ends the active run.
	if got := h.look(id, "2026-06-01T14:05:00Z"); got != "incremental 2026-06-01T14:05:00Z started" {
		t.Fatal(got)
	}
	if a = h.want(
		200,
		h.call("POST", path+"/disable", object{"reason": "retired"}),
	); state(a) != "disabled disabled retired" {
		t.Errorf("disabled: %s", a.text)
	}
	if got := text[string](h, `select status from sync_run`); got != "cancelled" {
		t.Errorf("its run is %s", got)
	}
	if a = h.want(200, h.call("POST", path+"/resume", nil)); state(a) != "active healthy <nil>" {
		t.Errorf("resumed: %s", a.text)
	}
	for action, want := range map[string]int64{"connector.paused": 1, "connector.resumed": 2, "connector.disabled": 1} {
		if n := text[int64](h, `select count(*) from audit_event where action = $1`, action); n != want {
			t.Errorf("%s is %d times in the audit log", action, n)
		}
	}
}

func TestEveryStateAllowsItsStepsAndNoOthers(t *testing.T) {
	h := open(t)
	id := h.connector("hr")
	steps := []string{"pause", "resume", "disable", "quarantine/clear"}
	for _, c := range []struct{ status, before, funnel, want string }{
		{"draft", "", "bootstrapped", "- - disabled -"},
		{"ready", "", "bootstrapped", "paused - disabled -"},
		{"active", "", "connected", "paused - disabled -"},
		{"degraded", "", "connected", "paused - disabled -"},
		{"paused", "ready", "bootstrapped", "- ready disabled -"},
		{"paused", "degraded", "connected", "- active disabled -"},
		{"paused", "", "bootstrapped", "- ready disabled -"},
		{"disabled", "draft", "bootstrapped", "- draft - -"},
		{"disabled", "quarantined", "connected", "- quarantined - -"},
		{"quarantined", "", "connected", "- - disabled active"},
		{"quarantined", "", "bootstrapped", "- - disabled ready"},
	} {
		var got []string
		for _, step := range steps {
			h.exec(
				`update connector set status = $2, status_before = nullif($3, ''), funnel_state = $4 where id = $1`,
				id,
				c.status,
				c.before,
				c.funnel,
			)
			a := h.call(
				"POST",
				"/connectors/"+id+"/"+step,
				map[bool]any{true: object{"reason": "x"}}[step == "pause" || step == "disable"],
			)
			switch a.status {
			case 200:
				got = append(got, a.body["status"].(string))
			case 409:
				got = append(got, "-")
			default:
				t.Fatalf("%s of %s: %s", step, c.status, a.text)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s (before: %s): %v, want %s", c.status, c.before, got, c.want)
		}
	}
}

func TestADisabledConnectorThatWasPausedGoesOnAsBefore(t *testing.T) {
	h := open(t)
	id := h.connector("hr")
	for _, step := range []string{"pause", "disable"} {
		h.want(200, h.call("POST", "/connectors/"+id+"/"+step, object{"reason": "x"}))
	}
	if a := h.want(200, h.call("POST", "/connectors/"+id+"/resume", nil)); a.body["status"] != "active" {
		t.Errorf("got %s", a.text)
	}
}

const (
	refused = `{"class":"auth","code":"ldap_49","message":"no"}`
	denied  = `{"class":"permission","code":"http_403","message":"no","target":{"kind":"http","http":{"method":"GET","url":"u","status":403}}}`
	lost    = `{"class":"transient","code":"connection_reset","message":"no"}`
)

func TestATargetThatRefusesTheSignInIsLeftAlone(t *testing.T) {
	h := open(t)
	id := h.connector("hr")
	h.schedule(id, object{"incremental_cron": "*/5 * * * *"})
	minute := 0
	// scheduled lets an occurrence's run fail; byHand one that a person started.
	scheduled := func(failure string) string {
		minute += 5
		if got := h.look(
			id,
			fmt.Sprintf("2026-06-01T%02d:%02d:00Z", 12+minute/60, minute%60),
		); !strings.HasSuffix(
			got,
			"started",
		) {
			return got
		}
		h.end(id, map[bool]string{true: "succeeded", false: "failed"}[failure == ""], failure)
		return text[string](h, `select status from connector where id = $1`, id)
	}
	byHand := func(failure string) string {
		h.want(202, h.call("POST", "/identities/sync", object{"connector_ids": []string{id}}))
		h.end(id, "failed", failure)
		return text[string](h, `select status from connector where id = $1`, id)
	}
	for i, step := range []struct {
		run     func(string) string
		failure string
		want    string
	}{
		{scheduled, refused, "active"},
		{scheduled, refused, "active"},
		{scheduled, "", "active"}, // it begins anew
		{scheduled, refused, "active"},
		{scheduled, lost, "active"},
		{scheduled, refused, "degraded"},
		{byHand, denied, "degraded"},
		{byHand, refused, "degraded"}, // the third, but a person sees for themselves
		{scheduled, refused, "quarantined"},
		{scheduled, "", "incremental 2026-06-01T12:40:00Z skipped connector_quarantined"},
	} {
		if got := step.run(step.failure); got != step.want {
			t.Fatalf("after step %d: %s, want %s", i, got, step.want)
		}
	}
	if a := h.call(
		"POST",
		"/identities/sync",
		object{"connector_ids": []string{id}},
	); a.status != 409 ||
		!strings.Contains(a.text, "clear the quarantine") {
		t.Errorf("a quarantined connector is read by hand: %s", a.text)
	}
	a := h.want(200, h.call("GET", "/connectors/"+id+"/health", nil))
	if a.body["state"] != "quarantined" ||
		!strings.Contains(
			fmt.Sprint(a.body["cause"]),
			"refused the sign-in 3 times, one after the other; the last time: it said no",
		) {
		t.Errorf("health: %s", a.text)
	}
	if n := text[int64](h, `select count(*) from audit_event where action = 'connector.quarantined'`); n != 1 {
		t.Errorf("%d times in the audit log", n)
	}
	if a := h.want(
		200,
		h.call("POST", "/connectors/"+id+"/quarantine/clear", nil),
	); state(a) != "active healthy <nil>" ||
		a.body["next_run_at"] == nil {
		t.Errorf("cleared: %s", a.text)
	}
	// What was before does not count any more; nor does what was before new credentials.
	for i, want := range []string{"active", "active"} {
		if got := scheduled(refused); got == "quarantined" {
			t.Errorf("run %d after the quarantine was cleared: %s, want %s", i, got, want)
		}
	}
	h.exec(`update connector set credentials_updated_at = now() where id = $1`, id)
	for _, last := range []bool{false, false, true} {
		if got := scheduled(refused); (got == "quarantined") != last {
			t.Errorf("with new credentials: %s", got)
		}
	}
}

func TestHealthCountsWhatHappened(t *testing.T) {
	h := open(t)
	id := h.connector("hr")
	path := "/connectors/" + id + "/health"
	if a := h.want(
		200,
		h.call("GET", path, nil),
	); a.body["success_rate_7d"] != nil || a.body["consecutive_failures"] != 0.0 ||
		len(a.body["last_runs"].([]any)) != 0 {
		t.Errorf("of a connector without runs: %s", a.text)
	}
	at := 0
	ran := func(status, purpose, ago string) {
		at++
		h.exec(
			`insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size, status, purpose, created_at, started_at, finished_at, error)
		        values (current_tenant(), $1, $2, 'ldap', true, 500, $3, $4, $5::timestamptz - $6::interval + $7 * interval '1 second', $5::timestamptz - $6::interval,
		                $5::timestamptz - $6::interval + interval '2 seconds', case when $3 = 'failed' then '{"class":"auth","code":"http_401","message":"m"}'::jsonb end)`,
			uuid.Must(uuid.NewV7()).String(),
			id,
			status,
			purpose,
			h.clock.now(),
			ago,
			at,
		)
	}
	ran("failed", "apply", "8 days") // too long ago
	for range 6 {
		ran("succeeded", "apply", "3 days")
	}
	ran("partial", "apply", "2 days")
	ran("failed", "apply", "1 day")
	ran("cancelled", "apply", "20 hours")
	ran("previewed", "preview", "19 hours")
	ran("failed", "preview", "18 hours")
	ran("failed", "apply", "1 hour")
	a := h.want(200, h.call("GET", path, nil))
	runs := a.body["last_runs"].([]any)
	first := runs[0].(object)
	if a.body["consecutive_failures"] != 2.0 || a.body["success_rate_7d"] != 7.0/9 || len(runs) != 10 ||
		first["error_code"] != "http_401" ||
		first["full"] != true ||
		first["duration_ms"] != 2000.0 {
		t.Errorf("got %s", a.text)
	}
	h.want(404, h.call("GET", "/connectors/"+h.tenant.Tenant+"/health", nil))
}

func TestSinceTellsWhenTheStateChanged(t *testing.T) {
	h := open(t)
	id := h.connector("hr")
	h.exec(`update connector set status_since = now() - interval '3 days' where id = $1`, id)
	since := func() string {
		return h.want(200, h.call("GET", "/connectors/"+id+"/health", nil)).body["since"].(string)
	}
	before := since()
	err := h.db.As(ctx, h.tenant, func(tx *pg.Tx) error {
		return connectorstate.Synced(ctx, tx, id, uuid.Must(uuid.NewV7()).String(), true, "")
	})
	if err != nil {
		t.Fatal(err)
	}
	if since() != before {
		t.Error("one more run is a new state")
	}
	h.want(200, h.call("POST", "/connectors/"+id+"/pause", object{"reason": "x"}))
	if since() == before {
		t.Error("a pause is no new state")
	}
}

// person makes one, known by the connectors that are given: the first as source, the others by an account.
func (h *house) person(connectors ...string) string {
	h.t.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	h.exec(
		`insert into identity (tenant_id, id, external_id, email, display_name) values (current_tenant(), $1, $2, $3,
			'P')`,
		id,
		id,
		id+"@acme.test",
	)
	for i, c := range connectors {
		if i == 0 {
			h.exec(
				`insert into identity_source (tenant_id, connector_id, external_id, identity_id, row_hash, match_rule)
					values (current_tenant(), $1, 'e', $2, '', 'new')`,
				c,
				id,
			)
			continue
		}
		h.exec(
			`insert into account (tenant_id, id, connector_id, external_id, identity_id, correlation_state, row_hash)
				values (current_tenant(), $1, $2, 'a', $3, 'linked', '')`,
			uuid.Must(uuid.NewV7()).String(),
			c,
			id,
		)
	}
	return id
}

func outcomes(a answer) string {
	var out []string
	runs, _ := a.body["runs"].([]any)
	for _, r := range runs {
		m := r.(object)
		out = append(out, fmt.Sprintf("%v:%v", m["connector_business_id"], m["outcome"]))
		if (m["run_id"] == nil) != (m["outcome"] == "not_ready") {
			out = append(out, "run "+fmt.Sprint(m["run_id"]))
		}
	}
	return strings.Join(out, " ")
}

func TestPeopleAreReadAgain(t *testing.T) {
	h := open(t)
	hr, dir, app, other := h.connector("hr"), h.connector("dir"), h.connector("app"), h.connector("other")
	alice, loner := h.person(hr, dir, app), h.person()
	h.want(200, h.call("POST", "/connectors/"+app+"/pause", object{"reason": "x"}))
	h.want(202, h.call("POST", "/identities/sync", object{"connector_ids": []string{dir}}))

	a := h.want(202, h.call("POST", "/identities/"+alice+"/sync", nil))
	if got := outcomes(a); got != "hr:started dir:already_running app:not_ready" {
		t.Errorf("got %s: %s", got, a.text)
	}
	if n := text[int64](
		h,
		`select count(*) from sync_run where connector_id = $1 and incremental and trigger = 'api'
			and requested_by ->> 'type' = 'user'`,
		hr,
	); n != 1 {
		t.Errorf("%d runs of the source", n)
	}
	if h.runs(other) != 0 {
		t.Error("a system that does not know the person is read")
	}
	if a := h.want(409, h.call("POST", "/identities/"+loner+"/sync", nil)); a.body["code"] != "no_source" {
		t.Errorf("got %s", a.text)
	}
	h.want(404, h.call("POST", "/identities/"+hr+"/sync", nil))
	h.want(404, h.call("POST", "/identities/nobody/sync", nil))

	h.exec(`update connector set purpose = 'target' where id = $1`, other)
	h.exec(`update sync_run set status = 'succeeded'`)
	if a = h.want(202, h.call("POST", "/identities/sync", nil)); outcomes(a) != "hr:started dir:started" {
		t.Errorf("all sources: %s", a.text)
	}
	a = h.want(422, h.call("POST", "/identities/sync", object{"connector_ids": []string{other, h.tenant.Tenant, "x"}}))
	if errors := a.body["errors"].([]any); len(errors) != 2 || errors[0].(object)["pointer"] != "#/connector_ids/1" ||
		h.runs(other) != 0 {
		t.Errorf("got %s", a.text)
	}
	a = h.want(
		202,
		h.call("POST", "/identities/sync", object{"connector_ids": []string{other, other}, "incremental": false}),
	)
	if outcomes(a) != "other:started" ||
		text[bool](h, `select incremental from sync_run where connector_id = $1`, other) {
		t.Errorf("got %s", a.text)
	}
	h.exec(`update connector set status = 'paused'`)
	if a = h.want(409, h.call("POST", "/identities/"+alice+"/sync", nil)); a.body["code"] != "connector_not_ready" {
		t.Errorf("got %s", a.text)
	}
	if a = h.want(409, h.call("POST", "/identities/sync", nil)); a.body["code"] != "no_source" {
		t.Errorf("got %s", a.text)
	}
}
