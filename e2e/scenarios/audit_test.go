package scenarios

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/e2e/api"
	"github.com/grantwright/grantwright/e2e/harness"
)

// verdict is what the service says of its own log.
type verdict struct {
	OK         bool  `json:"ok"`
	Checked    int64 `json:"checked"`
	FirstBreak *struct {
		Seq  int64  `json:"seq"`
		Kind string `json:"kind"`
	} `json:"first_break"`
	Head struct {
		Seq int64 `json:"seq"`
	} `json:"head"`
}

func judge(h *harness.House, c *api.Client) verdict {
	return harness.Read[verdict](h, h.Expect("200", c, "GET", "/audit-events/verify", nil))
}

// entry is a line of the log.
type entry struct {
	Seq    int64  `json:"seq"`
	Action string `json:"action"`
	Type   string `json:"type"` // of what follows the entries
}

// eventful makes ten people, changes one and deactivates another, so that the log has something to tell.
func eventful(h *harness.House) (changed string) {
	var ids []string
	for i := range 10 {
		ids = append(ids, h.Person(h.Admin, fmt.Sprint("E", i)))
	}
	h.Expect("200", h.Admin, "PATCH", "/identities/"+ids[3], map[string]any{"title": "=HYPERLINK(\"x\")"})
	h.Expect("200", h.Admin, "POST", "/identities/"+ids[4]+"/deactivate", map[string]any{"reason": "-left"})
	return ids[3]
}

func TestAnExportOfTheAuditLogShowsWhateverWasDoneToIt(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	eventful(h)
	export := h.Expect("200", h.Admin, "GET", "/audit-events/export", nil)
	if media := export.Header.Get("Content-Type"); media != "application/x-ndjson" {
		t.Errorf("the export is %s", media)
	}
	lines := strings.SplitAfter(strings.TrimRight(string(export.Body), "\n"), "\n")
	last := slices.IndexFunc(
		lines,
		func(line string) bool { return harness.Read[entry](h, api.Answer{Body: []byte(line)}).Type != "" },
	)
	if last < 12 {
		t.Fatalf("the export has %d entries; want 12 and more:\n%s", last, export.Body)
	}
	made := slices.IndexFunc(
		lines,
		func(line string) bool { return strings.Contains(line, `"action":"identity.created"`) },
	)
	if n := strings.Count(string(export.Body), `"action":"identity.created"`); made < 0 || n != 10 {
		t.Fatalf("the export tells of %d people; want 10", n)
	}

	verify := func(name string, lines []string) (out string, code int) {
		t.Helper()
		file := filepath.Join(h.Dir, name+".ndjson")
		if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		return h.Program(nil, "audit", "verify", file)
	}
	edit := func(change func(lines []string) []string) []string { return change(slices.Clone(lines)) }
	if out, code := verify("whole", lines); code != 0 || !strings.Contains(out, fmt.Sprintf("%d entries", last)) {
		t.Errorf("the export as it came: %d %s", code, out)
	}
	at := made + 2 // entry number at+1
	for name, tampered := range map[string]struct {
		lines []string
		bad   int
	}{
		"a byte changed": {edit(func(l []string) []string {
			l[at] = strings.Replace(l[at], `"action":"identity.created"`, `"action":"identity.creates"`, 1)
			return l
		}), at + 1},
		"a line removed": {edit(func(l []string) []string { return slices.Delete(l, at, at+1) }), at + 1},
		"two lines swapped": {edit(func(l []string) []string { l[at], l[at+1] = l[at+1], l[at]; return l }), at +
			1},
		"the first line removed": {edit(func(l []string) []string { return l[1:] }), 0},
		"the end cut off":        {lines[:at], at + 1},
		"the last entry removed": {edit(func(l []string) []string { return slices.Delete(l, last-1, last) }), last},
		"no checkpoint left": {slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
			return strings.Contains(line, `"type":"checkpoint"`)
		}), 1},
	} {
		out, code := verify(strings.ReplaceAll(name, " ", "-"), tampered.lines)
		switch {
		case tampered.bad == 0: // a log may begin later, where its old end was dropped, but then it says so
			if code != 0 || !strings.Contains(out, "continues one that is not in this file") {
				t.Errorf("%s: %d %s", name, code, out)
			}
		case code != 1 || !strings.Contains(out, fmt.Sprintf("entry %d:", tampered.bad)):
			t.Errorf("%s: %d %s; want 1 and entry %d", name, code, out, tampered.bad)
		}
	}
	// A file that somebody signed anew is not signed by the key that is trusted.
	keys := harness.Read[struct {
		Keys []struct {
			PEM string `json:"pem"`
		} `json:"keys"`
	}](h, h.Expect("200", h.Admin, "GET", "/audit-events/checkpoints", nil)).Keys
	trusted := filepath.Join(h.Dir, "key.pem")
	if err := os.WriteFile(trusted, []byte(keys[0].PEM), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(h.Dir, "whole.ndjson")
	if out, code := h.Program(
		nil,
		"audit",
		"verify",
		whole,
		"--key",
		trusted,
	); code != 0 ||
		!strings.Contains(out, "that was given") {
		t.Errorf("against the service's key: %d %s", code, out)
	}
	const stranger = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	if out, code := h.Program(nil, "audit", "verify", whole, "--key", stranger); code != 1 {
		t.Errorf("against a stranger's key: %d %s", code, out)
	}
	if out := h.MustOperate("audit", "verify", "--tenant", "main"); !strings.HasPrefix(out, "ok: main:") {
		t.Errorf("the log in the database: %s", out)
	}
}

