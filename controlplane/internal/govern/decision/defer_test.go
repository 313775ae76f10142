package decision_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// later decides with a minute in which that can be undone.
func (h *house) later(as, id string) map[string]any {
	h.T.Helper()
	return h.Must(
		200,
		as,
		"POST",
		"/decision-tasks/"+id+"/decide",
		map[string]any{"action": "approve", "defer_seconds": 60},
	).Body
}

func TestADeferredDecisionTakesEffectWhenItsTimeHasCome(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob")
	id := h.one(question("a", p[0], p[1]))
	d := h.later("ann", id)
	if d["state"] != "decided" || d["apply_at"] == nil || h.heard("a", "approve") != 0 {
		t.Errorf("deferred: %v", d)
	}
	h.work()
	if h.heard("a", "approve") != 0 {
		t.Error("it took effect too early")
	}
	r := h.Refused(
		409,
		"already_decided",
		"bob",
		"POST",
		"/decision-tasks/"+id+"/decide",
		map[string]any{"action": "approve"},
	)
	if r.Body["apply_at"] == nil {
		t.Errorf("the refusal does not say that it can be undone: %v", r.Body)
	}
	h.shift = 2 * time.Minute
	h.work()
	h.work()
	if h.heard("a", "approve") != 1 {
		t.Errorf("who asked heard %d times", h.heard("a", "approve"))
	}
	h.Refused(409, "too_late", "ann", "POST", "/decision-tasks/"+id+"/undo", nil)
	if got := history(h.task("ann", id)); !slices.Equal(got, []string{"asked", "deferred", "applied"}) {
		t.Errorf("history %v", got)
	}
}

func TestSeveralProcessesApplyADecisionOnce(t *testing.T) {
	h := open(t)
	p := h.staff("ann")
	var questions []decision.New
	for i := range 30 {
		questions = append(questions, question(fmt.Sprint("k", i), p[0]))
	}
	h.Must(
		200,
		"ann",
		"POST",
		"/decision-tasks/bulk-decide",
		map[string]any{"ids": h.ask(questions...), "action": "approve", "defer_seconds": 60},
	)
	h.shift = 2 * time.Minute
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		wg.Add(1)
		go func() { defer wg.Done(); errs[i] = h.pass() }()
	}
	wg.Wait()
	for i := range 30 {
		if n := h.heard(fmt.Sprint("k", i), "approve"); n != 1 {
			t.Errorf("k%d was told %d times", i, n)
		}
	}
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

func TestADecisionIsAppliedWhereAnotherProcessDied(t *testing.T) {
	h := open(t)
	p := h.staff("ann")
	id := h.one(question("a", p[0]))
	h.later("ann", id)
	h.shift = 2 * time.Minute
	killed := errors.New("killed")
	err := h.DB.As(context.Background(), h.Tenant, func(tx *pg.Tx) error {
		const sql = `update decision_task set apply_at = null where id = $1`
		if _, err := tx.Exec(context.Background(), sql, id); err != nil {
			return err
		}
		h.work()
		if n := h.heard("a", "approve"); n != 0 {
			t.Errorf("told %d times while another process is at it; want none", n)
		}
		return killed
	})
	if !errors.Is(err, killed) {
		t.Fatal(err)
	}
	h.work()
	h.work()
	if n := h.heard("a", "approve"); n != 1 {
		t.Errorf("told %d times; want once", n)
	}
}

