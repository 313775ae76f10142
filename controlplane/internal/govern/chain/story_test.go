package chain_test

import (
	"strings"
	"testing"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

func TestOneApprovalApprovesAndOneRejectionRejects(t *testing.T) {
	h := open(t)
	p := plan(stage("manager", "any", h.group("any", "mia")))
	yes, no := h.start(p), h.start(p)
	h.expect("stages", h.states(yes), "open")
	h.yes(yes, "mia")
	h.expect("stages", h.states(yes), "approved")
	h.expect("rung", h.results(yes), "approved")
	if by := h.last(yes).By; len(by) != 1 || by[0].IdentityID != h.people["mia"] {
		t.Errorf("approved by %v; want mia", by)
	}
	h.no(no, "mia")
	h.expect("rung", h.results(no), "rejected")
	if o := h.last(no); o.ReasonCode != "rejected" || o.Reason != "no" {
		t.Errorf("rejected with %q %q", o.ReasonCode, o.Reason)
	}
	if n := h.Count(`select count(*) from decision_task where state in ('open', 'claimed')`); n != 0 {
		t.Errorf("%d tasks are left", n)
	}
}

func TestATaskSaysWhoAsksForWhatForWhomAndWhy(t *testing.T) {
	h := open(t)
	m := h.item(plan(stage("manager", "any", h.group("any", "mia")), stage("owner", "any", h.group("any", "olaf"))))
	m.Subject.Duration, m.Context = "P30D", map[string]any{"holds": []string{"Travel"}}
	h.startItem(m)
	one := func(sql string) string { t.Helper(); return strings.Join(h.Strings(sql), ",") }
	h.expect("title", one(`select title from decision_task`), "ann asks for Finance clerk for ben")
	h.expect("why", one(`select context ->> 'justification' from decision_task`), "month end")
	h.expect("for whom", one(`select context -> 'beneficiary' ->> 'display' from decision_task`), "ben")
	h.expect("who asks", one(`select context -> 'requester' ->> 'display' from decision_task`), "ann")
	h.expect("what is held", one(`select context -> 'holds' ->> 0 from decision_task`), "Travel")
	h.expect("item", one(`select context -> 'item' ->> 'display' from decision_task`), "Finance clerk")
	h.expect("due", one(`select to_char(due_at, 'YYYY-MM-DD HH24:MI') from decision_task`), "2026-03-05 09:00")
	h.yes(m.ItemID, "mia")
	h.expect(
		"before",
		one(`select context -> 'decided_before' -> 0 ->> 'by' from decision_task where state = 'open'`),
		"mia",
	)
	h.expect("same group", one(`select count(distinct group_key)::text from decision_task`), "2")
	other := h.item(m.Plan)
	other.Subject.BeneficiaryID = h.person("bea")
	h.startItem(other)
	h.expect(
		"same thing for others",
		one(`select count(distinct group_key)::text from decision_task where state = 'open'`),
		"2",
	)
}

func TestTheFirstAnswerOfAnyDecidesAndTheOthersSeeWhoItWas(t *testing.T) {
	h := open(t)
	item := h.start(plan(stage("owners", "any", h.group("any", "olaf", "olga"))))
	if a, b := h.tasks(item, "olaf"), h.tasks(item, "olga"); len(a) != 1 || len(b) != 1 || a[0] != b[0] {
		t.Fatalf("olaf has %v, olga %v; want the same task", a, b)
	}
	h.yes(item, "olga")
	h.expect("rung", h.results(item), "approved")
	slots := h.stages(item)[0].Groups[0].Slots
	for _, s := range slots {
		want := map[string]string{"olaf": "superseded", "olga": "approved"}[s.Display]
		if s.State != want {
			t.Errorf("%s is %s; want %s", s.Display, s.State, want)
		}
	}
}

func TestAllMustAgreeAndOneWhoDoesNotIsEnough(t *testing.T) {
	h := open(t)
	p := plan(stage("all", "all", h.group("all", "mia", "olaf", "olga")))
	yes, no := h.start(p), h.start(p)
	for _, who := range []string{"olaf", "mia"} {
		h.yes(yes, who)
		h.expect("stages", h.states(yes), "open")
	}
	h.yes(yes, "olga")
	h.expect("rung", h.results(yes), "approved")
	h.yes(no, "mia")
	h.no(no, "olga")
	h.expect("rung", h.results(no), "rejected")
	h.expect(
		"closed for olaf",
		strings.Join(
			h.Strings(
				`select t.state || ': ' || t.closed_reason from decision_task t join decision_assignee a
		    on a.task_id = t.id
		where a.identity_id = $1 and t.subject ->> 'id' = $2`,
				h.people["olaf"],
				no,
			),
			",",
		),
		"superseded: olga has rejected it",
	)
}

func TestAQuorumIsReachedOrCannotBeAnyMore(t *testing.T) {
	h := open(t)
	p := plan(stage("board", "quorum", h.group(2, "mia", "olaf", "olga")))
	yes, no := h.start(p), h.start(p)
	h.no(yes, "mia")
	h.expect("stages", h.states(yes), "open")
	h.yes(yes, "olaf")
	h.yes(yes, "olga")
	h.expect("rung", h.results(yes), "approved")
	h.yes(no, "mia")
	h.no(no, "olaf")
	h.no(no, "olga")
	h.expect("rung", h.results(no), "rejected")
	g := h.stages(no)[0].Groups[0]
	if g.Needed != 2 || g.Approved != 1 || g.Rejected != 2 {
		t.Errorf("counted %+v", g)
	}
}

func TestGroupsAreAskedAtOnceAndAllMustAgree(t *testing.T) {
	h := open(t)
	item := h.start(plan(stage("manager and owners", "any", h.group("any", "mia"), h.group("any", "olaf", "olga"))))
	h.yes(item, "olga")
	h.expect("stages", h.states(item), "open")
	if left := h.tasks(item, "olaf"); len(left) != 0 {
		t.Error("olaf is still asked, though olga has answered for their group")
	}
	h.yes(item, "mia")
	h.expect("rung", h.results(item), "approved")
}

func TestWhoIsAskedUnderTwoHatsAnswersOnce(t *testing.T) {
	h := open(t)
	item := h.start(plan(stage("manager and owner", "any", h.group("any", "mia"), h.group("any", "mia", "olaf"))))
	h.yes(item, "mia") // decide wants one open task
	h.expect("rung", h.results(item), "approved")
}

func TestStagesFollowOneAnother(t *testing.T) {
	h := open(t)
	item := h.start(plan(stage("manager", "any", h.group("any", "mia")), stage("owner", "any", h.group("any", "olaf"))))
	h.expect("stages", h.states(item), "open waiting")
	h.expect("expected", h.asked(item, 1), "olaf")
	if len(h.tasks(item, "olaf")) != 0 {
		t.Error("olaf is asked before his turn")
	}
	h.yes(item, "mia")
	h.expect("stages", h.states(item), "approved open")
	h.yes(item, "olaf")
	h.expect("stages", h.states(item), "approved approved")
	h.expect("rung", h.results(item), "approved")
	if by := h.last(item).By; len(by) != 2 {
		t.Errorf("approved by %v; want both", by)
	}
}

func TestWhatIsSatisfiedIsPassedOverWithANote(t *testing.T) {
	h := open(t)
	done := approval.PlanStage{
		Definition: approval.ApprovalStage{Name: "owner"},
		Groups:     []approval.PlanGroup{},
		Satisfied:  "mia agreed as manager",
	}
	item := h.start(plan(stage("manager", "any", h.group("any", "mia")), done))
	h.yes(item, "mia")
	h.expect("stages", h.states(item), "approved skipped")
	h.expect("rung", h.results(item), "approved")
	log := h.stages(item)[1].Log
	if len(log) == 0 || log[len(log)-1].Detail != "mia agreed as manager" {
		t.Errorf("the log says %v", log)
	}
	h.expect("all satisfied", h.results(h.start(plan(done))), "approved")
}

func TestAnApproverShortensAndNeverLengthens(t *testing.T) {
	h := open(t)
	m := h.item(plan(stage("manager", "any", h.group("any", "mia"))))
	ends := h.now().Add(10 * 24 * time.Hour)
	m.Subject.EndsAt = &ends
	item := h.startItem(m)
	for input, want := range map[string]any{
		"later":    map[string]any{"ends_at": ends.Add(time.Hour).Format(time.RFC3339)},
		"past":     map[string]any{"ends_at": h.now().Add(-time.Hour).Format(time.RFC3339)},
		"form":     map[string]any{"ends_at": "tomorrow"},
		"number":   map[string]any{"ends_at": 5},
		"turned":   map[string]any{"starts_at": ends.Add(time.Hour).Format(time.RFC3339)},
		"too soon": map[string]any{"starts_at": h.now().Add(-48 * time.Hour).Format(time.RFC3339)},
	} {
		if err := h.decide(item, "mia", "approve", "", want); err == nil {
			t.Fatalf("%s was taken", input)
		} else {
			h.refused(err, "validation_failed")
		}
	}
	shorter := h.now().Add(48 * time.Hour).UTC()
	if err := h.decide(
		item,
		"mia",
		"approve",
		"",
		map[string]any{"ends_at": shorter.Format(time.RFC3339)},
	); err != nil {
		t.Fatal(err)
	}
	if o := h.last(item); o.EndsAt == nil || !o.EndsAt.Equal(shorter) || o.StartsAt != nil {
		t.Errorf("ends at %v; want %v", o.EndsAt, shorter)
	}
}

func TestACommentIsDemandedWhereTheStageDoes(t *testing.T) {
	h := open(t)
	for demand, refused := range map[string][]string{"reject": {"reject"}, "": {"reject"}, "approve": {"approve"},
		"both": {"approve", "reject"}, "none": nil} {
		s := stage("manager", "any", h.group("any", "mia"))
		s.Definition.RequireComment = demand
		for _, action := range []string{"approve", "reject"} {
			item := h.start(plan(s))
			err := h.decide(item, "mia", action)
			if strings.Contains(strings.Join(refused, " "), action) {
				h.refused(err, "validation_failed")
				err = h.decide(item, "mia", action, "because")
			}
			if err != nil {
				t.Errorf("%s where %q is demanded: %v", action, demand, err)
			}
		}
	}
}

func TestOutsideItsWindowNothingIsDecided(t *testing.T) {
	h := open(t)
	s := stage("manager", "any", h.group("any", "mia"))
	s.Definition.DecisionWindow = &approval.DecisionWindow{
		Days:     []string{"monday"},
		From:     "10:00",
		To:       "11:00",
		Timezone: "UTC",
	}
	item := h.start(plan(s))
	err := h.decide(item, "mia", "approve")
	h.refused(err, "outside_decision_window")
	if !strings.Contains(err.Error(), "2026-03-02T10:00:00Z") {
		t.Errorf("%v does not say when it opens", err)
	}
	h.later(time.Hour)
	h.yes(item, "mia")
}

func TestARequestThatIsWithdrawnAsksNobodyAnyMore(t *testing.T) {
	h := open(t)
	item := h.start(plan(stage("manager", "any", h.group("any", "mia"))))
	task := h.tasks(item, "mia")[0]
	h.cancel(item)
	h.expect("stages", h.states(item), "cancelled")
	h.expect("rung", h.results(item), "")
	h.refused(h.answer(task, h.users["mia"], "approve"), "invalid_transition")
	h.cancel(item) // again does nothing
}

func TestARoleIsAnsweredByOneOfItsHolders(t *testing.T) {
	h := open(t)
	h.person("rita", viewer.Admin)
	item := h.start(plan(stage("governance", "any", h.group("any", "role:admin"))))
	h.yes2(item, "role:admin", "rita")
	h.expect("rung", h.results(item), "approved")
	if s := h.stages(item)[0].Groups[0].Slots[0]; s.DecidedBy != "rita" || s.Role != "admin" {
		t.Errorf("slot is %+v", s)
	}
}
