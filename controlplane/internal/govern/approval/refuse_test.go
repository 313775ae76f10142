package approval_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
)

// TestWhatCannotBeIsRefusedWhereItStands sends rules that are wrong in one place.
func TestWhatCannotBeIsRefusedWhereItStands(t *testing.T) {
	h := open(t)
	used := h.make(rule("used", object{}, stage(group("any", by("manager")))))
	nobody := uuid.Must(uuid.NewV7()).String()
	manager := group("any", by("manager"))
	with := func(s object, more object) object {
		for k, v := range more {
			s[k] = v
		}
		return s
	}
	chain := func(s object) object { return rule("x", object{}, s) }
	terms := func(more object) object { return with(rule("x", object{}, stage(manager)), more) }
	const at = "#/branches/0/outcome/stages/0"
	for _, tt := range []struct {
		about         string
		body          object
		pointer, code string
	}{
		{"no name", object{"branches": []any{object{"outcome": object{"kind": "auto_approve", "reason": "x"}}}},
			"#/name", "required"},
		{"no branch", object{"name": "x"}, "#/branches", "required"},
		{"a branch for all that is not the last",
			object{"name": "x", "branches": []any{object{"outcome": object{"kind": "auto_approve", "reason": "x"}},
				object{"outcome": object{"kind": "auto_approve", "reason": "x"}}}}, "#/branches/0/when",
			"unreachable_branches"},
		{"a last branch with a condition", object{"name": "x",
			"branches": []any{object{"when": object{"field": "department", "op": "eq", "value": "x"},
				"outcome": object{"kind": "auto_approve", "reason": "x"}}}}, "#/branches/0/when", "baseline_missing"},
		{"an unknown field", object{"name": "x",
			"branches": []any{object{"when": object{"field": "request.urgence", "op": "eq", "value": "x"},
				"outcome": object{"kind": "auto_approve", "reason": "x"}},
				object{"outcome": object{"kind": "auto_approve", "reason": "x"}}}}, "#/branches/0/when/field",
			"unknown_field"},
		{"an unknown value", object{"name": "x",
			"branches": []any{object{"when": object{"field": "item.risk_level", "op": "eq", "value": "huge"},
				"outcome": object{"kind": "auto_approve", "reason": "x"}},
				object{"outcome": object{"kind": "auto_approve", "reason": "x"}}}}, "#/branches/0/when/value",
			"unknown_value"},
		{"a refusal without a reason", object{"name": "x",
			"branches": []any{object{"outcome": object{"kind": "auto_reject"}}}}, "#/branches/0/outcome/reason",
			"required"},
		{"a chain of nothing", object{"name": "x", "branches": []any{object{"outcome": object{"kind": "chain"}}}},
			"#/branches/0/outcome/stages", "required"},
		{"a rule that is not there", object{"name": "x",
			"branches": []any{object{"outcome": object{"kind": "use_rule", "rule_id": nobody}}}},
			"#/branches/0/outcome/rule_id", "unknown_rule"},
		{"an unknown resolver", chain(stage(group("any", by("boss")))), at + "/groups/0/approvers/0/kind",
			"unknown_resolver"},
		{"a webhook", chain(stage(group("any", by("webhook")))), at + "/groups/0/approvers/0/kind",
			"unsupported_resolver"},
		{"a manager too high up", chain(stage(group("any", object{"kind": "manager", "level": 6}))), at +
			"/groups/0/approvers/0/level", "invalid"},
		{"a person who is not there", chain(stage(group("any", person(nobody)))), at +
			"/groups/0/approvers/0/identity_id", "unknown_identity"},
		{"a person without an id", chain(stage(group("any", by("identity")))), at + "/groups/0/approvers/0/identity_id",
			"required"},
		{"a role that is not there", chain(stage(group("any", object{"kind": "group", "role_id": nobody}))), at +
			"/groups/0/approvers/0/role_id", "unknown_role"},
		{"a schedule that is not there", chain(stage(group("any", object{"kind": "on_call", "schedule_id": nobody}))),
			at + "/groups/0/approvers/0/schedule_id", "unknown_schedule"},
		{"a role of the tenant that is none",
			chain(stage(group("any", object{"kind": "app_role", "app_role": "king"}))), at +
				"/groups/0/approvers/0/app_role", "invalid"},
		{"an expression that is none", chain(stage(group("any", object{"kind": "expression", "text": "identity["}))),
			at + "/groups/0/approvers/0/text", "invalid_expression"},
		{"a choice by a condition that is none",
			chain(stage(group("any", object{"kind": "requester_choice",
				"from": object{"field": "nothing", "op": "eq", "value": 1}}))),
			at + "/groups/0/approvers/0/from/field", "unknown_field"},
		{"a member of another kind", chain(stage(group("any", object{"kind": "manager", "identity_id": h.ada}))), at +
			"/groups/0/approvers/0/identity_id", "unexpected"},
		{"a quorum that can never be", chain(stage(quorum(3, person(h.boss), person(h.lead), person(h.lead)))), at +
			"/groups/0/quorum", "quorum_impossible"},
		{"a quorum of none", chain(stage(quorum(0, by("resource_owner")))), at + "/groups/0/quorum", "required"},
		{"a quorum of another mode", chain(stage(with(group("all", by("manager")), object{"quorum": 2}))), at +
			"/groups/0/quorum", "unexpected"},
		{"a stage without groups", chain(object{"name": "x", "groups": []any{}}), at + "/groups", "required"},
		{"no duration", chain(with(stage(manager), object{"respond_within": "3 days"})), at + "/respond_within",
			"invalid_duration"},
		{"nothing to answer in", chain(with(stage(manager), object{"respond_within": "PT0S"})), at + "/respond_within",
			"invalid_duration"},
		{"more to answer in than the request lives", chain(with(stage(manager), object{"respond_within": "P15D"})), at +
			"/respond_within", "never_met"},
		{"a reminder before anybody is asked", chain(with(stage(manager), object{"reminders": []any{"P1D", "P3D"}})),
			at + "/reminders/1", "never_met"},
		{"an escalation after the end", chain(with(stage(manager),
			object{"escalation": []any{object{"after": "P14D", "action": "approve"}}})), at + "/escalation/0/after",
			"never_met"},
		{"an escalation to nobody", chain(with(stage(manager),
			object{"escalation": []any{object{"after": "P1D", "action": "add"}}})), at + "/escalation/0/to",
			"required"},
		{"an escalation to an unknown rule",
			chain(with(stage(manager), object{"escalation": []any{object{"after": "P1D", "action": "use_rule",
				"rule_id": nobody}}})), at + "/escalation/0/rule_id", "unknown_rule"},
		{"a calendar that is not there", chain(with(stage(manager), object{"calendar_id": nobody})), at +
			"/calendar_id", "unknown_calendar"},
		{"somebody to reassign to who is not there",
			chain(with(stage(manager), object{"reassign_allow_list": []any{nobody}})), at + "/reassign_allow_list/0",
			"unknown_identity"},
		{"a window that ends before it begins",
			chain(with(stage(manager), object{"decision_window": object{"days": []any{"monday"}, "from": "17:00",
				"to": "09:00", "tz": "UTC"}})), at + "/decision_window/to", "never_met"},
		{"a window without days", chain(with(stage(manager),
			object{"decision_window": object{"days": []any{}, "from": "09:00", "to": "17:00", "tz": "UTC"}})), at +
			"/decision_window/days", "never_met"},
		{"a window in no zone", chain(with(stage(manager),
			object{"decision_window": object{"days": []any{"monday"}, "from": "09:00", "to": "17:00",
				"tz": "Mars/Base"}})), at + "/decision_window/tz", "unknown_timezone"},
		{"a wait for nothing", chain(with(stage(manager),
			object{"wait": object{"kind": "condition", "timeout": "P1D"}})), at + "/wait/condition", "required"},
		{"a wait without an end", chain(with(stage(manager), object{"wait": object{"kind": "external"}})), at +
			"/wait/timeout", "required"},
		{"a wait longer than the request", chain(with(stage(manager),
			object{"wait": object{"kind": "duration", "duration": "P14D"}})), at + "/wait/duration", "never_met"},
		{"a wait for no time", chain(with(stage(manager),
			object{"wait": object{"kind": "time_of_day", "at": "25:00", "tz": "UTC"}})), at + "/wait/at", "invalid"},
		{"a role it is for that is not there", rule("x", object{"role_ids": []string{nobody}}, stage(manager)),
			"#/applies_to/role_ids/0", "unknown_role"},
		{"a default that is for something", rule("x", object{"default": true, "risk_levels": []string{"low"}},
			stage(manager)), "#/applies_to/default", "contradiction"},
		{"a usual duration beyond the longest",
			terms(object{"grant": object{"max_duration": "P1D", "default_duration": "P2D"}}),
			"#/grant/default_duration", "contradiction"},
		{"a limit for what is permanent", terms(object{"grant": object{"max_duration": "P1D",
			"allow_permanent": true}}), "#/grant/allow_permanent", "contradiction"},
		{"an emergency without an end", terms(object{"emergency": object{"allowed": true,
			"post_review_within": "P1D"}}), "#/emergency/max_duration", "required"},
		{"an unread duration", terms(object{"request_ttl": "P1Y"}), "#/request_ttl", "invalid_duration"},
	} {
		a := h.Call("admin", "POST", "/approval-rules", tt.body)
		found := false
		list, _ := a.Body["errors"].([]any)
		for _, e := range list {
			m, _ := e.(object)
			found = found || m["pointer"] == tt.pointer && m["code"] == tt.code && m["detail"] != ""
		}
		if a.Status != 422 || !found {
			t.Errorf("%s: %d %v; want %s at %s", tt.about, a.Status, a.Body["errors"], tt.code, tt.pointer)
		}
	}
	h.Refused(
		422,
		"unsupported_resolver",
		"admin",
		"POST",
		"/approval-rules",
		chain(stage(group("any", by("webhook")))),
	)
	if n := h.Count(`select count(*) from approval_rule where id <> $1`, used); n != 0 {
		t.Errorf("%d rules were kept", n)
	}
}