func TestUndoOpensTheTaskAgain(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob")
	id := h.one(question("a", p[0], p[1]))
	h.Refused(409, "invalid_transition", "ann", "POST", "/decision-tasks/"+id+"/undo", nil)
	h.later("ann", id)
	h.Refused(403, "forbidden", "bob", "POST", "/decision-tasks/"+id+"/undo", nil)
	got := h.Must(200, "ann", "POST", "/decision-tasks/"+id+"/undo", nil).Body
	if got["state"] != "open" || got["decision"] != nil || got["apply_at"] != nil {
		t.Errorf("undone: %v", got)
	}
	h.shift = 2 * time.Minute
	h.work()
	if h.heard("a", "approve") != 0 {
		t.Error("what was undone took effect")
	}
	if n := len(h.Must(200, "bob", "GET", "/decision-tasks", nil).Items()); n != 1 {
		t.Error("it is not in the inbox again")
	}
	if a := h.decide("bob", id, "reject"); a.Status != 200 || h.heard("a", "reject") != 1 {
		t.Errorf("decided anew: %d", a.Status)
	}
	again := h.one(question("b", p[0]))
	h.later("ann", again)
	h.Must(200, "admin", "POST", "/decision-tasks/"+again+"/undo", nil)
	if n := h.Count(`select count(*) from audit_event where action = 'decision_task.undone'`); n != 2 {
		t.Errorf("%d are in the audit log; want 2", n)
	}
}

func TestADeferredDecisionIsRefusedAtOnceWhereItWouldBe(t *testing.T) {
	h := open(t)
	p := h.staff("ann")
	id := h.one(question("a", p[0]))
	h.refuse["a"] = conflict("matter_changed")
	h.Refused(
		409,
		"matter_changed",
		"ann",
		"POST",
		"/decision-tasks/"+id+"/decide",
		map[string]any{"action": "approve", "defer_seconds": 60},
	)
	if h.task("ann", id)["state"] != "open" {
		t.Error("it is not open any more")
	}
	delete(h.refuse, "a")
	h.later("ann", id)
	h.refuse["a"] = conflict("matter_changed")
	h.shift = 2 * time.Minute
	h.work()
	got := h.task("ann", id)
	if got["state"] != "open" || got["decision"] != nil ||
		!slices.Equal(history(got), []string{"asked", "deferred", "refused"}) {
		t.Errorf("refused when it was to take effect: %v %v", got["state"], history(got))
	}
}

func TestWhatFailsToTakeEffectIsTriedAgainAndHoldsUpNothingElse(t *testing.T) {
	h := open(t)
	p := h.staff("ann")
	ids := h.ask(question("a", p[0]), question("b", p[0]))
	b := h.Must(
		200,
		"ann",
		"POST",
		"/decision-tasks/bulk-decide",
		map[string]any{"ids": ids, "action": "approve", "defer_seconds": 60},
	)
	if b.Body["results"].([]any)[0].(map[string]any)["result"] != "deferred" {
		t.Errorf("in bulk: %v", b.Body)
	}
	h.shift = 2 * time.Minute
	h.refuse["a"] = errors.New("the room is broken")
	h.work()
	if h.heard("b", "approve") != 1 || h.heard("a", "approve") != 0 || h.task("ann", ids[0])["apply_at"] == nil {
		t.Errorf("heard %d and %d", h.heard("a", "approve"), h.heard("b", "approve"))
	}
	delete(h.refuse, "a")
	h.shift = 5 * time.Minute
	h.work()
	if h.heard("a", "approve") != 1 || h.task("ann", ids[0])["apply_at"] != nil {
		t.Error("it was not tried again")
	}
}

func TestClosingDropsADecisionThatWaits(t *testing.T) {
	h := open(t)
	p := h.staff("ann")
	id := h.one(question("a", p[0]))
	h.later("ann", id)
	if again := h.one(question("a", p[0])); again != id {
		t.Error("asked again while a decision waits: it is another task")
	}
	h.as(func(ctx context.Context, tx *pg.Tx) error {
		_, err := decision.Close(ctx, tx, "sync_hold", []string{"a"}, decision.Cancelled, "withdrawn")
		return err
	})
	h.shift = 2 * time.Minute
	h.work()
	h.Refused(409, "invalid_transition", "ann", "POST", "/decision-tasks/"+id+"/undo", nil)
	h.Refused(
		409,
		"invalid_transition",
		"ann",
		"POST",
		"/decision-tasks/"+id+"/decide",
		map[string]any{"action": "approve"},
	)
	if got := h.task("ann", id); got["state"] != "cancelled" || h.heard("a", "approve") != 0 {
		t.Errorf("closed: %v", got["state"])
	}
}
