package dashboard_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/dashboard"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/inbox"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/drift"
	"github.com/grantwright/grantwright/controlplane/internal/record/access"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/role"
)

type object = map[string]any

type house struct{ *recordtest.House }

// open serves the dashboard beside the lists whose totals it must agree with.
func open(t testing.TB) *house {
	t.Helper()
	return &house{recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) (all []httpapi.Route) {
		log := slog.New(slog.DiscardHandler)
		all = append(all, (&dashboard.Service{DB: db, Log: log, Now: time.Now}).Routes()...)
		all = append(all, (&directory.Service{DB: db, Cursors: cursors, Now: time.Now}).Routes()...)
		all = append(all, (&access.Service{DB: db, Cursors: cursors, Now: time.Now}).Routes()...)
		all = append(all, (&role.Service{DB: db, Cursors: cursors}).Routes()...)
		all = append(all, (&drift.Service{DB: db, Cursors: cursors, Now: time.Now, Log: log}).Routes()...)
		return append(all, (&inbox.Service{DB: db, Cursors: cursors, Log: log, Now: time.Now}).Routes()...)
	})}
}

func (h *house) sum(as string) object {
	h.T.Helper()
	return h.Must(200, as, "GET", "/dashboard", nil).Body
}

// at is a member deep inside.
func at(body object, path string) any {
	var v any = body
	for _, name := range strings.Split(path, ".") {
		m, _ := v.(object)
		v = m[name]
	}
	return v
}

func (h *house) connector(name, status string) string {
	h.T.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	h.Exec(
		`insert into connector (tenant_id, id, business_id, name, type, status, funnel_state) values (current_tenant(),
			$1, $2, $2, 'ldap', $3, 'bootstrapped')`,
		id,
		name,
		status,
	)
	return id
}

// run adds a run that began so long ago; it ended a minute later, unless it goes on.
func (h *house) run(connector, status string, ago time.Duration) string {
	h.T.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	h.Exec(
		`insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size, status, error, created_at, started_at, finished_at, held_until)
		values (current_tenant(), $1, $2, 'ldap', false, 500, $3::text, case when $3 = 'failed' then '{"code": "refused", "message": "the target said no"}'::jsonb end,
		        now() - $4::interval, now() - $4::interval, case when $3 not in ('running', 'held') then now() - $4::interval + interval '1 min' end,
		        case when $3 = 'held' then now() + interval '1 day' end)`,
		id,
		connector,
		status,
		fmt.Sprintf("%d seconds", int(ago.Seconds())),
	)
	return id
}

// world is a tenant in which boss manages ann and ben, and owner owns one of the two groups.
func (h *house) world() {
	h.T.Helper()
	boss := h.Person("boss", "")
	ann, ben := h.Person("ann", boss), h.Person("ben", boss)
	owner, gone := h.Person("owner", ""), h.Person("gone", boss)
	h.Person("old", boss)
	h.Exec(`update identity set status = 'archived' where external_id = 'old'`)
	h.Exec(`update identity set status = 'deactivated' where id = $1`, gone)
	h.Exec(`update identity set status = 'on_leave' where id = $1`, ben)
	c := h.connector("corp", "active")
	h.Exec(`update connector set funnel_state = 'connected'`)
	a, o, left := h.Account(c, "ann", ann), h.Account(c, "owner", owner), h.Account(c, "gone", gone)
	h.Account(c, "svc", "")
	disputed := h.Account(c, "who", "")
	h.Exec(`update account set correlation_state = 'disputed' where id = $1`, disputed)
	h.Exec(`update account set status = 'deleted' where id = $1`, h.Account(c, "removed", ben))
	h.Exec(`update account set managed = 'managed' where id in ($1, $2)`, a, left)
	h.Exec(
		`insert into account_shape (tenant_id, account_id, connector_id, drift) values (current_tenant(), $1, $2, `+
			`'[{"field": "mail"}]')`,
		a,
		c,
	)
	mine, other := h.Entitlement(c, "mine", owner), h.Entitlement(c, "other")
	h.Exec(`update entitlement set requestable = (id = $1)`, other)
	h.Grant(c, a, mine)
	h.Grant(c, o, other)
	for _, state := range []string{"active", "draft", "retired"} {
		h.Exec(
			`insert into role (tenant_id, id, key, name, lifecycle, owner_ids) values (current_tenant(),
				gen_random_uuid(), $1, $1, $1, case when $1 = 'draft' then array[$2::uuid] else '{}' end)`,
			state,
			owner,
		)
	}
	h.Let("boss", h.Tenant.Tenant, boss, viewer.Manager)
	h.Let("owner", h.Tenant.Tenant, owner, viewer.ResourceOwner)
	h.Let("ann", h.Tenant.Tenant, ann)
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.ask(ann, boss)
}

