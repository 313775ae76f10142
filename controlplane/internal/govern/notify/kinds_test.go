package notify_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/notice"
)

// root makes an administrator without an identity.
func (o *office) root() string {
	o.T.Helper()
	id := uuid.NewString()
	o.ExecAs(o.Tenant, `insert into app_user (tenant_id, id, email, display_name, roles, password_hash)
		values (current_tenant(), $1, 'root@example.org', 'Root', '{admin}', 'first')`, id)
	return id
}

// violation makes a violation of a policy in a mode by a person.
func (o *office) violation(mode, owner, by string) (policy, id string) {
	o.T.Helper()
	policy, id = uuid.NewString(), uuid.NewString()
	o.ExecAs(o.Tenant, `insert into separation_policy (tenant_id, id, name, mode, kind, sides, duty_ids, owner_ids)
		values (current_tenant(), $1, 'Payments ' || $3, $3, 'pair', '[]', '{}', array[$2::uuid])`, policy, owner, mode)
	o.ExecAs(o.Tenant, `insert into violation (tenant_id, id, policy_id, policy_version, identity_id, severity, grade,
		    fingerprint, entitlement_ids, detected_by, conflict)
		values (current_tenant(), $1, $2, 1, $3, 'high', 'potential', '', '{}', 'scan', '{}')`, id, policy, by)
	return policy, id
}

func (o *office) connector(name string) string {
	o.T.Helper()
	id := uuid.NewString()
	o.ExecAs(o.Tenant, `insert into connector (tenant_id, id, business_id, name, type)
		values (current_tenant(), $1, $2, $2, 'ldap')`, id, name)
	return id
}

func (o *office) expect(want ...string) {
	o.T.Helper()
	o.work()
	got := o.sent()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		o.T.Errorf("sent %q; want %q", got, want)
	}
}

func TestTheOwnerOfAPolicyIsToldOfViolationsThatAreNoTasks(t *testing.T) {
	o := open(t)
	owner, bob := o.person("Owner"), o.person("Bob")
	_, id := o.violation("shadow", owner, bob)
	o.violation("enforce", owner, bob) // a decision task, which another package makes
	o.expect("owner@example.org: Violation: Payments shadow: Bob")
	if body := o.server.Mails()[0].Body; !strings.Contains(body, "/t/first/violations/"+id) {
		t.Errorf("the link is absent: %s", body)
	}
	ann := o.person("Ann")
	o.ExecAs(o.Tenant, `update violation set assignee_id = $1`, ann)
	o.expect("owner@example.org: Violation: Payments shadow: Bob", "ann@example.org: Violation: Payments shadow: Bob")
}

func TestTheOwnersOfAMitigationAreToldThatItLapsed(t *testing.T) {
	o := open(t)
	owner, approver, bob := o.person("Owner"), o.person("Approver"), o.person("Bob")
	policy, violation := o.violation("enforce", approver, bob)
	control, id := uuid.NewString(), uuid.NewString()
	o.ExecAs(o.Tenant, `insert into mitigating_control (tenant_id, id, name, max_duration)
		values (current_tenant(), $1, 'Report', 'P90D')`, control)
	o.ExecAs(o.Tenant, `insert into mitigation (tenant_id, id, control_id, identity_id, policy_id, violation_id, state,
		    severity, owner_id, justification, duration, requested_by)
		values (current_tenant(), $1, $2, $3, $4, $5, 'active', 'high', $6, 'needed', 'P30D', '{}')`,
		id, control, bob, policy, violation, owner)
	o.ExecAs(o.Tenant, `update mitigation set state = 'lapsed' where id = $1`, id)
	o.expect("approver@example.org: Mitigation ended: Payments enforce: Bob",
		"owner@example.org: Mitigation ended: Payments enforce: Bob")
}

