package chain

import (
	"context"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// tend does with one chain what has come with time. It says whether the chain was free to be looked at.
func (s *Service) tend(ctx context.Context, v viewer.Viewer, item string) (looked bool, err error) {
	err = s.DB.As(ctx, v, func(tx *pg.Tx) error {
		f, err := loadFree(ctx, tx, item)
		if err != nil || f == nil {
			return err
		}
		w := s.work(tx)
		if f.LookAt.After(w.now) {
			return nil // somebody else was here
		}
		looked = true
		w.touch(f)
		w.endLeft(f)
		if f.live() {
			if err := w.attend(ctx, f); err != nil {
				return err
			}
		}
		return w.finish(ctx)
	})
	return looked && err == nil, err
}

// attend lets a chain expire, go on, be resolved anew, remind and escalate.
func (w *work) attend(ctx context.Context, f *flow) error {
	if !w.now.Before(f.ExpiresAt) {
		w.expire(f)
		return nil
	}
	st := f.now()
	if st.State == stageWaiting {
		f.Turned = false
		return w.advance(ctx, f, false)
	}
	if f.Turned || f.State == Blocked {
		f.Turned = false
		if err := w.again(ctx, f, st); err != nil {
			return err
		}
	}
	for st.State == stageOpen && st.Escalated < len(st.EscalateAt) && !st.EscalateAt[st.Escalated].After(w.now) {
		if err := w.escalate(ctx, f, st); err != nil {
			return err
		}
	}
	return w.remind(ctx, f, st)
}

// expire ends a chain that no approver decided in time.
func (w *work) expire(f *flow) {
	const why = "no approver decided in time"
	if st := f.now(); st != nil {
		w.shut(f, st, stageExpired, decision.Expired, why)
		w.log(f, st.Stage, "expired", why)
	}
	w.audit(f, didExpire, "", nil)
	w.conclude(f, Expired, "expired", "it was not answered in time")
}

// remind reminds those who have not answered, once for each instant at which they are to be. Whoever answers at this
// very moment is not waited for.
func (w *work) remind(ctx context.Context, f *flow, st *step) error {
	if st.State != stageOpen || st.Reminded >= len(st.RemindAt) || st.RemindAt[st.Reminded].After(w.now) {
		return nil
	}
	for st.Reminded < len(st.RemindAt) && !st.RemindAt[st.Reminded].After(w.now) {
		st.Reminded++
	}
	tasks := st.askedBefore(w)
	busy, err := busyTasks(ctx, w.tx, tasks)
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
		if err := decision.Remind(ctx, w.tx, id, detail); err != nil {
			return err
		}
	}
	w.log(f, st.Stage, "reminded", "%s", names(st.slots))
	return nil
}

// askedBefore are the open tasks of a stage but those that are asked in this very transaction.
func (s *step) askedBefore(w *work) (ids []string) {
	for _, id := range s.openTasks() {
		asked := false
		for _, q := range w.asks {
			asked = asked || q.taskID == id
		}
		if !asked {
			ids = append(ids, id)
		}
	}
	return ids
}

// endLeft ends tasks that were in somebody's hands when they should have been.
func (w *work) endLeft(f *flow) {
	left := f.LeftTasks
	f.LeftTasks = nil
	for _, each := range left {
		kind, key, _ := strings.Cut(each, " ")
		id := key[strings.LastIndex(key, ":")+1:]
		e := ending{decision.Superseded, "it was decided in the meantime"}
		w.closes[e] = append(w.closes[e], closing{f, kind, key, id})
	}
}
