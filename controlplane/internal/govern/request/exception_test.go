package request_test

import (
	"fmt"
	"strings"
	"testing"
)

// bySecurity asks tom, and by other branches it decides itself.
func bySecurity(who string) string {
	return `[{"outcome":{"kind":"chain","stages":[{"name":"Security","groups":[{"mode":"any","approvers":` +
		`[{"kind":"identity","identity_id":"` + who + `"}]}],"fallback":[{"kind":"app_role","app_role":"admin"}]}]}}]`
}

// excepting makes a policy between the group, which ann has, and the vault. Its exceptions are tom's to allow.
func (h *house) excepting(branches string) (rule string) {
	h.T.Helper()
	h.rule("by manager", byManager, `{}`, h.vault)
	rule = h.rule("Security officer", branches, `{}`, newID())
	h.separate("Ledger and vault", "exception", h.group, h.vault)
	h.Exec(`update separation_policy set exception_rule_id = $1, max_mitigation = 'P30D'`, rule)
	h.Grant(h.system, h.annsAccount, h.group)
	return rule
}

func (h *house) lasting(who, entitlement, duration string) map[string]any {
	return thing(wish(who, entitlement), "duration", duration)
}

func TestRequestThatNeedsAnExceptionAsksTheApproversOfItsRuleToo(t *testing.T) {
	h := open(t)
	h.excepting(bySecurity(h.tom))
	h.Refused(422, "justification_required", "ann", "POST", "/access-requests",
		with(h.lasting(h.ann, h.vault, "P10D"), "justification", ""))
	a := h.Refused(422, "duration_exceeds_limit", "ann", "POST", "/access-requests", h.lasting(h.ann, h.vault, "P31D"))
	if !strings.Contains(a.Text("detail"), "the policy Ledger and vault") {
		t.Errorf("the refusal says %q", a.Text("detail"))
	}
	p := h.Must(200, "ann", "POST", "/access-requests/preview", h.lasting(h.ann, h.vault, "P10D"))
	verdict := p.Body["separation_of_duties"].(map[string]any)
	conflict := verdict["violations"].([]any)[0].(map[string]any)
	rule := conflict["exception_rule"].(map[string]any)
	if p.Body["submittable"] != true || verdict["effect"] != "exception" || rule["name"] != "Security officer" ||
		rule["max_duration"] != "P30D" {
		t.Errorf("the preview says %v", p.Body)
	}
	stages := items(p)[0]["stages"].([]any)
	if len(stages) != 2 || fmt.Sprint(stages[1].(map[string]any)["exception_policies"]) != "[Ledger and vault]" {
		t.Errorf("the preview has the stages %v", stages)
	}
	made := h.ask("ann", h.lasting(h.ann, h.vault, "P10D"))
	id := made.Text("id")
	h.decide("mia", id, "approve", item(made, 0))
	h.is(id, "pending_approval")
	if n := h.Count(`select count(*) from decision_task where state = 'open' and kind = 'request_approval'
		and context -> 'exceptions' -> 0 ->> 'conflict' like '%ledger%vault%do without%'`); n != 1 {
		t.Errorf("%d tasks show the conflict; want 1", n)
	}
	h.decide("tom", id, "approve", item(made, 0))
	h.is(id, "approved")
	got := h.Strings(`select rule_name || ' ' || cardinality(entitlement_ids) || ' ' || (approved_by -> 0 ->> 'display')
		from separation_exception`)
	if len(got) != 1 || got[0] != "Security officer 2 tom" {
		t.Errorf("recorded %v", got)
	}
	if said := strings.Join(h.audited(id), " "); !strings.Contains(said, "access_request.exception_approved") {
		t.Errorf("audited %s", said)
	}
	h.gives(h.annsAccount, h.vault)
	h.Refused(409, "extension_not_allowed", "ann", "POST", "/access-requests/"+id+"/extend",
		map[string]any{"duration": "P5D"})
}

