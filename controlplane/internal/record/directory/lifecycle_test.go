package directory_test

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

func TestALifecycleHasDefaultsAndKeepsWhatItIsGiven(t *testing.T) {
	h := open(t)
	first := h.Must(200, "admin", "GET", "/settings/lifecycle", nil)
	if first.Header.Get("ETag") != `"0"` || first.Text("timezone") != "UTC" ||
		first.Text("leave_access") != "disable" ||
		first.Body["archive_after"] != nil {
		t.Errorf("the defaults are %v %v", first.Header.Get("ETag"), first.Body)
	}
	put := map[string]any{
		"timezone":         "Europe/Zurich",
		"pre_hire_lead":    "P7D",
		"mover_grace":      "PT36H",
		"leave_access":     "keep",
		"delete_after":     "P13W",
		"archive_after":    "P365D",
		"notice_lead":      nil,
		"rehire_attribute": "ahv",
	}
	h.Refused(412, "precondition_failed", "admin", "PUT", "/settings/lifecycle", put, "If-Match", `"7"`)
	second := h.Must(200, "admin", "PUT", "/settings/lifecycle", put, "If-Match", `"0"`)
	put["delete_after"] = "P91D"
	again := h.Must(200, "admin", "GET", "/settings/lifecycle", nil)
	for member, want := range put {
		if again.Body[member] != want || second.Body[member] != want {
			t.Errorf("%s is %v; want %v", member, again.Body[member], want)
		}
	}
	if again.Header.Get("ETag") != `"1"` {
		t.Errorf("ETag = %s", again.Header.Get("ETag"))
	}
	h.Must(200, "admin", "PUT", "/settings/lifecycle", put)
	if n := h.Count(`select count(*) from audit_event where action = 'lifecycle.updated'`); n != 1 {
		t.Errorf("%d changes were audited; want 1: the second changed nothing", n)
	}
	for member, value := range map[string]any{"timezone": "Mars/Olympus", "pre_hire_lead": "P1Y",
		"leave_access": "perhaps", "delete_after": "-P1D", "unknown": 1} {
		if a := h.Call("admin", "PUT", "/settings/lifecycle", map[string]any{member: value}); a.Status != 422 {
			t.Errorf("%s = %v: got %d %v; want 422", member, value, a.Status, a.Body)
		}
	}
	h.Let("auditor", h.Tenant.Tenant, "", viewer.Auditor)
	h.Let("manager", h.Tenant.Tenant, h.Person("boss", ""), viewer.Manager)
	h.Must(200, "auditor", "GET", "/settings/lifecycle", nil)
	h.Refused(403, "read_only_role", "auditor", "PUT", "/settings/lifecycle", put)
	h.Refused(403, "forbidden", "manager", "GET", "/settings/lifecycle", nil)
}
