package chain

import (
	"context"
	"slices"

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
	faults := make([]error, len(answered))
	for i, a := range answered {
		f := flows[a.Task.ID]
		if f == nil {
			faults[i] = fault.New(fault.NotFound, "no approval is asked by task %s any more", a.Task.ID)
			continue
		}
		w.answering[a.Task.ID] = true
		slots, err := w.allowed(f, a)
		if err != nil {
			delete(w.answering, a.Task.ID) // it stays open, unless what it asks about is decided
			faults[i] = err
			continue
		}
		w.take(f, slots, a.Decision)
		if err := w.settle(ctx, f, f.told(a.Decision)); err != nil {
			return nil, err
		}
	}
	return faults, w.finish(ctx)
}

// answeredFlows locks and reads the chains of tasks, by task.
func (w *work) answeredFlows(ctx context.Context, answered []decision.Answered) (map[string]*flow, error) {
	ids := make([]string, len(answered))
	for i, a := range answered {
		ids[i] = a.Task.ID
	}
	items, byTask, err := itemsOf(ctx, w.tx, ids)
	if err != nil {
		return nil, err
	}
	return w.flowsBy(ctx, items, byTask)
}

func (w *work) flowsBy(ctx context.Context, items []string, byTask map[string]string) (map[string]*flow, error) {
	list, err := load(ctx, w.tx, items)
	if err != nil {
		return nil, err
	}
	byItem := map[string]*flow{}
	for _, f := range list {
		byItem[f.ItemID] = f
	}
	flows := map[string]*flow{}
	for task, item := range byTask {
		flows[task] = byItem[item]
	}
	return flows, nil
}

// take records an answer in slots.
func (w *work) take(f *flow, slots []*slot, d decision.Decision) {
	w.touch(f)
	by := d.By
	for _, s := range slots {
		s.State = slotApproved
		if d.Action == reject {
			s.State = slotRejected
		}
		at := d.At
		if at.IsZero() {
			at = w.now
		}
		s.DecidedAt, s.DecidedBy, s.Comment = &at, &by, d.Comment
		if s.IdentityID != nil && by.IdentityID != "" && *s.IdentityID != by.IdentityID {
			w.standIn(s, by)
		}
	}
	if d.Action == approve {
		f.bound(d.Inputs)
	}
}

// standIn notes that somebody else than the one who was asked has answered: by delegation, or because the task was
// handed on.
func (w *work) standIn(s *slot, by decision.Actor) {
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

// slotsFor are the open slots that an answer to a task fills: those of whoever answers, or for whom they act; otherwise
// those of a role; otherwise, since the inbox let them decide, the first. And with them whatever else of the stage asks
// the same person, in other groups: who is asked under several hats answers once, and is counted once in each group.
func slotsFor(st *step, taskID string, by decision.Actor) []*slot {
	var mine []*slot
	for _, s := range st.open() {
		if s.TaskID != nil && *s.TaskID == taskID {
			mine = append(mine, s)
		}
	}
	if len(mine) == 0 {
		return nil
	}
	pick := func(fits func(*slot) bool) []*slot {
		var list []*slot
		for _, s := range mine {
			if fits(s) && !slices.ContainsFunc(list, func(o *slot) bool { return o.Group == s.Group }) {
				list = append(list, s)
			}
		}
		return list
	}
	is := func(id string) func(*slot) bool {
		return func(s *slot) bool { return id != "" && s.IdentityID != nil && *s.IdentityID == id }
	}
	found := pick(is(by.IdentityID))
	if len(found) == 0 && by.ActingFor != nil {
		found = pick(is(*by.ActingFor))
	}
	if len(found) == 0 {
		found = pick(func(s *slot) bool { return s.IdentityID == nil })
	}
	if len(found) == 0 {
		found = pick(func(*slot) bool { return true })
	}
	for _, s := range st.open() {
		if is(by.IdentityID)(s) && !slices.ContainsFunc(found, func(o *slot) bool { return o.Group == s.Group }) {
			found = append(found, s)
		}
	}
	return found
}

// told is what others read who need not answer any more.
func (f *flow) told(d decision.Decision) string {
	who := d.By.Display
	if who == "" {
		who = "somebody else"
	}
	if d.Action == reject {
		return who + " has rejected it"
	}
	return who + " has approved it"
}
