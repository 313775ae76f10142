package question

import (
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

func (q *Question) phraseBlocked(n *decision.New) {
	n.Key = q.F.ItemID
	n.Title = "No approver: " + n.Title
	n.Summary = "No approver was found for the stage " + state.Quoted(q.F.Definition(q.St.Stage).Name) +
		". The search is repeated automatically. You can also name an approver, or reject the request."
	n.Actions = []decision.Action{
		{Key: state.Retry, Label: "Look again", Style: "neutral", Requires: []string{}},
		{Key: state.Reassign, Label: "Name who decides", Style: "positive", Requires: []string{"inputs.identity_id"}},
		{Key: state.Reject, Label: "Reject the request", Style: "negative", Requires: []string{"comment"}},
	}
	n.Roles, n.Priority, n.Undelegable = []string{"admin"}, "high", true
	n.GroupKey = KindBlocked
}
