package mitigation_test

import (
	"context"
	"slices"
	"testing"

	"github.com/grantwright/grantwright/controlplane/internal/govern/separation/mitigation"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// lapsed makes a mitigation by a control with on_lapse, and lets it expire.
func (h *house) lapsed(onLapse string) string {
	h.T.Helper()
	id := h.propose(
		h.control(map[string]any{"on_lapse": onLapse, "evidence": map[string]any{"required": false}}),
		"P30D",
	)
	h.approve(id)
	h.is(id, "active", "mitigated")
	h.pass(30 * day)
	h.is(id, "expired", "open")
	return id
}

// effect is what was done when a mitigation lapsed.
func (h *house) effect(id string) any {
	h.T.Helper()
	return h.Must(200, "admin", "GET", path+"/"+id, nil).Body["lapse_effect"]
}

func TestLapseReopensOrEscalates(t *testing.T) {
	h := open(t)
	if got := h.effect(h.lapsed("reopen")); got != "reopened" {
		t.Errorf("the effect is %v; want reopened", got)
	}
	if got := h.effect(h.lapsed("escalate")); got != "escalated" {
		t.Errorf("the effect is %v; want escalated", got)
	}
	if n := h.Count(`select count(*) from audit_event where action = 'mitigation.escalated'`); n != 1 {
		t.Errorf("%d escalations are audited; want 1", n)
	}
	h.Exec(`update separation_policy set mode = 'shadow', version = version + 1`)
	if got := h.effect(h.lapsed("escalate")); got != "reopened" {
		t.Errorf("the effect under a policy in shadow mode is %v; want reopened", got)
	}
}

func TestLapseRevokesTheSmallestCure(t *testing.T) {
	h := open(t)
	id := h.lapsed("revoke")
	if got := h.effect(id); got != "revoked" {
		t.Fatalf("the effect is %v; want revoked", got)
	}
	v := h.Must(200, "admin", "GET", "/policies/violations/"+h.Violation, nil)
	r, _ := v.Body["remediation"].(map[string]any)
	removed, _ := r["removed"].([]any)
	if len(removed) != 1 || removed[0].(map[string]any)["name"] != "FINANCE" {
		t.Fatalf("the remediation is %v; want the latest grant, FINANCE", r)
	}
	if n := h.Count(`select count(*) from audit_event
		where action = 'violation.remediation_ordered'`); n != 1 {
		t.Errorf("%d revocations are audited; want 1", n)
	}
}

func TestLapseEscalatesWhatCannotBeRevoked(t *testing.T) {
	h := open(t)
	h.Exec(`update access_grant set immutable = true`)
	if got := h.effect(h.lapsed("revoke")); got != "escalated" {
		t.Errorf("the effect is %v; want escalated", got)
	}
	if n := h.Count(`select count(*) from access_grant where status = 'revoking'`); n != 0 {
		t.Errorf("%d grants are revoked; want none", n)
	}
}

func TestRenewalBeforeTheEnd(t *testing.T) {
	h := open(t)
	h.Exec(`insert into event_wish (tenant_id, listener, kind)
		select current_tenant(), 'test', k from unnest(array['mitigation.proposed', 'mitigation.approved',
		    'mitigation.ending', 'mitigation.ended', 'mitigation.evidence_due', 'mitigation.lapsed']) k`)
	id := h.propose(h.control(map[string]any{"evidence": map[string]any{"required": false}}), "P30D")
	h.approve(id)
	h.pass(22 * day)
	if a := h.Must(200, "admin", "GET", path+"/"+id, nil); a.Body["end_announced_at"] != nil {
		t.Errorf("the end was announced %v, 8 days before it", a.Body["end_announced_at"])
	}
	h.pass(2 * day)
	if a := h.Must(200, "admin", "GET", path+"/"+id, nil); a.Body["end_announced_at"] == nil {
		t.Error("the end was not announced")
	}
	var renewal mitigation.Mitigation
	if err := h.as("bob", func(ctx context.Context, tx *pg.Tx) (err error) {
		renewal, err = mitigation.Renew(ctx, tx, id, "P60D", "The successor is late.", h.now())
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if renewal.RenewalOfID == nil || *renewal.RenewalOfID != id || renewal.Duration != "P60D" {
		t.Errorf("the renewal is %+v", renewal)
	}
	h.approve(renewal.ID)
	h.is(id, "replaced", "mitigated")
	h.is(renewal.ID, "active", "mitigated")
	err := h.as("bob", func(ctx context.Context, tx *pg.Tx) error {
		_, err := mitigation.Renew(ctx, tx, id, "", "Again.", h.now())
		return err
	})
	if err == nil {
		t.Error("a mitigation that was replaced is renewed")
	}
	other := "0197e3c4-7a53-7d40-8a51-5d1f3a0e6b12"
	h.Refused(422, "validation_failed", "admin", "POST", path, map[string]any{"justification": "x",
		"mitigation_policy_id": renewal.Control.ID, "violation_id": h.Violation, "renewal_of_id": other})
	want := []string{"mitigation.approved", "mitigation.approved", "mitigation.ended", "mitigation.ending",
		"mitigation.proposed", "mitigation.proposed"}
	if got := h.Strings(`select kind from event order by 1`); !slices.Equal(got, want) {
		t.Errorf("published %v; want %v", got, want)
	}
}

func TestKindsOfEvidenceNeedWhatTheySay(t *testing.T) {
	h := open(t)
	url := map[string]any{"url": "https://reports.example.com/7"}
	file := map[string]any{"file": map[string]any{"name": "r.csv", "content": "YQ=="}}
	for _, c := range []struct {
		kind   string
		refuse []map[string]any
		take   map[string]any
	}{
		{"link", []map[string]any{{"text": "x"}, {"url": "javascript:alert(1)"}, {"url": "https://a:b@x.example"}}, url},
		{"report", []map[string]any{{"text": "x"}}, url},
		{"report", nil, file},
	} {
		id := h.propose(h.control(map[string]any{"evidence": map[string]any{"kind": c.kind}}), "P180D")
		h.approve(id)
		h.pass(25 * day)
		at := path + "/" + id + "/evidence"
		for _, body := range c.refuse {
			h.Refused(422, "validation_failed", "bob", "POST", at, body)
		}
		if made := h.Must(201, "bob", "POST", at, c.take); made.Text("kind") != c.kind ||
			made.Body["url"] != c.take["url"] {
			t.Errorf("stored %v", made.Body)
		}
		h.Must(200, "admin", "POST", path+"/"+id+"/withdraw", map[string]any{"reason": "enough"})
	}
}
