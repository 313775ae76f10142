package exchange_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/httpapi"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

type object = map[string]any

const (
	imports = "/policies/separation-of-duties/import"
	exports = "/policies/separation-of-duties/export"
)

// house is a tenant with one connector that has two entitlements.
type house struct {
	*recordtest.House
	bank, pay, audit string
}

func open(t testing.TB) *house {
	t.Helper()
	h := &house{House: recordtest.Open(t, func(db *pg.DB, cursors *httpapi.Cursors) []httpapi.Route {
		return (&separation.Service{DB: db, Cursors: cursors, Now: time.Now}).Routes()
	})}
	h.bank = uuid.Must(uuid.NewV7()).String()
	h.Exec(`insert into connector (tenant_id, id, business_id, name, type)
		values (current_tenant(), $1, 'bank', 'Bank', 'ldap')`, h.bank)
	h.pay, h.audit = h.Entitlement(h.bank, "PAY-RUN"), h.Entitlement(h.bank, "AUDIT")
	return h
}

// files is the body of an import.
func files(of map[string]string) object {
	list := []object{}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		list = append(list, object{"name": name, "content": base64.StdEncoding.EncodeToString([]byte(of[name]))})
	}
	return object{"files": list}
}

// plan is the plan of an import.
func (h *house) plan(body object) recordtest.Answer {
	h.T.Helper()
	return h.Must(200, "admin", "POST", imports+"?dry_run=true", body)
}

// apply plans and applies an import.
func (h *house) apply(body object) recordtest.Answer {
	h.T.Helper()
	p := h.plan(body)
	if p.Body["problem_count"] != 0.0 {
		h.T.Fatalf("problems %v", p.Body["problems"])
	}
	return h.Must(200, "admin", "POST", imports+"?confirm="+p.Text("plan_hash"), body)
}

// export downloads the file of a format.
func (h *house) export(format string) string {
	h.T.Helper()
	return string(h.Raw("admin", exports+"?format="+format))
}

const rules = `version: 1
duties:
  - name: Maintain vendors
    process: Purchase to pay
    all_of:
      - members:
          - {kind: external, connector: bank, external_id: VENDOR-EDIT}
  - name: Pay
    all_of:
      - members:
          - {kind: entitlement, connector: bank, external_id: PAY-RUN}
          - {kind: duty_tag, duty_tag: pay}
policies:
  - name: Vendors and payments
    kind: pair
    severity: high
    mode: enforce
    sides:
      - {label: Vendors, duties: [Maintain vendors]}
      - {duties: [pay]}
`

func TestAnImportIsAppliedAsItWasPlanned(t *testing.T) {
	h := open(t)
	body := files(map[string]string{"rules.yaml": rules})
	p := h.plan(body)
	duties, policies := p.Body["duties"].(object), p.Body["policies"].(object)
	if duties["created"] != 2.0 || policies["created"] != 1.0 || p.Body["note_count"] != 1.0 {
		t.Fatalf("plan %v", p.Body)
	}
	first := p.Body["items"].([]any)[0].(object)
	if first["name"] != "Maintain vendors" || first["line"] != 3.0 || first["unresolved_count"] != 1.0 ||
		first["id"] != nil {
		t.Errorf("item %v", first)
	}
	h.Refused(409, "confirmation_required", "admin", "POST", imports, body)
	other := files(map[string]string{"rules.yaml": strings.Replace(rules, "severity: high", "severity: low", 1)})
	h.Refused(409, "plan_changed", "admin", "POST", imports+"?confirm="+p.Text("plan_hash"), other)
	h.Refused(400, "conflicting_parameters", "admin", "POST", imports+"?dry_run=true&confirm=x", body)
	if n := h.Strings(`select name from duty`); len(n) != 0 {
		t.Fatalf("a refused import made %v", n)
	}
	done := h.Must(200, "admin", "POST", imports+"?confirm="+p.Text("plan_hash"), body)
	id := done.Body["items"].([]any)[2].(object)["id"].(string)
	made := h.Must(200, "admin", "GET", "/policies/separation-of-duties/"+id, nil)
	if made.Body["mode"] != "draft" || made.Body["severity"] != "high" ||
		made.Body["origin"].(object)["kind"] != "import" {
		t.Errorf("made %v", made.Body)
	}
	if sides := made.Body["sides"].([]any); sides[1].(object)["label"] != "Pay" {
		t.Errorf("sides %v", sides)
	}
	if v := h.Must(200, "admin", "GET", "/policies/separation-of-duties/"+id+"/versions", nil).Items(); len(v) != 1 {
		t.Errorf("versions %v", v)
	}
	if got := h.Strings(`select action from audit_event order by seq`); !slices.Equal(got, []string{"duty.created",
		"duty.created", "separation_policy.created", "separation_policy.imported"}) {
		t.Errorf("audited %v", got)
	}
	// The plan was for what was stored then.
	h.Refused(409, "plan_changed", "admin", "POST", imports+"?confirm="+p.Text("plan_hash"), body)
	again := h.plan(body)
	if again.Body["duties"].(object)["unchanged"] != 2.0 || again.Body["policies"].(object)["unchanged"] != 1.0 {
		t.Errorf("again %v", again.Body)
	}
	h.Must(200, "admin", "POST", "/policies/separation-of-duties/"+id+"/mode", object{"mode": "shadow"})
	changed := h.apply(other)
	if c := changed.Body["items"].([]any)[2].(object)["changes"]; fmt.Sprint(c) != "[severity]" {
		t.Errorf("changes %v", c)
	}
	if now := h.Must(200, "admin", "GET", "/policies/separation-of-duties/"+id, nil); now.Body["mode"] != "shadow" ||
		now.Body["severity"] != "low" {
		t.Errorf("now %v", now.Body)
	}
}

