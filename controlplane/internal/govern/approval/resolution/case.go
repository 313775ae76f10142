package resolution

import (
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/resource"
)

// complete says what is meant where a subject says nothing.
func complete(s *approval.Subject) {
	if s.Kind == "" {
		s.Kind = "grant"
	}
	if s.Urgency == "" {
		s.Urgency = "normal"
	}
}

// Case is one subject on its way to a plan.
type Case struct {
	approval.Subject
	// Item is the role or entitlement; Plan is the result.
	Item  resource.Item
	facts facts
	Plan  approval.Plan
	sure  map[string]int // who must agree for certain, with the stage from 1; 0: has agreed before
	stage int            // that is being resolved, from 1
	// excepts says that the stages allow an exception: they are additional approvals, which no request and no earlier
	// stage stands for.
	excepts bool
	log     []approval.Step
}

// note adds a line to the explanation of the plan, with the stage that it belongs to.
func (c *Case) note(step, format string, args ...any) {
	detail := fmt.Sprintf(format, args...)
	if c.stage > 0 {
		detail = fmt.Sprintf("stage %d: %s", c.stage, detail)
	}
	c.log = append(c.log, approval.Step{Step: step, Detail: detail})
}

// byManager reports whether a manager requests access for a direct report, which counts as the manager's own approval.
// It does not count for stages in which the same person is an approver as an owner, or by name: another person
// approves these. A request by a service token that another person created counts as no approval.
func (c *Case) byManager(id string) bool {
	return !c.excepts && id == c.RequesterID && id != c.BeneficiaryID && !c.ForAnother
}
