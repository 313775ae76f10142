package chain_test

import (
	"strings"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// A manager who asks for a report has answered their own step. The step is shown as agreed, entered in the audit log,
// and asked of nobody.
func TestTheStepOfAManagerWhoAsksIsAgreed(t *testing.T) {
	h := open(t)
	own := h.slot("ann/manager")
	own.Agreed = true
	p := plan(
		stage("Manager", "any", approval.PlanGroup{Needed: 1, Slots: []approval.PlanSlot{own}}),
		stage("Owner", "any", h.group("any", "olga")),
	)
	item := h.start(p)
	h.expect("states", h.states(item), "approved open")
	h.expect("tasks of the manager", len2(h.tasks(item, "ann")), "0")
	first := h.stages(item)[0].Groups[0].Slots[0]
	if !first.AgreedByRequesting || first.State != "approved" || first.DecidedBy != "ann" {
		t.Errorf("the manager's slot is %+v; want it approved by ann by requesting", first)
	}
	if n := h.Count(`select count(*) from audit_event where action = 'access_request.agreed_by_requesting'`); n != 1 {
		t.Errorf("%d entries in the audit log; want 1", n)
	}
	h.refused(h.decideFor(item, "olga", "ann", "approve"), "not_found")
	if err := h.withdraw(item, "ann"); err == nil {
		t.Error("the manager has taken back an agreement that was the request itself")
	} else {
		h.refused(err, "nothing_to_withdraw")
	}
	h.yes(item, "olga")
	h.expect("results", h.results(item), "approved")
	h.agreed(item, "olga", "ann")
}

// Where the step of the manager is the only one, the request is approved at once, and says who agreed in which way.
func TestTheOnlyStepOfAManagerWhoAsksIsAgreed(t *testing.T) {
	h := open(t)
	own := h.slot("ann/manager")
	own.Agreed = true
	item := h.start(plan(stage("Manager", "any", approval.PlanGroup{Needed: 1, Slots: []approval.PlanSlot{own}})))
	h.expect("results", h.results(item), "approved")
	h.agreed(item, "", "ann")
}

// agreed expects who answered about an item, and who agreed by requesting.
func (h *house) agreed(item, answered, byRequesting string) {
	h.T.Helper()
	names := func(by []decision.Actor) string {
		var list []string
		for _, who := range by {
			list = append(list, who.Display)
		}
		return strings.Join(list, " ")
	}
	o := h.last(item)
	h.expect("who answered", names(o.By), answered)
	h.expect("who agreed by requesting", names(o.ByRequesting), byRequesting)
}

// Where several must agree, the request is the answer of the manager alone.
func TestTheRequestOfAManagerAnswersForThemAlone(t *testing.T) {
	h := open(t)
	own := h.slot("ann/manager")
	own.Agreed = true
	p := plan(stage("Both", "all", approval.PlanGroup{Needed: 2, Slots: []approval.PlanSlot{own, h.slot("olga")}}))
	item := h.start(p)
	h.expect("states", h.states(item), "open")
	h.expect("asked", h.asked(item, 0), "olga")
	h.yes(item, "olga")
	h.expect("results", h.results(item), "approved")
}

func len2(list []string) string { return string(rune('0' + len(list))) }
