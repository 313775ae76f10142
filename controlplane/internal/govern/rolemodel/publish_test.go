package rolemodel_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

func fields(a map[string]any) string {
	var names []string
	for _, c := range a["changes"].([]any) {
		names = append(names, c.(map[string]any)["field"].(string))
	}
	return fmt.Sprint(names)
}

func TestALargeChangeOfARoleIsPublishedBySomebodyWhoHasSeenIt(t *testing.T) {
	h := open(t)
	var first string
	for i := range 10 {
		first = h.hire(fmt.Sprint("p", i), "Ward")
	}
	body := map[string]any{
		"name":            "Ward",
		"entitlement_ids": h.groups[:1],
		"membership_rule": about("department", "eq", "Ward"),
	}
	a := h.Refused(409, "publish_required", "admin", "POST", roles, body)
	if n := a.Body["impact"].(map[string]any)["identities_affected"]; n != 10.0 {
		t.Errorf("%v people affected; want 10", n)
	}
	body["lifecycle"] = "draft"
	ward := h.make(body)
	h.settle()
	h.expect(first, "[]")
	h.Refused(409, "publish_required", "admin", "PATCH", ward, map[string]any{"lifecycle": "active"})
	dry := h.Must(200, "admin", "POST", ward+"/publish?dry_run=true", nil)
	impact := dry.Body["impact"].(map[string]any)
	if dry.Text("state") != "planned" || impact["grants_added"] != 10.0 || len(impact["sample"].([]any)) != 10 ||
		dry.Body["approval_needed"] != false {
		t.Errorf("dry run: %v", dry.Body)
	}
	h.Refused(409, "confirmation_required", "admin", "POST", ward+"/publish", nil)
	h.Refused(409, "plan_changed", "admin", "POST", ward+"/publish?confirm=abc", nil)
	h.hire("late", "Ward")
	h.Refused(409, "plan_changed", "admin", "POST", ward+"/publish?confirm="+impact["plan_hash"].(string), nil)
	h.settle()
	h.expect(first, "[]") // none of that has done anything
	if got := h.publish(ward).Text("state"); got != "published" {
		t.Errorf("state %s", got)
	}
	h.settle()
	h.expect(first, "[group-0]")

	// The working draft of a role in use: nobody feels it until it is published.
	h.Refused(404, "not_found", "admin", "GET", ward+"/draft", nil)
	h.Refused(409, "nothing_to_publish", "admin", "POST", ward+"/publish", nil)
	h.Refused(409, "publish_required", "admin", "PATCH", ward, map[string]any{"entitlement_ids": h.groups[:2]})
	h.Must(200, "admin", "PATCH", ward+"/draft", map[string]any{"entitlement_ids": h.groups[:2]})
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"PATCH",
		ward+"/draft",
		map[string]any{"entitlement_ids": []string{id(ward)}},
	)
	h.Refused(422, "validation_failed", "admin", "PATCH", ward+"/draft", map[string]any{"lifecycle": "retired"})
	d := h.Must(
		200,
		"admin",
		"PATCH",
		ward+"/draft",
		map[string]any{"membership_rule": about("department", "in", []string{"Ward", "Wards"})},
	)
	if got := fields(d.Body); got != "[entitlement_ids membership_rule]" {
		t.Errorf("the draft changes %s", got)
	}
	h.Must(200, "admin", "PATCH", ward, map[string]any{"description": "said meanwhile"})
	h.settle()
	h.expect(first, "[group-0]")
	h.publish(ward)
	h.settle()
	h.expect(first, "[group-0 group-1]")
	now := h.Must(200, "admin", "GET", ward, nil)
	if now.Text("description") != "said meanwhile" || now.Body["has_draft"] != false ||
		now.Text("membership_sentence") == "" ||
		now.Body["member_count"] != 11.0 {
		t.Errorf("after publication: %v", now.Body)
	}
	if c := now.Body["coverage"].(map[string]any); c["full"] != 0.0 || c["partial"] != 0.0 {
		t.Errorf("coverage: %v", c)
	}

	// What both have changed is nobody's to guess.
	h.Must(200, "admin", "PATCH", ward+"/draft", map[string]any{"description": "one"})
	h.Must(200, "admin", "PATCH", ward, map[string]any{"description": "two"})
	h.Refused(409, "draft_outdated", "admin", "POST", ward+"/publish", nil)
	h.Must(204, "admin", "DELETE", ward+"/draft", nil)
	h.Refused(404, "not_found", "admin", "DELETE", ward+"/draft", nil)

	versions := h.Must(200, "admin", "GET", ward+"/versions?limit=2", nil)
	if len(versions.Items()) != 2 || versions.Body["next_cursor"] == nil {
		t.Errorf("versions: %v", versions.Body)
	}
	rest := h.Must(200, "admin", "GET", ward+"/versions?limit=50&cursor="+versions.Text("next_cursor"), nil)
	if n := len(rest.Items()) + 2; float64(n) != versions.Body["total"] {
		t.Errorf("%d versions in two pages of %v", n, versions.Body["total"])
	}
	if got := fields(h.Must(200, "admin", "GET", ward+"/diff", nil).Body); got != "[description]" {
		t.Errorf("the last change: %s", got)
	}
	whole := h.Must(200, "admin", "GET", ward+"/diff?from=1", nil)
	if got := fields(whole.Body); got != "[description entitlement_ids lifecycle membership_rule]" {
		t.Errorf("all changes: %s", got)
	}
	h.Refused(404, "not_found", "admin", "GET", ward+"/diff?from=99", nil)

	// Retiring takes from everybody.
	plan := h.Must(200, "admin", "POST", ward+"/retire?dry_run=true", nil)
	if n := plan.Body["impact"].(map[string]any)["grants_ended"]; n != 22.0 {
		t.Errorf("retiring would end %v grants; want 22", n)
	}
	h.Refused(409, "confirmation_required", "admin", "POST", ward+"/retire", nil)
	h.expect(first, "[group-0 group-1]")
	done := h.Must(
		200,
		"admin",
		"POST",
		ward+"/retire?confirm="+plan.Body["impact"].(map[string]any)["plan_hash"].(string),
		nil,
	)
	if done.Text("state") != "retired" {
		t.Errorf("state %s", done.Text("state"))
	}
	h.expect(first, "[]")
	h.settle()
	h.expect(first, "[]")
	for _, verb := range []string{"publish", "propose", "deprecate", "retire", "withdraw"} {
		a := h.Refused(409, "invalid_transition", "admin", "POST", ward+"/"+verb, nil)
		if a.Body["allowed"] == nil {
			t.Errorf("%s: it is not told what is allowed", verb)
		}
	}
}

