package chain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// moved says that somebody has another manager, as the board has it by now.
func (h *house) moved(who, manager string) {
	h.T.Helper()
	h.Exec(`update identity set manager_id = $2 where id = $1`, h.people[who], h.people[manager])
	h.work()
}

func TestAManagerWhoLeavesHalfWayIsReplacedAndWhatWasDecidedStays(t *testing.T) {
	h := open(t)
	both := h.start(plan(stage("manager and owner", "all", h.group("all", "mia/manager", "olaf/owner"))))
	alone := h.start(plan(stage("manager", "any", h.group("any", "mia/manager"))))
	h.yes(both, "olaf")
	h.board.write(0, h.group("all", "nina/manager", "olaf/owner"))
	h.moved("ben", "nina")
	h.expect("asked", h.asked(both, 0), "nina")
	if len(h.tasks(both, "mia"))+len(h.tasks(alone, "mia")) != 0 {
		t.Error("mia is still asked")
	}
	h.yes(both, "nina")
	h.expect("rung", h.results(both), "approved")
	steps := ""
	for _, l := range h.stages(both)[0].Log {
		steps += l.Step + " "
	}
	if !strings.Contains(steps, "re_resolved") {
		t.Errorf("the log has %s; want re_resolved", steps)
	}
	if n := h.Count(`select count(*) from audit_event where action = 'access_request.reresolved'`); n != 2 {
		t.Errorf("%d entries of the audit log; want 2", n)
	}
	h.board.write(0, h.group("any", "nina/manager", "zoe/second"))
	h.Exec(`update entitlement set owner_ids = array[$2::uuid] where id = $1`, h.thing, h.people["zoe"])
	h.work()
	h.expect("asked after other owners", h.asked(alone, 0), "nina zoe")
	h.yes(alone, "zoe")
	h.expect("rung", h.results(alone), "approved")
}

func TestWhoHasDecidedIsNotAskedToBeReplaced(t *testing.T) {
	h := open(t)
	item := h.start(plan(stage("manager and owner", "all", h.group("all", "mia/manager", "olaf/owner"))))
	h.yes(item, "mia")
	h.board.write(0, h.group("all", "nina/manager", "olaf/owner"))
	h.moved("ben", "nina")
	h.expect("asked", h.asked(item, 0), "olaf")
	h.yes(item, "olaf")
	h.expect("rung", h.results(item), "approved")
}

func TestWhenAllWhoAreLeftHaveAgreedItIsApproved(t *testing.T) {
	h := open(t)
	item := h.start(plan(stage("owners", "all", h.group("all", "olaf", "olga"))))
	h.yes(item, "olaf")
	h.board.write(0, h.group("all", "olaf"))
	h.moved("ben", "olga")
	h.expect("rung", h.results(item), "approved")
}

func TestWhoWasAddedStaysWhileTheyAreThere(t *testing.T) {
	h := open(t)
	item := h.start(plan(escalating(h, "any", "add", "mia")))
	h.board.people = []approval.PlanSlot{h.slot("vera")}
	h.later(day)
	h.work()
	h.board.write(0, h.group("any", "nina"))
	h.moved("ben", "nina")
	h.expect("asked", h.asked(item, 0), "nina vera")
	h.Exec(`update identity set status = 'deactivated' where id = $1`, h.people["vera"])
	h.work()
	h.expect("asked when vera is gone", h.asked(item, 0), "nina")
}

func TestChangesOfOthersLeaveAChainAlone(t *testing.T) {
	h := open(t)
	h.person("zoe")
	h.start(plan(stage("manager", "any", h.group("any", "mia"))))
	asked := h.board.asked
	h.Exec(`update identity set title = 'Clerk' where id = $1`, h.people["ben"])
	h.Exec(`update identity set manager_id = $2 where id = $1`, h.people["zoe"], h.people["mia"])
	h.work()
	if h.board.asked != asked {
		t.Error("it was resolved anew, though nothing that concerns it has changed")
	}
	if n := h.Count(`select count(*) from work_item where kind = 'approval'`); n != 0 {
		t.Errorf("%d turns are left", n)
	}
}

