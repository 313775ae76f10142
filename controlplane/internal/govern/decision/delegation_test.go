package decision_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision/delegate"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/pgtest"
)

const delegations = "/decision-tasks/delegations"

func (h *house) at(d time.Duration) string { return h.now().Add(d).UTC().Format(time.RFC3339) }

// delegate makes a delegation as somebody and gives its id.
func (h *house) delegate(as, to string, more ...any) string {
	h.T.Helper()
	body := map[string]any{"delegate_id": to}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i].(string)] = more[i+1]
	}
	return h.Must(201, as, "POST", delegations, body).Text("id")
}

func TestADelegationThatBeginsTodayMovesTodaysOpenTasks(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob")
	other := question("other", p[0])
	other.Kind = "orphan_account"
	sealed := question("sealed", p[0])
	sealed.Undelegable = true
	ids := h.ask(question("open", p[0]), other, sealed)
	did := h.delegate("ann", p[1], "kinds", []string{"sync_hold"}, "ends_at", h.at(time.Hour), "reason", "on leave")
	later := h.one(question("later", p[0]))
	for i, want := range []string{"[ann/direct bob/delegate/ann] []", "[ann/direct] []", "[ann/direct] []"} {
		if got := people(h.task("ann", ids[i])); got != want {
			t.Errorf("task %d: %s; want %s", i, got, want)
		}
	}
	if got := h.task(
		"bob",
		later,
	); people(got) != "[ann/direct bob/delegate/ann] []" ||
		got["acting_for"].(map[string]any)["id"] != p[0] {
		t.Errorf("asked afterwards: %s %v", people(got), got["acting_for"])
	}
	a := h.decide("bob", ids[0], "approve")
	if by := a.Body["decision"].(map[string]any)["by"].(map[string]any); by["acting_for"] != p[0] ||
		by["identity_id"] != p[1] {
		t.Errorf("decided by %v", by)
	}
	if n := h.Count(
		`select count(*) from audit_event where action = 'decision_task.decided'
			and event::jsonb -> 'acting_for' ->> 'id' = $1`,
		p[0],
	); n != 1 {
		t.Error("the audit log does not say for whom")
	}
	h.shift = 2 * time.Hour
	h.work()
	if got := h.task("ann", later); people(got) != "[ann/direct] []" || !slices.Contains(history(got), "returned") {
		t.Errorf("after its end: %s %v", people(got), history(got))
	}
	if d := h.Must(200, "bob", "GET", delegations+"/"+did, nil); d.Text("state") != "ended" {
		t.Errorf("its state is %s", d.Text("state"))
	}
	h.Must(404, "bob", "GET", "/decision-tasks/"+later, nil)
}

func TestOpenTasksStayWhereTheDelegationSaysSo(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob")
	id := h.one(question("open", p[0]))
	h.delegate("ann", p[1], "include_open", false)
	changed := question("open", p[0])
	changed.Title = "Anew"
	h.one(changed)
	if got := people(h.task("ann", id)); got != "[ann/direct] []" {
		t.Errorf("open before: %s", got)
	}
	if got := people(h.task("ann", h.one(question("new", p[0])))); got != "[ann/direct bob/delegate/ann] []" {
		t.Errorf("asked afterwards: %s", got)
	}
}

func TestADelegationBeginsWhenItsTimeHasCome(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob", "cid")
	id := h.one(question("a", p[0]))
	did := h.delegate("ann", p[1], "starts_at", h.at(time.Hour), "ends_at", h.at(3*time.Hour))
	if h.Must(200, "ann", "GET", delegations+"/"+did, nil).Text("state") != "scheduled" ||
		people(h.task("ann", id)) != "[ann/direct] []" {
		t.Error("it holds before its time")
	}
	h.shift = 2 * time.Hour
	h.work()
	if got := people(h.task("ann", id)); got != "[ann/direct bob/delegate/ann] []" {
		t.Errorf("when it has begun: %s", got)
	}
	a := h.Must(200, "ann", "PATCH", delegations+"/"+did, map[string]any{"delegate_id": p[2]})
	if got := people(h.task("ann", id)); got != "[ann/direct cid/delegate/ann] []" || a.Text("state") != "active" {
		t.Errorf("given to another: %s %v", got, a.Body["state"])
	}
	h.Refused(
		422,
		"validation_failed",
		"ann",
		"PATCH",
		delegations+"/"+did,
		map[string]any{"starts_at": h.at(time.Minute)},
	)
	h.Refused(422, "ends_in_past", "ann", "PATCH", delegations+"/"+did, map[string]any{"ends_at": h.at(-time.Minute)})
	h.Refused(412, "precondition_failed", "ann", "DELETE", delegations+"/"+did, nil, "If-Match", `"1"`)
	h.Must(204, "ann", "DELETE", delegations+"/"+did, nil)
	if got := people(h.task("ann", id)); got != "[ann/direct] []" {
		t.Errorf("revoked: %s", got)
	}
	h.Refused(409, "invalid_transition", "ann", "DELETE", delegations+"/"+did, nil)
	h.Refused(409, "invalid_transition", "ann", "PATCH", delegations+"/"+did, map[string]any{"reason": "x"})
}