func TestARiskyRoleIsPublishedByTheAgreementOfSomebodyElse(t *testing.T) {
	h := open(t)
	h.crowd(40)
	owner, ann := h.hire("owner", "Office"), h.hire("ann", "Ward")
	h.Let("owner", h.Tenant.Tenant, owner)
	h.Let("second", h.Tenant.Tenant, "", viewer.Admin)
	h.Exec(`update entitlement set risk_level = 'high' where id = $1`, h.groups[1])
	inner := h.make(map[string]any{"name": "Inner", "lifecycle": "draft", "entitlement_ids": h.groups[1:2]})
	body := map[string]any{
		"name":            "Ward",
		"entitlement_ids": h.groups[:1],
		"child_role_ids":  []string{id(inner)},
		"membership_rule": about("department", "eq", "Ward"),
		"owner_ids":       []string{owner},
	}
	h.Refused(409, "publish_required", "admin", "POST", roles, body)
	body["lifecycle"] = "draft"
	ward := h.make(body)
	if got := h.Must(200, "admin", "GET", ward, nil).Text("effective_risk_level"); got != "high" {
		t.Errorf("risk %s; want that of what is nested in it", got)
	}
	h.Refused(409, "nobody_to_decide", "admin", "POST", inner+"/publish", nil)

	asked := h.Must(200, "admin", "POST", ward+"/publish", nil)
	if asked.Text("state") != "proposed" || asked.Text("task_id") == "" ||
		asked.Body["role"].(map[string]any)["lifecycle"] != "proposed" {
		t.Fatalf("asked: %v", asked.Body)
	}
	h.Refused(409, "role_proposed", "admin", "PATCH", ward, map[string]any{"description": "x"})
	h.Refused(409, "invalid_transition", "admin", "PATCH", ward, map[string]any{"lifecycle": "active"})
	h.Refused(409, "invalid_transition", "admin", "POST", ward+"/propose", nil)
	task := "/decision-tasks/" + asked.Text("task_id") + "/decide"
	h.Must(200, "owner", "POST", task, map[string]any{"action": "reject", "comment": "not yet"})
	if got := h.Must(200, "admin", "GET", ward, nil).Text("lifecycle"); got != "draft" {
		t.Errorf("rejected: %s", got)
	}

	again := h.Must(200, "admin", "POST", ward+"/propose", nil)
	h.Must(200, "admin", "POST", ward+"/withdraw", nil)
	h.Refused(409, "invalid_transition", "admin", "POST", ward+"/withdraw", nil)
	if a := h.Call(
		"owner",
		"POST",
		"/decision-tasks/"+again.Text("task_id")+"/decide",
		map[string]any{"action": "approve"},
	); a.Status != 409 {
		t.Errorf("what was withdrawn is decided: %d %v", a.Status, a.Body)
	}
	third := "/decision-tasks/" + h.Must(200, "admin", "POST", ward+"/publish", nil).Text("task_id") + "/decide"
	if a := h.Call(
		"admin",
		"POST",
		third,
		map[string]any{"action": "approve"},
	); a.Status != 403 ||
		a.Text("code") != "own_request" {
		t.Errorf("who proposes agrees: %d %v", a.Status, a.Body)
	}
	h.settle()
	h.expect(ann, "[]")
	h.Must(200, "second", "POST", third, map[string]any{"action": "approve"})
	h.settle()
	h.expect(ann, "[group-0]") // what is nested in it is a draft still

	// A risky role in use is changed by its draft.
	h.Exec(`update entitlement set risk_level = 'critical' where id = $1`, h.groups[0])
	h.Refused(409, "publish_required", "admin", "PATCH", ward, map[string]any{"entitlement_ids": h.groups[2:3]})
	h.Refused(409, "publish_required", "admin", "PATCH", ward, map[string]any{"risk_level": "low"})
	h.Must(200, "admin", "PATCH", ward+"/draft", map[string]any{"entitlement_ids": h.groups[2:3]})
	asked = h.Must(200, "admin", "POST", ward+"/publish", nil)
	if asked.Text("state") != "proposed" || h.Must(200, "admin", "GET", ward+"/draft", nil).Body["proposed"] != true {
		t.Errorf("asked: %v", asked.Body)
	}
	h.Must(
		200,
		"admin",
		"PATCH",
		ward+"/draft",
		map[string]any{"entitlement_ids": h.groups[3:4]},
	) // that is another question
	if a := h.Call(
		"owner",
		"POST",
		"/decision-tasks/"+asked.Text("task_id")+"/decide",
		map[string]any{"action": "approve"},
	); a.Status != 409 {
		t.Errorf("what was changed is decided: %d %v", a.Status, a.Body)
	}
	asked = h.Must(200, "admin", "POST", ward+"/publish", nil)
	h.Must(
		200,
		"owner",
		"POST",
		"/decision-tasks/"+asked.Text("task_id")+"/decide",
		map[string]any{"action": "approve"},
	)
	h.settle()
	h.expect(ann, "[group-3]")
	for _, action := range []string{"role.proposed", "role.proposal_rejected", "role.proposal_withdrawn",
		"role.published", "role.draft_changed"} {
		if h.Count(`select count(*) from audit_event where action = $1`, action) == 0 {
			t.Errorf("nothing tells of %s", action)
		}
	}
}

