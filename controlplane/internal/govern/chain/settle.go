package chain

import (
	"context"
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// settle counts the answers of the stage that is open, and ends it when they come to something. why says what has
// happened, for those who need not answer any more.
func (w *work) settle(ctx context.Context, f *flow, why string) error {
	st := f.now()
	before := st.openTasks()
	groups := f.tallies(st)
	sum := together(groups)
	for _, s := range st.open() {
		if sum != pending || groups[s.Group].verdict() != pending {
			s.State = slotSuperseded
		}
	}
	w.endUnused(f, st, before, why)
	switch sum {
	case refused:
		w.reject(f, st, "rejected", rejection(st))
	case agreed:
		st.State, st.ClosedAt = stageApproved, &w.now
		w.log(f, st.Stage, "approved", why)
		return w.pass(ctx, f)
	default:
		w.log(f, st.Stage, "answered", why)
	}
	return nil
}

// endUnused ends the tasks that ask for nothing any more.
func (w *work) endUnused(f *flow, st *step, before []string, why string) {
	still := map[string]bool{}
	for _, id := range st.openTasks() {
		still[id] = true
	}
	var over []string
	for _, id := range before {
		if !still[id] {
			over = append(over, id)
		}
	}
	w.end(f, st.Stage, over, decision.Superseded, why)
}

// reject ends a flow at a stage.
func (w *work) reject(f *flow, st *step, code, reason string) {
	w.shut(f, st, stageRejected, decision.Superseded, reason)
	w.log(f, st.Stage, "rejected", reason)
	w.conclude(f, Rejected, code, reason)
}

// shut ends a stage with whatever is still asked in it.
func (w *work) shut(f *flow, st *step, state, taskState, why string) {
	before := st.openTasks()
	for _, s := range st.open() {
		s.State = slotSuperseded
	}
	w.end(f, st.Stage, before, taskState, why)
	if st.WaitTask != nil && !st.Waited && !w.answering[*st.WaitTask] {
		e := ending{taskState, why}
		w.closes[e] = append(w.closes[e], closing{f, KindWait, f.key(st.Stage, *st.WaitTask), *st.WaitTask})
		st.Waited = true
	}
	st.State, st.ClosedAt = state, &w.now
	w.touch(f)
}

// rejection is why a stage was rejected, in the words of who did.
func rejection(st *step) string {
	var reason string
	for _, s := range st.slots {
		if s.State == slotRejected && s.DecidedBy != nil {
			if s.Comment != "" {
				return s.Comment
			}
			reason = fmt.Sprintf("%s rejected it", s.DecidedBy.Display)
		}
	}
	return reason
}
