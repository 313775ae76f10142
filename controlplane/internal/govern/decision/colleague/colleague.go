package colleague

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// DecisionColleague is a person to whom decisions can be handed: as little as identifies them.
type DecisionColleague struct {
	// The identity, for to of a reassignment or delegate_id of a delegation.
	ID string `json:"id"`
	// Display name of the person.
	Display string `json:"display" example:"Grace Hopper"`
	// Job title of the person. Absent if unknown.
	Title string `json:"title,omitempty" example:"Head of Data"`
	// Department of the person. Absent if unknown.
	Department string `json:"department,omitempty" example:"Engineering"`
	// Only set where another person in the response has the same name, title and department.
	Email string `json:"email,omitempty" example:"grace@acme.example"`
}

// DecisionColleagues are those who were found.
type DecisionColleagues struct {
	// By name, at most 20.
	Items []DecisionColleague `json:"items" nullable:"false"`
	// More people match: enter more of the name.
	More bool `json:"more"`
}

// CheckWriter returns a fault if the viewer only reads, and so hands on no decisions.
func CheckWriter(v viewer.Viewer) error {
	if v.OnlyReads() {
		return fault.Coded(fault.Forbidden, "read_only_role", "Auditors can read everything and change nothing.")
	}
	return nil
}
