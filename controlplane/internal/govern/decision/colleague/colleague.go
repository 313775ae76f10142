package colleague

import (
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// DecisionColleague is somebody to whom decisions can be handed: as little as tells them apart.
type DecisionColleague struct {
	ID         string `json:"id" doc:"The identity, for to of a reassignment or delegate_id of a delegation."`
	Display    string `json:"display" example:"Grace Hopper"`
	Title      string `json:"title,omitempty" example:"Head of Data"`
	Department string `json:"department,omitempty" example:"Engineering"`
	Email      string `json:"email,omitempty" example:"grace@acme.example" doc:"Only set where another person in the response has the same name, title and department."`
}

// DecisionColleagues are those who were found.
type DecisionColleagues struct {
	Items []DecisionColleague `json:"items" nullable:"false" doc:"By name, at most 20."`
	More  bool                `json:"more" doc:"More people match: enter more of the name."`
}

// CheckWriter returns a fault if the viewer only reads, and so hands on no decisions.
func CheckWriter(v viewer.Viewer) error {
	if v.OnlyReads() {
		return fault.Coded(fault.Forbidden, "read_only_role", "an auditor sees everything and changes nothing")
	}
	return nil
}