// TestOutcomesOfExceptions is the table of what becomes of a request by the effect and mode of the policy, and by what
// the approvers of the exception rule do.
func TestOutcomesOfExceptions(t *testing.T) {
	for _, tt := range []struct{ effect, mode, second, want string }{
		{"exception", "enforce", "approve", "approved"},
		{"exception", "enforce", "reject", "rejected"},
		{"exception", "enforce", "", "pending_approval"},
		{"exception", "shadow", "none", "approved"},
		{"exception", "draft", "none", "approved"},
		{"warn", "enforce", "none", "approved"},
		{"record", "enforce", "none", "approved"},
		{"block", "enforce", "", "409"},
		{"block", "shadow", "none", "approved"},
	} {
		t.Run(tt.effect+" "+tt.mode+" "+tt.second, func(t *testing.T) {
			h := open(t)
			h.excepting(bySecurity(h.tom))
			h.Exec(`update separation_policy set mode = $1, version = version + 1,
				effects = jsonb_build_object('on_request', $2::text)`, tt.mode, tt.effect)
			if tt.want == "409" {
				h.Refused(409, "separation_of_duties", "ann", "POST", "/access-requests",
					h.lasting(h.ann, h.vault, "P10D"))
				return
			}
			made := h.ask("ann", h.lasting(h.ann, h.vault, "P10D"))
			h.decide("mia", made.Text("id"), "approve", item(made, 0))
			if tt.second == "approve" || tt.second == "reject" {
				h.is(made.Text("id"), "pending_approval")
				h.decide("tom", made.Text("id"), tt.second, item(made, 0))
			}
			h.is(made.Text("id"), tt.want)
			want := 0
			if tt.effect == "exception" && tt.mode == "enforce" && tt.want == "approved" {
				want = 1
			}
			if n := h.Count(`select count(*) from separation_exception`); n != want {
				t.Errorf("%d exceptions; want %d", n, want)
			}
		})
	}
}

func TestExceptionIsNeverAllowedWithoutAnAnswer(t *testing.T) {
	t.Run("rule that approves by itself", func(t *testing.T) {
		h := open(t)
		h.excepting(`[{"outcome":{"kind":"auto_approve","reason":"fine"}}]`)
		h.Refused(409, "exception_without_approver", "ann", "POST", "/access-requests",
			h.lasting(h.ann, h.vault, "P10D"))
	})
	t.Run("rule that is gone", func(t *testing.T) {
		h := open(t)
		h.excepting(bySecurity(h.tom))
		h.Exec(`update separation_policy set exception_rule_id = $1, version = version + 1`, newID())
		h.Refused(409, "exception_without_approver", "ann", "POST", "/access-requests",
			h.lasting(h.ann, h.vault, "P10D"))
	})
	t.Run("no approver", func(t *testing.T) {
		h := open(t)
		h.excepting(bySecurity(h.ann))
		h.Exec(`delete from app_user where 'admin' = any(roles)`)
		made := h.ask("ann", h.lasting(h.ann, h.vault, "P10D"))
		h.decide("mia", made.Text("id"), "approve", item(made, 0))
		h.is(made.Text("id"), "blocked")
	})
	t.Run("emergency", func(t *testing.T) {
		h := open(t)
		h.excepting(bySecurity(h.tom))
		h.Exec(`update approval_rule set terms = '{"emergency": {"allowed": true}}'`)
		h.Refused(409, "exception_needs_approval", "ann", "POST", "/access-requests",
			with(wish(h.ann, h.vault), "urgency", "emergency"))
	})
	t.Run("silence", func(t *testing.T) {
		h := open(t)
		h.excepting(
			strings.Replace(bySecurity(h.tom), `"name":"Security",`, `"name":"Security","respond_within":"PT1H",`+
				`"escalation":[{"after":"PT1H","action":"approve"}],`, 1),
		)
		made := h.ask("ann", h.lasting(h.ann, h.vault, "P10D"))
		h.decide("mia", made.Text("id"), "approve", item(made, 0))
		h.Exec(`update chain_stage set escalate_at = array[now() - interval '1 minute'] where state = 'open'`)
		h.passes()
		h.is(made.Text("id"), "rejected")
	})
	t.Run("requester who is named", func(t *testing.T) {
		h := open(t)
		h.excepting(byManager)
		made := h.ask("mia", h.lasting(h.ann, h.vault, "P10D"))
		h.is(made.Text("id"), "pending_approval")
		h.decide("root", made.Text("id"), "approve", item(made, 0))
		h.is(made.Text("id"), "approved")
	})
	t.Run("rule of the item approves by itself", func(t *testing.T) {
		h := open(t)
		h.excepting(bySecurity(h.tom))
		h.Exec(`update approval_rule set branches = '[{"outcome":{"kind":"auto_approve","reason":"small"}}]'
			where name = 'by manager'`)
		made := h.ask("ann", h.lasting(h.ann, h.vault, "P10D"))
		h.is(made.Text("id"), "pending_approval")
		h.decide("tom", made.Text("id"), "approve", item(made, 0))
		h.is(made.Text("id"), "approved")
	})
}

