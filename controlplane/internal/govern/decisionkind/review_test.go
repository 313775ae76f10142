package decisionkind_test

import (
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

func TestAccessThatAPolicyNoLongerGivesIsATask(t *testing.T) {
	h := open(t)
	h.EverybodySignsIn()
	boss := h.Person("boss", "")
	ann := h.Person("ann", boss)
	h.Let("boss", h.Tenant.Tenant, boss, viewer.Manager)
	crm, policy, reason, id := h.system("crm"), newID(), newID(), newID()
	h.Exec(`insert into access_policy (tenant_id, id, name, mode, subject)
		values (current_tenant(), $1, 'Nurses', 'enforce', '{"match": "all", "rules": []}')`, policy)
	h.Exec(
		`insert into access_reason (tenant_id, id, identity_id, connector_id, entitlement_id, effect, kind, source_type,
		       source_id, state)
		values (current_tenant(), $1, $2, $3, $4, 'allow', 'birthright', 'policy', $5, 'active')`,
		reason,
		ann,
		crm,
		h.Entitlement(crm, "ward"),
		policy,
	)
	h.Exec(`insert into policy_review (tenant_id, id, policy_id, policy_version, identity_id, reason_ids)
		values (current_tenant(), $1, $2, 1, $3, array[$4::uuid])`, id, policy, ann, reason)
	task := h.one(kind.LifecycleException)
	h.shows(task, "ann no longer meets Nurses", "The policy gave ward.")
	if got := actions(task); got != "end extend" {
		t.Errorf("the task takes %s", got)
	}
	h.Refused(422, "validation_failed", "boss", "POST", at(task)+"/decide", choice("extend", "handover", nil))
	h.Must(200, "boss", "POST", at(task)+"/decide", choice("extend", "handover", object{"until": "2091-12-31"}))
	h.none(kind.LifecycleException)
	if n := h.Count(
		`select count(*) from access_reason where ends_at = '2092-01-01T00:00:00Z' and state = 'active'`,
	); n != 1 {
		t.Error("the access has no end")
	}

	h.Exec(`update policy_review set state = 'open', decision = null, reason_ids = array[$1::uuid]`, reason)
	task = h.one(kind.LifecycleException)
	h.Exec(`update policy_review set state = 'closed', reason_ids = '{}'`)
	h.none(kind.LifecycleException)
	h.became(task, "superseded", "meets the policy again")

	h.Exec(`update policy_review set state = 'open', reason_ids = array[$1::uuid]`, reason)
	task = h.one(kind.LifecycleException)
	h.Must(200, "boss", "POST", at(task)+"/decide", choice("end", "moved", nil))
	if n := h.Count(`select count(*) from access_reason where state = 'ended'`); n != 1 {
		t.Error("the access was not ended")
	}
	if h.audited("policy_review.ended", "boss") != 1 {
		t.Error("that the manager ended the access is not audited")
	}
}
