package approval

// fill says what is meant where a stage says nothing.
func (s *ApprovalStage) fill() {
	if s.RespondWithin == "" {
		s.RespondWithin = "P3D"
	}
	if s.RequireComment == "" {
		s.RequireComment = "reject"
	}
	if len(s.Fallback) == 0 {
		s.Fallback = []ApproverResolver{{Kind: byAppRole, AppRole: admin}}
	}
	if s.AllowDelegation == nil {
		s.AllowDelegation = meant(true)
	}
	if s.AllowReassign == nil {
		s.AllowReassign = meant(true)
	}
	for i := range s.Groups {
		if s.Groups[i].Mode == "" {
			s.Groups[i].Mode = modeAny
		}
	}
	s.Groups, s.Reminders, s.ReassignAllowList = given(s.Groups), given(s.Reminders), given(s.ReassignAllowList)
	s.Escalation = given(s.Escalation)
	for i := range s.Escalation {
		s.Escalation[i].To = given(s.Escalation[i].To)
	}
	if s.Wait != nil && s.Wait.OnTimeout == "" {
		s.Wait.OnTimeout = "reject"
	}
}

// fill says what is meant where terms say nothing.
func (t *ApprovalTerms) fill() {
	for _, b := range []**bool{&t.RequireJustification, &t.DistinctApprovers, &t.Grant.Extension.Allowed,
		&t.Grant.Extension.NeedsApproval} {
		if *b == nil {
			*b = meant(true)
		}
	}
	if t.Grant.AllowPermanent == nil {
		t.Grant.AllowPermanent = meant(t.Grant.MaxDuration == "")
	}
	if t.RequestTTL == "" {
		t.RequestTTL = "P14D"
	}
}

func meant(b bool) *bool { return &b }

// given is a list that is not nil, which JSON would write as null.
func given[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
