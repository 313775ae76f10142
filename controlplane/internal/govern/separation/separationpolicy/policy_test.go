package separationpolicy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

const base = "/policies/separation-of-duties"

// house is a tenant with one system, and duties of one entitlement each.
type house struct {
	*recordtest.House
	system string
	groups map[string]string // entitlements by the duty's name
	duties map[string]string
}

func open(t testing.TB) *house {
	t.Helper()
	h := &house{groups: map[string]string{}, duties: map[string]string{}, system: newID()}
	h.House = recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		return (&separation.Service{DB: db, Cursors: cursors}).Routes()
	})
	h.Exec(`insert into connector (tenant_id, id, business_id, name, type)
		values (current_tenant(), $1, 'erp', 'ERP', 'ldap')`, h.system)
	for _, name := range []string{"Order", "Receive", "Pay", "Audit"} {
		h.groups[name] = h.Entitlement(h.system, strings.ToUpper(name))
		h.duties[name] = h.Must(201, "admin", "POST", "/policies/duties", object{"name": name, "all_of": []object{{
			"members": []object{{"kind": "entitlement", "entitlement_id": h.groups[name]}}}}}).Text("id")
	}
	return h
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

type object = map[string]any

// policy is a body with a side for each duty.
func (h *house) policy(name, kind string, duties ...string) object {
	sides := []object{}
	for _, d := range duties {
		sides = append(sides, object{"duty_ids": []string{h.duties[d]}})
	}
	return object{"name": name, "kind": kind, "sides": sides}
}

// with is a body with more members.
func with(b object, more ...any) object {
	for i := 0; i+1 < len(more); i += 2 {
		b[more[i].(string)] = more[i+1]
	}
	return b
}

func (h *house) make(b object) string {
	h.T.Helper()
	return h.Must(201, "admin", "POST", base, b).Text("id")
}

func TestAPolicyBeginsAsADraftWithDefaults(t *testing.T) {
	h := open(t)
	a := h.Must(201, "admin", "POST", base, h.policy("Order and pay", "pair", "Order", "Pay"))
	defaults := object{
		"mode":     "draft",
		"enabled":  true,
		"severity": "medium",
		"blind":    false,
		"version":  1.0,
		"effects": object{
			"on_request": "block",
			"on_assign":  "block",
			"on_detect":  "task",
		},
		"n":              nil,
		"matrix":         nil,
		"history_window": nil,
		"context": object{"same_environment": true, "same_legal_entity": false, "same_attributes": []any{},
			"exclude_read_only": true},
	}
	for name, want := range defaults {
		if fmt.Sprint(a.Body[name]) != fmt.Sprint(want) {
			t.Errorf("%s is %v; want %v", name, a.Body[name], want)
		}
	}
	if got := a.Body["sides"].([]any)[1].(object)["label"]; got != "Pay" {
		t.Errorf("the second side is called %v; want its duty's name", got)
	}
}

func TestAPolicyThatOnlyWarnsRecordsAssignedAccess(t *testing.T) {
	h := open(t)
	p := h.policy("Order and pay", "pair", "Order", "Pay")
	p["effects"] = object{"on_request": "warn", "on_detect": "record"}
	a := h.Must(201, "admin", "POST", base, p)
	want := fmt.Sprint(object{"on_request": "warn", "on_assign": "record", "on_detect": "record"})
	if got := fmt.Sprint(a.Body["effects"]); got != want {
		t.Errorf("the effects are %s; want %s", got, want)
	}
	p["name"], p["effects"] = "Other", object{"on_assign": "warn"}
	h.Refused(422, "validation_failed", "admin", "POST", base, p)
}

func TestAPolicyKeepsAllOfItsVersions(t *testing.T) {
	h := open(t)
	id := h.make(h.policy("Order and pay", "pair", "Order", "Pay"))
	at := base + "/" + id
	h.Must(200, "admin", "POST", at+"/mode", object{"mode": "enforce"})
	h.Must(200, "admin", "POST", at+"/disable", nil)
	off := h.Must(200, "admin", "POST", at+"/disable", nil)
	if off.Body["version"] != 3.0 {
		t.Errorf("disabled twice, the version is %v; want 3", off.Body["version"])
	}
	h.Must(200, "admin", "POST", at+"/enable", nil, "If-Match", off.Header.Get("ETag"))
	changed := h.Must(200, "admin", "PATCH", at, object{"severity": "high", "effects": object{"on_request": "warn"},
		"context": object{"same_attributes": []string{"company_code"}}})
	if changed.Body["context"].(object)["same_environment"] != true || changed.Body["mode"] != "enforce" {
		t.Errorf("changed %v", changed.Body)
	}
	h.Refused(412, "precondition_failed", "admin", "PATCH", at, object{"name": "y"}, "If-Match", off.Header.Get("ETag"))
	h.Refused(412, "precondition_failed", "admin", "DELETE", at, nil, "If-Match", off.Header.Get("ETag"))
	versions := h.Must(200, "admin", "GET", at+"/versions", nil).Items()
	if len(versions) != 5 || versions[0]["content"].(object)["severity"] != "high" ||
		versions[4]["content"].(object)["mode"] != "draft" {
		t.Errorf("%d versions, %v", len(versions), versions)
	}
	h.Must(204, "admin", "DELETE", at, nil, "If-Match", changed.Header.Get("ETag"))
	h.Refused(404, "not_found", "admin", "GET", at, nil)
	want := "[separation_policy.created separation_policy.mode_changed separation_policy.disabled " +
		"separation_policy.enabled separation_policy.updated separation_policy.deleted]"
	if got := h.Strings(`select action from audit_event where subject_id = $1 order by seq`, id); fmt.Sprint(
		got) != want {
		t.Errorf("audited %v; want %s", got, want)
	}
}

