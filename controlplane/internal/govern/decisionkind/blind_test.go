package decisionkind_test

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

func TestABlindPolicyIsATaskUntilItSeesAgain(t *testing.T) {
	h := open(t)
	h.EverybodySignsIn()
	crm, owner := h.system("crm"), h.Person("owner", "")
	h.Let("owner", h.Tenant.Tenant, owner, viewer.ResourceOwner)
	pay, vendors := h.Entitlement(crm, "pay"), h.Entitlement(crm, "vendors")
	policy := h.separate(owner, pay, vendors)
	h.evaluate()
	h.none(kind.BlindPolicy)

	h.Exec(`update entitlement set removed_at = now() where id = $1`, pay)
	h.evaluate()
	task := h.one(kind.BlindPolicy)
	h.shows(task, "Vendors and payments is blind", `No person can perform "side 0"`)
	if n := h.Count(`select count(*) from decision_assignee where identity_id = $1`, owner); n != 1 {
		t.Errorf("the owner of the policy has %d tasks; want 1", n)
	}
	h.Exec(`update entitlement set removed_at = null where id = $1`, pay)
	h.evaluate()
	h.none(kind.BlindPolicy)
	h.became(task, "superseded", "no longer blind")

	h.Exec(`update entitlement set removed_at = now() where id = $1`, vendors)
	h.evaluate()
	task = h.one(kind.BlindPolicy)
	h.Refused(422, "validation_failed", "owner", "POST", at(task)+"/decide", choice("disable", "", nil))
	h.Must(200, "owner", "POST", at(task)+"/decide", choice("disable", "no longer needed", nil))
	h.none(kind.BlindPolicy)
	if n := h.Count(`select count(*) from separation_policy where id = $1 and not enabled`, policy); n != 1 {
		t.Error("the policy is still enabled")
	}
	if h.audited("separation_policy.disabled", "owner") != 1 {
		t.Error("that the owner disabled the policy is not audited")
	}
}
