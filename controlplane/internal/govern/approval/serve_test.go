package approval_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
)

func TestACalendarIsKeptAndCountedIn(t *testing.T) {
	h := open(t)
	a := h.Must(
		201,
		"admin",
		"POST",
		"/approval-rules/calendars",
		object{
			"name":     "Zurich",
			"timezone": "Europe/Zurich",
			"usual":    true,
			"week": object{
				"friday": []any{object{"from": "13:00", "to": "17:00"}, object{"from": "08:00", "to": "12:00"}},
			},
			"holidays": []any{object{"date": "2026-11-27", "name": "Founders' Day"}},
		},
	)
	id := a.Text("id")
	if got := fmt.Sprint(
		a.Body["week"].(object)["friday"],
	); got != "[map[from:08:00 to:12:00] map[from:13:00 to:17:00]]" {
		t.Errorf("friday = %s", got)
	}
	// Fridays alone, of which the next is free: three of them from the first that is not are long.
	if due := h.resolve(h.subject()).Stages[0].DueAt; due.Format(time.RFC3339) != "2026-12-25T07:00:00Z" {
		t.Errorf("due at %s", due)
	}
	b := h.Must(201, "admin", "POST", "/approval-rules/calendars", object{"name": "Plain", "usual": true})
	if b.Text("timezone") != "Europe/Zurich" || len(b.Body["week"].(object)["monday"].([]any)) != 1 {
		t.Errorf("plain calendar = %v", b.Body)
	}
	if one := h.Must(
		200,
		"auditor",
		"GET",
		"/approval-rules/calendars/"+id,
		nil,
	); one.Body["usual"] != false ||
		one.Body["version"] != 2.0 {
		t.Errorf("the first is still usual: %v", one.Body)
	}
	ruled := stage(group("any", by("manager")))
	ruled["calendar_id"] = id
	rule := h.make(rule("by the calendar", object{"default": true}, ruled))
	h.Refused(409, "calendar_in_use", "admin", "DELETE", "/approval-rules/calendars/"+id, nil)
	h.Must(200, "admin", "PATCH", "/approval-rules/calendars/"+id, object{"holidays": []any{}}, "If-Match", `"2"`)
	if due := h.resolve(h.subject()).Stages[0].DueAt; due.Format(time.RFC3339) != "2026-12-18T07:00:00Z" {
		t.Errorf("due at %s", due)
	}
	h.Must(204, "admin", "DELETE", "/approval-rules/"+rule, nil)
	h.Must(204, "admin", "DELETE", "/approval-rules/calendars/"+id, nil)
	if l := h.Must(
		200,
		"auditor",
		"GET",
		"/approval-rules/calendars?q=pla",
		nil,
	); fmt.Sprint(l.Values("name")) != "[Plain]" {
		t.Errorf("list = %v", l.Body)
	}
	for _, tt := range []struct {
		body          object
		pointer, code string
	}{
		{object{"name": "x", "timezone": "Mars/Base"}, "#/timezone", "unknown_timezone"},
		{object{"name": "x", "week": object{"monday": []any{}}}, "#/week", "never_met"},
		{object{"name": "x", "week": object{"monday": []any{object{"from": "9", "to": "17:00"}}}},
			"#/week/monday/0/from", "invalid"},
		{object{"name": "x", "week": object{"monday": []any{object{"from": "17:00", "to": "09:00"}}}},
			"#/week/monday/0/to", "never_met"},
		{object{"name": "x", "week": object{"monday": []any{object{"from": "09:00", "to": "12:00"},
			object{"from": "11:00", "to": "17:00"}}}}, "#/week/monday/1/from", "overlap"},
		{object{"name": "x", "holidays": []any{object{"date": "2026-01-01", "name": "a"},
			object{"date": "2026-01-01", "name": "b"}}}, "#/holidays/1/date", "duplicate"},
		{object{"name": "x", "holidays": []any{object{"date": "2026-01-01", "name": " "}}}, "#/holidays/0/name",
			"required"},
	} {
		h.refusedAt(tt.pointer, tt.code, "/approval-rules/calendars", tt.body)
	}
	h.Refused(409, "name_taken", "admin", "POST", "/approval-rules/calendars", object{"name": "Plain"})
}

// refusedAt expects a problem with this pointer and code.
func (h *house) refusedAt(pointer, code, path string, body object) {
	h.T.Helper()
	a := h.Call("admin", "POST", path, body)
	list, _ := a.Body["errors"].([]any)
	found := slices.ContainsFunc(list, func(e any) bool {
		m, _ := e.(object)
		return m["pointer"] == pointer && m["code"] == code
	})
	if a.Status != 422 || !found {
		h.T.Errorf("%v: %d %v; want %s at %s", body, a.Status, a.Body["errors"], code, pointer)
	}
}

