package scenarios

import "github.com/grantwright/grantwright/e2e/harness"

// controlled makes a control and proposes it for the scene's violation.
func (s *scene) controlled() {
	s.t.Helper()
	control := s.post("/policies/mitigation", map[string]any{
		"name": "Weekly review", "control_owner_ids": []string{s.Users["owner"].Identity}, "max_duration": "P90D",
		"evidence": map[string]any{"kind": "upload", "cadence": "P7D", "grace": "P7D"},
	})
	s.name("control", control, "Weekly review")
	mitigation := s.post("/policies/mitigations", map[string]any{
		"mitigation_policy_id": control, "violation_id": s.IDs["violation"], "justification": "Until the year's end.",
	})
	s.name("mitigation", mitigation, "Weekly review")
}

// withdrawn takes the proposed mitigation back, so that there is one to look at and none to decide.
func (s *scene) withdrawn() {
	s.t.Helper()
	s.post("/policies/mitigations/"+s.IDs["mitigation"]+"/withdraw", map[string]any{"reason": "No longer needed."})
}

// awaited makes the proposed mitigation wait for evidence of the resource owner: that evidence is due comes with time
// alone. A stored query that nobody meets has asked for it, and then the control needs a file.
func (s *scene) awaited() {
	s.t.Helper()
	at := "/policies/mitigation/" + s.IDs["control"]
	s.Expect("200", s.admin, "PATCH", at, map[string]any{"evidence": map[string]any{
		"kind": "automatic_query", "cadence": "P7D", "query": map[string]any{"about": "person", "expect": "some",
			"condition": map[string]any{"field": "status", "op": "eq", "value": "on_leave"}}}})
	s.Exec(`
		with tenant as (
		    select set_config('app.tenant_id', m.tenant_id::text, true) from mitigation m where m.id = $1
		)
		update mitigation
		   set state = 'active', starts_at = now(), ends_at = now() + interval '90 days', due_at = now(),
		       lapses_at = now() + interval '7 days', turn_at = now()
		  from tenant
		 where id = $1`, s.IDs["mitigation"])
	harness.Eventually(s.t, "the query to ask for evidence", func() bool {
		m := harness.Read[appliedMitigation](s.House, s.Expect("200", s.admin, "GET",
			"/policies/mitigations/"+s.IDs["mitigation"], nil))
		return m.State == "evidence_due"
	}, nil)
	s.Expect("200", s.admin, "PATCH", at, map[string]any{"evidence": map[string]any{"kind": "upload"}})
}
