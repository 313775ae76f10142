package chain

import (
	"context"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// withdrawWithin is how long an approval can be taken back: long enough to notice a mistake, and short enough that
// those who come after can rely on it.
const withdrawWithin = 30 * time.Minute

// Withdraw takes the viewer's approval of an item back, within half an hour, before the access is provisioned and
// before anybody has answered in the stage after theirs. Their stage is open again, and they and the others in it are
// asked again. That the access is not provisioned yet is the caller's to know.
func (s *Service) Withdraw(ctx context.Context, tx *pg.Tx, itemID string) error {
	flows, err := load(ctx, tx, []string{itemID})
	if err != nil {
		return err
	}
	if len(flows) == 0 {
		return fault.New(fault.NotFound, "item %s has no approval", itemID)
	}
	w, f := s.work(tx), flows[0]
	mine, err := w.withdrawable(f)
	if err != nil {
		return err
	}
	w.touch(f)
	by := mine[0].DecidedBy.Display
	if f.State == Blocked {
		w.unask(f)
	}
	later := f.Stage
	for i := mine[0].Stage + 1; i <= later && i < len(f.steps); i++ {
		w.undo(f, f.steps[i])
	}
	f.State, f.Stage, f.ClosedAt = running, mine[0].Stage, nil
	st := f.now()
	st.State, st.ClosedAt = stageOpen, nil
	w.log(f, st.Stage, "withdrawn", "%s has withdrawn their approval", by)
	w.audit(f, didWithdraw, "", map[string]any{"stage": f.definition(st.Stage).Name})
	w.ring(f, Reopened, "approval_withdrawn", by+" has withdrawn their approval")
	if err := w.reopenSlots(ctx, f, st, mine); err != nil {
		return err
	}
	return w.finish(ctx)
}

// withdrawable are the slots that the viewer approved, or the fault for which it cannot be taken back. Who agreed by
// requesting has answered no task that could be open again; they withdraw the request.
func (w *work) withdrawable(f *flow) ([]*slot, error) {
	if f.State != running && f.State != Blocked && f.State != Approved || !w.now.Before(f.ExpiresAt) {
		return nil, fault.Coded(fault.Conflict, "invalid_transition", "an approval can be withdrawn while others are "+
			"asked, or soon after the item was approved; this is %s",
			f.State).
			Also("allowed", []string{})
	}
	me := decision.ActorOf(w.tx.Viewer)
	for i := min(f.Stage, len(f.steps)-1); i >= 0; i-- {
		var mine []*slot
		for _, s := range f.steps[i].slots {
			if s.State == slotApproved && !s.byRequesting() && s.DecidedBy != nil && same(*s.DecidedBy, me) {
				mine = append(mine, s)
			}
		}
		if len(mine) > 0 {
			return mine, w.stillWithdrawable(f, i, mine[0])
		}
	}
	return nil, fault.Coded(fault.Conflict, "nothing_to_withdraw", "you have not approved this").
		Also("allowed", []string{})
}

func (w *work) stillWithdrawable(f *flow, stage int, mine *slot) error {
	if until := mine.DecidedAt.Add(withdrawWithin); !w.now.Before(until) {
		return fault.Coded(fault.Conflict, "withdrawal_too_late", "an approval can be withdrawn for half an hour; "+
			"this could be until %s", until.UTC().Format(time.RFC3339)).
			Also("allowed", []string{})
	}
	for _, st := range f.steps[stage+1:] {
		for _, s := range st.slots {
			if s.State == slotApproved || s.State == slotRejected {
				return fault.Coded(fault.Conflict, "withdrawal_too_late", "%s has answered after you, relying on "+
					"your approval", s.DecidedBy.Display).
					Also("allowed", []string{})
			}
		}
	}
	return nil
}

// undo brings a stage back to before it was opened.
func (w *work) undo(f *flow, st *step) {
	w.shut(f, st, stageWaiting, decision.Superseded, "an approval before it was withdrawn")
	st.Needed, st.WaitSince, st.WaitUntil, st.WaitTask, st.Waited = nil, nil, nil, nil, false
	st.OpenedAt, st.DueAt, st.ClosedAt = nil, nil, nil
	st.RemindAt, st.Reminded, st.EscalateAt, st.Escalated = nil, 0, nil, 0
}

// reopenSlots takes answers back, and has it found anew who is asked in the stage: beside those whose answers they
// were, all whose answer was not needed any more.
func (w *work) reopenSlots(ctx context.Context, f *flow, st *step, mine []*slot) error {
	for _, s := range mine {
		again := *s
		again.ID, again.State, again.TaskID, again.DecidedAt, again.DecidedBy, again.Comment = newID(), slotOpen, nil,
			nil, nil, ""
		s.State = slotSuperseded
		st.slots = append(st.slots, &again)
	}
	if len(f.deciders()) == 0 {
		f.StartsAt, f.EndsAt = nil, nil
	}
	return w.again(ctx, f, st)
}
