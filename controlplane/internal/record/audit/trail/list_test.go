package trail_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// record adds one entry as somebody.
func (h *house) record(v viewer.Viewer, e audit.Entry) {
	h.t.Helper()
	if err := h.db.As(ctx, v, func(tx *pg.Tx) error { return audit.Record(ctx, tx, e) }); err != nil {
		h.t.Fatal(err)
	}
}

// numbers are those of a list's rows.
func numbers(out map[string]any) (seqs []string) {
	for _, item := range out["items"].([]any) {
		seqs = append(seqs, item.(map[string]any)["id"].(string))
	}
	return seqs
}

func TestFiltersNarrowTheList(t *testing.T) {
	h := open(t)
	ada := viewer.Viewer{
		Tenant:    h.tenant.Tenant,
		Kind:      viewer.User,
		ID:        "u-ada",
		Display:   "ada@acme.test",
		RequestID: "r-1",
		IP:        "192.0.2.7",
	}
	bot := viewer.Viewer{Tenant: h.tenant.Tenant, Kind: viewer.Service, ID: "s-bot", Display: "bot"}
	h.record(
		ada,
		audit.Entry{Action: "auth.login", Subject: audit.Subject{Type: "user", ID: "u-ada"}},
	) // 1
	h.record(
		ada,
		audit.Entry{Action: "auth.login", Outcome: audit.Failure, Subject: audit.Subject{Type: "user", ID: "u-eve"}},
	) // 2
	h.record(
		bot,
		audit.Entry{
			Action:  "connector.updated",
			Subject: audit.Subject{Type: "connector", ID: "c1", Display: `HR "north"`},
			Reason:  "ticket 7",
		},
	) // 3
	h.record(
		bot,
		audit.Entry{
			Action:  "agent.identity_mismatch",
			Outcome: audit.Denied,
			Subject: audit.Subject{Type: "agent", ID: "a1"},
		},
	) // 4
	h.record(pgtest.Tenant(t, h.db, "other"), audit.Entry{Action: "connector.updated"})
	h.call(200, "auditor", "GET", "/audit-events", nil) // 5: audit.read, once
	for filter, want := range map[string]string{
		"": "5 4 3 2 1", "action=auth.login": "2 1", "action=auth.login,connector.updated": "3 2 1",
		"action=auth.*": "2 1", "action=con*": "", "category=agent": "4",
		"outcome=failure": "2", "outcome=denied": "4", "actor_id=u-ada": "2 1", "actor_type=service": "4 3",
		"subject_type=user": "2 1", "subject_id=c1": "3",
		"request_id=r-1": "2 1", "q=TICKET": "3", "q=" + url.QueryEscape(`"north"`): "3",
		"actor_id=u-ada&outcome=failure": "2", "action=audit.read": "5",
		"from=2000-01-01T00:00:00Z&to=2001-01-01T00:00:00Z": "", "from=2000-01-01T00:00:00Z": "5 4 3 2 1",
		"limit=2": "5 4", "offset=3": "2 1",
	} {
		out := h.call(200, "auditor", "GET", "/audit-events?"+filter, nil)
		total := len(strings.Fields(want))
		if strings.HasPrefix(filter, "limit") || strings.HasPrefix(filter, "offset") {
			total = 5
		}
		if got := strings.Join(numbers(out), " "); got != want || out["total"] != float64(total) {
			t.Errorf("%s: %s of %v; want %s of %d", filter, got, out["total"], want, total)
		}
	}
	for _, bad := range []string{"from=yesterday", "outcome=maybe", "colour=red", "limit=0",
		"action=auth.login&action=x"} {
		if status, _, b := h.raw("auditor", "GET", "/audit-events?"+bad, nil); status != 400 && status != 422 {
			t.Errorf("%s = %d: %s", bad, status, b)
		}
	}
	h.call(403, "manager", "GET", "/audit-events", nil)
}