func TestColumnsThatAreAbsentStay(t *testing.T) {
	h := open(t)
	h.apply(files(map[string]string{"rules.yaml": rules}))
	h.apply(files(map[string]string{
		"duties.csv":   "duty;group;member_kind;connector;external_id\nPay;1;external;bank;PAY-ALL\nPay;2;external;bank;=CODE\n",
		"policies.csv": "policy,kind,side,duty,remediation\nVendors and payments,pair,1,Maintain vendors,Ask\nVendors and payments,pair,2,Pay,\n",
	}))
	got := h.export("yaml")
	for _, want := range []string{"severity: high", "remediation: Ask", "external_id: =CODE", "process: Purchase to pay"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "PAY-RUN") {
		t.Errorf("the members were not replaced:\n%s", got)
	}
}

func TestTablesHaveExemptionsAsJSON(t *testing.T) {
	h := open(t)
	h.apply(files(map[string]string{"rules.yaml": rules}))
	policies := func(columns, first, second string) object {
		return files(map[string]string{"policies.csv": "policy,kind,side,duty" + columns + "\n" +
			"Vendors and payments,pair,1,Maintain vendors" + first + "\nVendors and payments,pair,2,Pay" + second + "\n"})
	}
	const audit = `,"{""field"": ""department"", ""op"": ""eq"", ""value"": ""Audit""}"`
	h.apply(policies(",exemptions", audit, ","))
	exempts := func(want bool) {
		t.Helper()
		if got := strings.Contains(h.export("yaml"), "value: Audit"); got != want {
			t.Errorf("the policy exempts the department: %v; want %v", got, want)
		}
	}
	exempts(true)
	h.apply(policies("", "", ""))
	exempts(true)
	for _, c := range []struct{ first, second, code, field string }{
		{",Audit", ",", "invalid", "exemptions"},
		{`,"[1]"`, ",", "invalid", "exemptions"},
		{",null", ",", "invalid", "exemptions"},
		{audit, `,"{""field"": ""department"", ""op"": ""eq"", ""value"": ""Sales""}"`, "contradiction", "exemptions"},
		{`,"{""field"": ""departement"", ""op"": ""eq"", ""value"": ""Audit""}"`, ",", "unknown_field", "exemptions/field"},
	} {
		p := h.plan(policies(",exemptions", c.first, c.second))
		if p.Body["problem_count"] != 1.0 {
			t.Errorf("%s %s: problems %v", c.first, c.second, p.Body["problems"])
			continue
		}
		problem := p.Body["problems"].([]any)[0].(object)
		if problem["code"] != c.code || problem["field"] != c.field {
			t.Errorf("%s %s: the problem is %v; want %s of %s", c.first, c.second, problem, c.code, c.field)
		}
	}
	exempts(true)
	h.apply(policies(",exemptions", ",", ","))
	exempts(false)
}

