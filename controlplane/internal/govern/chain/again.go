package chain

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// again resolves anew who stands in the stage that is open, or opens the one that could not be. Answers that were given stay; who is
// gone is asked no more, and who has come instead is asked.
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
	w.endUnused(f, st, before, "somebody else is asked now")
	if now := names(st.slots); now != asked {
		w.log(f, st.Stage, "re_resolved", "asked: %s; before: %s", now, asked)
		w.audit(f, "access_request.reresolved", "", map[string]any{"asked": now, "before": asked})
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
	there, err := w.whoIsThere(ctx, st)
	if err != nil {
		return err
	}
	barred := f.barred(st.Stage)
	for g, group := range ps.Groups {
		if g >= len(st.Needed) {
			st.Needed = append(st.Needed, 1)
		}
		wanted := slices.DeleteFunc(slices.Clone(group.Slots), func(p approval.PlanSlot) bool {
			return p.IdentityID != "" && slices.Contains(barred, p.IdentityID)
		})
		wanted = st.keep(g, wanted, there)
		for _, p := range wanted {
			st.slots = append(st.slots, f.newSlot(st.Stage, g, p))
		}
		st.Needed[g] = int32(st.count(g, max(1, group.Needed), modeOf(f.definition(st.Stage), g, group.Needed, len(group.Slots))))
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

// count is how many must agree in a group. All are those who have answered and those who are asked by the rule; who was added since
// nobody answered stands in for one of them.
func (s *step) count(group, needed int, mode string) int {
	if mode != modeAll {
		return needed
	}
	n := 0
	for _, each := range s.slots {
		if each.Group == group && each.State != slotSuperseded && (each.State != slotOpen || each.Via != decision.Escalation) {
			n++
		}
	}
	return max(1, n)
}

// keep drops the open slots of a group that are wanted no more, and gives who is wanted and not there yet.
func (s *step) keep(group int, wanted []approval.PlanSlot, there map[string]bool) []approval.PlanSlot {
	take := func(fits func(approval.PlanSlot) bool) bool {
		i := slices.IndexFunc(wanted, fits)
		if i < 0 {
			return false
		}
		wanted = slices.Delete(wanted, i, i+1)
		return true
	}
	for _, each := range s.slots {
		if each.Group != group || each.State == slotSuperseded {
			continue
		}
		found := take(func(p approval.PlanSlot) bool { return each.fits(p) })
		switch {
		case each.State != slotOpen && !found:
			// Whoever stands where they stood need not answer again: what was decided stays.
			take(func(p approval.PlanSlot) bool { return p.Because == each.Because })
		case each.State == slotOpen && !found && !(each.added() && there[each.who()]):
			each.State = slotSuperseded
		}
	}
	return wanted
}

// fits says whether a slot asks whom a plan names: the same person or role, or one of the two who stand on either side of a delegation,
// which the inbox sees to.
func (s *slot) fits(p approval.PlanSlot) bool {
	if s.IdentityID == nil || p.IdentityID == "" {
		return s.IdentityID == nil && p.IdentityID == "" && s.Role == p.Role
	}
	return *s.IdentityID == p.IdentityID || p.ActingFor == *s.IdentityID || s.ActingFor != nil && (*s.ActingFor == p.IdentityID || *s.ActingFor == p.ActingFor) ||
		s.DecidedBy != nil && s.DecidedBy.IdentityID == p.IdentityID
}

// added says whether somebody was put here beside what the rule names: by an escalation, or by hand.
func (s *slot) added() bool {
	return s.Via == decision.Escalation || s.Via == decision.Reassigned
}

// askWhoCame asks those who are new in a stage. Where one task asks everybody, people are added to it and taken from it; a task that asked
// a role which is asked no more is asked anew without it.
func (w *work) askWhoCame(f *flow, st *step) {
	task := st.sharedTask()
	if !f.shared(st) || task == "" {
		w.pose(f, st)
		return
	}
	a := assignment{taskID: task, why: "re-resolved"}
	var roleGone bool
	for _, s := range st.slots {
		mine := s.TaskID != nil && *s.TaskID == task
		switch {
		case mine && s.State == slotSuperseded && s.IdentityID == nil:
			roleGone = true
		case mine && s.State == slotSuperseded:
			a.drop = append(a.drop, *s.IdentityID)
		case s.State == slotOpen && s.TaskID == nil && s.IdentityID != nil && !roleGone:
			s.TaskID = &task
			a.add = append(a.add, decision.Assignee{IdentityID: *s.IdentityID, Via: s.Via, ActingFor: s.ActingFor})
		}
	}
	if roleGone {
		for _, s := range st.open() {
			s.TaskID = nil
		}
	} else if len(a.add)+len(a.drop) > 0 {
		w.assigns = append(w.assigns, a)
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

// whoIsThere are those who were added to a stage and are still there to be asked. Whether anybody has a role is looked at for all slots.
func (w *work) whoIsThere(ctx context.Context, st *step) (map[string]bool, error) {
	var ids []string
	there := map[string]bool{}
	for _, s := range st.open() {
		if s.added() && s.IdentityID != nil {
			ids = append(ids, *s.IdentityID)
		} else {
			there[s.who()] = true
		}
	}
	if len(ids) == 0 {
		return there, nil
	}
	people, err := lookAtPeople(ctx, w.tx, ids)
	for id, p := range people {
		there[id] = p.Status == "active" || p.Status == "notice"
	}
	return there, err
}