func TestDelegationsFollowOneAnotherThreeDeepAndNeverInACircle(t *testing.T) {
	h := open(t)
	p := h.staff("a", "b", "c", "d", "e")
	h.delegate("b", p[2])
	h.delegate("c", p[3])
	a := h.Refused(422, "delegation_cycle", "d", "POST", delegations, map[string]any{"delegate_id": p[1]})
	if !strings.Contains(a.Text("detail"), "b → c → d → b") && !strings.Contains(a.Text("detail"), "d → b → c → d") {
		t.Errorf("the circle is told as %s", a.Text("detail"))
	}
	h.delegate("a", p[1], "ends_at", h.at(30*time.Minute))
	a = h.Refused(422, "delegation_chain_too_long", "d", "POST", delegations, map[string]any{"delegate_id": p[4]})
	if !strings.Contains(a.Text("detail"), "a → b → c → d → e") {
		t.Errorf("the chain is told as %s", a.Text("detail"))
	}
	// At another time, or for other tasks, they do not follow one another.
	h.delegate(
		"e",
		p[0],
		"starts_at",
		h.at(time.Hour),
		"ends_at",
		h.at(2*time.Hour),
		"kinds",
		[]string{"orphan_account"},
	)
	id := h.one(question("x", p[0]))
	if got := people(h.task("a", id)); got != "[a/direct d/delegate/a] []" {
		t.Errorf("asked of the end of the chain: %s", got)
	}
	h.as(func(ctx context.Context, tx *pg.Tx) error {
		known, err := delegate.Load(ctx, tx, p, h.now())
		ends := known.Ends("sync_hold", p, h.now())
		if err == nil && (len(ends) != 3 || ends[p[0]] != p[3] || ends[p[1]] != p[3] || ends[p[2]] != p[3]) {
			t.Errorf("delegates %v", ends)
		}
		return err
	})
	e := h.Must(200, "d", "GET", delegations+"/effective", nil).Body
	if len(e["decides_for"].([]any)) != 3 || len(e["decided_by"].([]any)) != 0 || len(e["delegations"].([]any)) != 3 {
		t.Errorf("d decides for %v", e)
	}
	e = h.Must(200, "admin", "GET", delegations+"/effective?identity_id="+p[0], nil).Body
	if by := e["decided_by"].([]any); len(by) != 1 || len(by[0].(map[string]any)["chain"].([]any)) != 4 {
		t.Errorf("a is decided for by %v", e)
	}
	h.Refused(404, "not_found", "d", "GET", delegations+"/effective?identity_id="+p[0], nil)
	h.Refused(400, "invalid_parameter", "admin", "GET", delegations+"/effective", nil)
	// When a link in the middle ends, the one before it decides.
	did := h.Must(200, "b", "GET", delegations+"?delegator_id="+p[1], nil).Items()[0]["id"].(string)
	h.Must(204, "b", "DELETE", delegations+"/"+did, nil)
	if got := people(h.task("a", id)); got != "[a/direct b/delegate/a] []" {
		t.Errorf("after the middle has ended: %s", got)
	}
}