func TestPoliciesThatCannotBeAreRefused(t *testing.T) {
	h := open(t)
	h.make(h.policy("Taken", "pair", "Order", "Pay"))
	for name, tt := range map[string]struct {
		body    object
		code    string // of the field
		pointer string
	}{
		"no name":            {h.policy(" ", "pair", "Order", "Pay"), "required", "#/name"},
		"name taken":         {h.policy("taken", "pair", "Order", "Pay"), "duplicate_name", "#/name"},
		"no kind":            {with(h.policy("x", "pair", "Order", "Pay"), "kind", nil), "", "#/kind"},
		"one side":           {h.policy("x", "pair", "Order"), "invalid", "#/sides"},
		"three sides":        {h.policy("x", "companion", "Order", "Pay", "Audit"), "invalid", "#/sides"},
		"no sides":           {h.policy("x", "matrix"), "invalid", "#/sides"},
		"no n":               {h.policy("x", "n_of_m", "Order", "Pay", "Audit"), "invalid", "#/n"},
		"n of too few":       {with(h.policy("x", "n_of_m", "Order", "Pay"), "n", 3), "invalid", "#/n"},
		"n of a pair":        {with(h.policy("x", "pair", "Order", "Pay"), "n", 2), "invalid", "#/n"},
		"no conflicts":       {h.policy("x", "matrix", "Order", "Pay"), "required", "#/matrix/conflicts"},
		"conflict with none": {with(h.policy("x", "matrix", "Order", "Pay"), "matrix", object{"conflicts": [][]int{{0, 1}, {1, 2}}}), "invalid", "#/matrix/conflicts/1"},
		"conflict of three":  {with(h.policy("x", "matrix", "Order", "Pay"), "matrix", object{"conflicts": [][]int{{0, 1, 1}}}), "invalid", "#/matrix/conflicts/0"},
		"matrix of a pair":   {with(h.policy("x", "pair", "Order", "Pay"), "matrix", object{"conflicts": [][]int{{0, 1}}}), "invalid", "#/matrix"},
		"no window":          {h.policy("x", "history", "Order", "Pay"), "required", "#/history_window"},
		"window too long":    {with(h.policy("x", "history", "Order", "Pay"), "history_window", "P100Y"), "invalid", "#/history_window"},
		"window of a pair":   {with(h.policy("x", "pair", "Order", "Pay"), "history_window", "P1D"), "invalid", "#/history_window"},
		"same duty":          {h.policy("x", "pair", "Order", "Order"), "duty_repeated", "#/sides/1/duty_ids/0"},
		"empty side":         {with(h.policy("x", "pair"), "sides", []object{{"duty_ids": []string{h.duties["Pay"]}}, {"duty_ids": []string{}}}), "", "#/sides/1/duty_ids"},
		"unknown duty":       {with(h.policy("x", "pair"), "sides", []object{{"duty_ids": []string{h.duties["Pay"]}}, {"duty_ids": []string{newID()}}}), "unknown_duty", "#/sides/1/duty_ids/0"},
		"unknown owner":      {with(h.policy("x", "pair", "Order", "Pay"), "owner_ids", []string{newID()}), "unknown_identity", "#/owner_ids"},
		"ends first":         {with(h.policy("x", "pair", "Order", "Pay"), "valid_from", "2026-05-02T00:00:00Z", "valid_to", "2026-05-01T00:00:00Z"), "invalid", "#/valid_to"},
		"companion context":  {with(h.policy("x", "companion", "Order", "Pay"), "context", object{"same_environment": true}), "invalid", "#/context"},
		"reserved attribute": {with(h.policy("x", "pair", "Order", "Pay"), "context", object{"same_attributes": []string{"environment"}}), "invalid", "#/context/same_attributes/0"},
	} {
		a := h.Call("admin", "POST", base, tt.body)
		found := false
		errs, _ := a.Body["errors"].([]any)
		for _, e := range errs {
			f := e.(object)
			found = found || f["pointer"] == tt.pointer && (tt.code == "" || f["code"] == tt.code)
		}
		if a.Status != 422 && a.Status != 409 || !found {
			t.Errorf("%s: %d %v; want %s at %s", name, a.Status, a.Body["errors"], tt.code, tt.pointer)
		}
	}
	if n := h.Count(`select count(*) from separation_policy`); n != 1 {
		t.Errorf("%d policies; want the one that was made", n)
	}
}

