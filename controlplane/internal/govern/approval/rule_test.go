package approval_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
)

type object = map[string]any

// rule is the body of a rule with one branch, which is a chain of these stages.
func rule(name string, applies object, stages ...object) object {
	return object{
		"name":       name,
		"applies_to": applies,
		"branches":   []any{object{"outcome": object{"kind": "chain", "stages": stages}}},
	}
}

// stage asks groups of approvers, all of which must agree.
func stage(groups ...object) object { return object{"name": "Agreement", "groups": groups} }

func group(mode string, approvers ...object) object {
	g := object{"approvers": approvers}
	if mode != "" {
		g["mode"] = mode
	}
	return g
}

func quorum(n int, approvers ...object) object {
	return object{"mode": "quorum", "quorum": n, "approvers": approvers}
}

func person(id string) object { return object{"kind": "identity", "identity_id": id} }

func by(kind string) object { return object{"kind": kind} }

func (h *house) make(body object) string {
	h.T.Helper()
	return h.Must(201, "admin", "POST", "/approval-rules", body).Text("id")
}

func TestARuleIsMadeReadChangedAndTakenAway(t *testing.T) {
	h := open(t)
	a := h.Must(
		201,
		"admin",
		"POST",
		"/approval-rules",
		rule("Finance", object{"entitlement_ids": []string{h.group}}, stage(group("", by("resource_owner")))),
	)
	id := a.Text("id")
	if a.Body["enabled"] != true || a.Body["distinct_approvers"] != true || a.Body["request_ttl"] != "P14D" ||
		a.Body["priority"] != 100.0 {
		t.Errorf("defaults: %v", a.Body)
	}
	if got := fmt.Sprint(a.Body["sentences"]); got != "[always: an owner of the requested resource]" {
		t.Errorf("sentences = %s", got)
	}
	one := a.Body["branches"].([]any)[0].(object)["outcome"].(object)["stages"].([]any)[0].(object)
	if one["respond_within"] != "P3D" || one["require_comment"] != "reject" ||
		fmt.Sprint(one["fallback"]) != "[map[app_role:admin kind:app_role]]" {
		t.Errorf("stage = %v", one)
	}
	h.expect(h.subject(), "1 of olga")
	b := h.Must(
		200,
		"admin",
		"PATCH",
		"/approval-rules/"+id,
		object{"request_ttl": "P5D", "grant": object{"max_duration": "P30D"}},
		"If-Match",
		a.Header.Get("ETag"),
	)
	if b.Body["version"] != 2.0 || b.Body["grant"].(object)["allow_permanent"] != false || b.Body["name"] != "Finance" {
		t.Errorf("changed: %v", b.Body)
	}
	h.Refused(
		412,
		"precondition_failed",
		"admin",
		"PATCH",
		"/approval-rules/"+id,
		object{"priority": 5},
		"If-Match",
		a.Header.Get("ETag"),
	)
	h.Must(200, "admin", "POST", "/approval-rules/"+id+"/disable", nil)
	h.expect(h.subject(), "1 of lead")
	h.Must(200, "admin", "POST", "/approval-rules/"+id+"/enable", nil)
	if got := h.expect(
		h.subject(),
		"1 of olga",
	); got.Rule.Version != 4 || got.Terms.MaxDuration != "P30D" ||
		got.RequestTTL != "P5D" {
		t.Errorf("plan = %+v", got)
	}
	if v := h.Must(
		200,
		"auditor",
		"GET",
		"/approval-rules/"+id+"/versions",
		nil,
	); fmt.Sprint(v.Values("version")) != "[4 3 2 1]" ||
		v.Items()[0]["content"].(object)["request_ttl"] != "P5D" {
		t.Errorf("versions = %v", v.Body)
	}
	if l := h.Must(
		200,
		"auditor",
		"GET",
		"/approval-rules?entitlement_id="+h.group,
		nil,
	); len(l.Items()) != 1 ||
		l.Items()[0]["id"] != id {
		t.Errorf("list = %v", l.Body)
	}
	h.Exec(`update role set approval_rule_id = $1 where id = $2`, id, h.role)
	a = h.Refused(409, "approval_rule_in_use", "admin", "DELETE", "/approval-rules/"+id, nil)
	if used := fmt.Sprint(a.Body["used_by"]); !strings.Contains(used, h.role) {
		t.Errorf("used_by = %s", used)
	}
	h.Exec(`update role set approval_rule_id = null`)
	h.Must(204, "admin", "DELETE", "/approval-rules/"+id, nil)
	h.Refused(404, "not_found", "admin", "GET", "/approval-rules/"+id, nil)
	if n := h.Count(`select count(*) from audit_event where action like 'approval_rule.%'`); n != 5 {
		t.Errorf("%d entries in the audit log; want 5", n)
	}
}

