package decision_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

func TestReassigningReplacesWhoDecides(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob", "cid")
	n := question("a", p[0])
	n.Roles = []string{"admin"}
	id := h.one(n)
	path := "/decision-tasks/" + id + "/reassign"
	for _, tt := range []struct {
		to   []string
		code string
	}{
		{[]string{p[1], "01a1f99f-1d39-767a-8283-ef45f2482199"}, "unknown_identity"},
		{[]string{"urn:uuid:" + p[1]}, "unknown_identity"},
	} {
		h.Refused(422, tt.code, "ann", "POST", path, map[string]any{"to": tt.to, "reason": "x"})
	}
	h.Exec(`update identity set status = 'deactivated' where id = $1`, p[2])
	h.Refused(422, "inactive_identity", "admin", "POST", path, map[string]any{"to": []string{p[2]}, "reason": "x"})
	// Who does not see people who have left is not told of them: the answer is that about somebody who never was.
	left := h.Refused(422, "unknown_identity", "ann", "POST", path, map[string]any{"to": []string{p[2]}, "reason": "x"})
	never := h.Refused(
		422,
		"unknown_identity",
		"ann",
		"POST",
		path,
		map[string]any{"to": []string{"01a1f99f-1d39-767a-8283-ef45f2482199"}, "reason": "x"},
	)
	if left.Text("detail") != never.Text("detail") || strings.Contains(fmt.Sprint(left.Body), "cid") {
		t.Errorf("of somebody who has left: %v; of somebody who never was: %v", left.Body, never.Body)
	}
	for _, body := range []map[string]any{{"to": []string{}, "reason": "x"}, {"to": []string{p[1]}},
		{"to": []string{p[1]}, "reason": ""}} {
		if a := h.Call("ann", "POST", path, body); a.Status != 422 {
			t.Errorf("%v: %d", body, a.Status)
		}
	}
	a := h.Must(200, "ann", "POST", path, map[string]any{"to": []string{p[1]}, "reason": "she knows more"})
	if got := people(a.Body); got != "[bob/reassigned] []" {
		t.Errorf("reassigned to %s", got)
	}
	h.Must(404, "ann", "GET", "/decision-tasks/"+id, nil)
	h.Refused(
		403,
		"not_assigned",
		"admin",
		"POST",
		"/decision-tasks/"+id+"/decide",
		map[string]any{"action": "approve"},
	)
	if again := h.one(n); again != id || people(h.task("admin", id)) != "[bob/reassigned] []" {
		t.Errorf("asked again: %s", people(h.task("admin", id)))
	}
	if got := h.task("bob", id)["history"].([]any)[1].(map[string]any)["detail"]; got != "to bob: she knows more" {
		t.Errorf("history says %v", got)
	}
	h.Must(200, "admin", "POST", path, map[string]any{"to": []string{p[0], p[1]}, "reason": "both"})
	if a := h.decide("ann", id, "approve"); a.Status != 200 {
		t.Errorf("who has it again: %d", a.Status)
	}
}

func TestSomeTasksGoOnlyWhereTheAskerAllows(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob", "cid")
	fixed, narrow := question("a", p[0]), question("b", p[0])
	fixed.Fixed, narrow.ReassignTo = true, []string{p[2]}
	ids := h.ask(fixed, narrow)
	h.Refused(
		409,
		"not_reassignable",
		"admin",
		"POST",
		"/decision-tasks/"+ids[0]+"/reassign",
		map[string]any{"to": []string{p[1]}, "reason": "x"},
	)
	h.Refused(
		422,
		"not_allowed",
		"admin",
		"POST",
		"/decision-tasks/"+ids[1]+"/reassign",
		map[string]any{"to": []string{p[1]}, "reason": "x"},
	)
	h.Must(
		200,
		"ann",
		"POST",
		"/decision-tasks/"+ids[1]+"/reassign",
		map[string]any{"to": []string{p[2]}, "reason": "x"},
	)
}

