package policy_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/accesspolicy"
	"github.com/grantwright/grantwright/controlplane/internal/govern/policy/table"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// tables is where decision tables are checked, exported and imported.
const tables = "/policies/decision-tables"

// row is a row of a table over department and location; the last argument is the group that it assigns.
func (h *house) row(department, location string, groups ...int) map[string]any {
	ids := []string{}
	for _, g := range groups {
		ids = append(ids, h.groups[g])
	}
	return map[string]any{"cells": []string{department, location}, "entitlement_ids": ids}
}

// tabled is the body of an enforced birthright with a decision table.
func (h *house) tabled(hit string, rows ...map[string]any) map[string]any {
	return map[string]any{
		"name":       "Wards",
		"mode":       "enforce",
		"birthright": true,
		"table":      map[string]any{"hit_policy": hit, "columns": []string{"department", "location"}, "rows": rows},
		"lifecycle":  map[string]any{"on_no_match": "end_now"},
	}
}

func TestTheRowsOfADecisionTableAssignTheirAccess(t *testing.T) {
	h := open(t)
	nurse := h.hire("nurse", "Nursing", "location", "Bern")
	surgeon := h.hire("surgeon", "Surgery", "location", "Berlin")
	clerk := h.hire("clerk", "Sales", "location", "Basel")
	id := h.enforce(h.tabled("all", h.row("Nursing|Surgery", "*", 0), h.row("*", "Be*", 1), h.row("surg*", "*", 1, 2)))
	h.settle()
	h.expect(nurse, "active", "[group-0 group-1]")
	h.expect(surgeon, "active", "[group-0 group-1 group-2]")
	h.expect(clerk, "active", "[]")

	h.patch(nurse, map[string]any{"department": "Sales", "location": "Bern"})
	h.settle()
	h.expect(nurse, "active", "[group-1]")
	if got := h.Strings(`select end_reason from access_reason where identity_id = $1 and state = 'ended'`, nurse); fmt.
		Sprint(got) != "[no row of the decision table gives it any more]" {
		t.Errorf("ended because %v", got)
	}

	path := "/policies/access-grant/" + id
	first := map[string]any{"table": map[string]any{"hit_policy": "first"}}
	h.Refused(409, "confirmation_required", "admin", "PATCH", path, first)
	a := h.Call("admin", "PATCH", path, first)
	a = h.Must(200, "admin", "PATCH", path+"?confirm="+a.Body["impact"].(map[string]any)["plan_hash"].(string), first)
	h.settle()
	h.expect(surgeon, "active", "[group-0]")
	if a.Body["kind"] != "table" || a.Body["row_count"] != 3.0 ||
		len(a.Body["resources"].(map[string]any)["entitlement_ids"].([]any)) != 3 {
		t.Errorf("the policy is %v", a.Body)
	}

	evaluated := h.Must(200, "admin", "POST", "/identities/"+surgeon+"/birthrights/evaluate", map[string]any{})
	if got := fmt.Sprint(evaluated.Body["matched"].([]any)[0].(map[string]any)["rows"]); got != "[1]" {
		t.Errorf("rows of the person: %s; want [1]", got)
	}
	list := h.Must(200, "admin", "GET", "/policies/access-grant?kind=table", nil)
	listed := list.Body["items"].([]any)[0].(map[string]any)
	if listed["table"].(map[string]any)["rows"] != nil || listed["row_count"] != 3.0 {
		t.Errorf("the list has the rows: %v", listed["table"])
	}
	if n := h.Must(200, "admin", "GET", "/policies/access-grant?kind=condition", nil).Body["total"]; n != 0.0 {
		t.Errorf("%v policies with a condition; want none", n)
	}
	versions := h.Must(200, "admin", "GET", path+"/versions", nil).Body["items"].([]any)
	if len(versions) != 2 || versions[1].(map[string]any)["row_count"] != 3.0 {
		t.Errorf("versions: %v", versions)
	}
	h.Must(200, "admin", "POST", path+"/disable", nil)
	h.settle()
	h.expect(surgeon, "active", "[]")
}

