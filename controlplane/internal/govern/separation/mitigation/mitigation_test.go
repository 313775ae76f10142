package mitigation_test

import (
	"context"
	"slices"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/mitigation"
	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/separationtest"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

func TestEvidenceThatIsMissingReopensTheViolation(t *testing.T) {
	h := open(t)
	id := h.propose(h.control(nil), "P90D")
	h.is(id, "proposed", "open")
	h.approve(id)
	h.is(id, "active", "mitigated")
	h.evaluate()
	h.is(id, "active", "mitigated")
	h.pass(22 * day)
	h.is(id, "active", "mitigated")
	h.pass(2 * day)
	h.is(id, "evidence_due", "mitigated")
	h.Must(201, "bob", "POST", path+"/"+id+"/evidence", map[string]any{"text": "Checked 40 payments."})
	h.is(id, "active", "mitigated")
	h.pass(30 * day)
	h.is(id, "evidence_due", "mitigated")
	h.pass(7 * day)
	h.is(id, "evidence_overdue", "mitigated")
	h.pass(7 * day)
	h.is(id, "lapsed", "open")
	h.evaluate()
	h.is(id, "lapsed", "open")
	a := h.Must(200, "admin", "GET", "/policies/violations/"+h.Violation, nil)
	if a.Body["reopened_count"] != 1.0 {
		t.Errorf("reopened %v times; want once", a.Body["reopened_count"])
	}
	want := []string{"mitigation.approved", "mitigation.evidence_asked", "mitigation.evidence_asked",
		"mitigation.evidence_overdue", "mitigation.evidence_provided", "mitigation.evidence_reminded",
		"mitigation.lapsed", "mitigation.proposed",
		"violation.found", "violation.mitigated", "violation.reopened"}
	got := h.Strings(`select action from audit_event where action ~ '^(mitigation|violation)[.]' order by 1`)
	if !slices.Equal(got, want) {
		t.Errorf("audited %v; want %v", got, want)
	}
}

func TestMitigationEndsAfterItsDuration(t *testing.T) {
	h := open(t)
	id := h.propose(h.control(map[string]any{"evidence": map[string]any{"required": false}}), "P30D")
	h.approve(id)
	h.pass(29 * day)
	h.is(id, "active", "mitigated")
	h.pass(day)
	h.is(id, "expired", "open")
	h.Refused(409, "invalid_transition", "admin", "POST", path+"/"+id+"/withdraw", map[string]any{"reason": "late"})
}

func TestMitigatedViolationAdmitsDirectGrants(t *testing.T) {
	h := open(t)
	id := h.propose(h.control(nil), "P30D")
	admit := func() error {
		return h.as("admin", func(ctx context.Context, tx *pg.Tx) error {
			return separation.AdmitGrant(ctx, tx, h.Ann, h.Groups["PAY-RUN"])
		})
	}
	if err := admit(); !fault.IsCode(err, "separation_of_duties") {
		t.Errorf("admitted before the approval: %v", err)
	}
	h.approve(id)
	if err := admit(); err != nil {
		t.Errorf("refused after the approval: %v", err)
	}
}

func TestNobodyApprovesTheirOwn(t *testing.T) {
	h := open(t)
	id := h.propose(h.control(nil), "P30D")
	decide := func(ctx context.Context, tx *pg.Tx) error {
		_, err := mitigation.Approved(ctx, tx, id, "", h.now())
		return err
	}
	if err := h.as("ann", decide); !fault.IsCode(err, "own_request") {
		t.Errorf("the person concerned approves: %v", err)
	}
	asker := h.Strings(`select requested_by ->> 'id' from mitigation`)[0]
	v := viewer.Viewer{Tenant: h.Tenant.Tenant, Kind: viewer.User, ID: asker, Roles: []viewer.Role{viewer.Admin}}
	ctx := context.Background()
	if err := h.DB.As(ctx, v, func(tx *pg.Tx) error { return decide(ctx, tx) }); !fault.IsCode(err, "own_request") {
		t.Errorf("the asker approves: %v", err)
	}
	h.is(id, "proposed", "open")
}

func TestRejectedEvidenceIsDueAgain(t *testing.T) {
	h := open(t)
	id := h.propose(h.control(map[string]any{"evidence": map[string]any{"kind": "upload"}}), "P180D")
	h.approve(id)
	at := path + "/" + id + "/evidence"
	file := map[string]any{"text": "July", "file": map[string]any{"name": "payments.csv", "media_type": "text/csv",
		"content": "YSxiCg=="}}
	h.Refused(409, "invalid_transition", "bob", "POST", at, file)
	h.pass(25 * day)
	h.Refused(422, "validation_failed", "bob", "POST", at, map[string]any{"text": "I did it."})
	h.Refused(422, "validation_failed", "bob", "POST", at,
		map[string]any{"file": map[string]any{"name": "../x", "content": "YQ=="}})
	one := h.Must(201, "bob", "POST", at, file)
	if one.Body["size"] != 4.0 {
		t.Errorf("stored %v", one.Body)
	}
	if n := h.Count(`select count(*) from mitigation_evidence
		where sha256 = encode(sha256(content), 'hex') and size = 4 and kind = 'upload'`); n != 1 {
		t.Errorf("%d files have their own hash; want 1", n)
	}
	eid := one.Text("id")
	h.Refused(403, "forbidden", "bob", "POST", at+"/"+eid+"/accept", map[string]any{})
	h.Must(200, "admin", "POST", at+"/"+eid+"/reject", map[string]any{"comment": "This is June."})
	h.is(id, "evidence_due", "mitigated")
	h.Refused(409, "invalid_transition", "admin", "POST", at+"/"+eid+"/accept", map[string]any{})
	two := h.Must(201, "bob", "POST", at, file)
	h.Must(200, "carol", "POST", at+"/"+two.Text("id")+"/accept", map[string]any{"comment": "Fine."})
	h.is(id, "active", "mitigated")
	if a := h.Must(200, "auditor", "GET", at, nil); len(a.Items()) != 2 || a.Values("verdict")[1] != "rejected" {
		t.Errorf("listed %v", a.Body)
	}
}

func TestGraverViolationAndRemediationEndTheMitigation(t *testing.T) {
	h := open(t)
	c := h.control(nil)
	id := h.propose(c, "P90D")
	h.approve(id)
	h.Exec(`update separation_policy set severity = 'critical', version = version + 1`)
	h.evaluate()
	h.follow()
	h.is(id, "lapsed", "open")
	again := h.propose(c, "P90D")
	h.approve(again)
	h.is(again, "active", "mitigated")
	h.Exec(`update access_grant set status = 'revoked'`)
	h.evaluate()
	h.follow()
	h.is(again, "resolved", "remediated")
	h.Exec(`update access_grant set status = 'active'`)
	h.evaluate()
	h.is(again, "resolved", "open")
}

func TestAnApprovalReplacesTheMitigation(t *testing.T) {
	h := open(t)
	c := h.control(nil)
	first := h.propose(c, "P30D")
	h.Refused(409, "mitigation_proposed", "admin", "POST", path, map[string]any{"mitigation_policy_id": c,
		"violation_id": h.Violation, "justification": "again"})
	h.approve(first)
	second := h.propose(c, "P60D")
	h.approve(second)
	h.is(first, "replaced", "mitigated")
	h.is(second, "active", "mitigated")
	h.Refused(409, "control_in_use", "admin", "DELETE", controls+"/"+c, nil)
	h.Must(200, "admin", "POST", path+"/"+second+"/withdraw", map[string]any{"reason": "No longer needed."})
	h.is(second, "withdrawn", "open")
	h.Must(204, "admin", "DELETE", controls+"/"+c, nil)
}

func TestControlsAreAppliedAsTheySay(t *testing.T) {
	h := open(t)
	c := h.control(map[string]any{"applies_to": map[string]any{"severities": []string{"low"}}})
	ask := func(id string, more map[string]any) map[string]any {
		body := map[string]any{"mitigation_policy_id": id, "violation_id": h.Violation, "justification": "x"}
		for name, value := range more {
			body[name] = value
		}
		return body
	}
	h.Refused(409, "control_not_applicable", "admin", "POST", path, ask(c, nil))
	free := h.control(nil)
	h.Refused(422, "validation_failed", "admin", "POST", path, ask(free, map[string]any{"duration": "P181D"}))
	h.Refused(422, "validation_failed", "admin", "POST", path, ask(free, map[string]any{"owner_id": h.Ann}))
	h.Refused(422, "validation_failed", "admin", "POST", path, ask(separationtest.NewID(), nil))
	h.Must(200, "admin", "POST", controls+"/"+free+"/disable", nil)
	h.Refused(409, "control_not_applicable", "admin", "POST", path, ask(free, nil))
	h.Refused(403, "forbidden", "bob", "POST", path, ask(free, nil))
	h.Must(200, "admin", "POST", controls+"/"+free+"/enable", nil)
	h.Refused(422, "validation_failed", "admin", "PATCH", controls+"/"+free, map[string]any{"max_duration": "P1Y"})
	h.Must(200, "admin", "PATCH", controls+"/"+free, map[string]any{"description": "Payments are checked twice."})
	if a := h.Must(200, "auditor", "GET", controls+"/"+free+"/versions", nil); len(a.Items()) != 4 {
		t.Errorf("%d versions; want 4", len(a.Items()))
	}
	for query, want := range map[string]int{"": 2, "?severity=high": 1, "?severity=low": 2, "?enabled=false": 0,
		"?policy_id=" + h.Policy: 2, "?owner_id=" + h.Bob: 2, "?owner_id=" + h.Ann: 0, "?q=payments": 1,
		"?evidence_kind=attestation": 2, "?evidence_kind=link": 0, "?evidence_kind=none": 0} {
		if a := h.Must(200, "admin", "GET", controls+query, nil); len(a.Items()) != want {
			t.Errorf("%s: %d controls; want %d", query, len(a.Items()), want)
		}
	}
}

func TestMitigationsAreSeenByThoseWhoMay(t *testing.T) {
	h := open(t)
	id := h.propose(h.control(nil), "P30D")
	h.approve(id)
	boss, peer := h.Person("boss", ""), h.Person("peer", "")
	h.Exec(`update identity set manager_id = $1 where id = $2`, boss, h.Ann)
	h.Let("boss", h.Tenant.Tenant, boss, viewer.Manager)
	h.Let("peer", h.Tenant.Tenant, peer, viewer.Manager, viewer.ResourceOwner)
	for as, want := range map[string]int{"admin": 1, "auditor": 1, "boss": 1, "bob": 1, "peer": 0} {
		a := h.Must(200, as, "GET", path, nil)
		if len(a.Items()) != want || a.Body["total"] != float64(want) {
			t.Errorf("%s sees %d of %v; want %d", as, len(a.Items()), a.Body["total"], want)
		}
	}
	h.Refused(404, "not_found", "peer", "GET", path+"/"+id, nil)
	h.Refused(404, "not_found", "peer", "GET", path+"/"+id+"/evidence", nil)
	h.Refused(404, "not_found", "peer", "POST", path+"/"+id+"/evidence", map[string]any{"text": "x"})
	h.Refused(403, "read_only_role", "auditor", "POST", path+"/"+id+"/withdraw", map[string]any{"reason": "x"})
	for query, want := range map[string]int{"?state=active": 1, "?state=lapsed": 0, "?identity_id=" + h.Ann: 1,
		"?owner_id=" + h.Carol: 0, "?violation_id=" + h.Violation: 1, "?policy_id=" + h.Policy: 1} {
		if a := h.Must(200, "admin", "GET", path+query, nil); len(a.Items()) != want {
			t.Errorf("%s: %d mitigations; want %d", query, len(a.Items()), want)
		}
	}
}

func TestPolicyNamesTheControlsOfItsViolations(t *testing.T) {
	h := open(t)
	named, other := h.control(nil), h.control(nil)
	policy := "/policies/separation-of-duties/" + h.Policy
	h.Refused(422, "validation_failed", "admin", "PATCH", policy,
		map[string]any{"mitigation_policy_ids": []string{separationtest.NewID()}})
	h.Refused(422, "validation_failed", "admin", "PATCH", policy, map[string]any{"max_mitigation": "P1Y"})
	a := h.Must(200, "admin", "PATCH", policy,
		map[string]any{"mitigation_policy_ids": []string{named}, "max_mitigation": "P30D"})
	if got := a.Body["mitigation_policy_ids"]; len(got.([]any)) != 1 || a.Text("max_mitigation") != "P30D" {
		t.Errorf("the policy has %v and %v", got, a.Body["max_mitigation"])
	}
	ask := map[string]any{"mitigation_policy_id": other, "violation_id": h.Violation, "justification": "x"}
	h.Refused(409, "control_not_applicable", "admin", "POST", path, ask)
	ask["mitigation_policy_id"], ask["duration"] = named, "P31D"
	h.Refused(422, "validation_failed", "admin", "POST", path, ask)
	delete(ask, "duration")
	if made := h.Must(201, "admin", "POST", path, ask); made.Text("duration") != "P30D" {
		t.Errorf("the duration is %s; want P30D", made.Text("duration"))
	}
	h.Must(204, "admin", "DELETE", controls+"/"+other, nil)
	h.Exec(`update mitigation set state = 'refused'`)
	h.Refused(409, "control_in_use", "admin", "DELETE", controls+"/"+named, nil)
}
