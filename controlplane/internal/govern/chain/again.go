package chain

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// again resolves anew who stands in the stage that is open, or opens the one that could not be. Answers that were given
// stay; who is gone is asked no more, and who has come instead is asked.
func (w *work) again(ctx context.Context, f *flow, st *step) error {
	w.touch(f)
	if st.State != stageOpen {
		return w.advance(ctx, f, false)
	}
	ps, err := w.s.approvers().Stage(ctx, w.tx, f.Subject, f.Plan, st.Stage, f.approvers(st.Stage), w.now)
	if err != nil {
		return err
	}
	if ps.Satisfied != "" {
		w.shut(f, st, stageSkipped, decision.Superseded, ps.Satisfied)
		w.log(f, st.Stage, "satisfied", ps.Satisfied)
		return w.pass(ctx, f)
	}
	w.resolution(f, st, ps)
	before, asked := st.openTasks(), names(st.slots)
	if err := w.merge(ctx, f, st, ps); err != nil {
		return err
	}
	if err := w.dropRoles(ctx, f, st); err != nil {
		return err
	}
	w.askWhoCame(f, st)
	w.endUnused(f, st, before, "another approver decides now")
	if now := names(st.slots); now != asked {
		w.log(f, st.Stage, "re_resolved", "asked: %s; before: %s", now, asked)
		w.audit(f, didResolve, "", map[string]any{"asked": now, "before": asked})
	}
	if together(f.tallies(st)) != pending {
		return w.settle(ctx, f, "all who are left have answered")
	}
	if !f.short(st) {
		w.unblock(f)
	} else if f.State != Blocked {
		w.block(f, st)
	}
	return nil
}

// pass goes on to the next stage, since the one before is over.
func (w *work) pass(ctx context.Context, f *flow) error {
	w.unblock(f)
	f.Stage++
	return w.advance(ctx, f, false)
}

// merge brings the slots of a stage in line with what was resolved.
func (w *work) merge(ctx context.Context, f *flow, st *step, ps approval.PlanStage) error {
	at, err := w.lookAround(ctx, st)
	if err != nil {
		return err
	}
	barred := f.barred(st.Stage)
	for g, group := range ps.Groups {
		if g >= len(st.Needed) {
			st.Needed = append(st.Needed, 1)
		}
		wanted := slices.DeleteFunc(slices.Clone(group.Slots), func(p approval.PlanSlot) bool {
			return !p.Agreed && p.IdentityID != "" && slices.Contains(barred, p.IdentityID)
		})
		for _, p := range w.keep(st, g, wanted, at) {
			st.slots = append(st.slots, w.seated(f, st.Stage, g, p))
		}
		st.Needed[g] = int32(
			st.count(g, max(1, group.Needed), modeOf(f.definition(st.Stage), g, group.Needed, len(group.Slots))),
		)
	}
	for _, s := range st.open() {
		if s.Group >= len(ps.Groups) {
			s.State = slotSuperseded
		}
	}
	if len(ps.Groups) < len(st.Needed) {
		st.Needed = st.Needed[:len(ps.Groups)]
	}
	return nil
}

// count is how many must agree in a group. All are those who have answered and those who are asked by the rule; who was
// added since nobody answered stands in for one of them.
func (s *step) count(group, needed int, mode string) int {
	if mode != modeAll {
		return needed
	}
	n := 0
	for _, each := range s.slots {
		if each.Group == group && each.State != slotSuperseded &&
			(each.State != slotOpen || each.Via != decision.Escalation) {
			n++
		}
	}
	return max(1, n)
}

// askWhoCame asks those who are new in a stage. Where one task asks everybody, people are added to it and taken from
// it; a task that asked a role which is asked no more is asked anew without it.
func (w *work) askWhoCame(f *flow, st *step) {
	task := st.sharedTask()
	if !f.shared(st) || task == "" {
		w.pose(f, st)
		return
	}
	var add []decision.Assignee
	var drop []string
	var roleGone bool
	for _, s := range st.slots {
		mine := s.TaskID != nil && *s.TaskID == task
		switch {
		case mine && s.State == slotSuperseded && s.IdentityID == nil:
			roleGone = true
		case mine && s.State == slotSuperseded:
			drop = append(drop, *s.IdentityID)
		case s.State == slotOpen && s.TaskID == nil && s.IdentityID != nil && !roleGone:
			s.TaskID = &task
			add = append(add, decision.Assignee{IdentityID: *s.IdentityID, Via: s.Via, ActingFor: s.ActingFor})
		}
	}
	if roleGone {
		for _, s := range st.open() {
			s.TaskID = nil
		}
	} else {
		w.assign(task, add, drop...)
	}
	w.pose(f, st)
}

// sharedTask is a task that asks people of a stage and is still open.
func (s *step) sharedTask() string {
	for _, each := range s.open() {
		if each.TaskID != nil && each.IdentityID != nil {
			return *each.TaskID
		}
	}
	return ""
}
