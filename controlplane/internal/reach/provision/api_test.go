package provision_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/ability"
	"github.com/grantwright/grantwright/controlplane/internal/reach/provision/taskview"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

func TestAdministratorsOrderChangesOfAccounts(t *testing.T) {
	h := Open(t)
	ann := h.person("ann")
	account := h.account("ann", ann)
	at := "/accounts/" + account
	for _, tt := range []struct {
		action string
		body   any
		sent   string
		status string
	}{
		{"disable", nil, "account.disable ann", "disabled"},
		{"enable", object("note", "it was wrong"), "account.enable ann", "active"},
		{"rename", object("username", "anna"), "account.rename ann", "active"},
		{"reset-password", nil, "account.reset_password anna", "active"},
	} {
		h.target.forget()
		if tt.action == "rename" {
			h.Refused(422, "validation_failed", "admin", "POST", at+"/rename", object())
		}
		dry := h.Must(200, "admin", "POST", at+"/"+tt.action+"?dry_run=true", tt.body)
		plan, _ := dry.Body["plan"].([]any)
		if len(plan) != 1 || fmt.Sprint(dry.Body["task_id"]) != "<nil>" {
			t.Errorf("the dry run of %s is %s", tt.action, pretty(dry.Body))
		}
		before := len(h.tasks())
		answer := h.Must(202, "admin", "POST", at+"/"+tt.action, tt.body)
		if len(h.tasks()) != before+1 ||
			answer.Header.Get("Location") != "/api/v1/accounts/provisioning-tasks/"+answer.Text("task_id") {
			t.Errorf("%s: %d tasks more, and the answer is %s", tt.action, len(h.tasks())-before, pretty(answer.Body))
		}
		h.drain()
		h.sent(tt.sent)
		if got := h.accountOf(ann); got != tt.status {
			t.Errorf("after %s the account is %s; want %s", tt.action, got, tt.status)
		}
	}
	got := h.Refused(409, "invalid_transition", "admin", "POST", at+"/unlock", nil)
	if allowed := fmt.Sprint(got.Body["allowed"]); allowed != "[disable delete rename reset-password]" {
		t.Errorf("an active account allows %s", allowed)
	}
	h.target.forget()
	h.Must(202, "admin", "POST", at+"/delete", nil)
	h.Refused(409, "task_open", "admin", "POST", at+"/delete", nil)
	h.drain()
	h.sent("account.disable anna", "account.delete anna")
	if got := h.accountOf(ann); got != "deleted" {
		t.Errorf("the account is %s", got)
	}
	if n := h.Count(`select count(*) from audit_event where action = 'provisioning.ordered'`); n != 5 {
		t.Errorf("%d orders were audited; want 5", n)
	}
}

func TestAnAccountThatWasDisabledByHandStaysSo(t *testing.T) {
	h := Open(t)
	ann, staff := h.person("ann"), h.Entitlement(h.connector, "staff")
	account := h.account("ann", ann)
	h.Must(202, "admin", "POST", "/accounts/"+account+"/disable", nil)
	h.drain()
	h.give(ann, staff)
	h.Exec(`update identity set status = 'on_leave', status_changed_at = clock_timestamp()`)
	h.drain()
	h.Exec(`update identity set status = 'active', status_changed_at = clock_timestamp()`)
	h.drain()
	if got := h.accountOf(ann); got != "disabled" {
		t.Errorf("the account is %s", got)
	}
}

func TestAnAccountIsMadeByTheTemplateAndWhatSomebodySays(t *testing.T) {
	h := Open(t)
	ann := h.person("ann")
	body := object("connector_id", h.connector, "identity_id", ann, "attributes", object("username", "boss"))
	dry := object("connector_id", h.connector, "identity_id", ann, "dry_run", true)
	if got := h.Must(200, "admin", "POST", "/accounts", dry); len(got.Body["plan"].([]any)) != 1 {
		t.Errorf("the dry run is %s", pretty(got.Body))
	}
	h.wants()
	answer := h.Must(202, "admin", "POST", "/accounts", body)
	h.Refused(409, "account_exists", "admin", "POST", "/accounts", body)
	h.drain()
	h.sent("account.create boss")
	d := h.Must(200, "admin", "GET", "/accounts/provisioning-tasks/"+answer.Text("task_id"), nil)
	attempts, _ := d.Body["attempts"].([]any)
	if d.Text("state") != "done" || len(attempts) != 1 || d.Text("created_from") != "manual" {
		t.Errorf("the task is %s", pretty(d.Body))
	}
	h.Exec(`insert into work_item (tenant_id, kind, subject) values (current_tenant(), 'provisioning', $1)`, ann)
	h.drain()
	h.sent("account.create boss") // nobody's rule asked for it, so no rule takes it away
	h.Refused(404, "not_found", "admin", "POST", "/accounts", object("connector_id", newID(), "identity_id", ann))
	h.Refused(
		404,
		"not_found",
		"admin",
		"POST",
		"/accounts",
		object("connector_id", h.connector, "identity_id", newID()),
	)
}