// ask has ann decide three things, and ask for three.
func (h *house) ask(ann, boss string) {
	h.T.Helper()
	soon, late := time.Now().Add(time.Hour), time.Now().Add(-time.Hour)
	ctx := context.Background()
	err := h.DB.As(ctx, h.Tenant, func(tx *pg.Tx) error {
		var asked []decision.New
		for i, due := range []*time.Time{nil, &soon, &late} {
			asked = append(
				asked,
				decision.New{
					Kind:  "sync_hold",
					Key:   fmt.Sprint("k", i),
					Title: "About it",
					DueAt: due,
					Actions: []decision.Action{
						{Key: "approve", Label: "Approve", Style: "positive"},
					},
					Assignees: []decision.Assignee{{IdentityID: ann}},
				},
			)
		}
		_, err := decision.Ask(ctx, tx, asked)
		return err
	})
	if err != nil {
		h.T.Fatal(err)
	}
	for i, status := range []string{"pending_approval", "provisioning", "fulfilled", "pending_approval"} {
		who := ann
		if i == 3 {
			who = boss
		}
		h.Exec(
			`insert into access_request (tenant_id, id, number, requested_for, requested_by, status)
				values (current_tenant(), gen_random_uuid(), $1, $2, '{}', $3)`,
			i+1,
			who,
			status,
		)
	}
}

// Whoever looks at the dashboard and then at the list must find the same number.
func TestEveryFigureIsTheTotalOfItsListForWhoeverAsks(t *testing.T) {
	h := open(t)
	h.world()
	lists := map[string]string{
		"figures.people.total":          "/identities",
		"figures.people.archived":       "/identities?status=archived",
		"figures.people.deactivated":    "/identities?status=deactivated",
		"figures.people.on_leave":       "/identities?status=on_leave",
		"figures.people.active":         "/identities?status=active",
		"figures.accounts.total":        "/accounts",
		"figures.accounts.uncorrelated": "/accounts/uncorrelated",
		"figures.accounts.disputed":     "/accounts/disputed",
		"figures.accounts.orphaned":     "/accounts/orphaned",
		"figures.accounts.drifted":      "/accounts/drifted",
		"figures.access.total":          "/entitlements",
		"figures.access.requestable":    "/entitlements?requestable=true",
		"figures.roles.total":           "/entitlements/roles",
		"figures.roles.active":          "/entitlements/roles?lifecycle=active",
		"inbox.open":                    "/decision-tasks",
		"inbox.overdue":                 "/decision-tasks?overdue=true",
		"funnel.bootstrapped":           "/identities",
	}
	some := map[string]float64{}
	for _, who := range []string{"admin", "auditor", "boss", "owner", "ann"} {
		sum := h.sum(who)
		for path, list := range lists {
			want, got := h.Must(200, who, "GET", list, nil).Body["total"], at(sum, path)
			if want != got || got == nil {
				t.Errorf("%s: %s = %v; %s says %v", who, path, got, list, want)
			}
			n, _ := got.(float64)
			some[path] = max(some[path], n)
		}
	}
	for path, n := range some {
		if n == 0 {
			t.Errorf("nobody sees any of %s: nothing was compared", path)
		}
	}
}

func TestADashboardShowsWhatTheCallerMaySee(t *testing.T) {
	h := open(t)
	h.world()
	for who, want := range map[string]string{
		"admin":   "people 5 connected 3 accounts 5 access 2/1/1 roles 2 open 0 waiting 0 systems true",
		"auditor": "people 5 connected 3 accounts 5 access 2/1/1 roles 2 open 0 waiting 0 systems true",
		"boss":    "people 3 connected 2 accounts 2 access 1/0/0 roles 0 open 1 waiting 1 systems false",
		"owner":   "people 1 connected 1 accounts 1 access 1/0/0 roles 1 open 0 waiting 0 systems false",
		"ann":     "people 0 connected 0 accounts 0 access 0/0/0 roles 0 open 2 waiting 1 systems false",
	} {
		s := h.sum(who)
		got := fmt.Sprintf(
			"people %v connected %v accounts %v access %v/%v/%v roles %v open %v waiting %v systems %t",
			at(s, "funnel.bootstrapped"),
			at(s, "funnel.connected"),
			at(
				s,
				"figures.accounts.total",
			),
			at(s, "figures.access.total"),
			at(s, "figures.access.requestable"),
			at(s, "figures.access.unowned"),
			at(s, "figures.roles.total"),
			at(
				s,
				"requests.open",
			),
			at(s, "requests.waiting"),
			s["connectors"] != nil && s["runs"] != nil && s["held"] != nil && s["agents"] != nil &&
				s["checklist"] != nil,
		)
		if got != want {
			t.Errorf("%s: %s; want %s", who, got, want)
		}
		for _, part := range []string{"connectors", "runs", "held", "agents", "checklist"} {
			if _, there := s[part]; there != strings.HasSuffix(want, "true") {
				t.Errorf("%s is shown %s: %t", who, part, there)
			}
		}
		if s["at"] == nil || at(s, "funnel.state") != "connected" || at(s, "provisioning.failed") != 0.0 {
			t.Errorf("%s: %v", who, s)
		}
	}
	if got := h.sum("ann")["inbox"]; fmt.Sprint(got) != "map[due_soon:1 open:3 overdue:1]" {
		t.Errorf("the inbox of ann = %v", got)
	}
	second := pgtest.Tenant(t, h.DB, "second")
	h.Let("stranger", second.Tenant, "", viewer.Admin)
	if s := h.sum("stranger"); at(s, "figures.people.total") != 0.0 || at(s, "connectors.total") != 0.0 ||
		at(s, "funnel.state") != "bootstrapped" ||
		at(s, "checklist.first_sync_done") != false {
		t.Errorf("another tenant: %v", s)
	}
}

