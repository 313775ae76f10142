package provision_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/reach/provision"
	v1 "github.com/grantwright/grantwright/protocol/v1"
)

// refusal is a target's answer that it does not do it.
func refusal(class v1.ErrorClass, code, message string) func(v1.ProvisionRequest) (v1.ProvisionResponse, error, bool) {
	return func(v1.ProvisionRequest) (v1.ProvisionResponse, error, bool) {
		return v1.ProvisionResponse{}, &v1.ErrorDetail{Class: class, Code: code, Message: message}, true
	}
}

// answered is a refusal with the directory's own result.
func answered(class v1.ErrorClass, code, message string) func(v1.ProvisionRequest) (v1.ProvisionResponse, error, bool) {
	return func(v1.ProvisionRequest) (v1.ProvisionResponse, error, bool) {
		return v1.ProvisionResponse{}, &v1.ErrorDetail{
			Class:   class,
			Code:    code,
			Message: message,
			Target:  &v1.Target{Kind: "ldap", LDAP: &v1.LDAPResult{ResultCode: 17, Name: message}},
		}, true
	}
}

func TestEachKindOfFailureHasItsOwnEndAndItsOwnAdvice(t *testing.T) {
	for _, tt := range []struct {
		name      string
		operation string // of the change that fails
		class     v1.ErrorClass
		code      string
		message   string
		state     string
		want      string // class
		advice    string
	}{
		{"a group that is gone", "grant", v1.ClassNotFound, "entitlement_not_found", "there is no group staff in the " +
			"directory any more", "failed", "not_found", "The group or role is not in the target any more"},
		{"a name that is taken", "create_account", v1.ClassConflict, "ldap_68", "entryAlreadyExists", "failed",
			"conflict", "already has this username"},
		{"a password that is refused", "create_account", v1.ClassPolicy, "password_refused",
			"constraintViolation: Password fails quality checking policy", "failed", "invalid", "password policy"},
		{"values that are refused", "create_account", v1.ClassData, "ldap_21", "invalidAttributeSyntax", "failed",
			"invalid", "refuses the values"},
		{"a right that is missing", "grant", v1.ClassPermission, "ldap_50", "insufficientAccessRights", "failed",
			"invalid", "is not allowed to make this change"},
		{"a setting that does not fit", "disable", v1.ClassConfig, "ldap_17", "undefinedAttributeType", "failed",
			"config", "settings do not fit"},
		{"a connector that cannot", "grant", v1.ClassConfig, "read_only_connector", "this connector only reads",
			"failed", "unsupported", "cannot make this change"},
		{"an account that is gone", "disable", v1.ClassNotFound, "ldap_32", "there is no such account", "failed",
			"not_found", "does not know the account any more"},
		{"a target that stumbles", "grant", v1.ClassTransient, "ldap_51", "busy", "retrying", "transient", ""},
		{"a target that is asked too much", "grant", v1.ClassRateLimited, "http_429", "slow down", "retrying",
			"throttled", ""},
		{"a sign-in that is refused", "grant", v1.ClassAuth, "ldap_49", "invalidCredentials", "retrying", "auth", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := Open(t)
			ann, staff := h.person("ann"), h.Entitlement(h.connector, "staff")
			if tt.operation != "create_account" {
				h.account("ann", ann)
			}
			h.target.wrong = refusal(tt.class, tt.code, tt.message)
			if tt.code == "ldap_17" {
				h.target.wrong = answered(tt.class, tt.code, tt.message)
			}
			if tt.operation == "disable" {
				h.Exec(`update identity set status = 'deactivated', status_changed_at = clock_timestamp()`)
			} else {
				h.give(ann, staff)
			}
			h.drain()
			got := h.text(
				`select state || ' ' || error_class || ' ' || coalesce(advice, '') from provisioning_task
					where operation = $1`,
				tt.operation,
			)
			if want := tt.state + " " + tt.want + " "; !strings.HasPrefix(got, want) ||
				!strings.Contains(got, tt.advice) ||
				(tt.advice == "") != (got == want) {
				t.Errorf("it is %q; want %q and %q", got, want, tt.advice)
			}
			if upstream := h.text(
				`select upstream ->> 'code' from provisioning_attempt where outcome is not null limit 1`,
			); upstream != tt.code {
				t.Errorf("the attempt keeps the target's code %q; want %q", upstream, tt.code)
			}
		})
	}
}

