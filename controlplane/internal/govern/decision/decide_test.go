package decision_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

func TestADecisionIsToldKeptAndAudited(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob")
	n := question("a", p[0], p[1])
	id := h.one(n)
	task := h.task("ann", id)
	etag := h.Must(200, "ann", "GET", "/decision-tasks/"+id, nil).Header.Get("ETag")
	if etag != `"1"` || task["you"].(map[string]any)["may_decide"] != true || task["title"] != "About a" {
		t.Errorf("before: %v %v", etag, task)
	}
	h.Refused(
		412,
		"precondition_failed",
		"ann",
		"POST",
		"/decision-tasks/"+id+"/decide",
		map[string]any{"action": "approve"},
		"If-Match",
		`"7"`,
	)
	a := h.Must(
		200,
		"ann",
		"POST",
		"/decision-tasks/"+id+"/decide",
		map[string]any{"action": "approve", "comment": "fine"},
		"If-Match",
		etag,
	)
	d := a.Body["decision"].(map[string]any)
	if a.Text("state") != "decided" || d["action"] != "approve" || d["comment"] != "fine" ||
		d["by"].(map[string]any)["identity_id"] != p[0] ||
		d["channel"] != "api" {
		t.Errorf("decided: %v", a.Body)
	}
	if h.heard("a", "approve") != 1 {
		t.Error("who asked was not told")
	}
	if got := history(h.task("bob", id)); !slices.Equal(got, []string{"asked", "decided"}) {
		t.Errorf("history %v", got)
	}
	const audited = `select count(*) from audit_event where action = 'decision_task.decided' and subject_id = $1
		and event::jsonb ->> 'reason' = 'fine'`
	if h.Count(audited, id) != 1 {
		t.Error("the decision is not in the audit log")
	}
	if n := len(h.Must(200, "ann", "GET", "/decision-tasks", nil).Items()); n != 0 {
		t.Errorf("%d tasks are left in the inbox", n)
	}
	if n := len(h.Must(200, "ann", "GET", "/decision-tasks?state=decided", nil).Items()); n != 1 {
		t.Errorf("%d decided tasks are found; want 1", n)
	}
}

func TestDecidingTwiceIsRefusedWithWhoDecided(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob")
	id := h.one(question("a", p[0], p[1]))
	h.decide("ann", id, "approve")
	a := h.Refused(
		409,
		"already_decided",
		"bob",
		"POST",
		"/decision-tasks/"+id+"/decide",
		map[string]any{"action": "approve"},
	)
	if d, _ := a.Body["decision"].(map[string]any); d["action"] != "approve" {
		t.Errorf("the refusal names %v", a.Body)
	}
	for _, path := range []string{"claim", "release"} {
		h.Refused(409, "already_decided", "bob", "POST", "/decision-tasks/"+id+"/"+path, nil)
	}
	h.Refused(409, "too_late", "ann", "POST", "/decision-tasks/"+id+"/undo", nil)
	h.Refused(
		409,
		"already_decided",
		"admin",
		"POST",
		"/decision-tasks/"+id+"/reassign",
		map[string]any{"to": []string{p[1]}, "reason": "x"},
	)
	h.Refused(409, "already_decided", "admin", "POST", "/decision-tasks/"+id+"/escalate", map[string]any{"reason": "x"})
	if h.heard("a", "approve") != 1 {
		t.Error("who asked was told twice")
	}
}

func TestOfTwoWhoDecideAtOnceOneWins(t *testing.T) {
	h := open(t)
	var names []string
	for i := range 6 {
		names = append(names, fmt.Sprint("p", i))
	}
	p := h.staff(names...)
	for round := range 5 {
		key := fmt.Sprint("r", round)
		id := h.one(question(key, p...))
		codes := make([]string, len(names))
		var wg sync.WaitGroup
		for i, name := range names {
			wg.Add(1)
			go func() {
				defer wg.Done()
				a, err := h.Try(name, "POST", "/decision-tasks/"+id+"/decide", map[string]any{"action": "approve"})
				codes[i] = fmt.Sprintf("%d %v %v", a.Status, a.Body["code"], err)
			}()
		}
		wg.Wait()
		won := 0
		for _, c := range codes {
			if c == "200 <nil> <nil>" {
				won++
			} else if c != "409 already_decided <nil>" {
				t.Errorf("somebody was answered %s", c)
			}
		}
		if won != 1 || h.heard(key, "approve") != 1 {
			t.Errorf("%d won, and who asked heard %d", won, h.heard(key, "approve"))
		}
	}
}

