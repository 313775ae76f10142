package chain_test

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// straight tells chains of an answer as the inbox would, past its own checks.
func (h *house) straight(item string, stage int, as viewer.Viewer, by decision.Actor) error {
	h.T.Helper()
	task := h.Strings(
		`select task_id::text from chain_slot where item_id = $1 and stage = $2 and state = 'open' limit 1`,
		item,
		stage,
	)
	if len(task) != 1 {
		h.T.Fatalf("%d slots are open; want 1", len(task))
	}
	var results []error
	err := h.DB.As(ctx, as, func(tx *pg.Tx) (err error) {
		a := decision.Answered{
			Task:     decision.DecisionTask{ID: task[0], Kind: "request_approval"},
			Decision: decision.Decision{Action: "approve", By: by, At: h.now()},
		}
		results, err = h.chains.Answer(ctx, tx, []decision.Answered{a})
		return err
	})
	if err != nil {
		return err
	}
	return results[0]
}

func TestNobodyApprovesTheirOwnUnderWhateverHat(t *testing.T) {
	h := open(t)
	h.person("root", viewer.Admin)
	ben, ann := h.people["ben"], h.people["ann"]
	h.user("ben", ben, viewer.Admin)
	h.user("ann", ann, viewer.Admin)
	for _, p := range []string{"mia", "role:admin"} {
		item := h.start(plan(stage("one", "any", h.group("any", p))))
		for name, by := range map[string]decision.Actor{
			"beneficiary":                 {Type: "user", ID: newID(), IdentityID: ben},
			"requester":                   {Type: "user", ID: newID(), IdentityID: ann},
			"a delegate of beneficiary":   {Type: "user", ID: newID(), IdentityID: h.people["root"], ActingFor: &ben},
			"a delegate of the requester": {Type: "user", ID: newID(), IdentityID: h.people["root"], ActingFor: &ann},
			"a token of the requester":    {Type: "service", ID: newID(), IdentityID: ann},
		} {
			if err := h.straight(item, 0, h.Tenant, by); err == nil {
				t.Fatalf("%s approved what %s is asked", name, p)
			} else {
				h.refused(err, "own_request")
			}
		}
		for _, who := range []string{"ben", "ann"} {
			task := h.Strings(`select id::text from decision_task where subject ->> 'id' = $1`, item)[0]
			if err := h.answer(task, h.users[who], "approve"); err == nil {
				t.Fatalf("%s approved through the inbox", who)
			}
		}
		h.expect("stages", h.states(item), "open")
	}
}

func TestARequesterWhoIsNoPersonIsKnownAsTheUser(t *testing.T) {
	h := open(t)
	h.user("nobody", "", viewer.Admin)
	h.person("root", viewer.Admin)
	m := h.item(plan(stage("governance", "any", h.group("any", "role:admin"))))
	m.Subject.RequesterID = ""
	m.RequestedBy = decision.Actor{Type: "user", ID: h.users["nobody"].ID, Display: "nobody"}
	item := h.startItem(m)
	if err := h.decideFor(item, "role:admin", "nobody", "approve"); err == nil {
		t.Fatal("the requester approved as the user they are")
	}
	h.refused(
		h.straight(item, 0, h.users["nobody"], decision.Actor{Type: "user", ID: h.users["nobody"].ID}),
		"own_request",
	)
	h.yes2(item, "role:admin", "root")
}

func TestTokensAndOperatorsFromElsewhereApproveNothing(t *testing.T) {
	h := open(t)
	h.person("root", viewer.Admin)
	item := h.start(plan(stage("governance", "any", h.group("any", "role:admin"))))
	h.refused(h.straight(item, 0, h.Tenant, decision.Actor{Type: "service", ID: newID()}), "approver_required")
	away := h.users["root"]
	away.Home = newID()
	h.refused(
		h.straight(item, 0, away, decision.Actor{Type: "user", ID: away.ID, IdentityID: away.Identity}),
		"approver_required",
	)
	h.yes2(item, "role:admin", "root")
}