func TestManyChangesAtOnceAreOneTurn(t *testing.T) {
	h := open(t)
	item := h.start(plan(stage("manager", "any", h.group("any", "mia"))))
	h.Exec(
		`insert into identity (tenant_id, id, external_id, display_name) select current_tenant(), gen_random_uuid(),
			'n' || n, 'n' from generate_series(1, 1500) n`,
	)
	h.board.write(0, h.group("any", "nina"))
	h.Exec(`update identity set manager_id = $1 where external_id like 'n%'`, h.people["mia"])
	if n := h.Count(`select count(*) from work_item where kind = 'approval' and cause = 'everything'`); n != 1 {
		t.Errorf("%d turns of everything; want 1", n)
	}
	h.work()
	h.expect("asked", h.asked(item, 0), "nina")
}

func TestWithoutOpenChainsChangesLeaveNoTrace(t *testing.T) {
	h := open(t)
	item := h.start(plan(stage("manager", "any", h.group("any", "mia"))))
	h.yes(item, "mia")
	h.moved("ben", "mia")
	h.Exec(`update identity set manager_id = null where id = $1`, h.people["ben"])
	if n := h.Count(`select count(*) from work_item where kind = 'approval'`); n != 0 {
		t.Errorf("%d turns", n)
	}
}

func TestWhenNobodyCanBeAskedAdministratorsAreTold(t *testing.T) {
	h := open(t)
	nobody := approval.PlanGroup{Needed: 1, Slots: []approval.PlanSlot{}}
	blocked := func() (item, task string) {
		item = h.start(plan(stage("manager", "any", nobody)))
		h.expect("rung", h.results(item), "blocked")
		return item, h.Strings(`select id::text from decision_task where kind = 'request_blocked'
			and key = $1`, item)[0]
	}
	found, _ := blocked()
	retried, retry := blocked()
	named, name := blocked()
	rejected, reject := blocked()
	h.person("root", viewer.Admin)
	root := h.users["root"]
	h.refused(h.answer(retry, root, "retry"), "still_blocked")
	h.refused(h.answer(name, root, "reassign", "", map[string]any{"identity_id": h.people["ben"]}), "own_request")
	h.refused(h.answer(name, root, "reassign", "", map[string]any{"identity_id": newID()}), "validation_failed")
	h.refused(h.answer(name, root, "reassign", "", map[string]any{"identity_id": "mia"}), "validation_failed")
	h.person("vera")
	if err := h.answer(name, root, "reassign", "", map[string]any{"identity_id": h.people["vera"]}); err != nil {
		t.Fatal(err)
	}
	h.expect("rung", h.results(named), "blocked unblocked")
	h.yes(named, "vera")
	h.expect("rung", h.results(named), "blocked unblocked approved")
	if err := h.answer(reject, root, "reject", "nobody knows this any more"); err != nil {
		t.Fatal(err)
	}
	h.expect("rung", h.results(rejected), "blocked rejected")
	h.expect("why", h.last(rejected).Reason, "nobody knows this any more")

	h.board.write(0, h.group("any", "mia"))
	if err := h.answer(retry, root, "retry"); err != nil {
		t.Fatal(err)
	}
	h.expect("rung", h.results(retried), "blocked unblocked")
	h.later(10 * time.Minute)
	h.work()
	h.expect("rung by itself", h.results(found), "blocked unblocked")
	h.yes(found, "mia")
	h.yes(retried, "mia")
	if n := h.Count(`select count(*) from decision_task where state in ('open', 'claimed')`); n != 0 {
		t.Errorf("%d tasks are left", n)
	}
}