func TestPagesMeetEachEventOnceWhileTheLogGrows(t *testing.T) {
	h := open(t)
	h.write(h.tenant, 40)
	var seen []string
	for cursor := ""; ; {
		out := h.call(200, "admin", "GET", "/audit-events?limit=7"+cursor, nil)
		seen = append(seen, numbers(out)...)
		h.write(h.tenant, 3)
		next, _ := out["next_cursor"].(string)
		if next == "" {
			break
		}
		cursor = "&cursor=" + next
	}
	var want []string
	for i := 40; i > 0; i-- {
		want = append(want, fmt.Sprint(i))
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
	if n := h.text(`select count(*)::text from audit_event where action = 'audit.read'`); n != "1" {
		t.Errorf("paging was recorded %s times", n)
	}
}

func TestAnEventIsShownWithItsHashAndClass(t *testing.T) {
	h := open(t)
	h.write(h.tenant, 2)
	one := h.call(200, "auditor", "GET", "/audit-events/2", nil)
	if one["seq"] != 2.0 || one["id"] != "2" ||
		one["prev_hash"] != h.text(`select encode(hash, 'hex') from audit_event where seq = 1`) ||
		one["hash"] != h.text(`select encode(hash, 'hex') from audit_event where seq = 2`) ||
		one["category"] != "identity" {
		t.Errorf("event = %v", one)
	}
	if class := one["ocsf"].(map[string]any); class["class_uid"] != 3001.0 {
		t.Errorf("class = %v", class)
	}
	for _, id := range []string{"99", "-1", "02", "01a1f99f-1d39-767a-8283-ef45f2482195"} {
		h.call(404, "auditor", "GET", "/audit-events/"+id, nil)
	}
	if lines := h.call(200, "auditor", "GET", "/audit-events/catalog", nil); lines["total"].(float64) < 50 {
		t.Errorf("catalog of %v", lines["total"])
	}
}

func TestACSVHoldsNoFormula(t *testing.T) {
	h := open(t)
	h.write(h.tenant, 3)
	for _, evil := range []string{"=1+1", "+1", "-1", "@x", "\tx", "\rx"} {
		h.record(
			h.tenant,
			audit.Entry{
				Action:  "identity.updated",
				Subject: audit.Subject{Type: "identity", ID: "1", Display: evil},
				Reason:  evil,
			},
		)
	}
	status, header, b := h.raw("auditor", "GET", "/audit-events/export?format=csv&action=identity.updated", nil)
	if status != 200 || header.Get("Content-Type") != "text/csv; charset=utf-8" ||
		!strings.Contains(header.Get("Content-Disposition"), ".csv") {
		t.Fatalf("export = %d %v", status, header)
	}
	rows, err := csv.NewReader(strings.NewReader(string(b))).ReadAll()
	if err != nil || len(rows) != 10 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows[1:] {
		for i, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Errorf("%s: %q", rows[0][i], cell)
			}
		}
	}
	if rows[1][12] != "'=Ada €😀" {
		t.Errorf("subject = %q", rows[1][12])
	}
}

func TestExportsAreRecordedBeforeTheirFirstByte(t *testing.T) {
	h := open(t)
	h.write(h.tenant, 3)
	h.call(400, "admin", "GET", "/audit-events/export?format=ndjson&action=auth.login", nil)
	if _, _, b := h.raw(
		"auditor",
		"GET",
		"/audit-events/export?format=ocsf",
		nil,
	); strings.Count(
		string(b),
		"\n",
	) != 3 {
		t.Errorf("ocsf = %s", b)
	}
	if got := h.text(
		`select action || ' ' || actor_id || ' ' || (event::json -> 'context' ->> 'format') || ' ' || (event::json ->
			'context' ->> 'to_seq') from audit_event order by seq desc limit 1`,
	); got != "audit.exported u-auditor ocsf 3" {
		t.Errorf("recorded %q", got)
	}
	h.tamper(`create function no() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$`)
	h.tamper(`create trigger no before insert on audit_event for each row execute function no()`)
	for _, path := range []string{"/export", "/verify", "/checkpoints"} {
		out := h.call(503, "auditor", "GET", "/audit-events"+path, nil)
		if out["code"] != "audit_unavailable" {
			t.Errorf("%s: %v", path, out)
		}
	}
	out := h.call(503, "admin", "PUT", "/settings/audit/retention", map[string]any{"days": 120})
	if out["code"] != "audit_unavailable" || h.text(`select count(*)::text from audit_retention`) != "0" {
		t.Errorf("retention: %v", out)
	}
}

func TestAnEmptyPeriodIsAnEmptyExport(t *testing.T) {
	h := open(t)
	h.write(h.tenant, 3)
	_, _, b := h.raw("auditor", "GET", "/audit-events/export?from=2001-01-01T00:00:00Z&to=2001-01-02T00:00:00Z", nil)
	var last struct {
		Type string `json:"type"`
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if err := json.Unmarshal(
		[]byte(lines[len(lines)-1]),
		&last,
	); err != nil || last.Type != "end" ||
		strings.Contains(string(b), "prev_hash") {
		t.Errorf("export = %s", b)
	}
}
