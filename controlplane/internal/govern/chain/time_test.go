package chain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

const day = 24 * time.Hour

func TestWhatNobodyAnswersExpires(t *testing.T) {
	h := open(t)
	item := h.start(plan(stage("manager", "any", h.group("any", "mia")), stage("owner", "any", h.group("any", "olaf"))))
	task := h.tasks(item, "mia")[0]
	h.later(14*day - time.Second)
	h.work()
	h.expect("stages", h.states(item), "open waiting")
	h.later(time.Second)
	h.work()
	h.expect("stages", h.states(item), "expired waiting")
	h.expect("rung", h.results(item), "expired")
	if o := h.last(item); o.ReasonCode != "expired" || o.Reason == "" {
		t.Errorf("expired with %q %q", o.ReasonCode, o.Reason)
	}
	h.expect("task", h.Strings(`select state from decision_task where id = $1`, task)[0], "expired")
	h.refused(h.answer(task, h.users["mia"], "approve"), "invalid_transition")
	h.expect(
		"audit",
		strings.Join(h.Strings(`select action from audit_event where action like 'access_request.%'`), " "),
		"access_request.expired",
	)
	h.work()
	h.expect("rung once", h.results(item), "expired")
}

func TestThoseWhoHaveNotAnsweredAreRemindedOnceEachTime(t *testing.T) {
	h := open(t)
	s := stage("all", "all", h.group("all", "mia", "olaf"))
	s.Definition.Reminders = []string{"P1D", "P2D", "P5D", "never"}
	item := h.start(plan(s))
	reminded := func(who string) int {
		return h.Count(
			`select count(*) from decision_event e join decision_assignee a on a.task_id = e.task_id
				where e.event = 'reminded' and a.identity_id = $1`,
			h.people[who],
		)
	}
	h.later(day)
	h.work()
	h.yes(item, "olaf")
	h.later(day)
	h.work()
	h.work()
	if n := h.Count(`select count(*) from decision_task where reminded_at is not null`); n == 0 {
		t.Error("no task says when it was reminded of")
	}
	if mia, olaf := reminded("mia"), reminded("olaf"); mia != 2 || olaf != 1 {
		t.Errorf("mia was reminded %d times, olaf %d; want 2 and 1", mia, olaf)
	}
}

// escalating is a stage that escalates after a day.
func escalating(h *house, mode, action string, names ...string) approval.PlanStage {
	s := stage("asked", mode, h.group(mode, names...))
	s.Definition.Escalation = []approval.EscalationStep{{After: "P1D", Action: action, RuleID: newID()}}
	return s
}

func TestAnEscalationAddsSomebodyWhoStandsIn(t *testing.T) {
	h := open(t)
	item := h.start(plan(escalating(h, "all", "add", "mia", "olaf")))
	shared := h.start(plan(escalating(h, "any", "add", "mia")))
	h.board.people = []approval.PlanSlot{h.slot("vera"), h.slot("ben")}
	h.later(day)
	h.work()
	h.expect("asked", h.asked(item, 0), "mia olaf vera")
	h.expect("asked together", h.asked(shared, 0), "mia vera")
	if a, b := h.tasks(shared, "mia"), h.tasks(shared, "vera"); len(a) != 1 || len(b) != 1 || a[0] != b[0] {
		t.Errorf("mia has %v and vera %v; want the same task", a, b)
	}
	h.yes(item, "vera")
	h.expect("stages", h.states(item), "open")
	h.yes(item, "mia")
	h.expect("rung", h.results(item), "approved")
	h.yes(shared, "vera")
	h.expect("rung", h.results(shared), "approved")
	e := h.stages(item)[0].Escalations
	if len(e) != 1 || e[0].Action != "add" || len(e[0].To) != 1 || e[0].To[0] != h.people["vera"] {
		t.Errorf("escalations are %+v", e)
	}
	if n := h.Count(`select count(*) from audit_event where action = 'access_request.escalated'`); n != 2 {
		t.Errorf("%d entries of the audit log; want 2", n)
	}
}

func TestAnEscalationReplacesWhoDidNotAnswer(t *testing.T) {
	h := open(t)
	item := h.start(plan(escalating(h, "all", "replace", "mia", "olaf")))
	h.yes(item, "olaf")
	h.board.people = []approval.PlanSlot{h.slot("vera")}
	h.later(day)
	h.work()
	h.expect("asked", h.asked(item, 0), "vera")
	if len(h.tasks(item, "mia")) != 0 {
		t.Error("mia is still asked")
	}
	h.yes(item, "vera")
	h.expect("rung", h.results(item), "approved")

	h.board.people = nil
	alone := h.start(plan(escalating(h, "any", "replace", "mia")))
	h.later(day)
	h.work()
	h.expect("asked when nobody is found", h.asked(alone, 0), "mia")
}