func TestATableThatCannotBeSavedIsRefusedByCell(t *testing.T) {
	h := open(t)
	body := h.tabled("all", h.row("Nursing", "", 0))
	a := h.Refused(422, "validation_failed", "admin", "POST", "/policies/access-grant", body)
	if got := fmt.Sprint(a.Body["errors"]); !strings.Contains(got, "#/table/rows/0/cells/1") ||
		!strings.Contains(got, "empty_cell") {
		t.Errorf("errors: %s", got)
	}
	unknown := h.tabled("all", h.row("Nursing", "*", 0))
	unknown["table"].(map[string]any)["rows"].([]map[string]any)[0]["role_ids"] = []string{
		uuid.Must(uuid.NewV7()).String()}
	a = h.Refused(422, "validation_failed", "admin", "POST", "/policies/access-grant", unknown)
	if got := fmt.Sprint(a.Body["errors"]); !strings.Contains(got, "#/table/rows/0/role_ids/0") {
		t.Errorf("errors: %s", got)
	}
	denying := h.tabled("all", h.row("Nursing", "*", 0))
	denying["effect"], denying["birthright"] = "deny", false
	h.Refused(422, "validation_failed", "admin", "POST", "/policies/access-grant", denying)

	id := h.enforce(h.rule("Plain", everybody, h.groups[0]))
	h.Refused(422, "validation_failed", "admin", "PATCH", "/policies/access-grant/"+id,
		map[string]any{"table": h.tabled("all", h.row("Nursing", "*", 0))["table"]})
	h.Must(404, "admin", "GET", tables+"/"+id+"/check", nil)
}

func TestACheckTellsRowsWithoutEffectApart(t *testing.T) {
	h := open(t)
	for i, who := range [][2]string{{"Nursing", "Bern"}, {"Nursing", "Bern"}, {"Surgery", "Basel"}, {"Sales", "Zug"},
		{"Sales", "Zug"}, {"Lab|A*", ""}} {
		more := []any{}
		if who[1] != "" {
			more = []any{"location", who[1]}
		}
		h.hire(fmt.Sprint("p", i), who[0], more...)
	}
	body := map[string]any{"table": h.tabled("first",
		h.row("Nursing", "*", 0),      // used
		h.row("Nursing", "Be*", 1),    // shadowed by row 1
		h.row("Surgery", "*", 1),      // used
		h.row("*", "Basel", 2),        // overridden
		h.row("Radiology", "Bern", 3), // unmatched, with a value that nobody has
		h.row("Nursin", "*", 0),       // unmatched
	)["table"]}
	out := h.Must(200, "admin", "POST", tables+"/check", body).Body
	var states []string
	for _, r := range out["rows"].([]any) {
		r := r.(map[string]any)
		states = append(states, fmt.Sprint(r["state"], " ", r["matched"], " ", r["applied"], " ", r["shadowed_by"]))
	}
	want := "used 2 2 <nil>; shadowed 2 0 1; used 1 1 <nil>; overridden 1 0 <nil>; unmatched 0 0 <nil>; unmatched 0 0 <nil>"
	if got := strings.Join(states, "; "); got != want {
		t.Errorf("rows:\n%s; want\n%s", got, want)
	}
	if out["people"] != 6.0 || out["matched"] != 3.0 || out["unmatched"] != 3.0 || out["contradicted"] != 3.0 {
		t.Errorf("people %v, matched %v, unmatched %v, contradicted %v", out["people"], out["matched"],
			out["unmatched"], out["contradicted"])
	}
	if got := fmt.Sprint(out["missing"]); got != `[map[cells:[Sales Zug] people:2] map[cells:[Lab\|A\* *] people:1]]` {
		t.Errorf("missing rows: %s", got)
	}
	if got := fmt.Sprint(out["contradictions"]); got !=
		"[map[other_row:2 people:2 row:1] map[other_row:4 people:1 row:3]]" {
		t.Errorf("contradictions: %s", got)
	}
	var unknown []string
	for _, v := range out["unknown_values"].([]any) {
		v := v.(map[string]any)
		unknown = append(unknown, fmt.Sprint(v["column"], " ", v["value"], " ", v["rows"], " ", v["suggestions"]))
	}
	if got := strings.Join(unknown, "; "); got != "department Radiology [5] []; department Nursin [6] [Nursing]" {
		t.Errorf("unknown values: %s", got)
	}
}

// upload is the body of an import.
func upload(text string, more ...any) map[string]any {
	body := map[string]any{"file": base64.StdEncoding.EncodeToString([]byte(text))}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return body
}

