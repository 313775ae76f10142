package approval

// Fill sets the defaults of what was left out.
func (s *ApprovalStage) Fill() {
	if s.RespondWithin == "" {
		s.RespondWithin = "P3D"
	}
	if s.RequireComment == "" {
		s.RequireComment = "reject"
	}
	if len(s.Fallback) == 0 {
		s.Fallback = []ApproverResolver{{Kind: ByAppRole, AppRole: Admin}}
	}
	if s.AllowDelegation == nil {
		s.AllowDelegation = BoolOf(true)
	}
	if s.AllowReassign == nil {
		s.AllowReassign = BoolOf(true)
	}
	for i := range s.Groups {
		if s.Groups[i].Mode == "" {
			s.Groups[i].Mode = ModeAny
		}
	}
	s.Groups, s.Reminders, s.ReassignAllowList = NonNil(s.Groups), NonNil(s.Reminders), NonNil(s.ReassignAllowList)
	s.Escalation = NonNil(s.Escalation)
	for i := range s.Escalation {
		s.Escalation[i].To = NonNil(s.Escalation[i].To)
	}
	if s.Wait != nil && s.Wait.OnTimeout == "" {
		s.Wait.OnTimeout = "reject"
	}
}

// BoolOf is a pointer to b, for members whose default is true.
func BoolOf(b bool) *bool { return &b }

// NonNil is the list, or an empty one for nil, which JSON would write as null.
func NonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
