package drift_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/connectorkit"
	"github.com/grantwright/grantwright/connectorkit/connectors"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/queue"
	"github.com/grantwright/grantwright/controlplane/internal/ground/seal"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/reach/connector"
	"github.com/grantwright/grantwright/controlplane/internal/reach/dispatch"
	"github.com/grantwright/grantwright/controlplane/internal/reach/drift"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/order"
	"github.com/grantwright/grantwright/controlplane/internal/reach/shape"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

var ctx = context.Background()

type object = map[string]any

// house compares accounts of one directory; its tasks are placed by the real planner and done by the test.
type house struct {
	*recordtest.House
	s    *drift.Service
	corp string
}

func place(ctx context.Context, tx *pg.Tx, o drift.Order) (string, error) {
	return order.Place(
		ctx,
		tx,
		order.Order{
			Operation:   o.Operation,
			AccountID:   o.AccountID,
			Account:     &o.Account,
			CreatedFrom: o.CreatedFrom,
			Note:        o.Note,
		},
	)
}

func open(t testing.TB) *house {
	t.Helper()
	keys, err := seal.New(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	h := &house{corp: uuid.Must(uuid.NewV7()).String()}
	h.House = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		d := &dispatch.Dispatcher{
			HostedConnector: func(kind string) (connectorkit.Connector,
				error) {
				return connectors.Open(connectorkit.Env{}, kind)
			},
		}
		connectors := &connector.Service{DB: db, Seal: keys, Dispatch: d, Now: time.Now, Log: log, Cursors: cursors}
		h.s = &drift.Service{DB: db, Place: place, Cursors: cursors, Log: log, Now: time.Now}
		shapes := &shape.Service{DB: db, Connectors: connectors, Dispatch: d, Log: log}
		return append(h.s.Routes(), shapes.Routes()...)
	})
	h.Exec(
		`insert into connector (tenant_id, id, business_id, name, type, status, connection) values (current_tenant(), $1, 'corp', 'Corp', 'ldap', 'active',
		'{"host": "x", "base_dn": "dc=acme,dc=test", "bind_dn": "cn=x"}')`,
		h.corp,
	)
	return h
}

// provisioning sets how the connector writes.
func (h *house) provisioning(body object) {
	h.T.Helper()
	h.Must(200, "admin", "PUT", "/connectors/"+h.corp+"/provisioning", body)
	h.look()
}

// managed makes somebody with an account of ours that is as its template has it, and has been read since.
func (h *house) managed(name string) (person, account string) {
	h.T.Helper()
	person = h.Person(name, "")
	h.Exec(`update identity set title = 'Nurse' where id = $1`, person)
	account = h.Account(h.corp, name, person)
	h.observe(account, "Nurse")
	h.Exec(`update account set managed = 'managed' where id = $1`, account)
	h.look()
	return person, account
}

// observe is what a read of the target finds.
func (h *house) observe(account, title string) {
	h.T.Helper()
	h.Exec(`update account a
		   set row_hash = convert_to($2, 'UTF8') || gen_random_uuid()::text::bytea,
		       attributes = jsonb_strip_nulls(jsonb_build_object('title', nullif($2, ''), 'cn', i.display_name,
		           'displayName', i.display_name, 'sn', i.last_name, 'givenName', i.first_name, 'mail', i.email, 'l',
		           i.location))
		  from identity i
		 where i.id = a.identity_id and a.id = $1`, account, title)
}

