package question

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

func (q *Question) phraseApproval(n *decision.New) {
	f, d := q.F, q.F.Definition(q.St.Stage)
	n.Actions = []decision.Action{
		{Key: state.Approve, Label: "Approve", Style: "positive", Requires: comment(d, state.Approve)},
		{Key: state.Reject, Label: "Reject", Style: "negative", Requires: comment(d, state.Reject)},
	}
	for _, s := range q.Slots {
		if s.IdentityID != nil {
			n.Assignees = append(
				n.Assignees,
				decision.Assignee{IdentityID: *s.IdentityID, Via: s.Via, ActingFor: s.ActingFor},
			)
		} else {
			n.Roles = append(n.Roles, s.Role)
		}
	}
	n.NotFor = f.NotFor()
	n.Undelegable = d.AllowDelegation != nil && !*d.AllowDelegation
	n.Fixed = d.AllowReassign != nil && !*d.AllowReassign
	n.ReassignTo = d.ReassignAllowList
	n.DueAt = q.St.DueAt
	n.GroupKey = strings.Join([]string{KindApproval, f.Subject.Kind, f.Shown.What.Type, f.Shown.What.ID, d.Name}, ":")
}

// comment is what an answer requires.
func comment(d approval.ApprovalStage, action string) []string {
	if state.Demands(d, action) {
		return []string{"comment"}
	}
	return []string{}
}
