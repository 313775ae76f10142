package rolemodel_test

import (
	"fmt"
	"strings"
	"testing"
)

// lines are key and action of an import's roles.
func lines(body map[string]any) string {
	var out []string
	for _, l := range body["roles"].([]any) {
		m := l.(map[string]any)
		out = append(out, m["key"].(string)+" "+m["action"].(string))
	}
	return fmt.Sprint(out)
}

func yamlOf(text string) map[string]any { return map[string]any{"yaml": text} }

func TestRolesGoIntoAFileAndComeBackTheSame(t *testing.T) {
	h := open(t)
	h.crowd(20)
	ann := h.hire("ann", "Ward")
	inner := h.make(map[string]any{"key": "inner", "name": "Inner", "entitlement_ids": h.groups[:2]})
	h.make(
		map[string]any{
			"key":            "outer",
			"name":           "Outer: \"all\"",
			"description":    "two\nlines",
			"child_role_ids": []string{id(inner)},
			"owner_ids":      []string{ann},
			"requestable":    true,
			"membership_rule": about(
				"department",
				"eq",
				"Nowhere",
			),
			"membership_exclusions": []any{map[string]any{"identity_id": ann, "reason": "no", "until": "2031-01-02"}},
			"parameters": []any{
				map[string]any{"name": "site", "type": "string", "allowed_values": []string{"a", "b"}},
			},
			"max_duration": "P30D",
			"risk_level":   "medium",
			"compliance_tags": []string{
				"sox",
			},
			"labels":     map[string]string{"team": "x"},
			"visible_to": about("department", "eq", "Ward"),
		},
	)
	file := string(h.Raw("admin", roles+"/export"))
	if again := string(h.Raw("admin", roles+"/export")); again != file {
		t.Errorf("the same roles make another file:\n%s\n%s", file, again)
	}
	if strings.Contains(file, h.groups[0]) || strings.Contains(file, ann) || !strings.Contains(file, "connector: dir") {
		t.Errorf("the file names ids of this tenant:\n%s", file)
	}
	before := h.Strings(
		`select r.key || ' ' || v.content::text from role r join role_version v on v.role_id = r.id
			and v.version = r.version order by 1`,
	)
	a := h.Must(200, "admin", "POST", roles+"/import", yamlOf(file))
	if got := lines(a.Body); got != "[inner unchanged outer unchanged]" {
		t.Errorf("reading back: %s", got)
	}
	h.Refused(409, "managed_by_code", "admin", "PATCH", inner, map[string]any{"description": "by hand"})
	if got := h.Must(200, "admin", "PATCH", inner+"?detach=true", map[string]any{"description": "by hand"}).
		Text("managed_by"); got != "ui" {
		t.Errorf("detached, it is managed by %s", got)
	}

	// The same file makes the same roles where there are none.
	h.Exec(`delete from role`)
	dry := h.Must(200, "admin", "POST", roles+"/import?dry_run=true", yamlOf(file))
	if got := lines(dry.Body); got != "[inner created outer created]" || h.Count(`select count(*) from role`) != 0 {
		t.Errorf("dry run: %s", got)
	}
	h.Must(200, "admin", "POST", roles+"/import", yamlOf(file))
	ids := func(list []string) []string { // ids of roles differ
		for i := range list {
			at := strings.Index(list[i], `"child_role_ids": [`)
			end := strings.Index(list[i][at:], "]")
			list[i] = list[i][:at] + list[i][at+end:]
		}
		return list
	}
	after := h.Strings(
		`select r.key || ' ' || v.content::text from role r join role_version v on v.role_id = r.id
			and v.version = r.version order by 1`,
	)
	if fmt.Sprint(ids(before)) != fmt.Sprint(ids(after)) {
		t.Errorf("before:\n%v\nafter:\n%v", before, after)
	}
	if got := string(h.Raw("admin", roles+"/export")); got != file {
		t.Errorf("what came from the file makes another one:\n%s\n%s", file, got)
	}
	rest := h.Must(
		200,
		"admin",
		"POST",
		roles+"/import",
		yamlOf("version: 1\nroles:\n  - key: alone\n    name: Alone\n"),
	)
	if got := fmt.Sprint(rest.Body["untouched"]); got != "[inner outer]" {
		t.Errorf("untouched: %s", got)
	}
}

