package directory_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/record/directory/recordtest"
)

// outcomes are the lines of an import's answer, in few words.
func outcomes(a map[string]any) (lines []string) {
	for _, each := range a["results"].([]any) {
		r := each.(map[string]any)
		line := fmt.Sprint(r["line"], " ", r["external_id"], " ", r["outcome"])
		if wrong, _ := r["errors"].([]any); len(wrong) > 0 {
			first := wrong[0].(map[string]any)
			line += fmt.Sprint(" ", first["code"], " ", first["pointer"])
		}
		lines = append(lines, line)
	}
	return lines
}

const people = `{"external_id":"E1","email":"e1@example.com","first_name":"Ada","last_name":"L","manager_external_id":"E3"}
{"external_id":"E2","email":"E1@example.com"}

{"external_id":"E3","email":"e3@example.com","start_date":"2999-01-01","favourite":"green"}
nonsense
{"external_id":"E4"}
{"external_id":"E1","email":"again@example.com"}
{"external_id":"E5","email":"e5@example.com","employment_type":"friend"}
{"external_id":"known","email":"known@example.com","department":"Sales","title":null}
{"external_id":"E6","email":"e6@example.com","sponsor_id":"0197a000-0000-7000-8000-00000000dead"}`

func TestRowsAreImportedEachByItself(t *testing.T) {
	h := open(t)
	known := hire(h, "known", map[string]any{"title": "Rep", "first_name": "Kay"}).Text("id")
	want := []string{
		"1 E1 created",
		"2 E2 failed duplicate_email #/email",
		"4 E3 created",
		"5 <nil> failed malformed_json <nil>",
		"6 E4 failed required #/email",
		"7 E1 failed repeated #/external_id",
		"8 E5 failed invalid #/employment_type",
		"9 known updated",
		"10 E6 failed unknown_identity #/sponsor_id",
	}
	preview := h.Must(200, "admin", "POST", "/identities/import", map[string]any{"data": people})
	if diff := cmp.Diff(want, outcomes(preview.Body)); diff != "" || preview.Text("mode") != "preview" {
		t.Errorf("preview: -want +got\n%s", diff)
	}
	if n := h.Count(`select count(*) from identity`); n != 1 {
		t.Fatalf("a preview has made %d people", n-1)
	}
	done := h.Must(
		200,
		"admin",
		"POST",
		"/identities/import?mode=apply",
		people,
		"Content-Type",
		"application/x-ndjson",
	)
	if diff := cmp.Diff(want, outcomes(done.Body)); diff != "" {
		t.Errorf("apply: -want +got\n%s", diff)
	}
	got := h.Must(200, "admin", "GET", "/identities/"+known, nil)
	if got.Text("department") != "Sales" || got.Body["title"] != nil || got.Text("first_name") != "Kay" {
		t.Errorf("the known person is %v", got.Body)
	}
	if s := h.Strings(
		`select concat_ws(' ', i.external_id, i.status, i.status_source, m.external_id) from identity i left
			join identity m on m.id = i.manager_id order by 1`,
	); !cmp.Equal(
		s,
		[]string{"E1 active import E3", "E3 pre_hire import", "known active manual"},
	) {
		t.Errorf("there are %v", s)
	}
	again := h.Must(
		200,
		"admin",
		"POST",
		"/identities/import?mode=apply",
		people,
		"Content-Type",
		"application/x-ndjson",
	)
	if again.Body["unchanged"] != 3.0 || again.Body["created"] != 0.0 || again.Body["updated"] != 0.0 {
		t.Errorf(
			"sent again: %v created, %v updated, %v unchanged",
			again.Body["created"],
			again.Body["updated"],
			again.Body["unchanged"],
		)
	}
	h.Refused(
		400,
		"invalid_encoding",
		"admin",
		"POST",
		"/identities/import",
		"{\"external_id\":\"\xff\"}",
		"Content-Type",
		"application/x-ndjson",
	)
	h.Refused(
		413,
		"payload_too_large",
		"admin",
		"POST",
		"/identities/import",
		strings.Repeat(" ", 32<<20+1),
		"Content-Type",
		"text/csv",
	)
	h.Refused(
		415,
		"unsupported_media_type",
		"admin",
		"POST",
		"/identities",
		people,
		"Content-Type",
		"application/x-ndjson",
	)
	h.Refused(422, "validation_failed", "admin", "POST", "/identities/import", "", "Content-Type", "text/csv")
	if n := h.Count(`select count(*) from audit_event where action = 'identity.imported'`); n != 2 {
		t.Errorf("%d imports are on record; want 2", n)
	}
}

