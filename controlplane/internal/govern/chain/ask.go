package chain

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// question is a task that a chain asks.
type question struct {
	f      *flow
	st     *step
	taskID string
	kind   string
	slots  []*slot // of an approval: whom it asks
}

// Answers that tasks of chains take.
const (
	approve  = "approve"
	reject   = "reject"
	goOn     = "continue"
	retry    = "retry"
	reassign = "reassign"
)

// phrase makes the questions that the inbox asks.
func (w *work) phrase(ctx context.Context) ([]decision.New, error) {
	if len(w.asks) == 0 {
		return nil, nil
	}
	known, err := w.look(ctx)
	if err != nil {
		return nil, err
	}
	questions := make([]decision.New, 0, len(w.asks))
	for _, q := range w.asks {
		n := q.about(known)
		switch q.kind {
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

// about is what all questions about a matter have in common.
func (q *question) about(known facts) decision.New {
	f := q.f
	request := decision.Ref{Type: "access_request", ID: f.RequestID, Display: f.Number}
	n := decision.New{
		ID: q.taskID, Kind: q.kind, Key: f.key(q.st.Stage, q.taskID), Source: request, RiskLevel: f.Shown.RiskLevel,
		Context: known.context(f, q.st), Priority: "normal",
		Subject: decision.Ref{Type: "access_request_item", ID: f.ItemID, Display: f.Shown.What.Display},
		Links:   []decision.Ref{request, f.Shown.What, f.Shown.Who},
	}
	switch {
	case f.Subject.Urgency == "emergency":
		n.Priority = "urgent"
	case f.Shown.RiskLevel == "high" || f.Shown.RiskLevel == "critical":
		n.Priority = "high"
	}
	n.Title = f.title(known.name(f.Subject.RequesterID, f.Shown.RequestedBy.Display))
	n.Summary = f.summary(q.st)
	return n
}

func (q *question) phraseApproval(n *decision.New) {
	f, d := q.f, q.f.definition(q.st.Stage)
	n.Actions = []decision.Action{
		{Key: approve, Label: "Approve", Style: "positive", Requires: comment(d, approve)},
		{Key: reject, Label: "Reject", Style: "negative", Requires: comment(d, reject)},
	}
	for _, s := range q.slots {
		if s.IdentityID != nil {
			n.Assignees = append(
				n.Assignees,
				decision.Assignee{IdentityID: *s.IdentityID, Via: s.Via, ActingFor: s.ActingFor},
			)
		} else {
			n.Roles = append(n.Roles, s.Role)
		}
	}
	n.NotFor = f.notFor()
	n.Undelegable = d.AllowDelegation != nil && !*d.AllowDelegation
	n.Fixed = d.AllowReassign != nil && !*d.AllowReassign
	n.ReassignTo = d.ReassignAllowList
	n.DueAt = q.st.DueAt
	n.GroupKey = strings.Join([]string{Kind, f.Subject.Kind, f.Shown.What.Type, f.Shown.What.ID, d.Name}, ":")
}

func (q *question) phraseBlocked(n *decision.New) {
	n.Key = q.f.ItemID
	n.Title = "No approver: " + n.Title
	n.Summary = "No approver was found for the stage " + quoted(q.f.definition(q.st.Stage).Name) +
		". The search is repeated automatically. You can also name an approver, or reject the request."
	n.Actions = []decision.Action{
		{Key: retry, Label: "Look again", Style: "neutral", Requires: []string{}},
		{Key: reassign, Label: "Name who decides", Style: "positive", Requires: []string{"inputs.identity_id"}},
		{Key: reject, Label: "Reject the request", Style: "negative", Requires: []string{"comment"}},
	}
	n.Roles, n.Priority, n.Undelegable = []string{"admin"}, "high", true
	n.GroupKey = KindBlocked
}

func (q *question) phraseWait(n *decision.New) {
	n.Title = "Waits to go on: " + n.Title
	n.Summary = "The stage " + quoted(
		q.f.definition(q.st.Stage).Name,
	) + " waits until a person or another system continues it."
	n.Actions = []decision.Action{
		{Key: goOn, Label: "Go on", Style: "positive", Requires: []string{}},
		{Key: reject, Label: "Reject", Style: "negative", Requires: []string{"comment"}},
	}
	n.Roles, n.DueAt, n.NotFor = []string{"admin"}, q.st.WaitUntil, q.f.notFor()
	n.GroupKey = strings.Join([]string{KindWait, q.f.Shown.What.Type, q.f.Shown.What.ID}, ":")
}

// comment is what an answer requires.
func comment(d approval.ApprovalStage, action string) []string {
	if demands(d, action) {
		return []string{"comment"}
	}
	return []string{}
}

// demands says whether an answer must come with a comment. Where the stage does not say, a rejection must.
func demands(d approval.ApprovalStage, action string) bool {
	switch d.RequireComment {
	case "", "reject":
		return action == reject
	case "both":
		return true
	}
	return d.RequireComment == action
}

// title says in one line who asks for what for whom.
func (f *flow) title(requester string) string {
	what, who := f.Shown.What.Display, f.Shown.Who.Display
	verb, passive := "asks for "+what, what+" is asked for"
	switch f.Subject.Kind {
	case "extend":
		verb, passive = "asks to keep "+what+" longer", "A longer time of "+what+" is asked for"
	case "revoke", "return":
		verb, passive = "asks to take "+what+" away", "That "+what+" be taken away is asked for"
	}
	switch {
	case f.Subject.RequesterID == f.Subject.BeneficiaryID:
		return who + " " + verb
	case requester == "":
		return passive + " by another system, for " + who
	}
	return requester + " " + verb + " for " + who
}

// summary says for how long, why, and what stage it is.
func (f *flow) summary(st *step) string {
	var parts []string
	switch s := f.Subject; {
	case s.EndsAt != nil:
		parts = append(parts, "Until "+s.EndsAt.UTC().Format("2 January 2006, 15:04")+" UTC.")
	case s.Duration != "":
		parts = append(parts, "For "+s.Duration+", counted from when the access is there.")
	case s.Kind == "grant" || s.Kind == "":
		parts = append(parts, "Without an end.")
	}
	if f.Subject.Justification != "" {
		parts = append(parts, "Reason: "+quoted(clip(f.Subject.Justification, 300))+".")
	}
	if n := len(f.Plan.Stages); n > 1 {
		parts = append(parts, fmt.Sprintf("Stage %d of %d: %s.", st.Stage+1, n, f.definition(st.Stage).Name))
	}
	return strings.Join(parts, " ")
}

func quoted(s string) string { return "“" + s + "”" }

// clip shortens a text to so many characters.
func clip(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}

func stamp(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UTC().Format(time.RFC3339)
}