func TestAnImportIsWholeOrNotAtAllAndSaysWhere(t *testing.T) {
	h := open(t)
	gone := h.make(map[string]any{"key": "gone", "name": "Gone"})
	h.Must(204, "admin", "DELETE", gone, nil)
	for text, want := range map[string]string{
		"":                        "",
		"roles: [":                "line 1: ",
		"- a\n- b\n":              "line 1: a file of roles begins",
		"version: 2\nroles: []\n": "line 1: version must be 1",
		"version: 1\nroles:\n  - key: a\n    nam: A\n":                           `line 4: there is no member "nam"`,
		"version: 1\nroles:\n  - key: a\n    name: A\n  - key: a\n    name: B\n": "line 5: the role a is already in line 3",
		"version: 1\nroles:\n  - key: a\n    name: [x]\n":                        "line 4: ",
		"version: 1\nroles:\n  - &x\n    key: a\n    name: A\n  - *x\n":          "line 3: anchors",
		"version: 1\nroles:\n  - key: gone\n    name: A\n":                       "line 3: the role gone is retired",
		"version: 1\nroles:\n  - key: A b\n    name: A\n":                        "line 3: A b: key: ",
		"version: 1\nroles:\n  - key: a\n":                                       "line 3: a: name: ",
		"version: 1\nroles:\n  - key: a\n    name: A\n    lifecycle: " +
			"retired\n": "line 3: the lifecycle of a",
		"version: 1\nroles:\n  - key: a\n    name: A\n    child_roles: [b]\n": "line 3: a: there is no role",
		"version: 1\nroles:\n  - key: a\n    name: A\n    owners: " +
			"[nobody]\n": "line 3: a: the owner",
		"version: 1\nroles:\n  - key: a\n    name: A\n    entitlements:\n      - {connector: x, external_id: y}\n":   "line 3: a: there is no connector",
		"version: 1\nroles:\n  - key: a\n    name: A\n    entitlements:\n      - {connector: dir, external_id: y}\n": "line 3: a: the connector dir has no",
		"version: 1\nroles:\n  - key: a\n    name: A\n    membership_rule: {field: departmen, op: eq, value: x}\n":   "line 3: a: membership_rule/field",
		"version: 1\nroles:\n  - key: ok\n    name: OK\n  - key: a\n    name: A\n    child_roles: [b]\n  - key: b\n  " +
			"  name: B\n    child_roles: [a]\n": "line 5: roles are nested in a circle: a > b > a",
	} {
		a := h.Call("admin", "POST", roles+"/import", yamlOf(text))
		list, _ := a.Body["errors"].([]any)
		if a.Status != 422 || len(list) == 0 ||
			!strings.HasPrefix(fmt.Sprint(list[0].(map[string]any)["detail"]), want) {
			t.Errorf("%q: %d %v %v; want %s", text, a.Status, a.Body["detail"], list, want)
		}
	}
	if n := h.Count(`select count(*) from role`); n != 1 {
		t.Errorf("%d roles; what cannot be imported has left something", n)
	}
}

func TestAnImportAsksForWhatAPublicationAsksFor(t *testing.T) {
	h := open(t)
	for i := range 10 {
		h.hire(fmt.Sprint("p", i), "Ward")
	}
	h.Let("owner", h.Tenant.Tenant, h.hire("owner", "Office"))
	h.Exec(`update entitlement set risk_level = 'high' where id = $1`, h.groups[1])
	text := `version: 1
roles:
  - key: ward
    name: Ward
    entitlements:
      - connector: dir
        external_id: group-0
    membership_rule: {match: all, rules: [{field: department, op: eq, value: Ward}]}
  - key: risky
    name: Risky
    owners: [owner]
    entitlements:
      - connector: dir
        external_id: group-1
    membership_rule: {match: all, rules: [{field: department, op: eq, value: Ward}]}
`
	a := h.Refused(409, "confirmation_required", "admin", "POST", roles+"/import", yamlOf(text))
	impact := a.Body["impact"].(map[string]any)
	if impact["grants_added"] != 10.0 {
		t.Errorf("%v grants are added; want those of the role that is not risky", impact["grants_added"])
	}
	done := h.Must(200, "admin", "POST", roles+"/import?confirm="+impact["plan_hash"].(string), yamlOf(text))
	if got := lines(done.Body); got != "[ward created risky drafted]" {
		t.Errorf("imported: %s", got)
	}
	h.settle()
	if n := h.Count(`select count(*) from access_reason where state = 'active'`); n != 10 {
		t.Errorf("%d reasons; want 10", n)
	}
	risky := roles + "/" + done.Body["roles"].([]any)[1].(map[string]any)["role_id"].(string)
	asked := h.Must(200, "admin", "POST", risky+"/publish", nil)
	h.Must(
		200,
		"owner",
		"POST",
		"/decision-tasks/"+asked.Text("task_id")+"/decide",
		map[string]any{"action": "approve"},
	)
	h.settle()
	if n := h.Count(`select count(*) from access_reason where state = 'active'`); n != 20 {
		t.Errorf("%d reasons; want 20", n)
	}
	text = strings.Replace(text, "group-1", "group-2", 1)
	again := h.Must(200, "admin", "POST", roles+"/import", yamlOf(text))
	if got := lines(again.Body); got != "[ward unchanged risky drafted]" ||
		h.Must(200, "admin", "GET", risky, nil).Body["has_draft"] != true {
		t.Errorf("imported again: %s", got)
	}
}
