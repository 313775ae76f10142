package decisionkind_test

import (
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// mitigates makes a control that bob carries out and carol approves.
func (h *house) mitigates(bob, carol string) string {
	h.T.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	h.Exec(`insert into mitigating_control (tenant_id, id, name, control_owner_ids, approver_ids, max_duration,
		    evidence)
		values (current_tenant(), $1, 'Dual check', array[$2::uuid], array[$3::uuid], 'P90D',
		    '{"kind": "attestation", "cadence": "P30D", "grace": "P7D"}')`, id, bob, carol)
	return id
}

func TestAMitigationIsDecidedAndProvenInTheInbox(t *testing.T) {
	h := open(t)
	h.EverybodySignsIn()
	tenant := h.Tenant.Tenant
	owner, bob, carol := h.Person("owner", ""), h.Person("bob", ""), h.Person("carol", "")
	for name, id := range map[string]string{"owner": owner, "bob": bob, "carol": carol} {
		h.Let(name, tenant, id, viewer.ResourceOwner)
	}
	h.violates(owner)
	control := h.mitigates(bob, carol)

	// The owner of the policy proposes; carol approves.
	task := h.one(kind.SodViolation)
	h.Refused(422, "validation_failed", "owner", "POST", at(task)+"/decide",
		choice("mitigate", "Bob checks.", object{"mitigation_policy_id": control, "duration": "P1Y"}))
	h.Must(200, "owner", "POST", at(task)+"/decide", choice("mitigate", "Bob checks.",
		object{"mitigation_policy_id": control, "duration": "P60D"}))
	h.none(kind.SodViolation)
	task = h.one(kind.MitigationApproval)
	h.shows(task, "Vendors and payments", "Dual check", "P60D", "Bob checks.")
	h.Refused(404, "not_found", "owner", "POST", at(task)+"/decide", choice("approve", "", nil))
	h.Must(200, "carol", "POST", at(task)+"/decide", choice("approve", "", nil))
	if n := h.Count(`select count(*) from violation where state = 'mitigated'`); n != 1 {
		t.Fatalf("%d violations are mitigated; want 1", n)
	}
	h.none(kind.MitigationApproval)
	h.none(kind.MitigationEvidence)

	// Bob is asked for evidence, and carol reviews it.
	h.Exec(`update mitigation set state = 'evidence_due'`)
	task = h.one(kind.MitigationEvidence)
	h.shows(task, "Dual check", "the violation is open again")
	h.Must(200, "bob", "POST", at(task)+"/decide", choice("provide", "Checked 40 payments.", nil))
	h.none(kind.MitigationEvidence)
	task = h.one(kind.MitigationReview)
	h.shows(task, "Checked 40 payments.")
	h.Refused(404, "not_found", "bob", "POST", at(task)+"/decide", choice("accept", "", nil))
	h.Must(200, "carol", "POST", at(task)+"/decide", choice("reject", "Which ones?", nil))
	h.none(kind.MitigationReview)
	h.one(kind.MitigationEvidence)

	// Late evidence concerns the approvers too. Bob ends the mitigation, and the owners are asked about the violation.
	h.Exec(`update mitigation set state = 'evidence_overdue'`)
	task = h.one(kind.MitigationEvidence)
	if task["priority"] != "urgent" || len(task["assignees"].([]any)) != 2 {
		t.Errorf("the overdue task is %v with %v", task["priority"], task["assignees"])
	}
	h.Must(200, "bob", "POST", at(task)+"/decide", choice("withdraw", "I leave.", nil))
	task = h.one(kind.SodViolation)
	h.shows(task, `The mitigation "Dual check" is withdrawn.`)
	if len(task["assignees"].([]any)) != 2 {
		t.Errorf("asked are %v; want the owners of the policy and of the mitigation", task["assignees"])
	}
}

func TestTheTaskSaysWhyAStoredQueryGaveNoEvidence(t *testing.T) {
	h := open(t)
	h.EverybodySignsIn()
	owner, bob, carol := h.Person("owner", ""), h.Person("bob", ""), h.Person("carol", "")
	for name, id := range map[string]string{"owner": owner, "bob": bob, "carol": carol} {
		h.Let(name, h.Tenant.Tenant, id, viewer.ResourceOwner)
	}
	h.violates(owner)
	control := h.mitigates(bob, carol)
	h.Exec(`update mitigating_control set evidence = '{"kind": "automatic_query", "cadence": "P30D", "grace": "P7D",
		"query": {"about": "manager", "connector_ids": [], "expect": "some"}}'`)
	h.Must(200, "owner", "POST", at(h.one(kind.SodViolation))+"/decide", choice("mitigate", "Bob checks.",
		object{"mitigation_policy_id": control, "duration": "P60D"}))
	h.Must(200, "carol", "POST", at(h.one(kind.MitigationApproval))+"/decide", choice("approve", "", nil))
	h.Exec(`insert into mitigation_evidence (tenant_id, id, mitigation_id, due_at, kind, result, provided_by,
		    provided_at, verdict, comment)
		select current_tenant(), $1, m.id, now(), 'automatic_query', '{}', '{"type": "system", "display": "system"}',
		       now(), 'unanswered', 'The query could not be answered. The person has no manager.'
		  from mitigation m`, uuid.Must(uuid.NewV7()).String())
	h.Exec(`update mitigation set state = 'evidence_due'`)
	task := h.one(kind.MitigationEvidence)
	h.shows(task, "is missing", "The person has no manager.", "Show it in another way.")
	h.Must(200, "bob", "POST", at(task)+"/decide", choice("provide", "Her manager starts on Monday.", nil))
	h.shows(h.one(kind.MitigationReview), "Her manager starts on Monday.")
}

func TestTheEndOfAMitigationIsDecided(t *testing.T) {
	h := open(t)
	h.EverybodySignsIn()
	tenant := h.Tenant.Tenant
	owner, bob, carol, boss := h.Person("owner", ""), h.Person("bob", ""), h.Person("carol", ""), h.Person("boss", "")
	for name, id := range map[string]string{"owner": owner, "bob": bob, "carol": carol, "boss": boss} {
		h.Let(name, tenant, id, viewer.ResourceOwner)
	}
	h.Exec(`update identity set manager_id = $1 where id = $2`, boss, owner)
	h.violates(owner)
	control := h.mitigates(bob, carol)
	h.Must(200, "owner", "POST", at(h.one(kind.SodViolation))+"/decide", choice("mitigate", "Bob checks.",
		object{"mitigation_policy_id": control, "duration": "P60D"}))
	h.Must(200, "carol", "POST", at(h.one(kind.MitigationApproval))+"/decide", choice("approve", "", nil))
	h.none(kind.MitigationEnd)

	// A renewal is proposed and refused, so it is asked again. Then it is left to end.
	h.Exec(`update mitigation set end_told_at = now()`)
	task := h.one(kind.MitigationEnd)
	h.shows(task, "ends soon", "Dual check")
	h.Must(200, "bob", "POST", at(task)+"/decide", choice("renew", "Still needed.", object{"duration": "P30D"}))
	h.none(kind.MitigationEnd)
	task = h.one(kind.MitigationApproval)
	h.shows(task, "P30D", "Still needed.")
	h.Must(200, "carol", "POST", at(task)+"/decide", choice("refuse", "No.", nil))
	h.Must(200, "owner", "POST", at(h.one(kind.MitigationEnd))+"/decide", choice("let_end", "", nil))
	h.none(kind.MitigationEnd)

	// It was escalated: the task is urgent, and the manager of the policy's owner is asked.
	h.Exec(`update separation_policy set effects = effects || '{"on_detect": "record"}', version = version + 1`)
	h.Exec(`update mitigation set state = 'expired', ended_at = now() + interval '1 minute', lapse_effect = 'escalated'
		where state = 'active'`)
	h.Exec(`update violation set state = 'open', reopened_at = now()`)
	task = h.one(kind.SodViolation)
	h.shows(task, "Escalated: ")
	if task["priority"] != "urgent" || len(task["assignees"].([]any)) != 3 {
		t.Errorf("the escalated task is %v with %v", task["priority"], task["assignees"])
	}
}