func TestWhatWaitsForAFailedTaskSaysSoAndGoesOnOnceItIsMended(t *testing.T) {
	h := Open(t)
	ann, staff := h.person("ann"), h.Entitlement(h.connector, "staff")
	h.target.wrong = refusal(v1.ClassConflict, "ldap_68", "entryAlreadyExists")
	h.give(ann, staff)
	h.drain()
	h.wants("create_account failed", "grant blocked")
	if got := h.accountOf(ann) + " " + h.grantOf(ann, staff); got != "failed pending" {
		t.Errorf("they are %s", got)
	}
	if got := h.text(
		`select (error ->> 'code') || ' ' || advice from provisioning_task where operation = 'grant'`,
	); !strings.HasPrefix(
		got,
		"dependency_failed Mend task ",
	) {
		t.Errorf("the grant says %q", got)
	}
	h.plan()
	h.wants("create_account failed", "grant blocked")
	h.target.wrong = nil
	h.Exec(`update identity set username = 'ann2'`)
	id := h.text(`select id::text from provisioning_task where operation = 'create_account'`)
	h.Must(200, "admin", "POST", "/accounts/provisioning-tasks/"+id+"/retry", nil)
	h.drain()
	h.wants("create_account done", "grant done")
	if got := h.target.order(); !slices.Equal(
		got[1:],
		[]string{"account.create ann2", "entitlement.grant ann2 staff"},
	) {
		t.Errorf("sent %q; want the name that the template gives now", got)
	}
}

func TestTriesEndAndAreThenOver(t *testing.T) {
	h := Open(t)
	ann, staff := h.person("ann"), h.Entitlement(h.connector, "staff")
	h.account("ann", ann)
	h.target.wrong = refusal(v1.ClassTransient, "ldap_51", "busy")
	h.give(ann, staff)
	for range 20 {
		h.drain()
		h.due()
	}
	h.wants("grant failed")
	if got := h.text(
		`select tries || ' ' || attempts || ' ' || advice from provisioning_task`,
	); !strings.HasPrefix(
		got,
		"9 9 The target could not be reached",
	) {
		t.Errorf("it is %s", got)
	}
	if got := h.grantOf(ann, staff); got != "failed" {
		t.Errorf("the grant is %s", got)
	}
}

func TestPausesGrowAndAreAsLongAsTheTargetAsks(t *testing.T) {
	h := Open(t)
	ann, staff := h.person("ann"), h.Entitlement(h.connector, "staff")
	h.account("ann", ann)
	h.target.wrong = refusal(v1.ClassTransient, "ldap_51", "busy")
	h.give(ann, staff)
	wait := func() float64 {
		t.Helper()
		h.drain()
		var seconds float64
		_, err := fmt.Sscan(
			h.text(`select extract(epoch from next_attempt_at - updated_at)::text from provisioning_task`),
			&seconds,
		)
		if err != nil {
			t.Fatal(err)
		}
		h.due()
		return seconds
	}
	for i, least := range []float64{2, 4.5, 9.5} {
		if got := wait(); got < least || got > 2*least+2 {
			t.Errorf("after try %d it waits %g s", i+1, got)
		}
	}
	after := int64(600_000)
	h.target.wrong = func(v1.ProvisionRequest) (v1.ProvisionResponse, error, bool) {
		return v1.ProvisionResponse{}, &v1.ErrorDetail{
			Class:        v1.ClassRateLimited,
			Code:         "http_429",
			Message:      "slow down",
			RetryAfterMS: &after,
		}, true
	}
	if got := wait(); got < 600 || got > 670 {
		t.Errorf("asked for ten minutes, it waits %g s", got)
	}
}