func TestContradictingPoliciesAreRefused(t *testing.T) {
	h := open(t)
	requires := h.make(with(h.policy("Pay needs audit", "companion", "Pay", "Audit"), "mode", "enforce"))
	forbids := with(h.policy("Pay without audit", "pair", "Audit", "Pay"), "mode", "shadow")
	a := h.Refused(422, "validation_failed", "admin", "POST", base, forbids)
	if f := a.Body["errors"].([]any)[0].(object); f["code"] != "contradiction" ||
		f["pointer"] != "#/sides/1/duty_ids/0" ||
		!strings.Contains(f["detail"].(string), `"Pay needs audit"`) {
		t.Errorf("refused with %v", f)
	}
	draft := h.make(with(forbids, "mode", "draft"))
	h.Refused(422, "validation_failed", "admin", "POST", base+"/"+draft+"/mode", object{"mode": "enforce"})
	h.Must(200, "admin", "POST", base+"/"+requires+"/disable", nil)
	h.Must(200, "admin", "POST", base+"/"+draft+"/mode", object{"mode": "enforce"})
	h.Refused(422, "validation_failed", "admin", "POST", base+"/"+requires+"/enable", nil)
	h.Must(204, "admin", "DELETE", base+"/"+draft, nil)
}

func TestAPolicyTurnsBlindAtItsLastMemberAndStaysEditable(t *testing.T) {
	h := open(t)
	id := h.make(with(h.policy("Order and pay", "pair", "Order", "Pay"), "mode", "enforce"))
	h.make(h.policy("Receive and audit", "pair", "Receive", "Audit"))
	second := h.Entitlement(h.system, "PAY-TOO")
	h.Must(200, "admin", "PATCH", "/policies/duties/"+h.duties["Pay"], object{"all_of": []object{{"members": []object{
		{
			"kind":           "entitlement",
			"entitlement_id": h.groups["Pay"],
		},
		{"kind": "entitlement", "entitlement_id": second},
	}}}})
	for _, step := range []struct {
		gone  string
		blind bool
	}{{"", false}, {h.groups["Pay"], false}, {second, true}} {
		h.Exec(`update entitlement set removed_at = now() where id::text = $1`, step.gone)
		a := h.Must(200, "admin", "PATCH", base+"/"+id, object{"description": "without " + step.gone})
		if a.Body["blind"] != step.blind || len(a.Body["blind_sides"].([]any)) == 0 == step.blind {
			t.Errorf(
				"without %q: blind %v, sides %v; want %v",
				step.gone,
				a.Body["blind"],
				a.Body["blind_sides"],
				step.blind,
			)
		}
		want := "[]"
		if step.blind {
			want = "[Order and pay]"
		}
		if got := h.Must(200, "admin", "GET", base+"?blind=true", nil); fmt.Sprint(got.Values("name")) != want {
			t.Errorf("without %q the blind policies are %v; want %s", step.gone, got.Values("name"), want)
		}
	}
	if got := h.Must(
		200,
		"admin",
		"GET",
		base+"?blind=false",
		nil,
	); fmt.Sprint(
		got.Values("name"),
	) != "[Receive and audit]" {
		t.Errorf("the policies that are not blind are %v", got.Values("name"))
	}
}

