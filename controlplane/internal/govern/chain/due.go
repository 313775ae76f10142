package chain

import (
	"context"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/batch"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/store"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// processOne does with one chain what has come with time. It says whether the chain was free to be processed.
func (s *Service) processOne(ctx context.Context, v viewer.Viewer, item string) (looked bool, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		f, err := store.LockFree(ctx, tx, item)
		if err != nil || f == nil {
			return err
		}
		w := s.work(tx)
		if f.LookAt.After(w.Now) {
			return nil // somebody else was here
		}
		looked = true
		w.Touch(f)
		w.closeLeftTasks(f)
		if f.Live() {
			if err := w.process(ctx, f); err != nil {
				return err
			}
		}
		return w.finish(ctx)
	})
	return looked && err == nil, err
}

// process lets a chain expire, go on, be resolved anew, remind and escalate.
func (w *work) process(ctx context.Context, f *state.Flow) error {
	if !w.Now.Before(f.ExpiresAt) {
		w.expire(f)
		return nil
	}
	st := f.Current()
	if st.State == state.StageWaiting {
		f.Turned = false
		return w.advance(ctx, f, false)
	}
	if f.Turned || f.State == Blocked {
		f.Turned = false
		if err := w.resolveAgain(ctx, f, st); err != nil {
			return err
		}
	}
	for st.State == state.StageOpen && st.Escalated < len(st.EscalateAt) && !st.EscalateAt[st.Escalated].After(w.Now) {
		if err := w.escalate(ctx, f, st); err != nil {
			return err
		}
	}
	return w.remind(ctx, f, st)
}

// expire ends a chain that no approver decided in time.
func (w *work) expire(f *state.Flow) {
	const why = "no approver decided in time"
	if st := f.Current(); st != nil {
		w.shut(f, st, state.StageExpired, decision.Expired, why)
		w.Log(f, st.Stage, "expired", why)
	}
	w.Audit(f, batch.DidExpire, "", nil)
	w.conclude(f, Expired, "expired", "it was not answered in time")
}

// remind reminds those who have not answered, once for each instant at which they are to be. Whoever answers at this
// very moment is not waited for.
func (w *work) remind(ctx context.Context, f *state.Flow, st *state.Stage) error {
	if st.State != state.StageOpen || st.Reminded >= len(st.RemindAt) || st.RemindAt[st.Reminded].After(w.Now) {
		return nil
	}
	for st.Reminded < len(st.RemindAt) && !st.RemindAt[st.Reminded].After(w.Now) {
		st.Reminded++
	}
	tasks := w.askedBefore(st)
	busy, err := batch.BusyTasks(ctx, w.Tx, tasks)
	if err != nil {
		return err
	}
	detail := "an answer is waited for"
	if st.DueAt != nil {
		detail += " until " + st.DueAt.UTC().Format("2006-01-02 15:04 UTC")
	}
	for _, id := range tasks {
		if busy[id] {
			continue
		}
		if err := decision.Remind(ctx, w.Tx, id, detail); err != nil {
			return err
		}
	}
	w.Log(f, st.Stage, "reminded", "%s", state.AskedNames(st.Slots))
	return nil
}

// askedBefore are the open tasks of a stage but those that are asked in this very transaction.
func (w *work) askedBefore(st *state.Stage) (ids []string) {
	for _, id := range st.OpenTasks() {
		asked := false
		for _, q := range w.Asks {
			asked = asked || q.TaskID == id
		}
		if !asked {
			ids = append(ids, id)
		}
	}
	return ids
}

// closeLeftTasks closes tasks that somebody was deciding when they should have been closed.
func (w *work) closeLeftTasks(f *state.Flow) {
	left := f.LeftTasks
	f.LeftTasks = nil
	for _, each := range left {
		kind, key, _ := strings.Cut(each, " ")
		id := key[strings.LastIndex(key, ":")+1:]
		w.CloseTask(f, kind, key, id, decision.Superseded, "it was decided in the meantime")
	}
}