func TestWhoAgreedBeforeDoesNotAgreeAgain(t *testing.T) {
	h := open(t)
	h.person("mia", viewer.Admin)
	h.person("root", viewer.Admin)
	item := h.start(
		plan(stage("manager", "any", h.group("any", "mia")), stage("governance", "any", h.group("any", "role:admin"))),
	)
	h.yes(item, "mia")
	err := h.decideFor(item, "role:admin", "mia", "approve")
	h.refused(err, "distinct_approvers")
	h.expect("stages", h.states(item), "approved open")
	h.yes2(item, "role:admin", "root")
	h.expect("rung", h.results(item), "approved")

	same := plan(
		stage("manager", "any", h.group("any", "mia")),
		stage("governance", "any", h.group("any", "role:admin")),
	)
	same.Distinct = false
	item = h.start(same)
	h.yes(item, "mia")
	h.yes2(item, "role:admin", "mia")
	h.expect("where it need not be somebody else", h.results(item), "approved")
}

func TestTheOnlyOneWhoCouldBlocksWhenTheyAgreedBefore(t *testing.T) {
	h := open(t)
	h.person("mia", viewer.Admin)
	item := h.start(
		plan(stage("manager", "any", h.group("any", "mia")), stage("governance", "any", h.group("any", "role:admin"))),
	)
	h.yes(item, "mia")
	h.expect("rung", h.results(item), "blocked")
}

func TestOnePersonIsNotTwoOfAQuorum(t *testing.T) {
	h := open(t)
	item := h.start(plan(stage("board", "quorum", h.group(2, "mia", "olaf", "olga"))))
	h.yes(item, "mia")
	task := h.tasks(item, "olaf")[0]
	mia := h.people["mia"]
	olaf := h.people["olaf"]
	h.assign(task, decision.Assignee{IdentityID: mia, Via: "delegate", ActingFor: &olaf})
	h.refused(h.answer(task, h.users["mia"], "approve"), "distinct_approvers")
	h.yes(item, "olga")
	h.expect("rung", h.results(item), "approved")
}

func (h *house) assign(task string, to decision.Assignee, drop ...string) {
	h.T.Helper()
	if err := h.DB.As(
		ctx,
		h.Tenant,
		func(tx *pg.Tx) error { return decision.Assign(ctx, tx, task, []decision.Assignee{to}, drop, "test") },
	); err != nil {
		h.T.Fatal(err)
	}
}

func TestWhoeverATaskWasHandedToIsCounted(t *testing.T) {
	h := open(t)
	h.person("dora")
	item := h.start(plan(stage("all", "all", h.group("all", "mia", "olaf"))))
	h.assign(
		h.tasks(item, "mia")[0],
		decision.Assignee{IdentityID: h.people["dora"], Via: "reassigned"},
		h.people["mia"],
	)
	h.expect("who is asked now", h.asked(item, 0), "dora olaf")
	h.yes(item, "dora")
	h.yes(item, "olaf")
	h.expect("rung", h.results(item), "approved")
	for _, s := range h.stages(item)[0].Groups[0].Slots {
		if s.Display == "dora" && (s.Via != "reassigned" || s.ActingFor == nil || *s.ActingFor != h.people["mia"]) {
			t.Errorf("dora's slot is %+v", s)
		}
	}
}

func TestADelegateAnswersForWhomTheyStand(t *testing.T) {
	h := open(t)
	h.person("dora")
	h.person("mia")
	h.Exec(
		`insert into decision_delegation (tenant_id, id, delegator_id, delegate_id, state) values (current_tenant(), $1,
			$2, $3, 'active')`,
		newID(),
		h.people["mia"],
		h.people["dora"],
	)
	item := h.start(plan(stage("manager", "any", h.group("any", "mia"))))
	h.yes(item, "dora")
	s := h.stages(item)[0].Groups[0].Slots[0]
	if s.Via != "delegate" || s.ActingFor == nil || *s.ActingFor != h.people["mia"] ||
		*s.IdentityID != h.people["dora"] {
		t.Errorf("slot is %+v", s)
	}
}