func TestATableIsImportedAsPlanned(t *testing.T) {
	h := open(t)
	nurse := h.hire("nurse", "Nursing", "location", "Bern")
	file := "department,location,entitlements,comment\nNursing|Surgery,Be*,dir:group-0,\"Wards, in Bern\"\n" +
		"*,*,dir:group-1|dir:group-2,\n"
	plan := h.Must(200, "admin", "POST", tables+"/import?dry_run=true", upload(file, "name", "Wards"))
	if plan.Body["added"] != 2.0 || plan.Body["problem_count"] != 0.0 || plan.Body["policy_id"] != nil {
		t.Fatalf("plan: %v", plan.Body)
	}
	if n := h.Count(`select count(*) from access_policy`); n != 0 {
		t.Fatalf("a dry run has made %d policies", n)
	}
	h.Refused(409, "confirmation_required", "admin", "POST", tables+"/import", upload(file, "name", "Wards"))
	h.Refused(409, "plan_changed", "admin", "POST", tables+"/import?confirm="+plan.Text("plan_hash"),
		upload(file+"Sales,*,dir:group-0,\n", "name", "Wards"))
	made := h.Must(
		200,
		"admin",
		"POST",
		tables+"/import?confirm="+plan.Text("plan_hash"),
		upload(file, "name", "Wards"),
	)
	id := made.Text("policy_id")
	h.settle()
	h.expect(nurse, "active", "[]") // it is in shadow mode

	exported := string(h.Raw("admin", tables+"/"+id+"/export"))
	want := "department,location,roles,entitlements,comment\n\"Nursing|Surgery\",Be*,,dir:group-0,\"Wards, in Bern\"\n" +
		"*,*,,\"dir:group-1|dir:group-2\",\n"
	if exported != want {
		t.Errorf("exported:\n%s; want\n%s", exported, want)
	}
	same := h.Must(200, "admin", "POST", tables+"/import?dry_run=true", upload(exported, "policy_id", id))
	if same.Body["unchanged"] != 2.0 || same.Body["added"] != 0.0 || same.Body["impact"] != nil {
		t.Errorf("the export is another table: %v", same.Body)
	}

	path := "/policies/access-grant/" + id
	a := h.Refused(409, "confirmation_required", "admin", "POST", path+"/mode", map[string]any{"mode": "enforce"})
	h.Must(200, "admin", "POST", path+"/mode?confirm="+a.Body["impact"].(map[string]any)["plan_hash"].(string),
		map[string]any{"mode": "enforce"})
	h.settle()
	h.expect(nurse, "active", "[group-0 group-1 group-2]")

	// An import of an enforced policy has its impact in the plan, and confirms it.
	next := upload(
		"department;location;entitlements\nNursing|Surgery;Be*;dir:group-3\nSales;*;dir:group-1\n",
		"policy_id",
		id,
	)
	plan = h.Must(200, "admin", "POST", tables+"/import?dry_run=true", next)
	if plan.Body["changed"] != 1.0 || plan.Body["added"] != 1.0 || plan.Body["removed"] != 1.0 ||
		plan.Body["impact"].(map[string]any)["identities_affected"] != 1.0 {
		t.Errorf("plan: %v", plan.Body)
	}
	h.Must(200, "admin", "POST", tables+"/import?confirm="+plan.Text("plan_hash"), next)
	h.settle()
	if got := h.Strings(`select e.name from access_reason r join entitlement e on e.id = r.entitlement_id
		where r.identity_id = $1 and r.state = 'active' and r.ends_at is null order by 1`, nurse); fmt.Sprint(got) != "[group-3]" {
		t.Errorf("after the import: %v", got)
	}
	if old := string(h.Raw("admin", tables+"/"+id+"/export?version=1")); old != want {
		t.Errorf("version 1:\n%s", old)
	}
	for _, action := range []string{"policy.created", "policy.table_imported", "policy.table_exported"} {
		if h.Count(`select count(*) from audit_event where action = $1`, action) == 0 {
			t.Errorf("no audit event %s", action)
		}
	}
	h.Refused(422, "validation_failed", "admin", "POST", tables+"/import?dry_run=true",
		upload(file, "policy_id", id, "name", "x"))
}

