package policy_test

import (
	"testing"
)

func TestABirthrightFollowsThePerson(t *testing.T) {
	h := open(t)
	id := h.enforce(h.rule("nurses", about("department", "in", []string{"Nursing", "Surgery"}), h.groups[0], h.groups[1]))
	h.settle()
	ann := h.hire("ann", "Nursing")
	bob := h.hire("bob", "Sales")
	h.settle()
	h.expect(ann, "active", "[group-0 group-1]")
	h.expect(bob, "active", "[]")
	h.patch(bob, map[string]any{"department": "surgery"})
	h.patch(ann, map[string]any{"department": "Sales"})
	h.settle()
	h.expect(ann, "active", "[]")
	h.expect(bob, "active", "[group-0 group-1]")
	p := h.Call("admin", "GET", "/policies/access-grant/"+id, nil)
	if p.Body["holder_count"] != 1.0 || p.Text("sentence") != "department is Nursing or Surgery" {
		t.Errorf("policy: %v", p.Body)
	}
	if a := h.Call("admin", "POST", "/identities/"+bob+"/deactivate", map[string]any{"reason": "gone"}); a.Status != 200 {
		t.Fatalf("deactivate: %v", a.Body)
	}
	h.settle()
	h.expect(bob, "active", "[]")
	h.Call("admin", "POST", "/identities/"+bob+"/reactivate", map[string]any{"reason": "back"})
	h.settle()
	h.expect(bob, "active", "[group-0 group-1]")
}