func TestWhoReadsAndWhoWrites(t *testing.T) {
	h := open(t)
	h.Let("employee", h.Tenant.Tenant, h.ada)
	for _, path := range []string{"/approval-rules", "/approval-rules/coverage", "/approval-rules/calendars",
		"/approval-rules/on-call"} {
		h.Must(200, "auditor", "GET", path, nil)
		h.Must(403, "employee", "GET", path, nil)
	}
	h.Must(
		403,
		"auditor",
		"POST",
		"/approval-rules",
		rule("x", object{"default": true}, stage(group("any", by("manager")))),
	)
	h.Refused(
		409,
		"name_taken",
		"admin",
		"POST",
		"/approval-rules",
		rule(h.named("once"), object{}, stage(group("any", by("manager")))),
	)
}

// named makes a rule of that name.
func (h *house) named(name string) string {
	h.make(rule(name, object{}, stage(group("any", by("manager")))))
	return name
}

func TestTheNarrowestRuleCountsAndThenTheLowestNumber(t *testing.T) {
	h := open(t)
	h.Exec(`update entitlement set risk_level = 'high', compliance_tags = '{sox}' where id = $1`, h.group)
	one := func(name string, priority int, applies object, who string) string {
		body := rule(name, applies, stage(group("any", person(who))))
		body["priority"] = priority
		return h.make(body)
	}
	expect := func(rule, because string) {
		t.Helper()
		p := h.resolve(h.subject())
		if p.Rule.Name != rule || !strings.HasPrefix(p.Rule.MatchedBecause, because) {
			t.Errorf("rule %s, because %q; want %s, %q", p.Rule.Name, p.Rule.MatchedBecause, rule, because)
		}
	}
	expect("Built-in rule", "No rule of the tenant is for it")
	one("default", 1, object{"default": true}, h.boss)
	expect("default", "No narrower rule is for it")
	one("kinds", 1, object{"request_kinds": []string{"grant"}}, h.boss)
	expect("kinds", "It is for requests to grant")
	one("risk", 50, object{"risk_levels": []string{"high"}}, h.boss)
	expect("risk", "It is for what has high risk")
	one("tag", 40, object{"tags": []string{"sox"}}, h.boss)
	expect("tag", "It is for what has the tag sox")
	one("system", 900, object{"connector_ids": []string{h.system}}, h.boss)
	expect("system", "It is for a system that this is in")
	one("item", 900, object{"entitlement_ids": []string{h.group}}, h.boss)
	expect("item", "It is for the entitlement ledger")
	one("item of returns", 1, object{"entitlement_ids": []string{h.group}, "request_kinds": []string{"return"}}, h.boss)
	expect("item", "It is for the entitlement ledger")
	own := one("own", 1000, object{}, h.boss)
	h.Exec(`update entitlement set approval_rule_id = $1 where id = $2`, own, h.group)
	expect("own", "The entitlement ledger names this rule")
	h.Must(200, "admin", "POST", "/approval-rules/"+own+"/disable", nil)
	expect("item", "It is for the entitlement ledger")
	h.Exec(
		`insert into role_entitlement (tenant_id, role_id, entitlement_id) values (current_tenant(), $1, $2)`,
		h.role,
		h.group,
	)
	if p := h.resolve(
		h.subject(func(s *approval.Subject) { s.EntitlementID, s.RoleID = nil, &h.role }),
	); p.Rule.Name != "system" {
		t.Errorf("the rule for a role with something of the system is %s", p.Rule.Name)
	}
}