func TestASignInThatIsRefusedStopsTheConnectorAndBurnsNobodysTries(t *testing.T) {
	h := Open(t)
	staff := h.Entitlement(h.connector, "staff")
	for i := range 40 {
		name := fmt.Sprintf("p%02d", i)
		who := h.person(name)
		h.account(name, who)
		h.give(who, staff)
	}
	h.target.wrong = refusal(v1.ClassAuth, "ldap_49", "invalidCredentials")
	h.drain()
	if n := len(h.target.order()); n > 8 {
		t.Errorf("%d of 40 changes were tried", n)
	}
	if n := h.Count(
		`select count(*) from provisioning_task where tries > 0 or state not in ('queued', 'retrying')`,
	); n != 0 {
		t.Errorf("%d tasks have lost a try", n)
	}
	if got := h.text(`select failures || ' ' || wait_reason from provisioning_lane`); got != "1 invalidCredentials" {
		t.Errorf("the lane says %q", got)
	}
	list := h.Must(200, "admin", "GET", "/accounts/provisioning-tasks?state=queued,retrying&limit=1", nil)
	if w, _ := list.Items()[0]["waiting"].(map[string]any); w["code"] != "target_unavailable" || w["until"] == nil {
		t.Errorf("a task waits for %v", w)
	}
	before := len(h.target.order())
	h.due()
	h.drain()
	if n := len(h.target.order()) - before; n != 1 {
		t.Errorf("%d changes were tried to see whether the target can be worked with again; want 1", n)
	}
	h.target.wrong = nil
	h.due()
	h.drain()
	if n := h.Count(`select count(*) from provisioning_task where state = 'done'`); n != 40 {
		t.Errorf("%d of 40 are done once the sign-in works", n)
	}
	if n := h.Count(`select count(*) from provisioning_lane where failures = 0 and wait_reason is null`); n != 1 {
		t.Error("the lane still says that something is wrong")
	}
}