// refuseCreate has the target refuse new accounts.
func refuseCreate(req v1.ProvisionRequest) (v1.ProvisionResponse, error, bool) {
	refusal := &v1.ErrorDetail{Class: v1.ClassData, Code: "no_seat", Message: "all seats are used"}
	return v1.ProvisionResponse{}, refusal, req.Op == v1.OpAccountCreate
}

func TestARetryKeepsWhatSomebodyOrdered(t *testing.T) {
	h := Open(t)
	ann := h.person("ann")
	h.target.wrong = refuseCreate
	ordered := h.Must(202, "admin", "POST", "/accounts",
		object("connector_id", h.connector, "identity_id", ann, "attributes", object("username", "boss")))
	h.drain()
	task := "/accounts/provisioning-tasks/" + ordered.Text("task_id")
	for range 2 { // also when it fails again
		if got := h.Must(200, "admin", "GET", task, nil).Text("state"); got != "failed" {
			t.Fatalf("the task is %s; want failed", got)
		}
		h.Must(200, "admin", "POST", task+"/retry", nil)
		h.drain()
	}
	h.target.wrong = nil
	h.Must(200, "admin", "POST", task+"/retry", nil)
	h.drain()
	h.sent("account.create boss", "account.create boss", "account.create boss", "account.create boss")
	if got := h.text(`select username || ' ' || status from account`); got != "boss active" {
		t.Errorf("the account is %s", got)
	}
}

func TestTasksOfADeletedConnectorWaitForItsRestoration(t *testing.T) {
	h := Open(t)
	h.target.wrong = refuseCreate
	ordered := h.Must(202, "admin", "POST", "/accounts",
		object("connector_id", h.connector, "identity_id", h.person("ann")))
	h.drain()
	const all = "/accounts/provisioning-tasks"
	task := all + "/" + ordered.Text("task_id")
	total := func(query string) any { return h.Must(200, "admin", "GET", all+query, nil).Body["total"] }
	if got := total("?state=failed"); got != float64(1) {
		t.Fatalf("%v tasks failed; want 1", got)
	}
	h.Exec(`update connector set deleted_at = now() where id = $1`, h.connector)
	for query, want := range map[string]float64{
		"":                             0,
		"?state=failed":                0,
		"?connector_id=" + h.connector: 1,
	} {
		if got := total(query); got != want {
			t.Errorf("after the deletion %v tasks are listed by %q; want %v", got, query, want)
		}
	}
	h.as(func(tx *pg.Tx) error {
		n, err := taskview.CountFailed(ctx, tx)
		if n != 0 {
			t.Errorf("%d failed tasks are counted after the deletion", n)
		}
		return err
	})
	for _, action := range []string{"retry", "complete", "cancel"} {
		var body any
		if action == "complete" {
			body = object("note", "done")
		}
		h.Refused(409, "connector_not_ready", "admin", "POST", task+"/"+action, body)
	}
	h.target.wrong = nil
	h.Exec(`update connector set deleted_at = null where id = $1`, h.connector)
	h.Must(200, "admin", "POST", task+"/retry", nil)
	h.drain()
	if got := total("?state=done"); got != float64(1) {
		t.Errorf("after the restoration %v tasks are done; want 1", got)
	}
}

func TestWhatMayNotBeWrittenIsRefusedAndSaysWhy(t *testing.T) {
	h := Open(t)
	account := h.account("ann", h.person("ann"))
	at := "/accounts/" + account + "/disable"
	h.Exec(`update account set managed = 'protected'`)
	h.Refused(409, "account_protected", "admin", "POST", at, nil)
	h.Exec(`update account set managed = 'managed'`)
	h.Exec(
		`insert into connector_provisioning (tenant_id, connector_id, write_mode) values (current_tenant(), $1, 'off')`,
		h.connector,
	)
	h.Refused(409, "writes_off", "admin", "POST", at, nil)
	why := func() (text string) {
		h.as(func(tx *pg.Tx) (err error) { text, err = ability.Why(ctx, tx, h.connector); return err })
		return text
	}
	if got := why(); got != "the connector ad writes nothing: its write_mode is off" {
		t.Errorf("Why = %q", got)
	}
	h.Exec(`update connector_provisioning set write_mode = 'auto'`)
	if err := h.s.Keep(ctx); err != nil {
		t.Fatal(err)
	}
	if got := why(); got != "" {
		t.Errorf("Why = %q", got)
	}
	h.target.ops = nil
	h.Exec(`update connector set version = version + 1`)
	h.Refused(409, "writes_off", "admin", "POST", at, nil)
	h.wants()
}