func TestAnEscalationDecides(t *testing.T) {
	h := open(t)
	next := stage("owner", "any", h.group("any", "olaf"))
	rule := plan(
		stage("another rule's", "any", h.group("any", "vera")),
		stage("and its second", "any", h.group("any", "walt")),
	)
	h.board.rule = &rule
	skip, yes, no := h.start(plan(escalating(h, "any", "skip", "mia"), next)), h.start(
		plan(escalating(h, "any", "approve", "mia")),
	), h.start(plan(escalating(h, "any", "reject", "mia")))
	use, shorter := h.start(plan(escalating(h, "any", "use_rule", "mia"), next)), h.start(
		plan(escalating(h, "any", "use_rule", "mia"), next, next, next),
	)
	h.later(day)
	h.work()
	h.expect("skip", h.states(skip), "skipped open")
	h.expect("approve", h.states(yes)+" "+h.results(yes), "approved approved")
	h.expect("reject", h.states(no)+" "+h.results(no), "rejected rejected")
	if o := h.last(no); o.ReasonCode != "rejected_by_rule" || o.Reason == "" {
		t.Errorf("rejected with %q %q", o.ReasonCode, o.Reason)
	}
	h.expect("use_rule", h.states(use), "skipped open waiting")
	for _, item := range []string{use, shorter} {
		h.yes(item, "vera")
		h.yes(item, "walt")
		h.expect("rung", h.results(item), "approved")
		h.expect("stages", h.states(item), "skipped approved approved")
	}
}

func TestARuleThatIsGoneKeepsThoseAskedWhoWere(t *testing.T) {
	h := open(t)
	item := h.start(plan(escalating(h, "any", "use_rule", "mia")))
	h.later(day)
	h.work()
	h.yes(item, "mia")
	h.expect("rung", h.results(item), "approved")
}

// waiting is a plan whose only stage waits.
func waiting(h *house, w approval.StageWait) approval.Plan {
	s := stage("manager", "any", h.group("any", "mia"))
	s.Definition.Wait = &w
	return plan(s)
}

func TestAStageWaitsForATime(t *testing.T) {
	h := open(t)
	lasts := h.start(waiting(h, approval.StageWait{Kind: "duration", Duration: "PT2H"}))
	clock := h.start(waiting(h, approval.StageWait{Kind: "time_of_day", At: "12:00", Timezone: "UTC"}))
	h.expect("stages", h.states(lasts)+" "+h.states(clock), "waiting waiting")
	if s := h.stages(lasts)[0]; s.WaitsFor == "" || len(s.Groups) != 1 {
		t.Errorf("while it waits: %+v", s)
	}
	h.later(2*time.Hour - time.Second)
	h.work()
	h.expect("stages", h.states(lasts)+" "+h.states(clock), "waiting waiting")
	h.later(time.Second)
	h.work()
	h.expect("stages", h.states(lasts)+" "+h.states(clock), "open waiting")
	h.later(time.Hour)
	h.work()
	h.yes(lasts, "mia")
	h.yes(clock, "mia")
}

func TestAStageWaitsUntilSomethingIsTrueOfThePerson(t *testing.T) {
	h := open(t)
	trained := map[string]any{"field": "title", "op": "eq", "value": "Trained"}
	met := h.start(waiting(h, approval.StageWait{Kind: "condition", Condition: trained}))
	rejects := h.start(
		waiting(h, approval.StageWait{Kind: "condition", Condition: trained, Timeout: "P1D", OnTimeout: "reject"}),
	)
	goesOn := h.start(
		waiting(h, approval.StageWait{Kind: "condition", Condition: trained, Timeout: "P1D", OnTimeout: "continue"}),
	)
	h.later(day)
	h.work()
	h.expect("stages", h.states(met)+" "+h.states(rejects)+" "+h.states(goesOn), "waiting rejected open")
	h.expect("rung", h.results(rejects), "rejected")
	if o := h.last(rejects); o.ReasonCode != "rejected_by_rule" {
		t.Errorf("rejected as %q", o.ReasonCode)
	}
	h.Exec(`update identity set title = 'Trained' where id = $1`, h.people["ben"])
	h.later(time.Minute)
	h.work()
	h.expect("stages", h.states(met), "open")
}

func TestAStageWaitsForSomebodyElse(t *testing.T) {
	h := open(t)
	h.person("root", viewer.Admin)
	on, off, late := h.start(waiting(h, approval.StageWait{Kind: "external"})), h.start(
		waiting(h, approval.StageWait{Kind: "external"}),
	),
		h.start(waiting(h, approval.StageWait{Kind: "external", Timeout: "P1D"}))
	task := func(item string) string {
		return h.Strings(`select id::text from decision_task where kind = 'external_wait'
			and subject ->> 'id' = $1`, item)[0]
	}
	if err := h.answer(task(on), h.users["root"], "continue"); err != nil {
		t.Fatal(err)
	}
	if err := h.answer(task(off), h.users["root"], "reject", "the check failed"); err != nil {
		t.Fatal(err)
	}
	h.expect("stages", h.states(on)+" "+h.states(off), "open rejected")
	h.expect("why", h.last(off).Reason, "the check failed")
	h.refused(h.answer(task(on), h.users["root"], "continue"), "already_decided")
	h.later(day)
	h.work()
	h.expect("in time", h.states(late)+" "+h.results(late), "rejected rejected")
	h.expect("task", h.Strings(`select state from decision_task where id = $1`, task(late))[0], "superseded")
	h.yes(on, "mia")
}
