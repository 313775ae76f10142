package approval

// PlanAbsent is a person whom a rule names and who cannot decide at present.
type PlanAbsent struct {
	IdentityID string `json:"identity_id"`
	Display    string `json:"display"`
	// Which resolver names them.
	Because string `json:"because"`
	Code    string `json:"code" example:"no_user" enum:"unknown,not_a_person,left,pre_hire,on_leave,user_disabled,invitation_open,invitation_lapsed,user_not_linked,no_user"`
	Reason  string `json:"reason" example:"cannot sign in: there is no user for them"`
}