func TestRolesAreNotNestedInCirclesNorTooDeep(t *testing.T) {
	h := open(t)
	var chain []string
	for i := range 6 {
		body := map[string]any{"name": fmt.Sprint("r", i)}
		if i > 0 && i < 5 {
			body["child_role_ids"] = []string{id(chain[i-1])}
		}
		chain = append(chain, h.make(body))
	}
	at := func(path string, children ...string) string {
		t.Helper()
		a := h.Refused(422, "validation_failed", "admin", "PATCH", path, map[string]any{"child_role_ids": children})
		first, _ := a.Body["errors"].([]any)[0].(map[string]any)
		return fmt.Sprint(first["code"], " ", first["detail"])
	}
	if got := at(
		chain[0],
		id(chain[4]),
	); got != "role_cycle the roles would form a cycle: r0 > r4 > r3 > r2 > r1 > r0" {
		t.Error(got)
	}
	if got := at(chain[0], id(chain[0])); !strings.HasPrefix(got, "role_cycle") {
		t.Error(got)
	}
	if got := at(
		chain[5],
		id(chain[4]),
	); got != "nested_too_deep at most 5 roles are nested one in another: r5 > r4 > r3 > r2 > r1 > r0" {
		t.Error(got)
	}
	if got := at(
		chain[0],
		id(chain[5]),
	); got != "nested_too_deep at most 5 roles are nested one in another: r4 > r3 > r2 > r1 > r0 > r5" {
		t.Error(got)
	}
	if got := at(chain[5], "00000000-0000-7000-8000-000000000001"); !strings.HasPrefix(got, "unknown_role") {
		t.Error(got)
	}
	h.Must(200, "admin", "PATCH", chain[5], map[string]any{"child_role_ids": []string{id(chain[3]), id(chain[2])}})
}