func TestAScheduleSaysWhoseTurnItIs(t *testing.T) {
	h := open(t)
	a := h.Must(
		201,
		"admin",
		"POST",
		"/approval-rules/on-call",
		object{
			"name":         "desk",
			"identity_ids": []string{h.lead, h.olga},
			"starts_at":    aTuesday.Add(-8 * 24 * time.Hour),
		},
	)
	id := a.Text("id")
	if a.Text("on_call_identity_id") != h.olga || a.Text("shift") != "P7D" {
		t.Errorf("schedule = %v", a.Body)
	}
	if b := h.Must(
		200,
		"admin",
		"PATCH",
		"/approval-rules/on-call/"+id,
		object{"shift": "P1D"},
	); b.Text("on_call_identity_id") != h.lead {
		t.Errorf("with shifts of a day: %v", b.Body)
	}
	rule := h.make(
		rule("on call", object{"default": true}, stage(group("any", object{"kind": "on_call", "schedule_id": id}))),
	)
	h.expect(h.subject(), "1 of lead")
	h.Refused(409, "schedule_in_use", "admin", "DELETE", "/approval-rules/on-call/"+id, nil)
	h.Must(204, "admin", "DELETE", "/approval-rules/"+rule, nil)
	h.refusedAt(
		"#/identity_ids",
		"required",
		"/approval-rules/on-call",
		object{"name": "x", "identity_ids": []string{}},
	)
	h.refusedAt(
		"#/identity_ids/0",
		"unknown_identity",
		"/approval-rules/on-call",
		object{"name": "x", "identity_ids": []string{id}},
	)
	h.refusedAt(
		"#/shift",
		"invalid_duration",
		"/approval-rules/on-call",
		object{"name": "x", "identity_ids": []string{h.ada}, "shift": "PT1S"},
	)
	h.refusedAt(
		"#/calendar_id",
		"unknown_calendar",
		"/approval-rules/on-call",
		object{"name": "x", "identity_ids": []string{h.ada}, "calendar_id": id},
	)
	if l := h.Must(
		200,
		"auditor",
		"GET",
		"/approval-rules/on-call",
		nil,
	); len(l.Items()) != 1 ||
		l.Items()[0]["on_call_identity_id"] != h.lead {
		t.Errorf("list = %v", l.Body)
	}
	h.Must(204, "admin", "DELETE", "/approval-rules/on-call/"+id, nil)
	h.Refused(404, "not_found", "admin", "GET", "/approval-rules/on-call/"+id, nil)
}

func TestADraftIsTriedOutAndNothingIsKept(t *testing.T) {
	h := open(t)
	h.make(rule("usual", object{"default": true}, stage(group("any", by("manager")))))
	request := object{
		"requested_for_identity_id": h.ada,
		"requested_resources": []any{
			object{"entitlement_id": h.group, "duration": "P7D"},
			object{"role_id": h.role},
		},
	}
	a := h.Must(200, "admin", "POST", "/approval-rules/simulate", object{"request": request})
	items := a.Body["items"].([]any)
	if len(items) != 2 || items[0].(object)["display"] != "ledger" || items[0].(object)["instead_of"] != nil {
		t.Fatalf("items = %v", items)
	}
	plan := items[0].(object)["plan"].(object)
	slot := plan["stages"].([]any)[0].(object)["groups"].([]any)[0].(object)["slots"].([]any)[0].(object)
	if slot["identity_id"] != h.lead || slot["because"] != "manager" ||
		!strings.Contains(fmt.Sprint(plan["resolution_log"]), "usual") {
		t.Errorf("plan = %v", plan)
	}
	draft := object{
		"branches": []any{
			object{"outcome": object{"kind": "chain", "stages": []any{stage(group("any", person(h.boss)))}}},
		},
	}
	a = h.Must(200, "admin", "POST", "/approval-rules/simulate", object{"rule": draft, "request": request})
	item := a.Body["items"].([]any)[1].(object)
	if item["instead_of"].(object)["name"] != "usual" || !strings.Contains(fmt.Sprint(item["plan"]), h.boss) ||
		item["plan"].(object)["rule"].(object)["id"] != nil {
		t.Errorf("drafted: %v", item)
	}
	h.Exec(`update identity set status = 'deactivated' where id = $1`, h.boss)
	a = h.Must(200, "admin", "POST", "/approval-rules/simulate", object{"rule": draft, "request": request})
	if w := fmt.Sprint(a.Body["warnings"]); !strings.Contains(w, "boss has left") ||
		!strings.Contains(w, "#/branches/0/outcome/stages/0/groups/0/approvers/0") {
		t.Errorf("warnings = %s", w)
	}
	h.refusedAt("#/rule/branches", "required", "/approval-rules/simulate", object{"rule": object{}, "request": request})
	h.refusedAt("#/request/requested_resources/0", "required", "/approval-rules/simulate",
		object{"request": object{"requested_for_identity_id": h.ada, "requested_resources": []any{object{}}}})
	h.refusedAt(
		"#/request/requested_for_identity_id",
		"unknown_identity",
		"/approval-rules/simulate",
		object{
			"request": object{
				"requested_for_identity_id": h.role,
				"requested_resources":       []any{object{"role_id": h.role}},
			},
		},
	)
	if n := h.Count(`select count(*) from approval_rule`); n != 1 {
		t.Errorf("%d rules; want the one that was made", n)
	}
	if n := h.Count(`select count(*) from audit_event where action = 'approval_rule.simulated'`); n != 3 {
		t.Errorf("%d trials in the log; want 3", n)
	}
}