// look works off what is to be compared.
func (h *house) look() {
	h.T.Helper()
	for {
		n, err := (&queue.Queue{DB: h.DB, Log: h.s.Log, Kinds: h.s.Kinds()}).Look(ctx)
		if err != nil {
			h.T.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

// tasks are what was ordered, in order.
func (h *house) tasks() []string {
	h.T.Helper()
	return h.Strings(
		`select concat_ws(' ', operation, created_from, state, payload -> 'account') from provisioning_task
			order by id`,
	)
}

func (h *house) wantTasks(want ...string) {
	h.T.Helper()
	if got := h.tasks(); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		h.T.Fatalf("the tasks are\n%q, want\n%q", got, want)
	}
}

// done ends all open tasks as the planner does: the account's record is older than the change then.
func (h *house) done() {
	h.T.Helper()
	h.Exec(
		`update account a set row_hash = '\x', version = a.version + 1 from provisioning_task t
			where t.account_id = a.id and t.state = 'queued'`,
	)
	h.Exec(`update provisioning_task set state = 'done', finished_at = now() where state = 'queued'`)
	h.look()
}

// drift is that of an account: its attributes with what they should be and what they are.
func (h *house) drift(account string) string {
	h.T.Helper()
	body := h.Must(200, "admin", "GET", "/accounts/"+account+"/drift", nil).Body
	out := ""
	for _, e := range body["attribute_drift"].([]any) {
		d := e.(object)
		out += fmt.Sprintf("%v: %v, not %v;", d["field"], d["observed"], d["desired"])
	}
	return out
}

func (h *house) wantDrift(account, want string) {
	h.T.Helper()
	if got := h.drift(account); got != want {
		h.T.Fatalf("the drift is %q, want %q", got, want)
	}
}

func TestAPersonWhoChangesIsWritten(t *testing.T) {
	h := open(t)
	person, account := h.managed("jane")
	other, _ := h.managed("joe")
	h.wantTasks()
	h.Exec(`update identity set title = 'Chief', location = 'Berlin' where id = $1`, person)
	h.Exec(`update identity set last_synced_at = now(), version = version + 1 where id = $1`, other)
	h.look()
	h.wantTasks(`update_account lifecycle queued {"attributes": {"l": "Berlin", "title": "Chief"}}`)
	h.look()
	h.done()
	h.wantTasks(`update_account lifecycle done {"attributes": {"l": "Berlin", "title": "Chief"}}`)
	h.Exec(
		`update account set row_hash = 'x', attributes = attributes || '{"title": "Chief", "l": "Berlin"}' `+
			`where id = $1`,
		account,
	)
	h.look()
	h.wantDrift(account, "")
	// What is no longer known is taken away.
	h.Exec(`update identity set title = null where id = $1`, person)
	h.look()
	if got := h.tasks(); len(got) != 2 || got[1] != `update_account lifecycle queued {"attributes": {"title": null}}` {
		t.Errorf("the tasks are %q", got)
	}
}

func TestAChangeOfTheManagerReachesTheirReports(t *testing.T) {
	h := open(t)
	h.provisioning(
		object{
			"account": object{
				"attributes": []object{{"target": "description", "expression": "identity.manager.display_name"}},
			},
		},
	)
	boss := h.Person("ada", "")
	person, account := h.managed("jane")
	h.Exec(`update identity set manager_id = $2 where id = $1`, person, boss)
	h.look()
	h.done()
	h.Exec(`update account set row_hash = 'x', attributes = '{"description": "ada"}' where id = $1`, account)
	h.look()
	h.Exec(`update identity set display_name = 'Ada Lovelace' where id = $1`, boss)
	h.look()
	h.wantTasks(
		`update_account lifecycle done {"attributes": {"description": "ada"}}`,
		`update_account lifecycle queued {"attributes": {"description": "Ada Lovelace"}}`,
	)
}

func TestWhatTheTargetHasOtherwiseIsReportedAndSettled(t *testing.T) {
	h := open(t)
	person, account := h.managed("jane")
	h.observe(account, "Boss")
	h.look()
	h.wantDrift(account, "title: Boss, not Nurse;")
	h.wantTasks()
	list := h.Must(200, "admin", "GET", "/accounts/drifted?field=TITLE&connector_id="+h.corp, nil)
	if list.Body["total"] != float64(1) || list.Items()[0]["account_id"] != account ||
		list.Items()[0]["username"] != "jane" {
		t.Errorf("the list is %v", list.Body)
	}
	if empty := h.Must(200, "admin", "GET", "/accounts/drifted?field=mail", nil); empty.Body["total"] != float64(0) {
		t.Errorf("the list is %v", empty.Body)
	}
	// Another change of the person does not write it: nobody has decided about it.
	h.Exec(`update identity set location = 'Berlin' where id = $1`, person)
	h.look()
	h.wantTasks(`update_account lifecycle queued {"attributes": {"l": "Berlin"}}`)
	h.done()
	h.wantDrift(account, "title: Boss, not Nurse;l: <nil>, not Berlin;")
	h.Exec(`update account set row_hash = 'x', attributes = attributes || '{"l": "Berlin"}' where id = $1`, account)
	h.look()
	h.wantDrift(account, "title: Boss, not Nurse;")

	resolve := func(direction string, fields ...string) object {
		return object{"fields": fields, "direction": direction}
	}
	h.Refused(422, "not_drifted", "admin", "POST", "/accounts/"+account+"/drift/resolve", resolve("push", "mail"))
	accepted := h.Must(200, "admin", "POST", "/accounts/"+account+"/drift/resolve", resolve("accept", "Title"))
	exception, _ := accepted.Body["accepted"].(object)["title"].(object)
	if exception["value"] != "Boss" || exception["by"] != "admin" || accepted.Body["task_id"] != nil {
		t.Errorf("it is accepted as %v", accepted.Body)
	}
	h.wantDrift(account, "")
	h.Exec(`update identity set title = 'Sister' where id = $1`, person)
	h.look()
	if got := h.tasks(); len(got) != 2 ||
		got[1] != `update_account lifecycle queued {"attributes": {"title": "Sister"}}` {
		t.Errorf("what was accepted hides a change of the person: %q", got)
	}
	h.Exec(`update provisioning_task set state = 'done' where state = 'queued'`)
	// What the target has instead of it is drift again; then it is written.
	h.Exec(`update account set attributes = attributes || '{"title": "Chief"}' where id = $1`, account)
	h.look()
	h.wantDrift(account, "title: Chief, not Sister;")
	pushed := h.Must(200, "admin", "POST", "/accounts/"+account+"/drift/resolve", resolve("push", "title"))
	if got := h.tasks(); pushed.Body["task_id"] == nil ||
		got[2] != `update_account manual queued {"attributes": {"title": "Sister"}}` {
		t.Errorf("the tasks are %q, the answer %v", got, pushed.Body)
	}
	h.Refused(409, "task_open", "admin", "POST", "/accounts/"+account+"/drift/resolve", resolve("push", "title"))
	if n := h.Count(`select count(*) from audit_event where action = 'account.drift_resolved'`); n != 2 {
		t.Errorf("%d decisions are in the audit log", n)
	}
	h.Must(202, "admin", "POST", "/connectors/"+h.corp+"/drift/check", nil)
	h.look()
	h.wantDrift(account, "title: Chief, not Sister;")
	h.done()
	h.observe(account, "Sister")
	h.look()
	h.wantDrift(account, "")
}

func TestTheRuleWritesWithinTheBreaker(t *testing.T) {
	h := open(t)
	h.provisioning(object{"drift": object{"direction": "push"}, "breaker": object{"max_changes": 2, "window": "PT1H"}})
	var all []string
	for i := range 4 {
		_, account := h.managed(fmt.Sprintf("p%d", i))
		all = append(all, account)
	}
	for _, account := range all {
		h.observe(account, "Boss")
	}
	h.look()
	if got := h.Count(`select count(*) from provisioning_task where created_from = 'drift'`); got != 2 {
		t.Fatalf("%d are written: %q", got, h.tasks())
	}
	if list := h.Must(200, "admin", "GET", "/accounts/drifted", nil); list.Body["total"] != float64(4) {
		t.Errorf("the list is %v", list.Body)
	}
	// A target that takes no notice is not asked again.
	h.Exec(`update provisioning_task set state = 'done', finished_at = now(), created_at = now() - interval '2 hours'`)
	first := h.Strings(`select account_id::text from provisioning_task order by id limit 1`)[0]
	h.observe(first, "Boss")
	h.look()
	if got := h.Count(`select count(*) from provisioning_task where account_id = $1`, first); got != 1 {
		t.Errorf("it is written %d times over the same", got)
	}
	h.wantDrift(first, "title: Boss, not Nurse;")
}

func TestTheRuleMayAccept(t *testing.T) {
	h := open(t)
	h.provisioning(object{"drift": object{"direction": "accept"}})
	person, account := h.managed("jane")
	h.observe(account, "Boss")
	h.look()
	h.wantDrift(account, "")
	h.wantTasks()
	h.Exec(`update identity set title = 'Chief' where id = $1`, person)
	h.look()
	h.wantTasks(`update_account lifecycle queued {"attributes": {"title": "Chief"}}`)
}

func TestANewTemplateWritesNothingByItself(t *testing.T) {
	h := open(t)
	_, account := h.managed("jane")
	h.provisioning(
		object{
			"account": object{
				"attributes": []object{
					{"target": "title", "expression": "'Dr. ' + identity.title"},
					{"target": "sn", "expression": "identity.last_name"},
				},
			},
		},
	)
	h.wantTasks()
	h.wantDrift(account, "title: Nurse, not Dr. Nurse;")
	h.provisioning(object{})
	h.wantDrift(account, "")
}

func TestAnAccountThatWeMadeIsAsItWasMade(t *testing.T) {
	h := open(t)
	person := h.Person("jane", "")
	h.Exec(`update identity set title = 'Nurse' where id = $1`, person)
	account := h.Account(h.corp, "jane", person)
	h.Exec(`update account set status = 'provisioning', managed = 'managed' where id = $1`, account)
	h.Exec(
		`insert into provisioning_task (tenant_id, id, connector_id, account_id, operation, created_from, idempotency_key, state, payload)
		values (current_tenant(), gen_random_uuid(), $1, $2, 'create_account', 'birthright', gen_random_uuid(), 'done',
		        '{"account": {"username": "jane", "attributes": {"title": "Nurse", "sn": "Person", "cn": "jane", "givenName": "jane", "displayName": "jane", "mail": "jane@example.com"}}}')`,
		h.corp,
		account,
	)
	// The person changes while the account is being made: before anybody has looked at it.
	h.Exec(`update identity set title = 'Chief' where id = $1`, person)
	h.Exec(`update account set status = 'active', row_hash = '\x' where id = $1`, account)
	h.look()
	if got := h.Strings(
		`select payload -> 'account' from provisioning_task where operation = 'update_account'`,
	); len(got) != 1 ||
		got[0] != `{"attributes": {"title": "Chief"}}` {
		t.Errorf("the tasks are %q", got)
	}
}

func TestASecondChangeWaitsForTheFirst(t *testing.T) {
	h := open(t)
	person, account := h.managed("jane")
	h.Exec(`update identity set title = 'Chief' where id = $1`, person)
	h.look()
	h.Exec(`update identity set title = 'Boss' where id = $1`, person)
	h.look()
	h.wantTasks(`update_account lifecycle queued {"attributes": {"title": "Chief"}}`)
	h.done()
	h.Exec(`update work_item set due_at = now() where kind = 'drift'`) // the patience is over
	h.look()
	h.wantTasks(
		`update_account lifecycle done {"attributes": {"title": "Chief"}}`,
		`update_account lifecycle queued {"attributes": {"title": "Boss"}}`,
	)
	h.done()
	h.observe(account, "Boss")
	h.look()
	h.wantDrift(account, "")
}

func TestNamesAndPlacesFollowWhereTheTemplateSaysSo(t *testing.T) {
	h := open(t)
	h.provisioning(object{"account": object{
		"username": object{"expression": "f'{identity.first_name}.{identity.last_name}'", "on": "always"},
		"container": object{
			"expression": "f'ou={identity.department},dc=acme,dc=test' if identity.department else None",
			"on":         "always",
		},
		"attributes": []object{{"target": "sn", "expression": "identity.last_name"}},
	}})
	person, account := h.managed("jane")
	h.Account(h.corp, "jane.roe", "")
	h.Exec(
		`update account set username = 'jane.person',
			native_identity = 'uid=jane.person,OU=surgery,dc=acme,dc=test' where id = $1`,
		account,
	)
	h.Exec(`update identity set department = 'Surgery' where id = $1`, person)
	h.look()
	h.wantTasks()
	h.Exec(`update identity set last_name = 'Roe', department = 'Nursing' where id = $1`, person)
	h.look()
	h.wantTasks(`update_account lifecycle queued {"attributes": {"sn": "Roe"}}`,
		`rename_account lifecycle queued {"username": "jane.roe2", "container": "ou=Nursing,dc=acme,dc=test"}`)
}

func TestAConnectorThatIsBeingReadIsWaitedFor(t *testing.T) {
	h := open(t)
	person, _ := h.managed("jane")
	h.Exec(
		`insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size, status)
			values (current_tenant(), gen_random_uuid(), $1, 'ldap', false, 500, 'running')`,
		h.corp,
	)
	h.Exec(`update identity set title = 'Chief' where id = $1`, person)
	h.look()
	h.wantTasks()
	h.Exec(`update sync_run set status = 'succeeded', finished_at = now()`)
	h.Exec(`update work_item set due_at = now() where kind = 'drift'`)
	h.look()
	h.wantTasks(`update_account lifecycle queued {"attributes": {"title": "Chief"}}`)
}

func TestNothingIsWrittenWhereNothingMayBe(t *testing.T) {
	h := open(t)
	person, account := h.managed("jane")
	h.Exec(`update account set managed = 'read_only' where id = $1`, account)
	h.Exec(`update identity set title = 'Chief' where id = $1`, person)
	h.look()
	h.wantTasks()
	h.Exec(`update account set managed = 'managed' where id = $1`, account)
	h.look()
	h.wantTasks() // what was otherwise when it came into our hands is drift
	h.wantDrift(account, "title: Nurse, not Chief;")
	h.provisioning(object{"write_mode": "off"})
	h.Exec(`update identity set title = 'Boss' where id = $1`, person)
	h.look()
	h.wantTasks()
	h.wantDrift(account, "title: Nurse, not Boss;")
	h.Refused(
		409,
		"writes_off",
		"admin",
		"POST",
		"/accounts/"+account+"/drift/resolve",
		object{"fields": []string{"title"}, "direction": "push"},
	)
	// Nobody's account has no template to be compared with.
	h.Exec(`update account set identity_id = null, correlation_state = 'uncorrelated' where id = $1`, account)
	h.Must(202, "admin", "POST", "/connectors/"+h.corp+"/drift/check", nil)
	h.look()
	if list := h.Must(200, "admin", "GET", "/accounts/drifted", nil); list.Body["total"] != float64(1) {
		t.Logf("the list is %v", list.Body)
	}
}

func TestDriftIsSeenByWhoSeesTheAccount(t *testing.T) {
	h := open(t)
	person, account := h.managed("jane")
	_, hidden := h.managed("joe")
	boss := h.Person("ada", "")
	h.Exec(`update identity set manager_id = $2 where id = $1`, person, boss)
	h.observe(account, "Boss")
	h.observe(hidden, "Boss")
	h.look()
	h.Let("manager", h.Tenant.Tenant, boss, viewer.Manager)
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	other := pgtest.Tenant(t, h.DB, "second")
	h.Let("stranger", other.Tenant, "", viewer.Admin)
	for as, total := range map[string]float64{"admin": 2, "auditor": 2, "manager": 1, "stranger": 0} {
		if list := h.Must(
			200,
			as,
			"GET",
			"/accounts/drifted",
			nil,
		); list.Body["total"] != total ||
			float64(len(list.Items())) != total {
			t.Errorf("%s sees %v", as, list.Body)
		}
	}
	h.Must(200, "manager", "GET", "/accounts/"+account+"/drift", nil)
	h.Refused(404, "not_found", "manager", "GET", "/accounts/"+hidden+"/drift", nil)
	h.Refused(404, "not_found", "stranger", "GET", "/accounts/"+account+"/drift", nil)
	h.Refused(
		404,
		"not_found",
		"stranger",
		"POST",
		"/accounts/"+account+"/drift/resolve",
		object{"fields": []string{"title"}, "direction": "push"},
	)
	h.Refused(404, "not_found", "stranger", "POST", "/connectors/"+h.corp+"/drift/check", nil)
	h.Must(
		403,
		"manager",
		"POST",
		"/accounts/"+account+"/drift/resolve",
		object{"fields": []string{"title"}, "direction": "push"},
	)
	h.Must(403, "auditor", "POST", "/connectors/"+h.corp+"/drift/check", nil)
}

// TestThousandsOfAccountsAreComparedInAFewQuestions makes 4,000 accounts, all of which have drifted, and then has some
// of their owners change.
func TestThousandsOfAccountsAreComparedInAFewQuestions(t *testing.T) {
	h := open(t)
	const people, movers = 4000, 300
	h.Exec(`insert into identity (tenant_id, id, external_id, email, first_name, last_name, display_name, title)
		select current_tenant(), gen_random_uuid(), 'p' || n, 'p' || n || '@example.com', 'P', 'Person', 'P ' || n,
		    'Nurse' from generate_series(1, $1::int) n`, people)
	h.Exec(
		`insert into account (tenant_id, id, connector_id, external_id, username, identity_id, correlation_state,
		    managed, row_hash, attributes)
		select i.tenant_id, gen_random_uuid(), $1, i.external_id, i.external_id, i.id, 'linked', 'managed', 'x',
		       jsonb_build_object('title', 'Boss', 'cn', i.display_name, 'displayName', i.display_name, 'sn', 'Person',
		           'givenName', 'P', 'mail', i.email) from identity i`,
		h.corp,
	)
	h.Analyze()
	began := time.Now()
	h.look()
	t.Logf("%d accounts were compared in %s", people, time.Since(began))
	list := h.Must(200, "admin", "GET", "/accounts/drifted?limit=1", nil)
	if list.Body["total"] != float64(people) {
		t.Fatalf("%v have drifted", list.Body["total"])
	}
	h.wantTasks()
	began = time.Now()
	h.Exec(`update identity set location = 'Berlin' where substr(external_id, 2)::int <= $1`, movers)
	t.Logf("%d people were changed in %s", movers, time.Since(began))
	began = time.Now()
	h.look()
	t.Logf("%d movers were compared and written in %s", movers, time.Since(began))
	if got := h.Count(
		`select count(*) from provisioning_task where payload -> 'account' = '{"attributes": {"l": "Berlin"}}'`,
	); got != movers {
		t.Errorf("%d are written", got)
	}
	if got := h.Count(`select count(*) from work_item where kind = 'drift'`); got != 0 {
		t.Errorf("%d are left to compare", got)
	}
}
