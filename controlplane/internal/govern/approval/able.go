package approval

import (
	"fmt"
	"strings"
)

// onLeave is the only way to be absent in which the person can still sign in.
const onLeave = "on_leave"

// reasons say in words why a person cannot decide, by the codes of the function unable_to_decide.
var reasons = map[string]string{
	"unknown":           "does not exist",
	"not_a_person":      "is not a person",
	"left":              "has left",
	"pre_hire":          "has not started yet",
	onLeave:             "is on leave",
	"user_disabled":     "cannot sign in: the user is disabled",
	"invitation_open":   "cannot sign in yet: the invitation has not been accepted",
	"invitation_lapsed": "cannot sign in: the invitation has expired",
	"user_not_linked":   "cannot decide: the user with this e-mail address is not linked to the person",
	"no_user":           "cannot sign in: there is no user for them",
}

// PlanAbsent is a person whom a rule names and who cannot decide at present.
type PlanAbsent struct {
	IdentityID string `json:"identity_id"`
	Display    string `json:"display"`
	Because    string `json:"because" doc:"Which resolver names them."`
	Code       string `json:"code" example:"no_user" enum:"unknown,not_a_person,left,pre_hire,on_leave,user_disabled,invitation_open,invitation_lapsed,user_not_linked,no_user"`
	Reason     string `json:"reason" example:"cannot sign in: there is no user for them"`
}

// unable is the code of why somebody cannot decide now; empty when they can.
func (o *org) unable(id string) string {
	p, known := o.people[id]
	if !known {
		return "unknown"
	}
	return p.Unable
}

// absent says in words why somebody cannot decide now; empty when they can.
func (o *org) absent(id string) string { return reasons[o.unable(id)] }

// gone says whether somebody decides nothing any more, so that nobody decides for them either.
func (o *org) gone(id string) bool {
	switch o.unable(id) {
	case "left", "unknown", "not_a_person":
		return true
	}
	return false
}

// examples is how many people a warning names.
const examples = 3

// naming lists some of those who cannot decide, with the reasons.
func (o *org) naming(ids []string) string {
	var named []string
	for _, id := range ids[:min(len(ids), examples)] {
		named = append(named, o.called(id)+" "+o.absent(id))
	}
	if more := len(ids) - examples; more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(named, "; ")
}
