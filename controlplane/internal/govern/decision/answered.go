package decision

import (
	"context"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Answered is a task with the decision about it.
type Answered struct {
	Task     DecisionTask
	Decision Decision
}

// Answer reports to the package that asked what was decided about its tasks, in the transaction that decides them.
// The first result has, for each, the fault for which it cannot be answered so, or nil; what is refused stays open. An
// error undoes everything. While it runs, the tasks are still what they were, and it may run for nothing: what can
// still be undone is tried out first.
type Answer func(ctx context.Context, tx *pg.Tx, answered []Answered) ([]error, error)

// ActingFor is the decision with the person for whom it is made, if it is made by a delegate.
func (d Decision) ActingFor(t DecisionTask) Decision {
	if a, is := t.assignee(d.By.IdentityID); is && a.ActingFor != nil {
		d.By.ActingFor = &a.ActingFor.ID
	}
	return d
}

// HistoryEntry is something that happened to a task, for its history.
func (a Answered) HistoryEntry(applyAt *time.Time) HistoryEntry {
	h := HistoryEntry{TaskID: a.Task.ID, Event: "decided", Detail: a.Task.Label(a.Decision.Action)}
	if a.Task.ActingFor != nil {
		h.Detail += ", for " + a.Task.ActingFor.Display
	}
	if a.Decision.Comment != "" {
		h.Detail += ": " + a.Decision.Comment
	}
	if applyAt != nil {
		h.Event = "deferred"
		h.Detail += " (can be undone until " + FormatTime(*applyAt) + ")"
	}
	return h
}

// AuditEntry is an entry of the audit log about the task and what it is about.
func (a Answered) AuditEntry(applyAt *time.Time) audit.Entry {
	e := a.Task.AuditEntry("decision_task.decided")
	e.Reason = a.Decision.Comment
	e.Context["action"], e.Context["channel"] = a.Decision.Action, a.Decision.Channel
	if a.Task.ActingFor != nil {
		e.ActingFor = audit.Subject(*a.Task.ActingFor)
	}
	if applyAt != nil {
		e.Context["apply_at"] = applyAt.UTC().Format(time.RFC3339)
	}
	return e
}

// has says whether a decision has what an action requires: comment, or inputs.<name>.
func (d Decision) has(need string) bool {
	name, isInput := strings.CutPrefix(need, "inputs.")
	if !isInput {
		return need != "comment" || strings.TrimSpace(d.Comment) != ""
	}
	switch value := d.Inputs[name].(type) {
	case nil:
		return false
	case string:
		return strings.TrimSpace(value) != ""
	}
	return true
}