// TestEachApprovalChecksTheExceptionAgain changes the policy between submission and approval.
func TestEachApprovalChecksTheExceptionAgain(t *testing.T) {
	t.Run("the policy comes later", func(t *testing.T) {
		h := open(t)
		h.excepting(bySecurity(h.tom))
		h.Exec(`update separation_policy set mode = 'shadow', version = version + 1`)
		made := h.ask("ann", h.lasting(h.ann, h.vault, "P10D"))
		h.Exec(`update separation_policy set mode = 'enforce', version = version + 1`)
		h.decide("mia", made.Text("id"), "approve", item(made, 0))
		h.is(made.Text("id"), "pending_approval")
		h.decide("tom", made.Text("id"), "approve", item(made, 0))
		h.is(made.Text("id"), "approved")
	})
	t.Run("the request has no end", func(t *testing.T) {
		h := open(t)
		h.excepting(bySecurity(h.tom))
		h.Exec(`update separation_policy set mode = 'shadow', version = version + 1`)
		made := h.ask("ann", wish(h.ann, h.vault))
		h.Exec(`update separation_policy set mode = 'enforce', version = version + 1`)
		h.Refused(409, "exception_terms", "mia", "POST", "/access-requests/"+made.Text("id")+"/decisions",
			decisions("approve", item(made, 0)))
	})
	t.Run("another rule", func(t *testing.T) {
		h := open(t)
		h.excepting(bySecurity(h.tom))
		made := h.ask("ann", h.lasting(h.ann, h.vault, "P10D"))
		other := h.rule("Auditors", bySecurity(h.boss), `{}`, newID())
		h.Exec(`update separation_policy set exception_rule_id = $1, version = version + 1`, other)
		h.decide("mia", made.Text("id"), "approve", item(made, 0))
		h.decide("tom", made.Text("id"), "approve", item(made, 0))
		h.is(made.Text("id"), "pending_approval")
		h.decide("boss", made.Text("id"), "approve", item(made, 0))
		h.is(made.Text("id"), "approved")
		if got := h.Strings(`select rule_name from separation_exception`); fmt.Sprint(got) != "[Auditors]" {
			t.Errorf("recorded %v", got)
		}
	})
	t.Run("the policy blocks", func(t *testing.T) {
		h := open(t)
		h.excepting(bySecurity(h.tom))
		made := h.ask("ann", h.lasting(h.ann, h.vault, "P10D"))
		h.Exec(`update separation_policy set effects = '{"on_request": "block"}', version = version + 1`)
		h.Refused(409, "separation_of_duties", "mia", "POST", "/access-requests/"+made.Text("id")+"/decisions",
			decisions("approve", item(made, 0)))
	})
	t.Run("two approvals that only together need an exception", func(t *testing.T) {
		h := open(t)
		h.excepting(bySecurity(h.tom))
		h.rule("by manager too", byManager, `{}`, h.group)
		h.Exec(`delete from access_grant`)
		h.Exec(`update separation_policy set mode = 'draft', version = version + 1`)
		first, second := h.ask(
			"ann",
			h.lasting(h.ann, h.vault, "P10D"),
		), h.ask(
			"ann",
			h.lasting(h.ann, h.group, "P10D"),
		)
		h.Exec(`update separation_policy set mode = 'enforce', version = version + 1`)
		h.decide("mia", first.Text("id"), "approve", item(first, 0))
		h.decide("mia", second.Text("id"), "approve", item(second, 0))
		h.is(first.Text("id"), "approved")
		h.is(second.Text("id"), "pending_approval")
	})
}