func TestTheBreakerOpensWhenTooMuchFailsAndTasksWaitUntilItIsReset(t *testing.T) {
	h := Open(t)
	staff := h.Entitlement(h.connector, "staff")
	h.s.Calls = 1
	for i := range 30 {
		name := fmt.Sprintf("p%02d", i)
		who := h.person(name)
		h.account(name, who)
		h.give(who, staff)
	}
	h.Exec(
		`insert into event_wish (tenant_id, listener, kind) values (current_tenant(), 'test',
			'connector.writes_stopped'), (current_tenant(), 'test', 'connector.writes_resumed')`,
	)
	told := func(want ...string) {
		t.Helper()
		got := h.Strings(
			`select kind || ' ' || (data ->> 'name') || ' ' || (data ->> 'connector_id') || ': ' || (data ->> 'reason')
			    from event
			where resource_type = 'connector' and resource_id::text = data ->> 'connector_id' order by sequence`,
		)
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], h.connector, "id")
		}
		if !slices.Equal(got, want) {
			t.Errorf("events %q; want %q", got, want)
		}
	}
	const why = "ad id: 10 consecutive changes failed; check the cause, then resume writes"
	h.target.wrong = refusal(v1.ClassNotFound, "ldap_32", "the group is not there")
	h.drain()
	told("connector.writes_stopped " + why)
	failed := h.Count(`select count(*) from provisioning_task where state = 'failed'`)
	if failed < 10 || failed > 12 {
		t.Errorf("%d failed before the breaker opened; want 10", failed)
	}
	waits := h.Must(200, "admin", "GET", "/accounts/provisioning-tasks?state=queued&limit=1", nil)
	if w, _ := waits.Items()[0]["waiting"].(map[string]any); w["code"] != "breaker_open" ||
		!strings.Contains(fmt.Sprint(w["reason"]), "10 consecutive changes failed") {
		t.Errorf("a task waits for %v", w)
	}
	h.target.wrong = nil
	h.due()
	h.drain()
	if n := h.Count(`select count(*) from provisioning_task where state = 'done'`); n != 0 {
		t.Errorf("%d were made while the breaker was open", n)
	}
	h.Must(200, "admin", "POST", "/connectors/"+h.connector+"/provisioning/breaker/reset", nil)
	h.drain()
	if n := h.Count(`select count(*) from provisioning_task where state = 'done'`); n != 30-failed {
		t.Errorf("%d were made once it was reset; want %d", n, 30-failed)
	}
	h.Refused(409, "invalid_transition", "admin", "POST", "/connectors/"+h.connector+"/provisioning/breaker/reset", nil)
	told("connector.writes_stopped "+why, "connector.writes_resumed "+why)
	got := h.Must(
		200,
		"admin",
		"POST",
		"/accounts/provisioning-tasks/retry-failed",
		object("connector_id", h.connector),
	)
	if got.Body["retried"] != float64(failed) {
		t.Errorf("retried %v; want %d", got.Body["retried"], failed)
	}
	h.drain()
	if n := h.Count(`select count(*) from provisioning_task where state = 'done'`); n != 30 {
		t.Errorf("%d of 30 are done", n)
	}
	for _, action := range []string{"connector.breaker_opened", "connector.breaker_reset", "provisioning.retried"} {
		if n := h.Count(`select count(*) from audit_event where action = $1`, action); n != 1 {
			t.Errorf("%s was audited %d times", action, n)
		}
	}
}

func TestTheBreakerOpensBeforeMoreIsTakenAwayThanMayBe(t *testing.T) {
	h := Open(t)
	h.s.Calls = 1 // so that the target sees the order
	h.Exec(
		`insert into connector_provisioning (tenant_id, connector_id, breaker) values (current_tenant(), $1, `+
			`'{"max_failures": 10, "max_changes": 5, "window": "PT1H"}')`,
		h.connector,
	)
	for i := range 20 {
		name := fmt.Sprintf("p%02d", i)
		h.account(name, h.person(name))
	}
	h.Exec(`update identity set status = 'deactivated', status_changed_at = clock_timestamp() where username <> 'p07'`)
	h.drain()
	if n := len(h.target.order()); n != 5 {
		t.Errorf("%d accounts were disabled; want 5", n)
	}
	h.Exec(
		`update identity set status = 'deactivated', status_changed_at = clock_timestamp(),
			urgent = true where username = 'p07'`,
	)
	h.Must(200, "admin", "POST", "/connectors/"+h.connector+"/provisioning/breaker/reset", nil)
	h.drain()
	if got := h.target.order(); len(got) != 11 || got[5] != "account.disable p07" {
		t.Errorf(
			"after the reset there are %d, the first of them %q; want what is urgent first, and five more",
			len(got),
			got[5],
		)
	}
}