func TestTheFirstBranchWhoseConditionIsMetCounts(t *testing.T) {
	h := open(t)
	h.Exec(`update identity set department = 'Finance' where id = $1`, h.ada)
	h.Exec(`update identity set department = 'IT' where id = $1`, h.lead)
	base := h.make(
		object{
			"name": "base",
			"branches": []any{
				object{"outcome": object{"kind": "chain", "stages": []any{stage(group("any", person(h.boss)))}}},
			},
		},
	)
	when := func(field, op string, value any) object { return object{"field": field, "op": op, "value": value} }
	h.make(object{"name": "all", "applies_to": object{"default": true}, "branches": []any{
		object{
			"when":    when("request.urgency", "eq", "emergency"),
			"outcome": object{"kind": "auto_reject", "reason": "call the desk"},
		},
		object{
			"when": object{
				"expression": "request['duration_days'] is not None and request['duration_days'] <= 1 and " +
					"identity['department'] == 'Finance'",
			},
			"outcome": object{"kind": "auto_approve", "reason": "a day is nothing"},
		},
		object{
			"when": object{
				"match": "all",
				"rules": []any{when("request.duration_days", "lt", 30), when("requester.department", "eq", "it")},
			},
			"outcome": object{"kind": "chain", "stages": []any{stage(group("any", person(h.olga)))}},
		},
		object{"when": when("item.tags", "contains", "sox"), "outcome": object{"kind": "use_rule", "rule_id": base}},
		object{"outcome": object{"kind": "chain", "stages": []any{stage(group("any", by("manager")))}}},
	}})
	with := func(change func(*approval.Subject)) approval.Subject { return h.subject(change) }
	h.expect(with(func(s *approval.Subject) { s.Urgency = "emergency" }), "auto_reject: call the desk")
	h.expect(with(func(s *approval.Subject) { s.Duration = "PT4H" }), "auto_approve: a day is nothing")
	p := h.expect(with(func(s *approval.Subject) { s.Duration, s.RequesterID = "P7D", h.lead }), "1 of olga")
	if p.Rule.Branch != 2 ||
		p.Rule.MatchedBecause != "No narrower rule is for it; request duration days is less than 30, and requester "+
			"department is it." {
		t.Errorf("rule = %+v", p.Rule)
	}
	h.expect(h.subject(), "1 of lead")
	h.Exec(`update entitlement set compliance_tags = '{sox}' where id = $1`, h.group)
	p = h.expect(h.subject(), "1 of boss")
	if p.Rule.Name != "all" || p.Rule.Branch != 3 ||
		!strings.Contains(p.Rule.MatchedBecause, "which uses the rule base") {
		t.Errorf("rule = %+v", p.Rule)
	}
}

// A rule that allows the exceptions of a policy is neither deleted nor disabled.
func TestRuleOfExceptionsStays(t *testing.T) {
	h := open(t)
	id := uuid.Must(uuid.NewV7()).String()
	h.Exec(`insert into approval_rule (tenant_id, id, name, applies_to, branches)
		values (current_tenant(), $1, 'Security', '{"risk_levels": ["low"]}', $2::text::jsonb)`, id, askManager)
	h.Exec(`insert into separation_policy (tenant_id, id, name, kind, sides, duty_ids, exception_rule_id)
		values (current_tenant(), gen_random_uuid(), 'Vendors and payments', 'pair', '[]', '{}', $1)`, id)
	path := "/approval-rules/" + id
	for _, call := range []struct {
		method, path string
		body         any
	}{
		{"DELETE", path, nil},
		{"POST", path + "/disable", map[string]any{}},
		{"PATCH", path, map[string]any{"enabled": false}},
	} {
		a := h.Refused(409, "approval_rule_in_use", "admin", call.method, call.path, call.body)
		by, _ := a.Body["used_by"].([]any)
		if len(by) != 1 || by[0].(map[string]any)["display"] != "Vendors and payments" {
			t.Errorf("%s %s: used by %v", call.method, call.path, by)
		}
	}
	h.Exec(`update separation_policy set deleted_at = now()`)
	h.Must(200, "admin", "POST", path+"/disable", map[string]any{})
	h.Must(204, "admin", "DELETE", path, nil)
}