func TestPoliciesAreListedByFilters(t *testing.T) {
	h := open(t)
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.Let("manager", h.Tenant.Tenant, "", viewer.Manager)
	ann := h.Person("ann", "")
	h.make(with(h.policy("A", "pair", "Order", "Pay"), "severity", "low", "owner_ids", []string{ann}))
	h.make(
		with(h.policy("B", "n_of_m", "Order", "Receive", "Audit"), "n", 2, "severity", "critical", "mode", "enforce"),
	)
	h.make(with(h.policy("C", "matrix", "Pay", "Audit"), "matrix", object{"conflicts": [][]int{{1, 0}, {0, 1}}},
		"severity", "high", "enabled", false))
	for query, want := range map[string]string{
		"":                              "[A B C]",
		"?sort=-severity":               "[B C A]",
		"?mode=enforce":                 "[B]",
		"?kind=matrix":                  "[C]",
		"?severity=low":                 "[A]",
		"?enabled=true":                 "[A B]",
		"?duty_id=" + h.duties["Audit"]: "[B C]",
		"?owner_id=" + ann:              "[A]",
		"?q=b":                          "[B]",
	} {
		a := h.Must(200, "auditor", "GET", base+query, nil)
		if got := fmt.Sprint(a.Values("name")); got != want || int(a.Body["total"].(float64)) != len(a.Items()) {
			t.Errorf("%s: %s of %v; want %s", query, got, a.Body["total"], want)
		}
	}
	var walked []any
	for next, more := "&offset=0", true; more; {
		a := h.Must(200, "admin", "GET", base+"?limit=1&sort=severity"+next, nil)
		walked = append(walked, a.Values("name")...)
		cursor := a.Text("next_cursor")
		next, more = "&cursor="+cursor, cursor != ""
	}
	if !slices.Equal(walked, []any{"A", "C", "B"}) {
		t.Errorf("page by page by severity: %v", walked)
	}
	h.Refused(403, "forbidden", "manager", "GET", base, nil)
	h.Refused(403, "read_only_role", "auditor", "POST", base, h.policy("D", "pair", "Order", "Pay"))
}

func TestExemptionsAreAConditionThatIsReplacedAsAWhole(t *testing.T) {
	h := open(t)
	body := object{"name": "Exempting", "kind": "pair", "sides": []object{
		{"duty_ids": []string{h.duties["Order"]}}, {"duty_ids": []string{h.duties["Pay"]}}},
		"exemptions": object{"field": "department", "op": "eq", "value": "Audit"}}
	at := base + "/" + h.Must(201, "admin", "POST", base, body).Text("id")
	h.Must(200, "admin", "PATCH", at, object{"exemptions": object{"expression": "identity.title == 'Auditor'"}})
	got := h.Must(200, "admin", "GET", at, nil).Body["exemptions"].(map[string]any)
	if len(got) != 1 || got["expression"] != "identity.title == 'Auditor'" {
		t.Errorf("exemptions %v; want the expression alone", got)
	}
	a := h.Must(422, "admin", "PATCH", at, object{"exemptions": object{"match": "all", "rules": []object{
		{"field": "departmint", "op": "eq", "value": "Audit"}}}})
	if at := a.Body["errors"].([]any)[0].(map[string]any)["pointer"]; at != "#/exemptions/rules/0/field" {
		t.Errorf("the problem is at %v", at)
	}
	if a := h.Must(200, "admin", "PATCH", at, object{"exemptions": nil}); a.Body["exemptions"] != nil {
		t.Errorf("exemptions %v after they were removed", a.Body["exemptions"])
	}
}

func TestEffectExceptionNeedsAnEnabledRule(t *testing.T) {
	h := open(t)
	rules := map[string]string{"none": newID()}
	for name, enabled := range map[string]bool{"enabled": true, "disabled": false} {
		rules[name] = newID()
		h.Exec(`insert into approval_rule (tenant_id, id, name, enabled, applies_to, branches)
			values (current_tenant(), $1, $2, $3, '{"default": true}', '[]')`, rules[name], name, enabled)
	}
	for _, tt := range []struct{ request, assign, rule, code, pointer, assigned string }{
		{"exception", "", "enabled", "", "", "exception"},
		{"exception", "record", "enabled", "", "", "record"},
		{"block", "", "enabled", "", "", "block"},
		{"exception", "", "", "required", "#/exception_rule_id", ""},
		{"exception", "", "none", "unknown_rule", "#/exception_rule_id", ""},
		{"exception", "", "disabled", "rule_disabled", "#/exception_rule_id", ""},
		{"block", "exception", "enabled", "invalid", "#/effects/on_assign", ""},
		{"warn", "exception", "enabled", "invalid", "#/effects/on_assign", ""},
	} {
		body := h.policy(newID(), "pair", "Order", "Pay")
		effects := object{"on_request": tt.request}
		if tt.assign != "" {
			effects["on_assign"] = tt.assign
		}
		body["effects"] = effects
		if tt.rule != "" {
			body["exception_rule_id"] = rules[tt.rule]
		}
		if tt.code != "" {
			a := h.Refused(422, "validation_failed", "admin", "POST", base, body)
			field := a.Body["errors"].([]any)[0].(object)
			if field["code"] != tt.code || field["pointer"] != tt.pointer {
				t.Errorf("%+v: refused with %v", tt, field)
			}
			continue
		}
		a := h.Must(201, "admin", "POST", base, body)
		if a.Body["effects"].(object)["on_assign"] != tt.assigned || a.Text("exception_rule_id") != rules["enabled"] {
			t.Errorf("%+v: made %v with the rule %v", tt, a.Body["effects"], a.Body["exception_rule_id"])
		}
		h.Must(200, "admin", "POST", base+"/"+a.Text("id")+"/mode", object{"mode": "enforce"})
	}
}