func TestAdministratorsAreToldOfFailedChangesAndHeldRuns(t *testing.T) {
	o := open(t)
	o.root()
	bob, payroll, hr := o.person("Bob"), o.connector("Payroll"), o.connector("HR")
	task, run := uuid.NewString(), uuid.NewString()
	o.ExecAs(o.Tenant, `insert into provisioning_task (tenant_id, id, connector_id, operation, created_from,
		    idempotency_key, identity_id)
		values (current_tenant(), $1, $2, 'create_account', 'request', gen_random_uuid(), $3)`, task, payroll, bob)
	o.ExecAs(o.Tenant, `update provisioning_task set state = 'failed', error = '{"message": "The name is taken."}'
		where id = $1`, task)
	o.expect("root@example.org: Provisioning failed: Payroll: Bob")
	if body := o.server.Mails()[0].Body; !strings.Contains(body, "The name is taken.") {
		t.Errorf("the reason is absent: %s", body)
	}
	o.ExecAs(o.Tenant, `insert into sync_run (tenant_id, id, connector_id, type, incremental, chunk_size)
		values (current_tenant(), $1, $2, 'ldap', false, 500)`, run, hr)
	o.ExecAs(o.Tenant, `update sync_run set status = 'held' where id = $1`, run)
	o.expect("root@example.org: Provisioning failed: Payroll: Bob", "root@example.org: Sync run held: HR")
	if body := o.server.Mails()[1].Body; !strings.Contains(body, "/connectors/"+hr+"/runs/") {
		t.Errorf("the link is absent: %s", body)
	}
}

func TestAFailureThatWasRetriedMeanwhileIsNotToldOf(t *testing.T) {
	o := open(t)
	o.root()
	task := uuid.NewString()
	o.ExecAs(o.Tenant, `insert into provisioning_task (tenant_id, id, connector_id, operation, created_from,
		idempotency_key) values (current_tenant(), $1, $2, 'create_account', 'request', gen_random_uuid())`,
		task, o.connector("Payroll"))
	o.ExecAs(o.Tenant, `update provisioning_task set state = 'failed' where id = $1`, task)
	o.ExecAs(o.Tenant, `update provisioning_task set state = 'queued' where id = $1`, task)
	o.expect()
}

