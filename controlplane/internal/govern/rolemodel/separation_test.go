package rolemodel_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// TestRoleThatViolatesAnEnforcedPolicyIsNotAssigned: an owner of a role learns that a policy is violated, and not what
// else the person has.
func TestRoleThatViolatesAnEnforcedPolicyIsNotAssigned(t *testing.T) {
	h := open(t)
	ann, olga := h.Person("ann", ""), h.Person("olga", "")
	h.Let("olga", h.Tenant.Tenant, olga, viewer.ResourceOwner)
	account := h.Account(h.system, "ann", ann)
	h.Grant(h.system, account, h.groups[0])
	h.Grant(h.system, account, h.groups[2]) // by which olga sees ann
	h.Exec(`update entitlement set owner_ids = array[$1::uuid] where id = $2`, olga, h.groups[2])
	clerk := uuid.Must(uuid.NewV7()).String()
	h.Exec(`insert into role (tenant_id, id, key, name, lifecycle, owner_ids)
		values (current_tenant(), $1, 'clerk', 'Clerk', 'active', array[$2::uuid])`, clerk, olga)
	h.Exec(`insert into role_entitlement (tenant_id, role_id, entitlement_id) values (current_tenant(), $1, $2)`,
		clerk, h.groups[1])
	h.fourEyes()
	members := "/entitlements/roles/" + clerk + "/members"
	wish := map[string]any{"identity_id": ann, "reason": "x"}
	a := h.Refused(409, "separation_of_duties", "admin", "POST", members, wish)
	if !strings.Contains(a.Text("detail"), "group-0") {
		t.Errorf("the administrator is told %q", a.Text("detail"))
	}
	a = h.Refused(409, "separation_of_duties", "olga", "POST", members, wish)
	if strings.Contains(a.Text("detail"), "group-0") || a.Body["violations"] != nil {
		t.Errorf("the owner of the role is told %v", a.Body)
	}
	if n := h.Count(`select count(*) from role_assignment`); n != 0 {
		t.Errorf("%d assignments; want none", n)
	}
}

func TestRoleThatContainsAConflictIsNotPublished(t *testing.T) {
	h := open(t)
	h.fourEyes()
	bad := h.Must(201, "admin", "POST", "/entitlements/roles",
		map[string]any{"name": "Both", "lifecycle": "draft", "entitlement_ids": []string{h.groups[0], h.groups[1]}})
	a := h.Refused(409, "separation_of_duties", "admin", "POST", "/entitlements/roles/"+bad.Text("id")+"/publish", nil)
	if !strings.Contains(a.Text("detail"), "The role Both would violate") ||
		!strings.Contains(a.Text("detail"), "group-0; group-1") {
		t.Errorf("got %q", a.Text("detail"))
	}
	good := h.Must(201, "admin", "POST", "/entitlements/roles",
		map[string]any{"name": "One", "lifecycle": "draft", "entitlement_ids": []string{h.groups[0]}})
	h.Must(200, "admin", "POST", "/entitlements/roles/"+good.Text("id")+"/publish", nil)
	h.Refused(409, "separation_of_duties", "admin", "PATCH", "/entitlements/roles/"+good.Text("id"),
		map[string]any{"entitlement_ids": []string{h.groups[0], h.groups[1]}})
}

func TestRoleIsNotChangedAgainstARoleThatContainsIt(t *testing.T) {
	h := open(t)
	h.fourEyes()
	role := func(name string, more map[string]any) string {
		body := map[string]any{"name": name, "lifecycle": "draft"}
		for k, v := range more {
			body[k] = v
		}
		id := h.Must(201, "admin", "POST", "/entitlements/roles", body).Text("id")
		h.Must(200, "admin", "POST", "/entitlements/roles/"+id+"/publish", nil)
		return id
	}
	inner := role("Inner", map[string]any{"entitlement_ids": []string{h.groups[2]}})
	middle := role(
		"Middle",
		map[string]any{"child_role_ids": []string{inner}, "entitlement_ids": []string{h.groups[2]}},
	)
	role("Outer", map[string]any{"child_role_ids": []string{middle}, "entitlement_ids": []string{h.groups[0]}})
	at := "/entitlements/roles/" + inner
	a := h.Refused(409, "separation_of_duties", "admin", "PATCH", at,
		map[string]any{"entitlement_ids": []string{h.groups[1], h.groups[2]}})
	if text := a.Text("detail"); !strings.Contains(text, "The role Outer, which contains Inner, would violate") {
		t.Errorf("got %q", text)
	}
	h.Must(200, "admin", "PATCH", at, map[string]any{"entitlement_ids": []string{h.groups[0], h.groups[2]}})
	h.Exec(`update separation_policy set mode = 'shadow', version = version + 1`)
	h.Must(200, "admin", "PATCH", at, map[string]any{"entitlement_ids": []string{h.groups[1], h.groups[2]}})
}

// fourEyes makes an enforced policy between the first two groups.
func (h *house) fourEyes() {
	h.T.Helper()
	duties := []string{}
	for i := range 2 {
		duty := uuid.Must(uuid.NewV7()).String()
		h.Exec(`insert into duty (tenant_id, id, name) values (current_tenant(), $1::uuid, ($1::uuid)::text)`, duty)
		h.Exec(`insert into duty_member (tenant_id, duty_id, group_number, position, kind, entitlement_id)
			values (current_tenant(), $1, 0, 0, 'entitlement', $2)`, duty, h.groups[i])
		duties = append(duties, duty)
	}
	h.Exec(`insert into separation_policy (tenant_id, id, name, mode, kind, sides, duty_ids, effects)
		values (current_tenant(), $1, 'Four eyes', 'enforce', 'pair', jsonb_build_array(
		    jsonb_build_object('label', 'one', 'duty_ids', jsonb_build_array($2::text)),
		    jsonb_build_object('label', 'two', 'duty_ids', jsonb_build_array($3::text))),
		    '{}', '{"on_request": "block"}')`, uuid.Must(uuid.NewV7()).String(), duties[0], duties[1])
}
