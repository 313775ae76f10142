package decision

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
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

// TaskColleagues finds people whom a task may be reassigned to, for who may reassign it; everybody else is answered as
// there.
func (s *Service) TaskColleagues(
	ctx context.Context,
	v viewer.Viewer,
	id, q string,
) (found DecisionColleagues, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		t, err := Find(ctx, tx, id)
		if err == nil && !t.seenBy(v) {
			err = absent(id)
		}
		if err != nil {
			return err
		}
		for _, err := range []error{writes(v), t.mayHand(v), t.mayGo()} {
			if err != nil {
				return err
			}
		}
		found, err = t.receivable(q).find(ctx, tx)
		return err
	})
	return found, err
}

// receivable are those to whom a task can be given and who do not decide it already.
func (t DecisionTask) receivable(q string) among {
	a := among{q: q, only: t.ReassignTo, not: append([]string{}, t.NotFor...)}
	for _, decides := range t.Assignees {
		a.not = append(a.not, decides.IdentityID)
	}
	return a
}

// DelegateColleagues finds people who may decide for somebody, for who may delegate it; everybody else is answered as
// there.
func (s *Service) DelegateColleagues(
	ctx context.Context,
	v viewer.Viewer,
	delegator, q string,
) (found DecisionColleagues, err error) {
	if delegator == "" {
		delegator = v.Identity
	}
	if delegator == "" {
		return found, fault.Coded(fault.Malformed, "invalid_parameter", "say by delegator_id whose tasks are "+
			"delegated: your user is linked to no identity").
			With(fault.Field{Parameter: "delegator_id", Code: "required", Detail: "an identity"})
	}
	for _, err := range []error{writes(v), mayDelegate(v, delegator)} {
		if err != nil {
			return found, err
		}
	}
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		names, err := nameOf(ctx, tx, []string{delegator})
		if err != nil {
			return err
		}
		if _, there := names[delegator]; !there {
			return fault.New(fault.NotFound, "there is no identity %s", delegator)
		}
		found, err = among{q: q, not: []string{delegator}}.find(ctx, tx)
		return err
	})
	return found, err
}

// writes is a fault where the viewer changes nothing, and so hands nothing on.
func writes(v viewer.Viewer) error {
	if v.OnlyReads() {
		return fault.Coded(fault.Forbidden, "read_only_role", "an auditor sees everything and changes nothing")
	}
	return nil
}