func TestEscalationAsksWhoIsAboveAndThenAdministrators(t *testing.T) {
	h := open(t)
	boss := h.staff("boss")[0]
	ann := h.Person("ann", boss)
	h.Let("ann", h.Tenant.Tenant, ann)
	id := h.one(question("a", ann))
	path := "/decision-tasks/" + id + "/escalate"
	h.Refused(404, "not_found", "boss", "POST", path, map[string]any{"reason": "x"})
	if got := people(
		h.Must(200, "ann", "POST", path, map[string]any{"reason": "too big for me"}).Body,
	); got != "[ann/direct boss/escalation] []" {
		t.Errorf("escalated to %s", got)
	}
	if got := people(
		h.Must(200, "admin", "POST", path, map[string]any{"reason": "late"}).Body,
	); got != "[ann/direct boss/escalation] [admin]" {
		t.Errorf("escalated again to %s", got)
	}
	h.Refused(409, "already_escalated", "admin", "POST", path, map[string]any{"reason": "late"})
	if again := h.one(question("a", ann)); people(h.task("admin", again)) != "[ann/direct boss/escalation] [admin]" {
		t.Errorf("asked again: %s", people(h.task("admin", again)))
	}
	if got := history(h.task("ann", id)); !slices.Equal(got, []string{"asked", "escalated", "escalated"}) {
		t.Errorf("history %v", got)
	}
	if a := h.decide("boss", id, "approve"); a.Status != 200 {
		t.Errorf("the boss: %d", a.Status)
	}
}

func TestCommentsAreSaidByWhoSeesTheTask(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob")
	id := h.one(question("a", p[0]))
	h.Must(200, "ann", "POST", "/decision-tasks/"+id+"/comments", map[string]any{"text": "who asked for this?"})
	got := h.Must(200, "admin", "POST", "/decision-tasks/"+id+"/comments", map[string]any{"text": "I did"}).Body
	var texts []string
	for _, c := range got["comments"].([]any) {
		c := c.(map[string]any)
		texts = append(texts, c["by"].(map[string]any)["display"].(string)+": "+c["text"].(string))
	}
	if want := []string{"ann: who asked for this?", "admin: I did"}; !slices.Equal(texts, want) {
		t.Errorf("comments %v; want %v", texts, want)
	}
	if a := h.Call("ann", "POST", "/decision-tasks/"+id+"/comments", map[string]any{"text": ""}); a.Status != 422 {
		t.Errorf("an empty comment: %d", a.Status)
	}
	if n := h.Count(`select count(*) from audit_event where action = 'decision_task.commented'`); n != 2 {
		t.Errorf("%d comments are in the audit log", n)
	}
}

func TestTheRoomAssignsAndReminds(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob")
	id := h.one(question("a", p[0]))
	h.Must(200, "ann", "POST", "/decision-tasks/"+id+"/claim", nil)
	h.Exec(`insert into event_wish (tenant_id, listener, kind) values (current_tenant(), 'test', 'task.reminded')`)
	h.as(func(ctx context.Context, tx *pg.Tx) error {
		if err := decision.Remind(ctx, tx, id, "due tomorrow"); err != nil {
			return err
		}
		return decision.Assign(
			ctx,
			tx,
			id,
			[]decision.Assignee{{IdentityID: p[1], Via: decision.Fallback}},
			[]string{p[0]},
			"ann has moved",
		)
	})
	told := h.Strings(
		`select resource_type || ' ' || resource_id || ' ' || (data ->> 'kind') || ' ' || (data ->> 'assignee_ids')
			from event where kind = 'task.reminded'`,
	)
	if want := []string{"decision_task " + id + " sync_hold [\"" + p[0] + "\"]"}; !slices.Equal(told, want) {
		t.Errorf("events of reminders %q; want %q", told, want)
	}
	if h.task("admin", id)["reminded_at"] == nil {
		t.Error("the task does not say when it was reminded of")
	}
	got := h.task("bob", id)
	if people(got) != "[bob/fallback] []" || got["state"] != "open" ||
		!slices.Equal(history(got), []string{"asked", "claimed", "reminded", "assigned"}) {
		t.Errorf("assigned: %s %v %v", people(got), got["state"], history(got))
	}
	h.as(func(ctx context.Context, tx *pg.Tx) error {
		return decision.Assign(ctx, tx, id, nil, []string{p[1]}, "gone")
	})
	if got := people(h.task("admin", id)); got != "[] [admin]" {
		t.Errorf("left to %s", got)
	}
}