func TestRowsOfOnePolicyCannotContradictEachOther(t *testing.T) {
	h := open(t)
	h.apply(files(map[string]string{"rules.yaml": rules}))
	for column, values := range map[string][2]string{
		"enabled": {"false", "true"}, "max_mitigation": {"P30D", "P60D"}, "valid_to": {"2030-01-01T00:00:00Z", "2031-01-01T00:00:00Z"},
		"exclude_read_only": {"", "true"},
	} {
		for _, c := range []struct {
			second string
			want   float64
		}{{values[1], 1}, {values[0], 0}, {"", 0}} {
			p := h.plan(files(map[string]string{"policies.csv": "policy,kind,side,duty," + column + "\n" +
				"Vendors and payments,pair,1,Maintain vendors," + values[0] + "\n" +
				"Vendors and payments,pair,2,Pay," + c.second + "\n"}))
			if p.Body["problem_count"] != c.want {
				t.Errorf(
					"%s: %q then %q: problems %v; want %v",
					column,
					values[0],
					c.second,
					p.Body["problems"],
					c.want,
				)
				continue
			}
			if c.want == 0 {
				continue
			}
			problem := p.Body["problems"].([]any)[0].(object)
			if problem["code"] != "contradiction" || problem["field"] != column {
				t.Errorf("%s: the problem is %v; want a contradiction", column, problem)
			}
		}
	}
}

func TestExportsAreImportedWithoutAChange(t *testing.T) {
	h := open(t)
	ann := h.Person("ann", "")
	role := uuid.Must(uuid.NewV7()).String()
	h.Exec(`insert into role (tenant_id, id, key, name) values (current_tenant(), $1, 'clerk', 'Clerk')`, role)
	nobody := uuid.NewString()
	duties := []string{}
	for i, members := range [][]object{
		{{"kind": "entitlement", "entitlement_id": h.pay}, {"kind": "role", "role_id": role}},
		{{"kind": "connector", "connector_id": h.bank}}, {{"kind": "duty_tag", "duty_tag": "a|b"}},
		{{"kind": "external", "connector_id": h.bank, "external_id": "'=x,\"y\""}},
	} {
		duties = append(duties, h.Must(201, "admin", "POST", "/policies/duties", object{
			"name": fmt.Sprintf("Duty %d", i), "description": "One\ntwo; \"three\"", "owner_ids": []string{ann},
			"all_of": []object{{"members": members}, {"members": []object{{"kind": "duty_tag", "duty_tag": "second"}}}},
		}).Text("id"))
	}
	control := uuid.Must(uuid.NewV7()).String()
	h.Exec(
		`insert into mitigating_control (tenant_id, id, name, max_duration)
		values (current_tenant(), $1, 'Second | look', 'P90D')`,
		control,
	)
	rule := uuid.Must(uuid.NewV7()).String()
	h.Exec(`insert into approval_rule (tenant_id, id, name, applies_to, branches)
		values (current_tenant(), $1, 'Security, or; audit', '{"default": true}', '[]')`, rule)
	side := func(i int) object { return object{"label": "=" + fmt.Sprint(i), "duty_ids": duties[i : i+1]} }
	for name, more := range map[string]object{
		"pair": {"kind": "pair", "sides": []object{side(0), {"duty_ids": duties[1:3]}}, "regulation_refs": []string{`a|\b`, "SOX 404"}},
		"lost": {"kind": "pair", "sides": []object{side(0), side(1)}, "effects": object{"on_detect": "revoke_lower_risk"}},
		"asks": {
			"kind": "pair", "sides": []object{side(2), side(3)}, "exception_rule_id": rule,
			"effects": object{"on_request": "exception", "on_assign": "exception"},
		},
		"most": {"kind": "n_of_m", "n": 2, "sides": []object{side(0), side(1), side(2)}, "valid_to": "2030-01-01T01:00:00+01:00"},
		"grid": {
			"kind": "matrix", "sides": []object{side(0), side(1), side(3)}, "enabled": false,
			"matrix": object{"conflicts": [][]int{{0, 1}, {2, 0}}}, "owner_ids": []string{ann},
		},
		"both": {
			"kind": "companion", "sides": []object{side(0), side(1)},
			"exemptions": object{"match": "any", "rules": []object{
				{"field": "department", "op": "in", "value": []string{"R&D | \"Labs\"", "=Audit; x"}},
				{"field": "status", "op": "eq", "value": "active"},
			}},
		},
		"past": {
			"kind": "history", "sides": []object{side(0), side(1)}, "history_window": "P90D", "remediation": "@x", "max_mitigation": "P30D",
			"mitigation_policy_ids": []string{control},
			"context":               object{"same_attributes": []string{"site", "company_code"}, "exclude_read_only": false},
		},
	} {
		more["name"] = name
		h.Must(201, "admin", "POST", "/policies/separation-of-duties", more)
	}
	h.Exec(`update duty_member set entitlement_id = $1 where entitlement_id = $2`, nobody, h.pay)
	for format, file := range map[string]string{"yaml": "rules.yaml", "csv": "rules.zip"} {
		text := h.export(format)
		p := h.plan(files(map[string]string{file: text}))
		if p.Body["problem_count"] != 0.0 || p.Body["duties"].(object)["unchanged"] != 4.0 ||
			p.Body["policies"].(object)["unchanged"] != 7.0 {
			t.Errorf("%s: %v\n%s", format, p.Body, text)
		}
	}
}