func TestTheAuditLogIsExportedForSpreadsheetsAndForOCSF(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	changed := eventful(h)
	table := h.Expect("200", h.Admin, "GET", "/audit-events/export?format=csv&subject_id="+changed, nil)
	rows, err := csv.NewReader(bytes.NewReader(table.Body)).ReadAll()
	if err != nil || len(rows) != 3 || rows[0][0] != "seq" || rows[1][2] != "identity.created" ||
		rows[2][2] != "identity.updated" {
		t.Fatalf("the table is %v, %v; want a heading, the person's making and the change", rows, err)
	}
	for _, cell := range slices.Concat(rows...) {
		if cell != "" && strings.ContainsRune("=+-@", rune(cell[0])) {
			t.Errorf("a spreadsheet would take the cell %s for a formula", cell)
		}
	}
	answer := h.Expect(
		"200",
		h.Admin,
		"GET",
		"/audit-events/export?format=ocsf&action=identity.created,identity.deactivated",
		nil,
	)
	if disposition := answer.Header.Get("Content-Disposition"); !strings.Contains(disposition, ".ocsf.ndjson") {
		t.Errorf("the export is called %s", disposition)
	}
	lines := bytes.Split(bytes.TrimSpace(answer.Body), []byte("\n"))
	if len(lines) != 11 {
		t.Errorf("%d lines for ten people made and one deactivated", len(lines))
	}
	for _, line := range lines {
		var e struct {
			Class    int `json:"class_uid"`
			Category int `json:"category_uid"`
			Activity int `json:"activity_id"`
			Type     int `json:"type_uid"`
			Time     int64
			Metadata struct {
				Version string `json:"version"`
			} `json:"metadata"`
		}
		if err := json.Unmarshal(
			line,
			&e,
		); err != nil || e.Category != 3 || e.Class/1000 != 3 || e.Type != e.Class*100+e.Activity || e.Time == 0 ||
			e.Metadata.Version == "" {
			t.Errorf("%v: no event of OCSF's identity and access management: %s", err, line)
		}
	}
	h.Expect(
		"400 conflicting_parameters",
		h.Admin,
		"GET",
		"/audit-events/export?format=ndjson&action=identity.created",
		nil,
	)
}

func TestTheServiceSeesWhatWasDoneToItsLogBehindItsBack(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	eventful(h)
	before := judge(h, h.Admin)
	if !before.OK || before.Checked < 12 || before.Checked != before.Head.Seq {
		t.Fatalf("the log that nobody touched: %+v", before)
	}
	tenant := harness.Read[struct {
		ID string `json:"tenant_id"`
	}](h, h.Expect("200", h.Admin, "GET", "/audit-events/1", nil)).ID
	// What the owner of the tables can do, who is bound by row security but not by the application's lack of rights.
	behind := func(sql string) {
		t.Helper()
		h.Exec(
			fmt.Sprintf(
				`do $$ begin set local role grantwright_owner; perform set_config('app.tenant_id', '%s', true); %s `+
					`end $$`,
				tenant,
				sql,
			),
		)
	}
	want := func(what string, seq int64, kinds ...string) {
		t.Helper()
		got := judge(h, h.Admin)
		if got.OK || got.FirstBreak == nil || got.FirstBreak.Seq != seq ||
			!slices.Contains(kinds, got.FirstBreak.Kind) {
			t.Errorf("%s: %+v %+v; want a break at %d (%v)", what, got, got.FirstBreak, seq, kinds)
		}
		out, code := h.Operate("audit", "verify")
		if code != 1 || !strings.Contains(out, fmt.Sprintf("entry %d:", seq)) {
			t.Errorf("%s: the command says %d %s; want entry %d", what, code, out, seq)
		}
	}
	behind(`update audit_event set event = replace(event, 'E5', 'E6') where seq = 9;`)
	want("a word changed", 9, "edited")
	behind(`update audit_event set event = replace(event, 'E6', 'E5') where seq = 9;`)
	behind(`update audit_event set action = 'identity.updated' where seq = 8;`)
	want("a column beside the words changed", 8, "edited")
	behind(`update audit_event set action = 'identity.created' where seq = 8;`)
	if got := judge(h, h.Admin); !got.OK {
		t.Fatalf("all is as it was, and the log is %+v %+v", got, got.FirstBreak)
	}
	behind(`delete from audit_event where seq = 7;`)
	want("an entry removed", 7, "missing")
}

func TestAuditorsReadTheLogAndManagersDoNot(t *testing.T) {
	t.Parallel()
	h := harness.Open(t)
	eventful(h)
	auditor := h.Member(h.Admin, "auditor@main.example", "", "auditor")
	manager := h.Member(h.Admin, "manager@main.example", "", "manager")
	for _, path := range []string{"/audit-events", "/audit-events/3", "/audit-events/catalog", "/audit-events/verify",
		"/audit-events/checkpoints", "/audit-events/export"} {
		h.Expect("200", auditor.Client, "GET", path, nil)
		h.Expect("403 forbidden", manager.Client, "GET", path, nil)
		h.Expect("401 authentication_required", h.Client(), "GET", path, nil)
	}
	h.Expect("403 read_only_role", auditor.Client, "PUT", "/settings/audit/retention", map[string]any{"days": 100})
	// Nobody's reading goes unnoticed, and no role can change an entry.
	if n := h.Total(
		h.Admin,
		"/audit-events?action=audit.read,audit.exported,audit.verified&actor_id="+auditor.ID,
	); n < 3 {
		t.Errorf("%d of the auditor's readings are in the log; want the reading, the export and the verifying", n)
	}
	for _, method := range []string{"PATCH", "PUT", "DELETE"} {
		if a := h.Ask(h.Admin, method, "/audit-events/3", map[string]any{"action": "x"}); a.Status != 405 {
			t.Errorf("%s of an entry answers %s; want 405", method, harness.Outcome(a))
		}
	}
}
