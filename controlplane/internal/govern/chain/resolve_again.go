package chain

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/batch"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/people"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// resolveAgain resolves anew who is asked in the stage that is open, or opens the one that could not be. Answers that
// were given stay; who is gone is asked no more, and who has come instead is asked.
func (w *work) resolveAgain(ctx context.Context, f *state.Flow, st *state.Stage) error {
	w.Touch(f)
	if st.State != state.StageOpen {
		return w.advance(ctx, f, false)
	}
	ps, err := w.s.approvers().Stage(ctx, w.Tx, f.Subject, f.Plan, st.Stage, f.Approvers(st.Stage), w.Now)
	if err != nil {
		return err
	}
	if ps.Satisfied != "" {
		w.shut(f, st, state.StageSkipped, decision.Superseded, ps.Satisfied)
		w.Log(f, st.Stage, "satisfied", ps.Satisfied)
		return w.nextStage(ctx, f)
	}
	w.resolution(f, st, ps)
	before, asked := st.OpenTasks(), state.AskedNames(st.Slots)
	if err := w.merge(ctx, f, st, ps); err != nil {
		return err
	}
	if err := w.dropRoles(ctx, f, st); err != nil {
		return err
	}
	w.askWhoCame(f, st)
	w.endUnused(f, st, before, "another approver decides now")
	if now := state.AskedNames(st.Slots); now != asked {
		w.Log(f, st.Stage, "re_resolved", "asked: %s; before: %s", now, asked)
		w.Audit(f, batch.DidResolve, "", map[string]any{"asked": now, "before": asked})
	}
	if state.Together(f.Tallies(st)) != state.Pending {
		return w.settle(ctx, f, "all who are left have answered")
	}
	if !f.Short(st) {
		w.unblock(f)
	} else if f.State != Blocked {
		w.block(f, st)
	}
	return nil
}

// nextStage goes on to the next stage, since the one before is over.
func (w *work) nextStage(ctx context.Context, f *state.Flow) error {
	w.unblock(f)
	f.Stage++
	return w.advance(ctx, f, false)
}

// merge brings the slots of a stage in line with what was resolved.
func (w *work) merge(ctx context.Context, f *state.Flow, st *state.Stage, ps approval.PlanStage) error {
	at, err := people.ReadAvailability(ctx, w.Tx, st)
	if err != nil {
		return err
	}
	barred := f.Barred(st.Stage)
	for g, group := range ps.Groups {
		if g >= len(st.Needed) {
			st.Needed = append(st.Needed, 1)
		}
		wanted := slices.DeleteFunc(slices.Clone(group.Slots), func(p approval.PlanSlot) bool {
			return !p.Agreed && p.IdentityID != "" && slices.Contains(barred, p.IdentityID)
		})
		for _, p := range w.keepSlots(st, g, wanted, at) {
			st.Slots = append(st.Slots, w.slotOf(f, st.Stage, g, p))
		}
		st.Needed[g] = int32(
			st.Count(g, max(1, group.Needed), state.ModeOf(f.Definition(st.Stage), g, group.Needed, len(group.Slots))),
		)
	}
	for _, s := range st.Open() {
		if s.Group >= len(ps.Groups) {
			s.State = state.SlotSuperseded
		}
	}
	if len(ps.Groups) < len(st.Needed) {
		st.Needed = st.Needed[:len(ps.Groups)]
	}
	return nil
}

// askWhoCame asks those who are new in a stage. Where one task asks everybody, people are added to it and taken from
// it; a task that asked a role which is asked no more is asked anew without it.
func (w *work) askWhoCame(f *state.Flow, st *state.Stage) {
	task := st.SharedTask()
	if !f.Shared(st) || task == "" {
		w.askSlots(f, st)
		return
	}
	var add []decision.Assignee
	var drop []string
	var roleGone bool
	for _, s := range st.Slots {
		mine := s.TaskID != nil && *s.TaskID == task
		switch {
		case mine && s.State == state.SlotSuperseded && s.IdentityID == nil:
			roleGone = true
		case mine && s.State == state.SlotSuperseded:
			drop = append(drop, *s.IdentityID)
		case s.State == state.SlotOpen && s.TaskID == nil && s.IdentityID != nil && !roleGone:
			s.TaskID = &task
			add = append(add, decision.Assignee{IdentityID: *s.IdentityID, Via: s.Via, ActingFor: s.ActingFor})
		}
	}
	if roleGone {
		for _, s := range st.Open() {
			s.TaskID = nil
		}
	} else {
		w.Assign(task, add, drop...)
	}
	w.askSlots(f, st)
}