func TestAuditorsExportAndOnlyAdministratorsImport(t *testing.T) {
	h := open(t)
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.Let("manager", h.Tenant.Tenant, "", viewer.Manager)
	if text := string(h.Raw("auditor", exports)); !strings.HasPrefix(text, "version: 1") {
		t.Errorf("an auditor gets %s", text)
	}
	h.Refused(403, "forbidden", "manager", "GET", exports, nil)
	body := files(map[string]string{"rules.yaml": rules})
	h.Refused(403, "read_only_role", "auditor", "POST", imports+"?dry_run=true", body)
	h.Refused(403, "forbidden", "manager", "POST", imports+"?dry_run=true", body)
}

// TestEffectsOfFilesAreChecked imports policies with effects that exist, or do not.
func TestEffectsOfFilesAreChecked(t *testing.T) {
	h := open(t)
	h.apply(files(map[string]string{"rules.yaml": rules}))
	h.Exec(`insert into approval_rule (tenant_id, id, name, enabled, applies_to, branches) values
		(current_tenant(), gen_random_uuid(), 'Security', true, '{"default": true}', '[]'),
		(current_tenant(), gen_random_uuid(), 'Former', false, '{"default": true}', '[]')`)
	for _, tt := range []struct{ request, assign, detect, rule, code, field string }{
		{"block", "record", "revoke_lower_risk", "", "", ""},
		{"block", "record", "micro_certification", "", "invalid", "on_detect"},
		{"exception", "exception", "task", "security", "", ""},
		{"exception", "record", "task", "", "required", "exception_rule_id"},
		{"exception", "record", "task", "Nobody", "unknown_rule", "exception_rule"},
		{"exception", "record", "task", "Former", "unknown_rule", "exception_rule"},
		{"warn", "exception", "task", "Security", "invalid", "effects/on_assign"},
		{"ask", "record", "task", "", "invalid", "on_request"},
	} {
		row := func(side, duty string) string {
			return "Vendors and payments,pair," + side + "," + duty + "," + tt.request + "," + tt.assign + "," +
				tt.detect + "," + tt.rule + "\n"
		}
		p := h.plan(files(map[string]string{"policies.csv": "policy,kind,side,duty,on_request,on_assign,on_detect," +
			"exception_rule\n" + row("1", "Maintain vendors") + row("2", "Pay")}))
		got := ""
		for _, each := range p.Body["problems"].([]any) {
			got += fmt.Sprint(each.(object)["code"], " ", each.(object)["field"])
		}
		if want := strings.TrimSpace(tt.code + " " + tt.field); got != want {
			t.Errorf("%+v: the problems are %q; want %q", tt, got, want)
		}
	}
}
