package scenarios

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
// alone.
func (s *scene) awaited() {
	s.t.Helper()
	s.Exec(`
		with tenant as (
		    select set_config('app.tenant_id', m.tenant_id::text, true) from mitigation m where m.id = $1
		)
		update mitigation
		   set state = 'evidence_due', starts_at = now(), ends_at = now() + interval '90 days',
		       due_at = now() + interval '2 days', lapses_at = now() + interval '9 days',
		       turn_at = now() + interval '2 days'
		  from tenant
		 where id = $1`, s.IDs["mitigation"])
}