// TestDamagedFilesAreRefusedByLine spoils a file in many ways. A damage is refused with the line and the code, and
// writes nothing.
func TestDamagedFilesAreRefusedByLine(t *testing.T) {
	h := open(t)
	const head = "department,location,entitlements,comment\n"
	const good = "Nursing,Bern,dir:group-0,\n"
	long := strings.Repeat("x", 5000)
	for _, c := range []struct{ name, file, want string }{
		{"nothing", "", "1  empty"},
		{"blank", " \n\t\n", "1  empty"},
		{"header alone", head, "1  required"},
		{"no results", "department\nNursing\n", "1  missing_column"},
		{"no fields", "roles\nx\n", "1  missing_column"},
		{"unnamed column", "department,,entitlements\nNursing,,dir:group-0\n", "1  missing_column"},
		{"column twice", "department,Department,entitlements\na,b,dir:group-0\n", "1 department duplicate_column"},
		{"unknown column", "departmnt,entitlements\na,dir:group-0\n", "1 departmnt unknown_field"},
		{"date column", "hire_date,entitlements\na,dir:group-0\n", "1 hire_date unusable_field"},
		{"manager column", "manager,entitlements\na,dir:group-0\n", "1 manager unusable_field"},
		{"bare attribute", "attributes,entitlements\na,dir:group-0\n", "1 attributes unknown_field"},
		{"too few cells", head + good + "Nursing,Bern\n", "3  wrong_number_of_cells"},
		{"too many cells", head + "Nursing,Bern,dir:group-0,,,\n", "2  wrong_number_of_cells"},
		{"separator in a cell", head + "Nursing, Surgery,Bern,dir:group-0,\n", "2  wrong_number_of_cells"},
		{"open quote", head + "\"Nursing,Bern,dir:group-0,\n", "2  malformed_csv"},
		{"quote inside", head + good + "Nur\"sing,Bern,dir:group-0,\n", "3  malformed_csv"},
		{"empty cell", head + good + ",Bern,dir:group-0,\n", "3 department empty_cell"},
		{"empty value", head + "Nursing||Surgery,Bern,dir:group-0,\n", "2 department empty_value"},
		{"end of list", head + "Nursing|,Bern,dir:group-0,\n", "2 department empty_value"},
		{"any in list", head + "Nursing|*,Bern,dir:group-0,\n", "2 department any_in_list"},
		{"star at the front", head + "*ing,Bern,dir:group-0,\n", "2 department invalid_wildcard"},
		{"two stars", head + "Nurs**,Bern,dir:group-0,\n", "2 department invalid_wildcard"},
		{"lone backslash", head + "Nursing\\,Bern,dir:group-0,\n", "2 department invalid_escape"},
		{"control character", head + "Nur\x1b[2Jsing,Bern,dir:group-0,\n", "2 department invalid_character"},
		{"line break in a cell", head + "\"Nur\nsing\",Bern,dir:group-0,\n", "2 department invalid_character"},
		{"long cell", head + long + ",Bern,dir:group-0,\n", "2 department too_long"},
		{"many values", head + "a" + strings.Repeat("|b1", 1) + manyOf(300) + ",Bern,dir:group-0,\n",
			"2 department too_many_values"},
		{"long comment", head + "Nursing,Bern,dir:group-0," + long + "\n", "2  too_long"},
		{"no access", head + good + "Surgery,Bern,,\n", "3  required"},
		{"unknown entitlement", head + good + "Surgery,Bern,dir:group-99,\n", "3 entitlements unknown_entitlement"},
		{"unknown connector", head + "Surgery,Bern,other:group-0,\n", "2 entitlements unknown_entitlement"},
		{"no connector", head + "Surgery,Bern,group-0,\n", "2 entitlements unknown_entitlement"},
		{"unknown role", "department,roles\nSurgery,nobody\n", "2 roles unknown_role"},
		{"impossible value", "employment_type,entitlements\nemploye,dir:group-0\n", "2 employment_type unknown_value"},
		{"no flag", "is_disabled,entitlements\nmaybe,dir:group-0\n", "2 is_disabled unknown_value"},
		{"NUL", head + "Nur\x00sing,Bern,dir:group-0,\n", "0  damaged_file"},
		{"marked as UTF-8, and is not", "\xef\xbb\xbf" + head + "\xff,Bern,dir:group-0,\n", "0  damaged_file"},
		{"half a UTF-16 character", "\xff\xfea", "0  damaged_file"},
		{"a workbook", "PK\x03\x04" + head, "0  damaged_file"},
		{"replacement characters", head + "Nur\ufffd,Bern,dir:group-0,\n", "0  damaged_file"},
		{"JSON", `{"rows": []}`, "1  malformed_csv"},
		{"HTML", "<!DOCTYPE html><html>\n<body></body></html>\n", "1  missing_column"},
		{"too many rows", head + strings.Repeat(good, 2001), "2002  too_many"},
		{"too many columns", columnsOf(21), "1  invalid"},
		{"old line ends", strings.ReplaceAll(head+good, "\n", "\r"), "1  missing_column"},
	} {
		a := h.Must(200, "admin", "POST", tables+"/import?dry_run=true", upload(c.file, "name", "Damaged"))
		found, ok := a.Body["problems"].([]any)
		if !ok || len(found) == 0 {
			t.Errorf("%s: nothing is wrong; want %s", c.name, c.want)
			continue
		}
		first := found[0].(map[string]any)
		if got := fmt.Sprint(first["line"], " ", first["column"], " ", first["code"]); got != c.want {
			t.Errorf("%s: %s (%v); want %s", c.name, got, first["detail"], c.want)
		}
		if a.Body["plan_hash"] != "" {
			t.Errorf("%s: the plan has a hash", c.name)
		}
		h.Refused(422, "invalid_table", "admin", "POST", tables+"/import?confirm="+strings.Repeat("0", 64),
			upload(c.file, "name", "Damaged"))
	}
	if n := h.Count(`select count(*) from access_policy`); n != 0 {
		t.Errorf("damaged files have made %d policies", n)
	}
	good1252 := h.Must(
		200,
		"admin",
		"POST",
		tables+"/import?dry_run=true",
		upload(head+"Z\xfcrich,*,dir:group-0,\n", "name", "x"),
	)
	if good1252.Body["encoding"] != "windows-1252" || good1252.Body["problem_count"] != 0.0 {
		t.Errorf("Windows-1252: %v", good1252.Body)
	}
	h.Refused(
		422,
		"validation_failed",
		"admin",
		"POST",
		tables+"/import?dry_run=true",
		map[string]any{"file": "%%", "name": "x"},
	)
}