func TestSystemsThatFailAreToldWithSinceWhenAndWhy(t *testing.T) {
	h := open(t)
	well, shaky, bad, never, off := h.connector(
		"well",
		"active",
	), h.connector(
		"shaky",
		"active",
	), h.connector(
		"bad",
		"degraded",
	), h.connector(
		"never",
		"ready",
	), h.connector(
		"off",
		"paused",
	)
	gone := h.connector("gone", "deleted")
	h.Exec(`update connector set deleted_at = now() where id = $1`, gone)
	h.Exec(`update connector set status_reason = 'three runs have failed' where id = $1`, bad)
	h.run(well, "failed", 3*time.Hour)
	h.run(well, "succeeded", time.Hour)
	h.run(shaky, "failed", 5*time.Hour)
	h.run(shaky, "succeeded", 4*time.Hour)
	h.run(shaky, "failed", 3*time.Hour)
	last := h.run(shaky, "failed", 2*time.Hour)
	h.run(shaky, "cancelled", time.Hour)
	h.run(bad, "failed", 30*time.Hour)
	h.run(off, "failed", time.Hour)
	h.run(gone, "failed", time.Hour)
	on := h.run(never, "running", 26*time.Hour)
	waits := h.run(off, "held", 10*time.Hour)

	s := h.sum("admin")
	c := s["connectors"].(object)
	if diff := cmp.Diff(
		[]any{
			object{"status": "active", "count": 2.0},
			object{"status": "degraded", "count": 1.0},
			object{"status": "paused", "count": 1.0},
			object{"status": "ready", "count": 1.0},
		},
		c["by_status"],
	); diff != "" || c["total"] != 5.0 ||
		len(c["items"].([]any)) != 5 {
		t.Errorf("connectors = %v (-want +got)\n%s", c, diff)
	}
	failing := c["failing"].([]any)
	if len(failing) != 2 || c["failing_total"] != 2.0 {
		t.Fatalf("failing = %v; want bad and shaky", failing)
	}
	first, second := failing[0].(object), failing[1].(object)
	if first["id"] != bad || first["error_summary"] != "the target said no" || !about(first["since"], 30*time.Hour) {
		t.Errorf("the one that has failed for longest: %v", first)
	}
	if second["id"] != shaky || second["run_id"] != last || second["error_code"] != "refused" ||
		second["name"] != "shaky" ||
		second["status"] != "active" ||
		!about(second["since"], 3*time.Hour) {
		t.Errorf("the one whose last run failed: %v", second)
	}
	var seen []string
	for _, r := range at(s, "runs.items").([]any) {
		seen = append(seen, r.(object)["connector_name"].(string)+" "+r.(object)["status"].(string))
	}
	want := "well succeeded;off failed;shaky cancelled;shaky failed;shaky failed;well failed;shaky succeeded;shaky " +
		"failed;off held;never running"
	if !sameRuns(seen, want) || at(s, "runs.truncated") != false {
		t.Errorf("runs = %s; want %s", strings.Join(seen, ";"), want)
	}
	runs := at(s, "runs.items").([]any)
	if newest := runs[len(runs)-1].(object); newest["id"] != on || newest["finished_at"] != nil ||
		newest["started_at"] == nil {
		t.Errorf("the run that goes on since yesterday: %v", newest)
	}
	if held := at(s, "held.items").([]any); len(held) != 1 || held[0].(object)["id"] != waits ||
		at(s, "held.total") != 1.0 ||
		held[0].(object)["held_until"] == nil {
		t.Errorf("held = %v", held)
	}
}