func TestTasksAreCancelledWithWhatWaitsForThem(t *testing.T) {
	h := Open(t)
	ann, staff := h.person("ann"), h.Entitlement(h.connector, "staff")
	h.give(ann, staff)
	h.plan()
	create := h.text(`select id::text from provisioning_task where operation = 'create_account'`)
	h.Must(200, "admin", "POST", "/accounts/provisioning-tasks/"+create+"/cancel", nil)
	h.wants("create_account cancelled", "grant cancelled")
	if got := h.accountOf(ann) + " " + h.grantOf(ann, staff); got != "deleted revoked" {
		t.Errorf("they are %s", got)
	}
	got := h.Refused(409, "invalid_transition", "admin", "POST", "/accounts/provisioning-tasks/"+create+"/cancel", nil)
	if allowed := fmt.Sprint(got.Body["allowed"]); allowed != "[]" {
		t.Errorf("a cancelled task allows %s", allowed)
	}
	h.drain()
	h.sent()
}

func TestEverybodySeesTheTasksOfWhomAndWhatTheyMaySee(t *testing.T) {
	h := Open(t)
	boss := h.person("boss")
	ann, bob := h.Person("ann", boss), h.Person("bob", "")
	staff, mail := h.Entitlement(h.connector, "staff", bob), h.Entitlement(h.connector, "mail")
	h.account("ann", ann)
	h.account("bob", bob)
	h.account("boss", boss)
	for _, e := range []string{staff, mail} {
		h.give(ann, e)
		h.give(boss, e)
	}
	h.plan()
	h.Let("boss", h.Tenant.Tenant, boss, viewer.Manager)
	h.Let("owner", h.Tenant.Tenant, bob, viewer.ResourceOwner)
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.Let("nobody", h.Tenant.Tenant, bob)
	for who, want := range map[string]int{"admin": 4, "auditor": 4, "boss": 2, "owner": 2, "nobody": 0} {
		got := h.Must(200, who, "GET", "/accounts/provisioning-tasks", nil)
		summary, _ := got.Body["summary"].(map[string]any)
		if len(got.Items()) != want || got.Body["total"] != float64(want) ||
			want > 0 && fmt.Sprint(summary["by_state"]) != fmt.Sprintf("map[queued:%d]", want) {
			t.Errorf("%s sees %d of %v, %v; want %d", who, len(got.Items()), got.Body["total"], summary, want)
		}
	}
	for _, item := range h.Must(200, "owner", "GET", "/accounts/provisioning-tasks", nil).Items() {
		if item["entitlement_id"] != staff {
			t.Errorf("the owner of staff sees a task about %v", item["entitlement"])
		}
	}
	hidden := h.text(
		`select id::text from provisioning_task where entitlement_id = $1 and identity_id = $2`,
		mail,
		boss,
	)
	h.Refused(404, "not_found", "owner", "GET", "/accounts/provisioning-tasks/"+hidden, nil)
	h.Must(200, "boss", "GET", "/accounts/provisioning-tasks/"+hidden, nil)
	h.Refused(403, "forbidden", "boss", "POST", "/accounts/provisioning-tasks/"+hidden+"/cancel", nil)
	h.Refused(403, "read_only_role", "auditor", "POST", "/accounts/provisioning-tasks/"+hidden+"/cancel", nil)
}

func TestTheListIsWalkedAndFiltered(t *testing.T) {
	h := Open(t)
	staff := h.Entitlement(h.connector, "staff")
	for i := range 5 {
		h.give(h.person(fmt.Sprintf("p%d", i)), staff)
	}
	h.plan()
	seen := []any{}
	for next := ""; ; {
		page := h.Must(
			200,
			"admin",
			"GET",
			"/accounts/provisioning-tasks?limit=3&operation=grant,create_account"+next,
			nil,
		)
		seen = append(seen, page.Values("id")...)
		if page.Body["next_cursor"] == nil {
			break
		}
		next = "&cursor=" + page.Text("next_cursor")
	}
	if n := len(seen); n != 10 || len(slices.Compact(slices.Clone(seen))) != 10 {
		t.Errorf("walked over %d tasks; want 10", n)
	}
	got := h.Must(
		200,
		"admin",
		"GET",
		"/accounts/provisioning-tasks?operation=grant&state=blocked&created_from=birthright&lane=normal&connector_id="+h.connector,
		nil,
	)
	if got.Body["total"] != float64(5) {
		t.Errorf("%v grants wait; want 5", got.Body["total"])
	}
}
