package chain

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/batch"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/store"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// Withdraw takes the viewer's approval of an item back, within half an hour, before the access is provisioned and
// before anybody has answered in the stage after theirs. Their stage is open again, and they and the others in it are
// asked again. That the access is not provisioned yet is the caller's to know.
func (s *Service) Withdraw(ctx context.Context, tx *pg.Tx, itemID string) error {
	flows, err := store.Lock(ctx, tx, []string{itemID})
	if err != nil {
		return err
	}
	if len(flows) == 0 {
		return fault.New(fault.NotFound, "item %s has no approval", itemID)
	}
	w, f := s.work(tx), flows[0]
	mine, err := f.Withdrawable(tx.Viewer, w.Now)
	if err != nil {
		return err
	}
	w.Touch(f)
	by := mine[0].DecidedBy.Display
	if f.State == state.StateBlocked {
		w.unask(f)
	}
	later := f.Stage
	for i := mine[0].Stage + 1; i <= later && i < len(f.Stages); i++ {
		w.undo(f, f.Stages[i])
	}
	f.State, f.Stage, f.ClosedAt = state.Running, mine[0].Stage, nil
	st := f.Current()
	st.State, st.ClosedAt = state.StageOpen, nil
	w.Log(f, st.Stage, "withdrawn", "%s has withdrawn their approval", by)
	w.Audit(f, batch.DidWithdraw, "", map[string]any{"stage": f.Definition(st.Stage).Name})
	w.report(f, Reopened, "approval_withdrawn", by+" has withdrawn their approval")
	if err := w.reopenSlots(ctx, f, st, mine); err != nil {
		return err
	}
	return w.finish(ctx)
}

// undo brings a stage back to before it was opened.
func (w *work) undo(f *state.Flow, st *state.Stage) {
	w.shut(f, st, state.StageWaiting, decision.Superseded, "an approval before it was withdrawn")
	st.Needed, st.WaitSince, st.WaitUntil, st.WaitTask, st.Waited = nil, nil, nil, nil, false
	st.OpenedAt, st.DueAt, st.ClosedAt = nil, nil, nil
	st.RemindAt, st.Reminded, st.EscalateAt, st.Escalated = nil, 0, nil, 0
}

// reopenSlots takes answers back, and has it found anew who is asked in the stage: beside those whose answers they
// were, all whose answer was not needed any more.
func (w *work) reopenSlots(ctx context.Context, f *state.Flow, st *state.Stage, mine []*state.Slot) error {
	for _, s := range mine {
		again := *s
		again.ID, again.State = state.NewID(), state.SlotOpen
		again.TaskID, again.DecidedAt, again.DecidedBy, again.Comment = nil, nil, nil, ""
		s.State = state.SlotSuperseded
		st.Slots = append(st.Slots, &again)
	}
	if len(f.Deciders()) == 0 {
		f.StartsAt, f.EndsAt = nil, nil
	}
	return w.resolveAgain(ctx, f, st)
}
