package chain

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/store"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Answer is told of decisions about the tasks of chains.
func (s *Service) Answer(ctx context.Context, tx *pg.Tx, answered []decision.Answered) ([]error, error) {
	w := s.work(tx)
	flows, err := w.answeredFlows(ctx, answered)
	if err != nil {
		return nil, err
	}
	checks, err := s.check(ctx, tx, answered, flows)
	if err != nil {
		return nil, err
	}
	faults := make([]error, len(answered))
	for i, a := range answered {
		f := flows[a.Task.ID]
		if f == nil {
			faults[i] = fault.New(fault.NotFound, "Task %s no longer asks for an approval.", a.Task.ID)
			continue
		}
		w.Answering[a.Task.ID] = true
		slots, err := f.Allow(w.Tx.Viewer, w.Now, a)
		if err != nil {
			delete(w.Answering, a.Task.ID) // it stays open, unless what it asks about is decided
			faults[i] = err
			continue
		}
		if check := checks[f.ItemID]; a.Decision.Action == state.Approve {
			if check.Refused != nil {
				delete(w.Answering, a.Task.ID)
				faults[i] = check.Refused
				continue
			}
			w.addExceptions(f, check.Rules)
			delete(checks, f.ItemID)
		}
		w.take(f, slots, a.Decision)
		if err := w.settle(ctx, f, f.Describe(a.Decision)); err != nil {
			return nil, err
		}
	}
	return faults, w.finish(ctx)
}

// check asks about the items to be approved, by item.
func (s *Service) check(
	ctx context.Context,
	tx *pg.Tx,
	answered []decision.Answered,
	flows map[string]*state.Flow,
) (map[string]Check, error) {
	var items []ToApprove
	seen := map[string]bool{}
	for _, a := range answered {
		if f := flows[a.Task.ID]; f != nil && a.Decision.Action == state.Approve && !seen[f.ItemID] {
			seen[f.ItemID] = true
			items = append(items, ToApprove{ItemID: f.ItemID, Exceptions: f.AskedExceptions()})
		}
	}
	if s.CheckApproval == nil || len(items) == 0 {
		return nil, nil
	}
	return s.CheckApproval(ctx, tx, items)
}

// answeredFlows locks and reads the chains of tasks, by task.
func (w *work) answeredFlows(ctx context.Context, answered []decision.Answered) (map[string]*state.Flow, error) {
	ids := make([]string, len(answered))
	for i, a := range answered {
		ids[i] = a.Task.ID
	}
	items, byTask, err := store.ItemsOf(ctx, w.Tx, ids)
	if err != nil {
		return nil, err
	}
	return w.flowsBy(ctx, items, byTask)
}

func (w *work) flowsBy(ctx context.Context, items []string, byTask map[string]string) (map[string]*state.Flow, error) {
	list, err := store.Lock(ctx, w.Tx, items)
	if err != nil {
		return nil, err
	}
	byItem := map[string]*state.Flow{}
	for _, f := range list {
		byItem[f.ItemID] = f
	}
	flows := map[string]*state.Flow{}
	for task, item := range byTask {
		flows[task] = byItem[item]
	}
	return flows, nil
}

// take records an answer in slots.
func (w *work) take(f *state.Flow, slots []*state.Slot, d decision.Decision) {
	w.Touch(f)
	by := d.By
	for _, s := range slots {
		s.State = state.SlotApproved
		if d.Action == state.Reject {
			s.State = state.SlotRejected
		}
		at := d.At
		if at.IsZero() {
			at = w.Now
		}
		s.DecidedAt, s.DecidedBy, s.Comment = &at, &by, d.Comment
		if s.IdentityID != nil && by.IdentityID != "" && *s.IdentityID != by.IdentityID {
			w.standIn(s, by)
		}
	}
	if d.Action == state.Approve {
		f.Bound(d.Inputs)
	}
}

// standIn notes that somebody else than the one who was asked has answered: by delegation, or because the task was
// handed on.
func (w *work) standIn(s *state.Slot, by decision.Actor) {
	asked := *s.IdentityID
	s.Via = decision.Reassigned
	if by.ActingFor != nil && *by.ActingFor != "" {
		s.Via = decision.Delegate
		s.ActingFor = by.ActingFor
	} else if s.ActingFor == nil {
		s.ActingFor = &asked
	}
	id := by.IdentityID
	s.IdentityID, s.Display = &id, by.Display
}
