package organization

import (
	"fmt"
	"strings"
)

// OnLeave is the only absence in which a person can still sign in.
const OnLeave = "on_leave"

// reasons say in words why a person cannot decide, by the codes of the function unable_to_decide.
var reasons = map[string]string{
	"unknown":           "does not exist",
	"not_a_person":      "is not a person",
	"left":              "has left",
	"pre_hire":          "has not started yet",
	OnLeave:             "is on leave",
	"user_disabled":     "cannot sign in: the user is disabled",
	"invitation_open":   "cannot sign in yet: the invitation has not been accepted",
	"invitation_lapsed": "cannot sign in: the invitation has expired",
	"user_not_linked":   "cannot decide: the user with this e-mail address is not linked to the person",
	"no_user":           "cannot sign in: there is no user for them",
}

// Unable is the code of why a person cannot decide now; empty: they can.
func (o *Organization) Unable(id string) string {
	p, known := o.People[id]
	if !known {
		return "unknown"
	}
	return p.Unable
}

// WhyAbsent says in words why a person cannot decide now; empty: they can.
func (o *Organization) WhyAbsent(id string) string { return reasons[o.Unable(id)] }

// Gone reports whether an identity has left or is not a person, so that its delegates do not decide either.
func (o *Organization) Gone(id string) bool {
	switch o.Unable(id) {
	case "left", "unknown", "not_a_person":
		return true
	}
	return false
}

// examples is how many people a warning names.
const examples = 3

// NameUnable names some of those who cannot decide, with the reasons.
func (o *Organization) NameUnable(ids []string) string {
	var named []string
	for _, id := range ids[:min(len(ids), examples)] {
		named = append(named, o.DisplayName(id)+" "+o.WhyAbsent(id))
	}
	if more := len(ids) - examples; more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(named, "; ")
}

// DisplayName is the name of a person whom Meet has read, or the id.
func (o *Organization) DisplayName(id string) string {
	if p, known := o.People[id]; known && p.Display != "" {
		return p.Display
	}
	return id
}