func TestARoleSaysWhatIsWrongWithIt(t *testing.T) {
	h := open(t)
	ann := h.hire("ann", "Ward")
	for _, tt := range []struct {
		body        map[string]any
		code, where string
	}{
		{map[string]any{"requestable": true}, "required", "#/description"},
		{map[string]any{"membership_rule": about("departmen", "eq", "x")}, "unknown_field",
			"#/membership_rule/rules/0/field"},
		{map[string]any{"visible_to": map[string]any{"match": "some", "rules": []any{}}}, "unknown_match",
			"#/visible_to/match"},
		{map[string]any{"max_duration": "P1Y"}, "invalid", "#/max_duration"},
		{map[string]any{"max_duration": "P1D", "default_duration": "P2D"}, "invalid", "#/default_duration"},
		{map[string]any{"approval_rule_id": "00000000-0000-7000-8000-000000000001"}, "unknown_approval_rule",
			"#/approval_rule_id"},
		{map[string]any{"membership_exclusions": []any{map[string]any{"identity_id": ann, "reason": " "}}}, "required",
			"#/membership_exclusions/0/reason"},
		{map[string]any{"membership_exclusions": []any{map[string]any{"identity_id": ann, "reason": "x"},
			map[string]any{"identity_id": ann, "reason": "x"}}}, "duplicate", "#/membership_exclusions/1/identity_id"},
		{map[string]any{"membership_exclusions": []any{map[string]any{"identity_id": h.groups[0], "reason": "x"}}},
			"unknown_identity", "#/membership_exclusions"},
		{map[string]any{"backup_owner_ids": h.groups[:1]}, "unknown_identity", "#/backup_owner_ids"},
		{map[string]any{"parameters": []any{map[string]any{"name": "a", "type": "string"},
			map[string]any{"name": "a", "type": "date"}}}, "duplicate", "#/parameters/1/name"},
	} {
		tt.body["name"] = "Ward"
		a := h.Refused(422, "validation_failed", "admin", "POST", roles, tt.body)
		list, _ := a.Body["errors"].([]any)
		if len(list) == 0 || list[0].(map[string]any)["code"] != tt.code ||
			list[0].(map[string]any)["pointer"] != tt.where {
			t.Errorf("%v: %v; want %s at %s", tt.body, list, tt.code, tt.where)
		}
	}
	h.Refused(422, "read_only_field", "admin", "POST", roles, map[string]any{"name": "x", "version": 3})
	ward := h.make(
		map[string]any{
			"name":            "Ward",
			"membership_rule": map[string]any{"field": "department", "op": "eq", "value": "Nowhere"},
			"risk_level":      "medium",
			"max_duration":    "P30D",
		},
	)
	now := h.Must(
		200,
		"admin",
		"PATCH",
		ward,
		map[string]any{"membership_rule": nil, "risk_level": nil, "max_duration": nil},
	)
	if now.Body["membership_rule"] != nil || now.Body["risk_level"] != nil || now.Body["max_duration"] != nil ||
		now.Text("effective_risk_level") != "low" {
		t.Errorf("after null: %v", now.Body)
	}
}