func TestActionsRequireWhatTheySay(t *testing.T) {
	h := open(t)
	p := h.staff("ann")
	id := h.one(question("a", p[0]))
	path := "/decision-tasks/" + id + "/decide"
	for _, tt := range []struct {
		body    map[string]any
		code    string
		pointer string
	}{
		{map[string]any{"action": "perhaps"}, "unknown_action", "#/action"},
		{map[string]any{"action": "reject"}, "validation_failed", "#/comment"},
		{map[string]any{"action": "reject", "comment": "   "}, "validation_failed", "#/comment"},
		{map[string]any{"action": "limit"}, "validation_failed", "#/inputs/ends_at"},
		{map[string]any{"action": "limit", "inputs": map[string]any{"ends_at": nil}}, "validation_failed",
			"#/inputs/ends_at"},
	} {
		a := h.Refused(422, tt.code, "ann", "POST", path, tt.body)
		if e := a.Body["errors"].([]any)[0].(map[string]any); e["pointer"] != tt.pointer {
			t.Errorf("%v: points to %v; want %s", tt.body, e["pointer"], tt.pointer)
		}
	}
	for _, body := range []any{map[string]any{"action": "approve", "defer_seconds": -1},
		map[string]any{"action": "approve", "defer_seconds": 86401},
		map[string]any{"action": "approve", "else": 1}, map[string]any{}} {
		if a := h.Call("ann", "POST", path, body); a.Status != 422 {
			t.Errorf("%v: %d", body, a.Status)
		}
	}
	h.Must(
		200,
		"ann",
		"POST",
		path,
		map[string]any{"action": "limit", "inputs": map[string]any{"ends_at": "2027-01-01"}},
	)
}

func TestWhatTheAskerRefusesStaysOpen(t *testing.T) {
	h := open(t)
	p := h.staff("ann")
	ids := h.ask(question("a", p[0]), question("b", p[0]))
	h.refuse["a"] = conflict("matter_changed")
	h.Refused(
		409,
		"matter_changed",
		"ann",
		"POST",
		"/decision-tasks/"+ids[0]+"/decide",
		map[string]any{"action": "approve"},
	)
	if got := h.task("ann", ids[0]); got["state"] != "open" || got["version"] != 1.0 {
		t.Errorf("refused: %v", got)
	}
	b := h.Must(200, "ann", "POST", "/decision-tasks/bulk-decide", map[string]any{"ids": ids, "action": "approve"})
	if b.Body["decided"] != 1.0 || b.Body["refused"] != 1.0 || h.task("ann", ids[0])["state"] != "open" ||
		h.task("ann", ids[1])["state"] != "decided" {
		t.Errorf("in bulk: %v", b.Body)
	}
	// What breaks undoes everything.
	more := h.ask(question("c", p[0]), question("d", p[0]))
	h.fail = errors.New("broken")
	h.Refused(
		500,
		"internal_error",
		"ann",
		"POST",
		"/decision-tasks/bulk-decide",
		map[string]any{"ids": more, "action": "approve"},
	)
	h.fail = nil
	if got := h.task("ann", more[0]); got["state"] != "open" || h.heard("c", "approve") != 0 {
		t.Errorf("after an error: %v", got["state"])
	}
	n := question("e", p[0])
	n.Kind = "unheard_of"
	h.Refused(
		409,
		"not_decidable",
		"ann",
		"POST",
		"/decision-tasks/"+h.one(n)+"/decide",
		map[string]any{"action": "approve"},
	)
}

func TestAClaimKeepsOthersFromDeciding(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob")
	id := h.one(question("a", p[0], p[1]))
	a := h.Must(200, "ann", "POST", "/decision-tasks/"+id+"/claim", nil)
	if a.Text("state") != "claimed" || a.Body["claimed_by"].(map[string]any)["display"] != "ann" {
		t.Errorf("claimed: %v", a.Body)
	}
	if again := h.Must(
		200,
		"ann",
		"POST",
		"/decision-tasks/"+id+"/claim",
		nil,
	); again.Body["version"] != a.Body["version"] {
		t.Error("claiming again has changed something")
	}
	for _, path := range []string{"claim", "release"} {
		h.Refused(409, "claimed_by_another", "bob", "POST", "/decision-tasks/"+id+"/"+path, nil)
	}
	r := h.Refused(
		409,
		"claimed_by_another",
		"bob",
		"POST",
		"/decision-tasks/"+id+"/decide",
		map[string]any{"action": "approve"},
	)
	if r.Body["claimed_by"] == nil || r.Body["claimed_at"] == nil {
		t.Errorf("the refusal names nobody: %v", r.Body)
	}
	h.Refused(
		409,
		"claimed_by_another",
		"bob",
		"POST",
		"/decision-tasks/"+id+"/reassign",
		map[string]any{"to": []string{p[1]}, "reason": "x"},
	)
	h.Must(200, "admin", "POST", "/decision-tasks/"+id+"/release", nil)
	h.Refused(409, "invalid_transition", "ann", "POST", "/decision-tasks/"+id+"/release", nil)
	h.Must(200, "bob", "POST", "/decision-tasks/"+id+"/claim", nil)
	if a := h.decide("bob", id, "approve"); a.Status != 200 || a.Body["claimed_by"] != nil {
		t.Errorf("who has claimed it decides: %d %v", a.Status, a.Body)
	}
	if got := history(h.task("ann", id)); !slices.Equal(
		got,
		[]string{"asked", "claimed", "released", "claimed", "decided"},
	) {
		t.Errorf("history %v", got)
	}
}

