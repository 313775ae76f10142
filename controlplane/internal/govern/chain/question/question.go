package question

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Kinds of the tasks that chains ask.
const (
	KindApproval = "request_approval"
	KindBlocked  = "request_blocked"
	KindWait     = "external_wait"
)

// Question is a task that a chain asks.
type Question struct {
	F      *state.Flow
	St     *state.Stage
	TaskID string
	Kind   string
	Slots  []*state.Slot // of an approval: whom it asks
}

// Phrase makes the tasks that the inbox asks. It reads what approvers are told about people and resources in two
// statements, however many questions there are.
func Phrase(ctx context.Context, tx *pg.Tx, asks []*Question) ([]decision.New, error) {
	if len(asks) == 0 {
		return nil, nil
	}
	known, err := look(ctx, tx, asks)
	if err != nil {
		return nil, err
	}
	questions := make([]decision.New, 0, len(asks))
	for _, q := range asks {
		n := q.about(known)
		switch q.Kind {
		case KindBlocked:
			q.phraseBlocked(&n)
		case KindWait:
			q.phraseWait(&n)
		default:
			q.phraseApproval(&n)
		}
		questions = append(questions, n)
	}
	return questions, nil
}

// about is what all questions about an item have in common.
func (q *Question) about(known facts) decision.New {
	f := q.F
	request := decision.Ref{Type: "access_request", ID: f.RequestID, Display: f.Number}
	n := decision.New{
		ID: q.TaskID, Kind: q.Kind, Key: f.Key(q.St.Stage, q.TaskID), Source: request, RiskLevel: f.Shown.RiskLevel,
		Context: known.context(f, q.St), Priority: "normal",
		Subject: decision.Ref{Type: "access_request_item", ID: f.ItemID, Display: f.Shown.What.Display},
		Links:   []decision.Ref{request, f.Shown.What, f.Shown.Who},
	}
	switch {
	case f.Subject.Urgency == "emergency":
		n.Priority = "urgent"
	case f.Shown.RiskLevel == "high" || f.Shown.RiskLevel == "critical":
		n.Priority = "high"
	}
	n.Title = f.Title(known.name(f.Subject.RequesterID, f.Shown.RequestedBy.Display))
	n.Summary = f.Summary(q.St)
	return n
}
