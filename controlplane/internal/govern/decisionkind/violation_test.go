package decisionkind_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decisionkind/kind"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// violates makes an enforced policy with an owner, and somebody with a grant who violates it.
func (h *house) violates(owner string) (violation, grant, policy string) {
	h.T.Helper()
	crm := h.system("crm")
	ann := h.Person("ann", "")
	grant = h.Grant(crm, h.Account(crm, "ann", ann), h.Entitlement(crm, "pay"))
	violation, policy = uuid.Must(uuid.NewV7()).String(), uuid.Must(uuid.NewV7()).String()
	h.Exec(`insert into separation_policy (tenant_id, id, name, mode, severity, kind, sides, duty_ids, owner_ids)
		values (current_tenant(), $1, 'Vendors and payments', 'enforce', 'high', 'pair', '[{"label": "a", "duty_ids": []}, {"label": "b", "duty_ids": []}]', '{}',
		    array[$2::uuid])`,
		policy, owner)
	h.Exec(`insert into violation (tenant_id, id, policy_id, policy_version, identity_id, severity, grade, fingerprint,
		       entitlement_ids, detected_by, conflict)
		values (current_tenant(), $1, $2::uuid, 1, $3, 'high', 'potential', '', '{}', 'scan', jsonb_build_object(
		       'policy', jsonb_build_object('id', ($2::uuid)::text, 'name', 'Vendors and payments', 'version', 1,
		           'kind', 'pair'),
		       'sides', jsonb_build_array(jsonb_build_object('label', 'Pay', 'access', jsonb_build_array(
		           jsonb_build_object('entitlement', jsonb_build_object('id', $4::text, 'name', 'pay'), 'source',
		               jsonb_build_object('kind', 'grant', 'id', $4::text, 'name', 'pay')))))))`,
		violation, policy, ann, grant)
	return violation, grant, policy
}

func TestAViolationIsATaskUntilItIsSettled(t *testing.T) {
	h := open(t)
	h.EverybodySignsIn()
	owner := h.Person("owner", "")
	h.Let("owner", h.Tenant.Tenant, owner, viewer.ResourceOwner)
	id, grant, policy := h.violates(owner)
	task := h.one(kind.SodViolation)
	h.shows(task, "ann violates Vendors and payments", "Pay (pay)")
	if got := actions(task); !strings.Contains(got, "remediate") || member(task, "subject", "id") != id ||
		task["priority"] != "high" {
		t.Errorf("the task takes %s, and is about %v", got, task["subject"])
	}
	if n := h.Count(`select count(*) from decision_assignee where identity_id = $1`, owner); n != 1 {
		t.Errorf("the owner of the policy has %d tasks; want 1", n)
	}

	// A policy in shadow asks nobody.
	h.Exec(`update separation_policy set mode = 'shadow' where id = $1`, policy)
	h.Exec(`update violation set fingerprint = 'other'`)
	h.none(kind.SodViolation)
	h.Exec(`update separation_policy set mode = 'enforce', effects = '{"on_detect": "record"}' where id = $1`, policy)
	h.Exec(`update violation set fingerprint = 'recorded'`)
	h.none(kind.SodViolation)
	// One that revokes access asks where it could not, and says why.
	h.Exec(`update separation_policy set effects = '{"on_detect": "revoke_lower_risk"}' where id = $1`, policy)
	h.Exec(`update violation set fingerprint = 'revoked'`)
	h.none(kind.SodViolation)
	h.Exec(`update violation set automatic_revocation = '{"outcome": "asked", "cause": "limit", "detail": "",
		"removed": [], "at": "2026-01-01T00:00:00Z"}'`)
	h.shows(h.one(kind.SodViolation), "The policy has revoked access for 100 violations within 24 hours.")
	h.Exec(`update separation_policy set effects = '{}' where id = $1`, policy)
	h.Exec(`update violation set fingerprint = 'again', automatic_revocation = null`)

	// The owner revokes the access: nothing is to be decided until an evaluation proves it.
	task = h.one(kind.SodViolation)
	h.Refused(422, "validation_failed", "admin", "POST", at(task)+"/decide", choice("remediate", "moved", nil))
	h.Refused(422, "validation_failed", "owner", "POST", at(task)+"/decide",
		choice("remediate", "moved", map[string]any{"remove": []string{grant}, "exclude_until": "2001-01-01"}))
	h.Must(200, "owner", "POST", at(task)+"/decide",
		choice("remediate", "moved", map[string]any{"remove": []string{grant}, "exclude_until": "2091-12-31"}))
	h.none(kind.SodViolation)
	if n := h.Count(`select count(*) from access_reason where effect = 'deny' and ends_at > '2091-12-31'`); n != 1 {
		t.Errorf("%d denials until the end of 2091; want 1", n)
	}
	if n := h.Count(`select count(*) from violation where remediation is not null and state = 'open'`); n != 1 {
		t.Errorf("%d violations wait for their proof; want 1", n)
	}

	// It comes back, and is none.
	h.Exec(`update violation set remediation = null`)
	h.decide(h.one(kind.SodViolation), "false_positive", "the run only reads", nil)
	h.none(kind.SodViolation)
	if n := h.Count(`select count(*) from violation where state = 'false_positive'`); n != 1 {
		t.Errorf("%d violations are marked; want 1", n)
	}
}