func TestBulkByWhatTasksHaveInCommon(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob")
	h.Let("owner", h.Tenant.Tenant, "", viewer.ResourceOwner)
	ask := func(key, group string, roles []string, who ...string) string {
		n := question(key, who...)
		n.GroupKey, n.Roles = group, roles
		return h.one(n)
	}
	mine := []string{
		ask("a", "g", nil, p[0]),
		ask("b", "g", nil, p[0], p[1]),
		ask("c", "g", []string{"resource_owner"}, p[0]),
	}
	foreign := ask("d", "g", nil, p[1])
	h.Must(200, "bob", "POST", "/decision-tasks/"+mine[1]+"/claim", nil)
	b := h.Must(
		200,
		"ann",
		"POST",
		"/decision-tasks/bulk-decide",
		map[string]any{"group_key": "g", "action": "reject", "comment": "no"},
	)
	if b.Body["decided"] != 2.0 || b.Body["refused"] != 1.0 || b.Body["remaining"] != 0.0 {
		t.Errorf("of the group: %v", b.Body)
	}
	if h.task("bob", foreign)["state"] != "open" {
		t.Error("a task of somebody else was decided")
	}
	h.Refused(
		404,
		"not_found",
		"ann",
		"POST",
		"/decision-tasks/bulk-decide",
		map[string]any{"group_key": "none", "action": "reject", "comment": "no"},
	)
	b = h.Must(
		200,
		"ann",
		"POST",
		"/decision-tasks/bulk-decide",
		map[string]any{"ids": []string{foreign, mine[0], mine[0], p[0]}, "action": "approve"},
	)
	var codes []any
	for _, r := range b.Body["results"].([]any) {
		codes = append(codes, r.(map[string]any)["code"])
	}
	if want := []any{"not_found", "already_decided", "already_decided", "not_found"}; !slices.Equal(codes, want) {
		t.Errorf("codes %v; want %v", codes, want)
	}
	for _, body := range []map[string]any{{"action": "approve"},
		{"action": "approve", "ids": []string{foreign}, "group_key": "g"}, {"action": "approve", "ids": []string{}},
		{"action": "approve", "ids": []string{"x"}},
		{"action": "approve", "ids": slices.Repeat([]string{foreign}, 501)}} {
		if a := h.Call("ann", "POST", "/decision-tasks/bulk-decide", body); a.Status != 422 {
			t.Errorf("%.80v: %d", body, a.Status)
		}
	}
}

func TestAGroupLargerThanACallIsDecidedInSeveral(t *testing.T) {
	h := open(t)
	p := h.staff("ann")
	h.Exec(`insert into decision_task (tenant_id, id, kind, key, subject, source, title, actions, group_key)
		select current_tenant(), gen_random_uuid(), 'sync_hold', 'k' || n, '{}', '{}', 'T', '[{"key": "approve", "label": "Approve"}]', 'g' from generate_series(1, 620) n`)
	h.Exec(
		`insert into decision_assignee (tenant_id, task_id, identity_id) select tenant_id, id, $1 from decision_task`,
		p[0],
	)
	for _, want := range [][2]float64{{500, 120}, {120, 0}} {
		b := h.Must(
			200,
			"ann",
			"POST",
			"/decision-tasks/bulk-decide",
			map[string]any{"group_key": "g", "action": "approve"},
		)
		if b.Body["decided"] != want[0] || b.Body["remaining"] != want[1] {
			t.Errorf("decided %v, %v remain; want %v", b.Body["decided"], b.Body["remaining"], want)
		}
	}
	if n := h.Count(
		`select count(distinct subject_id) from audit_event where action = 'decision_task.decided'`,
	); n != 620 {
		t.Errorf("%d decisions are in the audit log; want each of 620", n)
	}
}