func TestNothingIsSentWhileWritingIsSwitchedOffOrTheConnectorRests(t *testing.T) {
	h := Open(t)
	ann, staff := h.person("ann"), h.Entitlement(h.connector, "staff")
	h.account("ann", ann)
	h.Refused(422, "validation_failed", "admin", "PUT", "/settings/provisioning", object("writes", false))
	h.Must(200, "admin", "PUT", "/settings/provisioning", object("writes", false, "reason", "the directory moves"))
	h.give(ann, staff)
	h.drain()
	waits := func(code string) {
		t.Helper()
		h.sent()
		item := h.Must(200, "admin", "GET", "/accounts/provisioning-tasks", nil).Items()[0]
		if w, _ := item["waiting"].(map[string]any); w["code"] != code || item["state"] != "queued" {
			t.Errorf("it waits for %v; want %s", item["waiting"], code)
		}
	}
	waits("switch_off")
	if got := h.Must(
		200,
		"admin",
		"GET",
		"/settings/provisioning",
		nil,
	); got.Body["writes"] != false ||
		got.Body["reason"] != "the directory moves" {
		t.Errorf("the switch is %v", got.Body)
	}
	h.Exec(`update connector set status = 'paused', status_reason = 'work on it'`)
	h.Must(200, "admin", "PUT", "/settings/provisioning", object("writes", true))
	h.drain()
	waits("connector_not_running")
	h.Exec(`update connector set status = 'active'`)
	h.due()
	h.drain()
	h.sent("entitlement.grant ann staff")
	if n := h.Count(`select count(*) from audit_event where action = 'provisioning.switched'`); n != 2 {
		t.Errorf("%d switches were audited; want 2", n)
	}
}

func TestTheSwitchStopsWhatIsUnderWay(t *testing.T) {
	h := Open(t)
	h.s.Calls = 1
	h.target.delay = 50 * time.Millisecond
	staff := h.Entitlement(h.connector, "staff")
	for i := range 60 {
		name := fmt.Sprintf("p%02d", i)
		who := h.person(name)
		h.account(name, who)
		h.give(who, staff)
	}
	made := 0
	h.target.after = func(v1.ProvisionRequest) {
		if made++; made == 3 {
			h.Must(200, "admin", "PUT", "/settings/provisioning", object("writes", false, "reason", "stop"))
		}
	}
	h.drain()
	if n := len(h.target.order()); n < 3 || n > 30 {
		t.Errorf("%d of 60 were sent; want that they stop soon after the third", n)
	}
	if n := h.Count(
		`select count(*) from provisioning_task where state = 'queued' and not unsure and lease_owner is null`,
	) + len(h.target.order()); n != 60 {
		t.Errorf("%d are sent or wait; want all", n)
	}
	h.Must(200, "admin", "PUT", "/settings/provisioning", object("writes", true))
	h.drain()
	if n := h.Count(`select count(*) from provisioning_task where state = 'done'`); n != 60 || h.target.reads != 0 {
		t.Errorf("%d of 60 are done, after %d looks at the target; want all, and none", n, h.target.reads)
	}
}

func TestEachWriteModeDoesWhatItSays(t *testing.T) {
	for _, mode := range []string{"off", "simulate", "manual"} {
		t.Run(mode, func(t *testing.T) {
			h := Open(t)
			ann, bob, staff := h.person("ann"), h.person("bob"), h.Entitlement(h.connector, "staff")
			h.account("ann", ann)
			h.Exec(
				`insert into connector_provisioning (tenant_id, connector_id, write_mode) values (current_tenant(), $1,
					$2)`,
				h.connector,
				mode,
			)
			h.give(ann, staff)
			h.give(bob, staff)
			h.drain()
			h.Exec(
				`insert into work_item (tenant_id, kind, subject) select tenant_id, 'provisioning', id from identity`,
			)
			h.drain()
			h.sent()
			switch mode {
			case "off":
				h.wants()
				if n := h.Count(`select count(*) from account`); n != 1 {
					t.Errorf("%d accounts", n)
				}
			case "simulate":
				if got := h.tasks(); len(got) != 2 ||
					strings.Join(got, " ") != "grant simulated create_account simulated" &&
						strings.Join(got, " ") != "create_account simulated grant simulated" {
					t.Errorf("tasks %q", got)
				}
				if got := h.text(
					`select plan -> 0 -> 'ldap' ->> 'ldif' from provisioning_task where operation = 'create_account'`,
				); got != "account.create bob" {
					t.Errorf("the plan is %q", got)
				}
				if got := h.accountOf(bob) + h.grantOf(ann, staff); got != "" {
					t.Errorf("something was made of it: %s", got)
				}
			case "manual":
				Instructions(t, h, ann, bob, staff)
			}
		})
	}
}

