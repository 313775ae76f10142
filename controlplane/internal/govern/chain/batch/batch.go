package batch

import (
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/question"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/store"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/audit"
)

// Assign has it changed who decides an open task.
func (w *Batch) Assign(taskID string, add []decision.Assignee, drop ...string) {
	if len(add)+len(drop) > 0 {
		w.assigns = append(
			w.assigns,
			assignment{
				taskID: taskID,
				add:    add,
				drop:   drop,
				why:    "the approvers changed, by a change of the organization or of on-call times",
			},
		)
	}
}

// Batch gathers what a transaction changes of chains and their tasks. Nothing is written before Commit.
type Batch struct {
	Tx  *pg.Tx
	Now time.Time

	Answering map[string]bool // tasks whose answer is being taken: they are the inbox's to end

	flows   []*state.Flow
	touched map[*state.Flow]bool
	logs    []store.Log
	Asks    []*question.Question
	closes  map[ending][]closing
	assigns []assignment
	audits  []audit.Entry
	later   bool // something is left to the worker, now
}

// ending is how tasks end, and closing is one that does.
type ending struct{ state, why string }

type closing struct {
	f       *state.Flow
	kind    string
	key, id string // id is empty where there is nobody who could have it in hand
}

// assignment changes who may decide an open task.
type assignment struct {
	taskID string
	add    []decision.Assignee
	drop   []string
	why    string
}

// New begins to gather for a transaction, at an instant.
func New(tx *pg.Tx, now time.Time) *Batch {
	return &Batch{
		Tx:        tx,
		Now:       now.UTC().Truncate(time.Microsecond),
		Answering: map[string]bool{},
		touched:   map[*state.Flow]bool{},
		closes:    map[ending][]closing{},
	}
}

// AddTask has a task asked.
func (w *Batch) AddTask(q *question.Question) { w.Asks = append(w.Asks, q) }

// CloseTask has a task closed, by its kind and key. id is its own, or empty where nobody could have it in hand.
func (w *Batch) CloseTask(f *state.Flow, kind, key, id, state, why string) {
	e := ending{state, why}
	w.closes[e] = append(w.closes[e], closing{f, kind, key, id})
}

// Touch has a chain written by Commit.
func (w *Batch) Touch(f *state.Flow) {
	if !w.touched[f] {
		w.touched[f] = true
		w.flows = append(w.flows, f)
	}
	f.TouchedAt = w.Now
}

// Log adds a step to the log of a stage.
func (w *Batch) Log(f *state.Flow, stage int, step, detail string, args ...any) {
	if len(args) > 0 {
		detail = fmt.Sprintf(detail, args...)
	}
	w.logs = append(w.logs, store.Log{
		ItemID: f.ItemID,
		Stage:  stage,
		Entry:  state.LogEntry{At: w.Now, Step: step, Detail: detail},
	})
}

// Audit adds to the audit log what the product decided itself, or an administrator about the chain.
func (w *Batch) Audit(f *state.Flow, action, reason string, more map[string]any) {
	about := map[string]any{"item_id": f.ItemID, "number": f.Number, "stage": f.Definition(f.Stage).Name}
	for k, v := range more {
		about[k] = v
	}
	w.audits = append(
		w.audits,
		audit.Entry{
			Action:  action,
			Subject: audit.Subject{Type: "access_request", ID: f.RequestID, Display: f.Number},
			Objects: []audit.Subject{
				{Type: f.Shown.What.Type, ID: f.Shown.What.ID, Display: f.Shown.What.Display},
			},
			Reason:  reason,
			Context: about,
		},
	)
}

// End has tasks of a stage closed, but those whose answer is being taken.
func (w *Batch) End(f *state.Flow, stage int, taskIDs []string, state, why string) {
	for _, id := range taskIDs {
		if !w.Answering[id] {
			w.CloseTask(f, question.KindApproval, f.Key(stage, id), id, state, why)
		}
	}
}
