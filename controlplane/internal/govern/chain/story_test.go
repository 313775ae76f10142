package chain_test

import "testing"

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