// Instructions does by hand what the tasks ask for.
func Instructions(t *testing.T, h *house, ann, bob, staff string) {
	t.Helper()
	for _, item := range h.Must(200, "admin", "GET", "/accounts/provisioning-tasks?state=manual", nil).Items() {
		if item["advice"] == nil || !strings.HasPrefix(fmt.Sprint(item["advice"]), "In ad, ") {
			t.Errorf("%v has the advice %v", item["operation"], item["advice"])
		}
	}
	grant := h.text(
		`select t.id::text from provisioning_task t join account a on a.id = t.account_id where operation = 'grant'
			and a.identity_id = $1`,
		ann,
	)
	h.Refused(422, "validation_failed", "admin", "POST", "/accounts/provisioning-tasks/"+grant+"/complete", object())
	done := h.Must(
		200,
		"admin",
		"POST",
		"/accounts/provisioning-tasks/"+grant+"/complete",
		object("note", "added by hand"),
	)
	if v, _ := done.Body["verified"].(map[string]any); done.Body["state"] != "done" || v["by"] != "human" {
		t.Errorf("completed, it is %v, %v", done.Body["state"], v)
	}
	if got := h.grantOf(ann, staff); got != "active" {
		t.Errorf("the grant is %s", got)
	}
	create := h.text(`select id::text from provisioning_task where operation = 'create_account'`)
	if got := h.Must(
		200,
		"admin",
		"POST",
		"/accounts/provisioning-tasks/"+create+"/complete",
		object("note", "made"),
	); got.Body["state"] != "verifying" {
		t.Errorf("the account is %v; want that a reading has still to show it", got.Body["state"])
	}
	h.account("bob", bob) // a reading brings it
	if err := h.s.Keep(ctx); err != nil {
		t.Fatal(err)
	}
	if got := h.accountOf(bob); got != "active" {
		t.Errorf("the account is %s; want one, active", got)
	}
	if got := h.text(
		`select state || ' ' || verified_by from provisioning_task where id = $1`,
		create,
	); got != "done sync" {
		t.Errorf("the task is %s", got)
	}
}

func TestWhatTheTargetDoesNotShowIsVerifiedByAReading(t *testing.T) {
	h := Open(t)
	ann, staff, mail := h.person("ann"), h.Entitlement(h.connector, "staff"), h.Entitlement(h.connector, "mail")
	h.account("ann", ann)
	h.target.blind = true
	h.give(ann, staff)
	h.give(ann, mail)
	h.drain()
	h.wants("grant verifying", "grant verifying")
	keep := func() {
		t.Helper()
		if err := h.s.Keep(ctx); err != nil {
			t.Fatal(err)
		}
	}
	run := func(incremental bool) {
		h.Exec(
			`insert into sync_run (tenant_id, id, connector_id, type, status, purpose, incremental,
			    effective_incremental, chunk_size, started_at, finished_at)
			values (current_tenant(), gen_random_uuid(), $1, 'rest', 'succeeded', 'apply', $2, $2, 100,
			    clock_timestamp(), clock_timestamp())`,
			h.connector,
			incremental,
		)
	}
	run(true)
	keep()
	h.wants("grant verifying", "grant verifying")
	h.Exec(`update access_grant set status = 'missing' where entitlement_id = $1`, mail)
	run(false)
	keep()
	got := h.Strings(
		`select e.name || ' ' || t.state || ' ' || t.verified || ' ' || t.verified_by from provisioning_task t
			join entitlement e on e.id = t.entitlement_id order by e.name`,
	)
	if !slices.Equal(got, []string{"mail failed no sync", "staff done yes sync"}) {
		t.Errorf("after a reading: %q", got)
	}
}

