package policy_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// eligible is the body of an enforced policy that lets people request groups.
func (h *house) eligible(name string, subject map[string]any, groups ...string) map[string]any {
	return map[string]any{
		"name": name, "mode": "enforce", "effect": "eligible", "subject": subject,
		"resources": map[string]any{"entitlement_ids": groups},
	}
}

func TestAPlanOfAnEligiblePolicyCountsWhoCanRequest(t *testing.T) {
	h := open(t)
	ann, bob := h.hire("ann", "Sales"), h.hire("bob", "IT")
	h.hire("cleo", "IT")
	const path = "/policies/access-grant"
	body := h.eligible("sales tools", about("department", "eq", "Sales"), h.groups[0])

	plan := h.Must(200, "admin", "POST", path+"/simulate", body)
	figures := func(of map[string]any) string {
		return fmt.Sprint(of["matched"], of["identities_affected"], of["eligibility_gained"], of["eligibility_lost"],
			of["grants_added"], of["reasons_added"])
	}
	if got := figures(plan.Body); got != "1 2 0 2 0 0" {
		t.Errorf("a first policy closes the group to two of three: %s", got)
	}
	h.Refused(409, "confirmation_required", "admin", "POST", path, body)
	sales := h.enforce(body)

	it := h.eligible("IT tools", about("department", "eq", "IT"), h.groups[0], h.groups[1])
	plan = h.Must(200, "admin", "POST", path+"/simulate", it)
	if got := figures(plan.Body); got != "2 3 2 1 0 0" {
		t.Errorf("a second one opens it to two, and closes another group to one: %s", got)
	}
	people := map[string]any{}
	for _, p := range plan.Body["sample"].([]any) {
		of := p.(map[string]any)
		people[of["display"].(string)] = []any{of["eligibility_gained"], of["eligibility_lost"]}
	}
	want := map[string]any{
		"ann X":  []any{nil, []any{h.groups[1]}},
		"bob X":  []any{[]any{h.groups[0]}, nil},
		"cleo X": []any{[]any{h.groups[0]}, nil},
	}
	if diff := cmp.Diff(want, people); diff != "" {
		t.Errorf("who gains and loses: -want +got\n%s", diff)
	}
	h.enforce(it)
	// A change of nothing but the terms moves nobody, and needs no confirmation.
	h.Must(200, "admin", "PATCH", path+"/"+sales, map[string]any{"constraints": map[string]any{"max_duration": "P7D"}})

	h.settle()
	found := h.Must(200, "admin", "GET", path+"/"+sales, nil)
	if found.Body["stats"].(map[string]any)["matched"] != 1.0 || found.Body["holder_count"] != 0.0 {
		t.Errorf("after the evaluation: %v", found.Body)
	}
	h.expect(ann, "active", "[]")
	h.expect(bob, "active", "[]")
	if n := h.Count(`select count(*) from access_reason`); n != 0 {
		t.Errorf("%d reasons by policies that give nothing", n)
	}
	list := h.Must(200, "admin", "GET", path+"?effect=eligible", nil)
	if list.Body["total"] != 2.0 {
		t.Errorf("policies with the effect: %v", list.Body["total"])
	}
}

// TestAPolicyOfASystemCountsForItsEntitlements in plans: what a system's policy limits, another one can open.
func TestAPolicyOfASystemCountsForItsEntitlements(t *testing.T) {
	h := open(t)
	h.hire("ann", "Sales")
	h.hire("bob", "IT")
	whole := h.eligible("directory", about("department", "eq", "IT"))
	whole["resources"] = map[string]any{"connector_ids": []string{h.system}}
	h.enforce(whole)
	plan := h.Must(200, "admin", "POST", "/policies/access-grant/simulate",
		h.eligible("sales", about("department", "eq", "Sales"), h.groups[0]))
	if plan.Body["eligibility_gained"] != 1.0 || plan.Body["eligibility_lost"] != 0.0 {
		t.Errorf("a group of a limited system is opened: %v", plan.Body)
	}
}

func TestAnEligiblePolicyThatTurnsIntoAnotherGivesAndTakes(t *testing.T) {
	h := open(t)
	id := h.enforce(h.rule("all", everybody, h.groups[0]))
	ann := h.hire("ann", "Sales")
	h.settle()
	h.expect(ann, "active", "[group-0]")
	h.Must(200, "admin", "PATCH", "/policies/access-grant/"+id,
		map[string]any{"effect": "eligible", "birthright": false})
	h.settle()
	h.expect(ann, "active", "[]")
}
