package decision_test

import (
	"context"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// shown is a task as the package that asks reads it.
func (h *house) shown(id string) (t decision.DecisionTask) {
	h.T.Helper()
	h.as(func(ctx context.Context, tx *pg.Tx) (err error) { t, err = decision.Find(ctx, tx, id); return err })
	return t
}

func TestAskingAgainBringsTheOpenTaskUpToDate(t *testing.T) {
	h := open(t)
	p := h.staff("ann", "bob")
	id := h.one(question("a", p[0]))
	if again := h.one(question("a", p[0])); again != id || h.shown(id).Version != 1 {
		t.Errorf("asked the same again: task %s version %d; want %s as it was", again, h.shown(id).Version, id)
	}
	changed := question("a", p[1])
	changed.Title = "Else"
	if again := h.one(changed); again != id {
		t.Errorf("asked again: task %s; want %s", again, id)
	}
	got := h.shown(id)
	if got.Title != "Else" || len(got.Assignees) != 1 || got.Assignees[0].Display != "bob" || got.Version != 2 {
		t.Errorf("brought up to date: %+v", got)
	}
	ids := h.ask(question("b", p[0]), question("a", p[1]), question("b", p[0]))
	if ids[0] != ids[2] || ids[1] != id {
		t.Errorf("several at once: %v", ids)
	}
}

func TestNobodyLeftMeansAdministratorsAreAsked(t *testing.T) {
	h := open(t)
	p := h.staff("ann")
	n := question("a", p[0])
	n.NotFor = []string{p[0]}
	id := h.one(n)
	if got := h.shown(id); len(got.Assignees) != 0 || len(got.Roles) != 1 || got.Roles[0] != "admin" {
		t.Errorf("task of somebody who may not decide: %+v %v", got.Assignees, got.Roles)
	}
	id = h.one(n)
	if got := h.shown(id); got.Roles[0] != "admin" || got.Version != 2 {
		t.Errorf("asked again: %v, version %d", got.Roles, got.Version)
	}
	n.NotFor = nil
	h.one(n)
	if got := h.shown(id); len(got.Assignees) != 1 || len(got.Roles) != 0 {
		t.Errorf("asked of somebody who may: %+v %v", got.Assignees, got.Roles)
	}
}

func TestCloseEndsWhatIsOpen(t *testing.T) {
	h := open(t)
	p := h.staff("ann")
	ids := h.ask(question("a", p[0]), question("b", p[0]), question("c", p[0]))
	n := 0
	h.as(func(ctx context.Context, tx *pg.Tx) (err error) {
		n, err = decision.Close(ctx, tx, "sync_hold", []string{"a", "b", "z"}, decision.Superseded, "a newer run")
		return err
	})
	if n != 2 || h.shown(ids[0]).State != "superseded" || *h.shown(ids[1]).ClosedReason != "a newer run" ||
		h.shown(ids[2]).State != "open" {
		t.Errorf("closed %d: %+v", n, h.shown(ids[0]))
	}
	if again := h.one(question("a", p[0])); again == ids[0] {
		t.Error("what was closed is asked anew as the same task")
	}
}
