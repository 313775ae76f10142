package question

import (
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

func (q *Question) phraseWait(n *decision.New) {
	n.Title = "Waits to go on: " + n.Title
	n.Summary = "The stage " + state.Quoted(
		q.F.Definition(q.St.Stage).Name,
	) + " waits until a person or another system continues it."
	n.Actions = []decision.Action{
		{Key: state.GoOn, Label: "Go on", Style: "positive", Requires: []string{}},
		{Key: state.Reject, Label: "Reject", Style: "negative", Requires: []string{"comment"}},
	}
	n.Roles, n.DueAt, n.NotFor = []string{"admin"}, q.St.WaitUntil, q.F.NotFor()
	n.GroupKey = strings.Join([]string{KindWait, q.F.Shown.What.Type, q.F.Shown.What.ID}, ":")
}