func TestAnAccountThatAReadingBroughtFirstIsTheSame(t *testing.T) {
	h := Open(t)
	ann, bob, staff, native := h.person("ann"), h.person("bob"), h.Entitlement(
		h.connector,
		"staff",
	), h.Entitlement(
		h.connector,
		"native",
	)
	var key string
	h.target.after = func(req v1.ProvisionRequest) {
		if req.Op != v1.OpAccountCreate {
			return
		}
		for _, a := range h.target.accounts {
			key = a.key
		}
		id := newID()
		h.Exec(
			`insert into account (tenant_id, id, connector_id, external_id, username, row_hash)
				values (current_tenant(), $1, $2, $3, 'ann', '\x01')`,
			id,
			h.connector,
			key,
		)
		h.Grant(h.connector, id, native)
	}
	h.give(ann, staff)
	h.drain()
	h.wants("create_account done", "grant done")
	if got := h.Strings(
		`select external_id || ' ' || status || ' ' || managed from account`,
	); !slices.Equal(
		got,
		[]string{key + " active managed"},
	) {
		t.Errorf("the accounts are %q", got)
	}
	if got := h.grantOf(ann, native) + " " + h.grantOf(ann, staff); got != "active active" {
		t.Errorf("its grants are %s", got)
	}
	h.target.after = func(req v1.ProvisionRequest) {
		if req.Op == v1.OpAccountCreate {
			for _, a := range h.target.accounts {
				if a.name == "bob" {
					h.Exec(
						`insert into account (tenant_id, id, connector_id, external_id, username, identity_id,
							row_hash) values (current_tenant(), gen_random_uuid(), $1, $2, 'bob', $3, '')`,
						h.connector,
						a.key,
						ann,
					)
				}
			}
		}
	}
	h.give(bob, "")
	h.drain()
	if got := h.text(
		`select state || ' ' || (error ->> 'code') from provisioning_task where identity_id = $1`,
		bob,
	); got != "failed account_of_somebody_else" {
		t.Errorf("the account of somebody else: %s", got)
	}
}

func TestTwoProcessesMakeEachChangeOnce(t *testing.T) {
	h := Open(t)
	staff, mail := h.Entitlement(h.connector, "staff"), h.Entitlement(h.connector, "mail")
	for i := range 60 {
		who := h.person(fmt.Sprintf("p%02d", i))
		h.give(who, staff)
		h.give(who, mail)
	}
	var group sync.WaitGroup
	for _, s := range []*provision.Service{h.s, h.process(t, h.DB), h.process(t, h.DB)} {
		group.Go(func() {
			for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
				if err := s.Drain(ctx); err != nil {
					t.Error(err)
					return
				}
				if h.Count(`select count(*) from provisioning_task where state = 'done'`) == 180 {
					return
				}
			}
			t.Error("it does not end")
		})
	}
	group.Wait()
	if n := len(h.target.order()); n != 180 || h.target.twice() != 0 {
		t.Errorf("%d changes were sent, %d made twice; want 180, and none", n, h.target.twice())
	}
	if n := h.Count(`select count(*) from account where status = 'active'`); n != 60 {
		t.Errorf("%d accounts", n)
	}
}

func TestChangesOfOneAccountNeverMeet(t *testing.T) {
	h := Open(t)
	ann := h.person("ann")
	h.account("ann", ann)
	for i := range 12 {
		h.give(ann, h.Entitlement(h.connector, fmt.Sprintf("g%02d", i)))
	}
	h.target.delay = 5 * time.Millisecond
	var mu sync.Mutex
	within, most := 0, 0
	h.s.Dispatch = watched{h.target, func(enter bool) {
		mu.Lock()
		defer mu.Unlock()
		if enter {
			within++
			most = max(most, within)
		} else {
			within--
		}
	}}
	h.drain()
	if most != 1 {
		t.Errorf("%d changes of one account were made at once", most)
	}
	if n := h.Count(`select count(*) from provisioning_task where state = 'done'`); n != 12 {
		t.Errorf("%d of 12 are done", n)
	}
}