func TestTokensAndRolesThatEndSoonAreToldOfOnce(t *testing.T) {
	o := open(t)
	root, bob, role := o.root(), o.person("Bob"), uuid.NewString()
	o.ExecAs(
		o.Tenant,
		`insert into api_token (tenant_id, id, jti, name, scopes, role, idle_after, expires_at, created_by,
		    awake_since)
		select current_tenant(), gen_random_uuid(), gen_random_uuid(), n, '{}', 'admin', interval '90 days',
		       $1::timestamptz + e, $2::uuid, $1
		  from (values ('Export', interval '13 days'), ('Later', interval '15 days')) v (n, e)`,
		o.now,
		root,
	)
	o.ExecAs(
		o.Tenant,
		`insert into role (tenant_id, id, key, name) values (current_tenant(), $1, 'clerk', 'Clerk')`,
		role,
	)
	o.ExecAs(o.Tenant, `insert into role_assignment (tenant_id, id, role_id, identity_id, kind, state, ends_at)
		values (current_tenant(), gen_random_uuid(), $1, $2, 'manual', 'active', $3)`, role, bob, o.now.Add(6*24*time.Hour))
	for range 2 {
		for _, job := range o.service.Jobs() {
			if err := job.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		o.expect("root@example.org: Service token expires soon: Export", "bob@example.org: Access ends soon: Clerk")
	}
}

func TestAUserIsToldThatTheirPasswordWasReplaced(t *testing.T) {
	o := open(t)
	root := o.root()
	o.ExecAs(o.Tenant, `insert into notification_settings (tenant_id, quiet)
		values (current_tenant(), '{"from": "00:00", "to": "23:59"}')`)
	o.ExecAs(o.Tenant, `update app_user set password_hash = 'rehashed' where id = $1`, root)
	o.expect()
	o.ExecAs(o.Tenant, `update app_user set password_hash = 'second', password_epoch = password_epoch + 1
		where id = $1`, root)
	o.expect("root@example.org: Your password for first was changed")
	if body := o.server.Mails()[0].Body; !strings.Contains(body, "tell an administrator at once") {
		t.Errorf("what to do is absent: %s", body)
	}
}

func TestTheDeliveryLogForgetsADeletedUser(t *testing.T) {
	o := open(t)
	root := o.root()
	o.ExecAs(o.Tenant, `update app_user set password_hash = 'second', password_epoch = password_epoch + 1`)
	o.expect("root@example.org: Your password for first was changed")
	o.ExecAs(o.Tenant, `insert into mail_bounce (tenant_id, address_lc, message_id)
		values (current_tenant(), 'root@example.org', gen_random_uuid())`)
	o.ExecAs(o.Tenant, `insert into mail_message (tenant_id, id, kind, person_id, name, address)
		values (current_tenant(), gen_random_uuid(), 'digest', $1, 'Root', 'root@example.org')`, root)
	o.ExecAs(o.Tenant, `update app_user set email = 'deleted@deleted.invalid', deleted_at = now() where id = $1`, root)
	if n := o.Count(`select count(*)::int from mail_message m where m::text ~* 'root'`); n != 0 {
		t.Errorf("%d messages have the address or the name", n)
	}
	if n := o.Count(`select count(*)::int from mail_bounce`); n != 0 {
		t.Errorf("%d marks have the address", n)
	}
	if log := o.log("?state=suppressed"); len(log) != 1 || log[0]["reason"] != "no_address" {
		t.Errorf("the delivery log has %v", o.log(""))
	}
}

func TestAPersonReadsTheTenantsWordsInTheirLanguage(t *testing.T) {
	o := open(t)
	ann, bob := o.person("Ann"), o.person("Bob")
	o.ExecAs(o.Tenant, `update identity set locale = 'de-CH' where id = $1`, ann)
	const at = "/settings/notifications/templates/task.assigned"
	o.Refused(
		422,
		"validation_failed",
		"admin",
		"PUT",
		at+"?language=de",
		map[string]any{"subject": "{titel}", "text": ""},
	)
	o.Refused(
		422,
		"validation_failed",
		"admin",
		"PUT",
		at+"?language=German",
		map[string]any{"subject": "x", "text": ""},
	)
	german := map[string]any{"subject": "Entscheid: {title}", "text": "Guten Tag {name}\n{summary}"}
	o.Refused(409, "nothing_to_preview", "admin", "POST", at+"/preview?language=de", german)
	first := o.Must(200, "admin", "PUT", at+"?language=de", german, "If-Match", `"0"`)
	o.Refused(412, "precondition_failed", "admin", "PUT", at+"?language=de", german, "If-Match", `"0"`)
	if first.Body["version"] != 1.0 || first.Body["changed"] != true {
		t.Errorf("the template is %v", first.Body)
	}
	o.task("Payroll for {name}", ann)
	o.task("Budget", bob)
	o.expect("ann@example.org: Entscheid: Payroll for {name}", "bob@example.org: Decision: Budget")
	for _, m := range o.server.Mails() {
		if m.To == "ann@example.org" && !strings.Contains(m.Body, "Guten Tag Ann") {
			t.Errorf("the text is %s", m.Body)
		}
	}
	preview := o.Must(200, "admin", "POST", at+"/preview?language=de", german)
	if preview.Text("subject") != "Entscheid: Budget" || !strings.Contains(preview.Text("text"), "Guten Tag") {
		t.Errorf("the preview is %v", preview.Body)
	}
	if n := o.Count(`select count(*) from notification`); n != 0 {
		t.Errorf("the preview left %d notifications", n)
	}
	o.Must(204, "admin", "DELETE", at+"?language=de", nil)
	o.Refused(404, "not_found", "admin", "DELETE", at+"?language=de", nil)
	o.task("Again", ann)
	o.expect("ann@example.org: Entscheid: Payroll for {name}", "bob@example.org: Decision: Budget",
		"ann@example.org: Decision: Again")
	actions := o.Strings(`select action from audit_event where action like 'notification_template.%' order by seq`)
	if !slices.Equal(actions, []string{"notification_template.updated", "notification_template.reset"}) {
		t.Errorf("audited %v", actions)
	}
}

// Every kind has a preview of an object of the tenant, or says that there is none.
func TestEveryKindCanBePreviewed(t *testing.T) {
	o := open(t)
	root := o.root()
	o.Change("admin", func(v *viewer.Viewer) { v.ID = root })
	list := o.Must(200, "admin", "GET", "/settings/notifications/templates", nil).Body["templates"].([]any)
	if len(list) != len(notice.Kinds) {
		t.Fatalf("%d templates; want %d", len(list), len(notice.Kinds))
	}
	for _, each := range list {
		k := each.(map[string]any)
		words := map[string]any{"subject": k["subject"], "text": k["text"]}
		a := o.Call("admin", "POST", "/settings/notifications/templates/"+k["kind"].(string)+"/preview", words)
		if a.Status != 200 && a.Status != 409 {
			t.Errorf("%s: %d %v", k["kind"], a.Status, a.Body)
		}
	}
}