func TestDelegationsThatCannotBeAreExplained(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob", "cid")
	gone := h.Person("gone", "")
	h.Exec(`update identity set status = 'deactivated' where id = $1`, gone)
	h.Let("nobody", h.Tenant.Tenant, "")
	for _, tt := range []struct {
		as     string
		body   map[string]any
		status int
		code   string
	}{
		{"ann", map[string]any{"delegate_id": p[0]}, 422, "delegate_is_delegator"},
		{"ann", map[string]any{"delegate_id": gone}, 422, "unknown_identity"},
		{"ann", map[string]any{"delegate_id": "urn:uuid:" + p[1]}, 422, "unknown_identity"},
		{"ann", map[string]any{"reason": "x"}, 422, "validation_failed"},
		{"ann", map[string]any{"delegate_id": "01a1f99f-1d39-767a-8283-ef45f2482199"}, 422, "unknown_identity"},
		{"ann", map[string]any{"delegate_id": p[1], "ends_at": h.at(-time.Hour)}, 422, "ends_in_past"},
		{"ann", map[string]any{"delegate_id": p[1], "starts_at": h.at(2 * time.Hour), "ends_at": h.at(time.Hour)}, 422,
			"validation_failed"},
		{"ann", map[string]any{"delegate_id": p[1], "delegator_id": p[2]}, 403, "forbidden"},
		{"nobody", map[string]any{"delegate_id": p[1]}, 422, "validation_failed"},
		{"ann", map[string]any{"delegate_id": p[1], "state": "active"}, 422, "unknown_field"},
	} {
		a := h.Call(tt.as, "POST", delegations, tt.body)
		if a.Status != tt.status || tt.code != "unknown_field" && a.Text("code") != tt.code || a.Text("detail") == "" {
			t.Errorf("%v: %d %v; want %d %s", tt.body, a.Status, a.Body, tt.status, tt.code)
		}
	}
	h.delegate("ann", p[1], "kinds", []string{"sync_hold"})
	a := h.Refused(409, "delegation_overlaps", "ann", "POST", delegations, map[string]any{"delegate_id": p[2]})
	if a.Body["delegation_id"] == nil {
		t.Error("the refusal does not say which")
	}
	h.delegate("ann", p[2], "kinds", []string{"orphan_account"})
	if d := h.Must(
		201,
		"admin",
		"POST",
		delegations,
		map[string]any{"delegator_id": p[2], "delegate_id": p[1]},
	); d.Text("source") != "admin" {
		t.Errorf("made by an administrator: %v", d.Body)
	}
}

func TestWhoSeesDelegations(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob", "cid")
	did := h.delegate("ann", p[1])
	other := pgtest.Tenant(t, h.DB, "other")
	h.Let("foreign", other.Tenant, "", "admin")
	for as, want := range map[string]int{"ann": 1, "bob": 1, "cid": 0, "admin": 1, "foreign": 0} {
		a := h.Must(200, as, "GET", delegations, nil)
		if len(a.Items()) != want || a.Body["total"] != float64(want) {
			t.Errorf("%s sees %d of %v; want %d", as, len(a.Items()), a.Body["total"], want)
		}
		if got := h.Call(as, "GET", delegations+"/"+did, nil).Status; got != map[int]int{0: 404, 1: 200}[want] {
			t.Errorf("%s reads it: %d", as, got)
		}
	}
	h.Refused(403, "forbidden", "bob", "DELETE", delegations+"/"+did, nil)
	h.Refused(404, "not_found", "cid", "DELETE", delegations+"/"+did, nil)
}

func TestLeaversLoseTheirTasks(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob", "cid", "heir")
	h.delegate("ann", p[1])
	asked := question("resolved", p[1])
	asked.Assignees[0] = decision.Assignee{IdentityID: p[1], Via: decision.Delegate, ActingFor: &p[2]}
	ids := h.ask(
		question("delegated", p[0]),
		question("own", p[1]),
		asked,
		question("both", p[1], p[2]),
		question("merged", p[1]),
	)
	h.Must(200, "bob", "POST", "/decision-tasks/"+ids[3]+"/claim", nil)
	h.Exec(`update identity set status = 'deactivated' where id = $1`, p[1])
	h.work()
	for i, want := range []string{"[ann/direct] []", "[] [admin]", "[cid/direct] []", "[cid/direct] []", "[] [admin]"} {
		if got := people(h.task("admin", ids[i])); got != want {
			t.Errorf("task %d is left to %s; want %s", i, got, want)
		}
	}
	got := h.task("admin", ids[1])
	if !slices.Equal(history(got), []string{"asked", "left", "fallback"}) {
		t.Errorf("history %v", history(got))
	}
	if h.task("cid", ids[3])["state"] != "open" {
		t.Error("the claim of who has left holds")
	}
	if n := len(h.Must(200, "ann", "GET", delegations, nil).Items()); n != 0 {
		t.Error("the delegation to who has left holds")
	}
	// Somebody who left while they were being asked.
	late := h.one(question("late", p[3]))
	h.Exec(`update identity set status = 'deactivated' where id = $1`, p[3])
	h.Exec(`delete from work_item where kind = 'decision_leavers'`)
	if err := h.inbox.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	h.work()
	if got := people(h.task("admin", late)); got != "[] [admin]" {
		t.Errorf("asked while leaving: %s", got)
	}
	h.Exec(`update identity set status = 'active' where id = $1`, p[3])
	// A record that is merged into another goes on as that one.
	id := h.one(question("x", p[2]))
	h.Exec(`update identity set status = 'archived', merged_into_id = $2 where id = $1`, p[2], p[3])
	h.work()
	if got := people(h.task("admin", id)); got != "[heir/direct] []" {
		t.Errorf("after a merge: %s", got)
	}
}