// manyOf are more values of a list.
func manyOf(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprint(&b, "|", i)
	}
	return b.String()
}

// columnsOf is a file with many columns.
func columnsOf(n int) string {
	head, row := "entitlements", "dir:group-0"
	for i := range n {
		head, row = head+fmt.Sprint(",attributes.a", i), row+",*"
	}
	return head + "\n" + row + "\n"
}

// BenchmarkDecisionTable is the time that a table of a thousand rows takes for a hundred thousand people: to check it,
// to simulate it, and to give everyone their access.
func BenchmarkDecisionTable(b *testing.B) {
	h := open(b)
	h.arrive(100_000)
	t := &accesspolicy.DecisionTable{HitPolicy: "all", Columns: []string{"department", "title", "attributes.shift"}}
	for i := range 1000 {
		t.Rows = append(t.Rows, table.DecisionTableRow{Cells: []string{fmt.Sprint("Department ", i%25),
			fmt.Sprint("Title ", i/25), []string{"night", "*", "n*"}[i%3]},
			EntitlementIDs: []string{h.groups[i%len(h.groups)]}})
	}
	f := accesspolicy.Fields{Name: "Table", Enabled: true, Mode: accesspolicy.Enforce, Birthright: true, Table: t}
	body := map[string]any{"table": t}
	for b.Loop() {
		began := time.Now()
		out := h.Must(200, "admin", "POST", tables+"/check", body)
		b.ReportMetric(time.Since(began).Seconds(), "check-s")
		if out.Body["people"] != 100_000.0 {
			b.Fatalf("people: %v", out.Body["people"])
		}
		began = time.Now()
		if _, err := h.policies.Simulations().Simulate(b.Context(), h.Tenant, f, nil); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(began).Seconds(), "simulate-s")
		err := h.DB.As(b.Context(), h.Tenant, func(tx *pg.Tx) error {
			_, err := accesspolicy.Create(b.Context(), tx, accesspolicy.New{Fields: f})
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		began = time.Now()
		h.settle()
		b.ReportMetric(time.Since(began).Seconds(), "evaluate-s")
		b.ReportMetric(float64(h.Count(`select count(*) from access_reason where state = 'active'`)), "reasons")
	}
}