// sameRuns compares without the order of runs that began in the same second.
func sameRuns(got []string, want string) bool {
	count := map[string]int{}
	for _, r := range strings.Split(want, ";") {
		count[r]++
	}
	for _, r := range got {
		count[r]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

func about(instant any, ago time.Duration) bool {
	text, _ := instant.(string)
	when, err := time.Parse(time.RFC3339Nano, text)
	return err == nil && (time.Since(when)-ago).Abs() < time.Minute
}

func TestOfVeryManyRunsTheNewestAreShown(t *testing.T) {
	h := open(t)
	c := h.connector("busy", "active")
	h.Exec(
		`insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size, status, created_at,
		    started_at, finished_at)
		select current_tenant(), gen_random_uuid(), $1, 'ldap', false, 500, 'succeeded', now() - n * interval '1 min',
		    now() - n * interval '1 min', now() - n * interval '1 min'
		  from generate_series(1, 600) n`,
		c,
	)
	s := h.sum("admin")
	items := at(s, "runs.items").([]any)
	if len(items) != 500 || at(s, "runs.truncated") != true || !about(items[0].(object)["created_at"], time.Minute) {
		t.Errorf("%d runs, truncated %v, from %v", len(items), at(s, "runs.truncated"), items[0])
	}
}

func TestTheFirstStepsAreTickedOffOneByOne(t *testing.T) {
	h := open(t)
	steps := func() string {
		c := h.sum("admin")["checklist"].(object)
		var done []string
		for _, name := range []string{"system_connected", "first_sync_done", "reach_healthy", "sector_pack_installed",
			"second_user_invited", "complete"} {
			done = append(done, map[bool]string{true: "x", false: "-"}[c[name] == true])
		}
		return strings.Join(done, "")
	}
	for _, step := range []struct{ name, do, want string }{
		{"nothing", ``, "------"},
		{"a draft", `insert into connector (tenant_id, id, business_id, name, type, status) values (current_tenant(),
			gen_random_uuid(), 'c', 'c', 'ldap', 'draft')`, "------"},
		{"a connector", `update connector set status = 'ready'`, "x-----"},
		{"its first run", `update connector set status = 'active', funnel_state = 'connected'`, "xxx---"},
		{"it fails", `update connector set status = 'degraded'`, "xx----"},
		{"an agent", `with a as (insert into agent (tenant_id, id, name, state, last_seen_at)
			    values (current_tenant(), gen_random_uuid(), 'a', 'registered', now()) returning tenant_id, id)
			insert into agent_session (tenant_id, agent_id, id, process_id, epoch, boot_id) select tenant_id, id,
			    gen_random_uuid(), gen_random_uuid(), 1, 'b' from a`, "xxx---"},
		{"a pack", `insert into sector_pack_installation (tenant_id, id, pack_key, pack_version)
			values (current_tenant(), gen_random_uuid(), 'p', '1')`, "xxxx--"},
		{"one user", `insert into app_user (tenant_id, id, email) values (current_tenant(), gen_random_uuid(),
			'a@x')`, "xxxx--"},
		{"two users", `insert into app_user (tenant_id, id, email, status) values (current_tenant(), gen_random_uuid(),
			'b@x', 'invited')`, "xxxxxx"},
		{"the pack goes", `update sector_pack_installation set state = 'uninstalled'`, "xxx-x-"},
	} {
		if step.do != "" {
			h.Exec(step.do)
		}
		if got := steps(); got != step.want {
			t.Errorf("%s: %s; want %s", step.name, got, step.want)
		}
	}
	if a := h.sum("admin")["agents"].(object); a["total"] != 1.0 || a["online"] != 1.0 || a["offline"] != 0.0 {
		t.Errorf("agents = %v", a)
	}
	h.Exec(`update agent_session set last_seen_at = now() - interval '10 min'`)
	if a := h.sum("admin")["agents"].(object); a["online"] != 0.0 || a["offline"] != 1.0 {
		t.Errorf("agents, of which one is silent = %v", a)
	}
}

func TestAConnectorThatWritesNothingAnyMoreIsAmongThoseThatFail(t *testing.T) {
	h := open(t)
	id := h.connector("directory", "active")
	h.run(id, "succeeded", time.Hour)
	if n := at(h.sum("admin"), "connectors.failing_total"); n != 0.0 {
		t.Fatalf("%v connectors fail before the circuit breaker opens", n)
	}
	h.Exec(`insert into connector_provisioning (tenant_id, connector_id, breaker_open_since, breaker_reason)
	        values (current_tenant(), $1, now(), '10 changes have failed')`, id)
	failing := at(h.sum("admin"), "connectors.failing").([]any)
	if len(failing) != 1 {
		t.Fatalf("failing = %v; want the connector with the open circuit breaker", failing)
	}
	if f := failing[0].(object); f["id"] != id || f["area"] != "writing" ||
		f["error_summary"] != "10 changes have failed" ||
		f["run_id"] != nil {
		t.Errorf("failing = %v", f)
	}
}