func TestABlockedChainGoesOnAsSoonAsSomebodyHasTheRole(t *testing.T) {
	h := open(t)
	item := h.start(plan(stage("governance", "any", h.group("any", "role:admin"))))
	h.expect("rung", h.results(item), "blocked")
	h.user("ben", h.people["ben"], viewer.Admin) // the only administrator is the one it is for
	h.work()
	h.expect("rung", h.results(item), "blocked")
	h.person("root", viewer.Admin)
	h.work()
	h.expect("rung", h.results(item), "blocked unblocked")
	h.yes2(item, "role:admin", "root")
	h.Exec(`update app_user set status = 'disabled' where display_name = 'root'`)
	gone := h.start(plan(stage("governance", "any", h.group("any", "role:admin"))))
	h.expect("without root", h.results(gone), "blocked")
}

func TestABlockedChainExpiresToo(t *testing.T) {
	h := open(t)
	item := h.start(plan(stage("governance", "any", h.group("any", "role:admin"))))
	h.later(14 * day)
	h.work()
	h.expect("rung", h.results(item), "blocked expired")
	if n := h.Count(`select count(*) from decision_task where state in ('open', 'claimed')`); n != 0 {
		t.Errorf("%d tasks are left", n)
	}
}

func TestARuleThatAsksNobodyIsRefused(t *testing.T) {
	h := open(t)
	err := h.DB.As(
		ctx,
		h.Tenant,
		func(tx *pg.Tx) error { return h.chains.Start(ctx, tx, []chain.Item{h.item(plan())}) },
	)
	h.refused(err, "rule_without_stages")
}

// withdraw takes somebody's approval back.
func (h *house) withdraw(item, as string) error {
	return h.DB.As(ctx, h.users[as], func(tx *pg.Tx) error { return h.chains.Withdraw(ctx, tx, item) })
}

func TestAnApprovalIsTakenBackInTime(t *testing.T) {
	h := open(t)
	p := plan(stage("manager", "any", h.group("any", "mia")), stage("owner", "any", h.group("any", "olaf")))
	last, first, late, relied := h.start(p), h.start(p), h.start(p), h.start(p)
	for _, item := range []string{last, first, late, relied} {
		h.refused(h.withdraw(item, "mia"), "nothing_to_withdraw")
		h.yes(item, "mia")
	}
	h.yes(last, "olaf")
	h.yes(relied, "olaf")
	h.refused(h.withdraw(relied, "mia"), "withdrawal_too_late")
	h.refused(h.withdraw(late, "olaf"), "nothing_to_withdraw")
	if err := h.withdraw(last, "olaf"); err != nil {
		t.Fatal(err)
	}
	h.expect("rung", h.results(last), "approved reopened")
	h.expect("stages", h.states(last), "approved open")
	h.no(last, "olaf")
	h.expect("rung", h.results(last), "approved reopened rejected")

	if err := h.withdraw(first, "mia"); err != nil {
		t.Fatal(err)
	}
	h.expect("stages", h.states(first), "open waiting")
	if len(h.tasks(first, "olaf")) != 0 {
		t.Error("olaf is still asked")
	}
	h.yes(first, "mia")
	h.yes(first, "olaf")
	h.expect("rung", h.results(first), "reopened approved")
	h.later(30 * time.Minute)
	h.refused(h.withdraw(late, "mia"), "withdrawal_too_late")
	if err := h.withdraw(newID(), "mia"); err == nil {
		t.Error("an approval of nothing was withdrawn")
	}
}

func TestWithdrawingAsksTheOthersOfTheStageAgain(t *testing.T) {
	h := open(t)
	item := h.start(plan(stage("owners", "any", h.group("any", "mia", "olaf"))))
	h.yes(item, "mia")
	if err := h.withdraw(item, "mia"); err != nil {
		t.Fatal(err)
	}
	h.expect("asked", h.asked(item, 0), "mia olaf")
	h.yes(item, "olaf")
	h.expect("rung", h.results(item), "approved reopened approved")
}