func TestRulesDoNotHandOverInACircle(t *testing.T) {
	h := open(t)
	uses := func(id string) []any {
		return []any{object{"outcome": object{"kind": "use_rule", "rule_id": id}}}
	}
	first := h.make(rule("rule 0", object{}, stage(group("any", by("manager")))))
	last := first
	for i := range 5 {
		last = h.make(object{"name": fmt.Sprintf("rule %d", i+1), "branches": uses(last)})
	}
	h.Exec(`update entitlement set approval_rule_id = $1 where id = $2`, last, h.group)
	h.expect(h.subject(), "1 of lead")
	a := h.Call("admin", "POST", "/approval-rules", object{"name": "one too many", "branches": uses(last)})
	if a.Status != 422 || a.Body["errors"].([]any)[0].(object)["code"] != "rule_too_deep" {
		t.Errorf("six that hand over: %d %v", a.Status, a.Body)
	}
	h.Refused(422, "rule_cycle", "admin", "PATCH", "/approval-rules/"+first, object{"branches": uses(first)})
	h.Refused(422, "rule_cycle", "admin", "PATCH", "/approval-rules/"+first, object{"branches": uses(last)})
	h.Refused(
		422,
		"rule_cycle",
		"admin",
		"PATCH",
		"/approval-rules/"+first,
		object{"emergency": object{"rule_id": first}},
	)
	escalates := stage(group("any", by("manager")))
	escalates["escalation"] = []any{object{"after": "P1D", "action": "use_rule", "rule_id": last}}
	h.Refused(
		422,
		"rule_cycle",
		"admin",
		"PATCH",
		"/approval-rules/"+first,
		object{"branches": rule("", nil, escalates)["branches"]},
	)
	// What is not at the end may not grow longer either, since others stand on it.
	spare := h.make(rule("spare", object{}, stage(group("any", by("manager")))))
	a = h.Call("admin", "PATCH", "/approval-rules/"+first, object{"branches": uses(spare)})
	if a.Status != 422 || a.Body["errors"].([]any)[0].(object)["code"] != "rule_too_deep" {
		t.Errorf("a longer end: %d %v", a.Status, a.Body)
	}
}
