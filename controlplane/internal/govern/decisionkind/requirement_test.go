package decisionkind_test

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// lacks makes a policy with an owner, and a gap of a person.
func (h *house) lacks(person, owner string) (gap string) {
	h.T.Helper()
	gap, policy := newID(), newID()
	h.Exec(`insert into access_policy (tenant_id, id, name, mode, effect, subject, owner_ids)
		values (current_tenant(), $1, 'VPN needs MFA', 'enforce', 'require', '{"match": "all", "rules": []}',
		    array[$2::uuid])`, policy, owner)
	h.Exec(`insert into requirement_gap (tenant_id, id, policy_id, policy_version, identity_id, missing)
		values (current_tenant(), $1, $2, 1, $3, '[{"type": "training", "id": null, "display": "GDPR 2026"}]')`,
		gap, policy, person)
	return gap
}

func TestARequirementGapIsATaskUntilNothingIsMissing(t *testing.T) {
	h := open(t)
	h.EverybodySignsIn()
	boss, owner := h.Person("boss", ""), h.Person("owner", "")
	ann, bob := h.Person("ann", boss), h.Person("bob", "")
	h.Let("boss", h.Tenant.Tenant, boss, viewer.Manager)
	h.Let("owner", h.Tenant.Tenant, owner, viewer.ResourceOwner)

	// The manager is asked.
	gap := h.lacks(ann, owner)
	task := h.one(kind.RequirementGap)
	h.shows(task, "ann lacks GDPR 2026", "VPN needs MFA")
	h.Refused(404, "not_found", "owner", "GET", at(task), nil)
	h.Refused(422, "validation_failed", "boss", "POST", at(task)+"/decide", choice("exempt", "on leave", nil))
	h.Must(200, "boss", "POST", at(task)+"/decide", choice("exempt", "on leave", object{"until": "2091-12-31"}))
	h.none(kind.RequirementGap)
	if n := h.Count(`select count(*) from requirement_gap where state = 'exempted'
		and exempt_until = '2092-01-01T00:00:00Z' and exemption ->> 'reason' = 'on leave'`); n != 1 {
		t.Error("the exemption was not written")
	}
	h.Exec(`update requirement_gap set state = 'open', exemption = null where id = $1`, gap)
	task = h.one(kind.RequirementGap)
	h.Exec(`update requirement_gap set state = 'closed', resolution = 'satisfied' where id = $1`, gap)
	h.none(kind.RequirementGap)
	h.became(task, "superseded", "the person has what was missing")

	// Without a manager, the owner of the policy is.
	h.lacks(bob, owner)
	task = h.one(kind.RequirementGap)
	h.Must(200, "owner", "GET", at(task), nil)
}

// The task of a gap follows the person: to a new manager, and to the owners of the policy when the manager can no longer
// decide. So does the task of a review. A task that somebody handed on stays where it is.
func TestTasksOfPoliciesFollowTheManager(t *testing.T) {
	h := open(t)
	h.EverybodySignsIn()
	boss, next, owner := h.Person("boss", ""), h.Person("next", ""), h.Person("owner", "")
	ann, bob := h.Person("ann", boss), h.Person("bob", boss)
	for name, id := range map[string]string{"boss": boss, "next": next} {
		h.Let(name, h.Tenant.Tenant, id, viewer.Manager)
	}
	h.Let("owner", h.Tenant.Tenant, owner, viewer.ResourceOwner)
	gap := h.lacks(ann, owner)
	h.Exec(`insert into policy_review (tenant_id, id, policy_id, policy_version, identity_id, reason_ids)
		select current_tenant(), $1, policy_id, 1, identity_id, array[$2::uuid] from requirement_gap where id = $3`,
		newID(), newID(), gap)
	asks := func(kind, who string, others ...string) {
		t.Helper()
		task := h.one(kind)
		h.Must(200, who, "GET", at(task), nil)
		for _, other := range others {
			h.Refused(404, "not_found", other, "GET", at(task), nil)
		}
	}
	both := func(who string, others ...string) {
		t.Helper()
		asks(kind.RequirementGap, who, others...)
		asks(kind.LifecycleException, who, others...)
	}
	both("boss", "next", "owner")
	before := h.one(kind.RequirementGap)

	h.Exec(`update identity set manager_id = $1 where id = $2`, next, ann)
	both("next", "boss", "owner")
	after := h.one(kind.RequirementGap)
	if before["id"] != after["id"] || before["version"] == after["version"] {
		t.Errorf("the task %v in version %v became %v in version %v", before["id"], before["version"], after["id"],
			after["version"])
	}
	if n := h.Count(
		`select count(*) from decision_event where task_id = $1 and event = 'assigned'`,
		after["id"],
	); n != 1 {
		t.Errorf("the history tells %d times that others are asked", n)
	}

	// A manager who leaves is asked no more.
	h.Exec(`update identity set status = 'deactivated' where id = $1`, next)
	both("owner", "next", "boss")
	h.Exec(`update identity set manager_id = $1 where id = $2`, boss, ann)
	both("boss", "owner")

	// Handed on by a person: the manager of the day does not matter any more.
	h.Must(
		200,
		"boss",
		"POST",
		at(h.one(kind.RequirementGap))+"/reassign",
		object{"to": []string{owner}, "reason": "yours"},
	)
	h.Exec(`update identity set manager_id = $1 where id = $2`, bob, ann)
	h.look()
	h.Must(200, "owner", "GET", at(after), nil)
}
