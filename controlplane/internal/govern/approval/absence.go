package approval

// PlanAbsent is a person whom a rule names and who cannot decide at present.
type PlanAbsent struct {
	// ID of the identity that cannot decide.
	IdentityID string `json:"identity_id"`
	// Name of the person, or the ID if the name is unknown.
	Display string `json:"display"`
	// Which resolver names them.
	Because string `json:"because"`
	// Stable code of the absence, such as left, on_leave or no_user.
	Code string `json:"code" example:"no_user" enum:"unknown,not_a_person,left,pre_hire,on_leave,user_disabled,invitation_open,invitation_lapsed,user_not_linked,no_user"`
	// Reason why the person cannot decide, in words.
	Reason string `json:"reason" example:"cannot sign in: there is no user for them"`
}