func TestWhatIsExportedCanBeImportedAgain(t *testing.T) {
	h := open(t)
	h.Must(
		200,
		"admin",
		"PUT",
		"/identities/schema/attributes",
		map[string]any{"attributes": []any{map[string]any{"name": "desk", "type": "number"}}},
	)
	hire(
		h,
		"=cmd",
		map[string]any{
			"department":       "Sales, North",
			"attributes":       map[string]any{"desk": 7},
			"secondary_emails": []string{"a@example.com", "b@example.com"},
		},
	)
	hire(h, "plain", map[string]any{"title": "'quoted", "leave_to": "2031-02-03", "location": "x;=1+1"})
	hire(h, "other", map[string]any{"department": "Else"})
	var out bytes.Buffer
	file := exported(t, h, "csv", "")
	out.WriteString(file)
	rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if err != nil || len(rows) != 4 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, cell := range []string{`,'=cmd,`, `,"x;=1+1",`} { // no locale makes a formula of it
		if !strings.Contains(file, cell) {
			t.Errorf("the export has no %s:\n%s", cell, file)
		}
	}
	again := h.Must(200, "admin", "POST", "/identities/import?mode=apply", out.String(), "Content-Type", "text/csv")
	if again.Body["unchanged"] != 3.0 {
		t.Errorf("imported again: %v", outcomes(again.Body))
	}
	lines := exported(t, h, "ndjson", "Else")
	if strings.Count(lines, "\n") != 1 || !strings.Contains(lines, `"external_id":"other"`) {
		t.Errorf("the export of a department is %s", lines)
	}
}

func TestALargeImportIsTakenInBatches(t *testing.T) {
	h := open(t)
	var b strings.Builder
	b.WriteString("external_id,email,first_name,department,manager_external_id\n")
	const n = 5000
	for i := range n {
		fmt.Fprintf(&b, "E%d,e%d@example.com,Person,D%d,E%d\n", i, i, i%9, (i+2500)%n)
	}
	begun := time.Now()
	a := h.Must(
		200,
		"admin",
		"POST",
		"/identities/import",
		map[string]any{"mode": "apply", "format": "csv", "data": b.String()},
	)
	t.Logf("%d rows in %v", n, time.Since(begun).Round(time.Millisecond))
	if a.Body["created"] != float64(n) || h.Count(`select count(*) from identity where manager_id is not null`) != n {
		t.Errorf("created %v", a.Body["created"])
	}
	changed := strings.ReplaceAll(b.String(), ",D3,", ",Three,")
	a = h.Must(
		200,
		"admin",
		"POST",
		"/identities/import",
		map[string]any{"mode": "apply", "format": "csv", "data": changed},
	)
	if a.Body["updated"] != float64(h.Count(`select count(*) from identity where department = 'Three'`)) ||
		a.Body["updated"] == 0.0 {
		t.Errorf("updated %v", a.Body["updated"])
	}
	if h.Count(`select count(*) from identity where (department = 'Three') <> (version > 2)`) != 0 {
		t.Error("somebody was written who did not change")
	}
	too := strings.Repeat("{}\n", 50_001)
	h.Refused(422, "too_many_rows", "admin", "POST", "/identities/import", map[string]any{"data": too})
}

// exported is the whole of an export, as an administrator gets it.
func exported(t *testing.T, h *recordtest.House, format, department string) string {
	t.Helper()
	path := "/identities/export?format=" + format
	if department != "" {
		path += "&department=" + department
	}
	return string(h.Raw("admin", path))
}

func TestWhoPinnedAFieldIsShownByName(t *testing.T) {
	h := open(t)
	ann := hire(h, "ann", nil).Text("id")
	h.Exec(`update identity set source_connector_id = gen_random_uuid() where id = $1`, ann)
	h.Must(200, "admin", "PATCH", "/identities/"+ann, map[string]any{"title": "Acting head"})
	by := func() any {
		sources, _ := h.Must(200, "admin", "GET", "/identities/"+ann, nil).Body["attribute_sources"].(map[string]any)
		title, _ := sources["title"].(map[string]any)
		pinned, _ := title["pinned_by"].(map[string]any)
		return pinned["display"]
	}
	if got := fmt.Sprint(by()); strings.Contains(got, "@") || got == "<nil>" {
		t.Errorf("pinned by %s; want no e-mail address", got)
	}
	h.Exec(
		`insert into app_user (tenant_id, id, email, display_name) values (current_tenant(), gen_random_uuid(),
			'ada@acme.test', 'Ada Admin')`,
	)
	h.Exec(
		`update identity set pins = jsonb_set(pins, '{title,pinned_by,id}', (select to_jsonb(id) from app_user
			where email = 'ada@acme.test'))`,
	)
	if got := by(); got != "Ada Admin" {
		t.Errorf("pinned by %v; want the user's name", got)
	}
}
