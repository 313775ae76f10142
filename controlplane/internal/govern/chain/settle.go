package chain

import (
	"context"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// settle counts the answers of the stage that is open, and ends it when they come to something. why says what has
// happened, for those who need not answer any more.
func (w *work) settle(ctx context.Context, f *state.Flow, why string) error {
	st := f.Current()
	before := st.OpenTasks()
	groups := f.Tallies(st)
	sum := state.Together(groups)
	for _, s := range st.Open() {
		if sum != state.Pending || groups[s.Group].Verdict() != state.Pending {
			s.State = state.SlotSuperseded
		}
	}
	w.endUnused(f, st, before, why)
	switch sum {
	case state.Refused:
		w.reject(f, st, "rejected", state.Rejection(st))
	case state.Agreed:
		st.State, st.ClosedAt = state.StageApproved, &w.Now
		w.Log(f, st.Stage, "approved", why)
		return w.nextStage(ctx, f)
	default:
		w.Log(f, st.Stage, "answered", why)
	}
	return nil
}

// endUnused ends the tasks that ask for nothing any more.
func (w *work) endUnused(f *state.Flow, st *state.Stage, before []string, why string) {
	still := map[string]bool{}
	for _, id := range st.OpenTasks() {
		still[id] = true
	}
	var over []string
	for _, id := range before {
		if !still[id] {
			over = append(over, id)
		}
	}
	w.End(f, st.Stage, over, decision.Superseded, why)
}

// reject ends a flow at a stage.
func (w *work) reject(f *state.Flow, st *state.Stage, code, reason string) {
	w.shut(f, st, state.StageRejected, decision.Superseded, reason)
	w.Log(f, st.Stage, "rejected", reason)
	w.conclude(f, Rejected, code, reason)
}

// shut ends a stage with whatever is still asked in it.
func (w *work) shut(f *state.Flow, st *state.Stage, stageState, taskState, why string) {
	before := st.OpenTasks()
	for _, s := range st.Open() {
		s.State = state.SlotSuperseded
	}
	w.End(f, st.Stage, before, taskState, why)
	if st.WaitTask != nil && !st.Waited && !w.Answering[*st.WaitTask] {
		w.CloseTask(f, KindWait, f.Key(st.Stage, *st.WaitTask), *st.WaitTask, taskState, why)
		st.Waited = true
	}
	st.State, st.ClosedAt = stageState, &w.Now
	w.Touch(f)
}