func TestWhatHasNoRuleOfItsOwnIsListed(t *testing.T) {
	h := open(t)
	h.Exec(`update entitlement set requestable = true`)
	h.Exec(`update role set requestable = true`)
	a := h.Must(200, "auditor", "GET", "/approval-rules/coverage", nil)
	if a.Body["total"] != 2.0 || a.Items()[0]["rule"].(object)["name"] != "Built-in rule" {
		t.Errorf("coverage = %v", a.Body)
	}
	h.make(rule("roles", object{"role_ids": []string{h.role}}, stage(group("any", by("manager")))))
	h.make(rule("rest", object{"default": true}, stage(group("any", by("manager")))))
	a = h.Must(200, "auditor", "GET", "/approval-rules/coverage", nil)
	if fmt.Sprint(a.Values("display")) != "[ledger]" || a.Items()[0]["rule"].(object)["name"] != "rest" {
		t.Errorf("coverage = %v", a.Body)
	}
	if a = h.Must(200, "auditor", "GET", "/approval-rules/coverage?type=role", nil); a.Body["total"] != 0.0 {
		t.Errorf("roles: %v", a.Body)
	}
	h.Exec(`update identity set manager_id = null where id = $1`, h.ada)
	a = h.Must(200, "admin", "GET", "/approval-rules", nil)
	one := h.Must(200, "auditor", "GET", "/approval-rules/"+a.Items()[0]["id"].(string), nil)
	if w := fmt.Sprint(one.Body["warnings"]); !strings.Contains(w, "people looked at have no manager at this level") {
		t.Errorf("warnings = %s", w)
	}
}

func TestAnEmergencyTakesTheWayOfItsRule(t *testing.T) {
	h := open(t)
	short := h.make(rule("short", object{}, stage(group("any", person(h.olga)))))
	body := rule(
		"long",
		object{"default": true},
		stage(group("any", by("manager"))),
		stage(group("any", person(h.boss))),
	)
	body["emergency"] = object{"allowed": true, "rule_id": short, "max_duration": "PT8H", "post_review_within": "P1D"}
	h.make(body)
	p := h.expect(h.subject(func(s *approval.Subject) { s.Urgency = "emergency" }), "1 of olga")
	if p.Rule.Name != "long" || !p.Emergency.Allowed || p.Emergency.MaxDuration != "PT8H" ||
		p.Emergency.PostReviewWithin != "P1D" {
		t.Errorf("plan = %+v", p)
	}
	h.expect(h.subject(), "1 of lead | 1 of boss")
	h.Refused(409, "approval_rule_in_use", "admin", "DELETE", "/approval-rules/"+short, nil)
}

// TestWaitsAndWindowsMoveWhatIsDue asks on a Tuesday at ten.
func TestWaitsAndWindowsMoveWhatIsDue(t *testing.T) {
	h := open(t)
	for _, tt := range []struct {
		about string
		more  object
		due   string
	}{
		{"nothing", object{}, "2026-11-25T10:00:00Z"},
		{"a day", object{"wait": object{"kind": "duration", "duration": "P1D"}}, "2026-11-26T10:00:00Z"},
		{"eight in the morning", object{"wait": object{"kind": "time_of_day", "at": "08:00", "tz": "UTC"}},
			"2026-11-26T09:00:00Z"},
		{"somebody else, for two days", object{"wait": object{"kind": "external", "timeout": "P2D"}},
			"2026-11-27T10:00:00Z"},
		{"a Saturday", object{"decision_window": object{"days": []any{"saturday"}, "from": "10:00", "to": "12:00",
			"tz": "UTC"}}, "2026-11-28T12:00:00Z"},
		{"today's window", object{"decision_window": object{"days": []any{"tuesday"}, "from": "10:00", "to": "12:00",
			"tz": "UTC"}}, "2026-11-25T10:00:00Z"},
	} {
		s := stage(group("any", by("manager")))
		s["respond_within"] = "P1D"
		for k, v := range tt.more {
			s[k] = v
		}
		p := h.try(s)(h.subject())
		if due := p.Stages[0].DueAt.Format(time.RFC3339); due != tt.due {
			t.Errorf("waiting for %s: due %s; want %s", tt.about, due, tt.due)
		}
	}
}
