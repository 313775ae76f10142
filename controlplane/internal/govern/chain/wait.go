package chain

import (
	"context"
	"strings"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/batch"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/people"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/progress"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/question"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// wait begins to wait, or looks whether it is over. It says whether the chain goes on.
func (w *work) wait(ctx context.Context, f *state.Flow, st *state.Stage, d approval.StageWait) (bool, error) {
	if st.WaitSince == nil {
		w.beginWait(f, st, d)
	}
	over, err := w.waitOver(ctx, f, st, d)
	if err != nil {
		return false, err
	}
	switch {
	case over:
		w.endWait(f, st, "what it waited for has come")
		return true, nil
	case st.WaitUntil == nil || w.Now.Before(*st.WaitUntil):
		return false, nil
	case d.OnTimeout == "continue":
		w.endWait(f, st, "what it waited for has not come in time; the rule goes on then")
		return true, nil
	}
	w.endWait(f, st, "what it waited for has not come in time; the rule rejects then")
	w.Audit(f, batch.DidTimeOut, "", map[string]any{"waited_for": progress.WaitsFor(d)})
	w.reject(f, st, "rejected_by_rule", "it waited for "+progress.WaitsFor(d)+", which has not come in time")
	return false, nil
}

func (w *work) beginWait(f *state.Flow, st *state.Stage, d approval.StageWait) {
	st.WaitSince = &w.Now
	switch d.Kind {
	case state.WaitDuration:
		lasts, _ := span.Parse(
			d.Duration,
		) // a length that cannot be read is none: rules are checked when they are saved
		st.WaitUntil = state.Pointer(w.Now.Add(lasts))
	case state.WaitTimeOfDay:
		at, err := d.Next(w.Now)
		if err != nil {
			at = w.Now
		}
		st.WaitUntil = &at
	default:
		if timeout, err := span.Parse(d.Timeout); err == nil {
			st.WaitUntil = state.Pointer(w.Now.Add(timeout))
		}
	}
	if d.Kind == state.WaitExternal {
		id := state.NewID()
		st.WaitTask = &id
		w.AddTask(&question.Question{F: f, St: st, TaskID: id, Kind: KindWait})
	}
	w.Log(f, st.Stage, "waits", "for %s", progress.WaitsFor(d))
}

// waitOver says whether what a stage waits for has come.
func (w *work) waitOver(ctx context.Context, f *state.Flow, st *state.Stage, d approval.StageWait) (bool, error) {
	switch d.Kind {
	case state.WaitDuration, state.WaitTimeOfDay:
		return st.WaitUntil == nil || !w.Now.Before(*st.WaitUntil), nil
	case state.WaitCondition:
		return people.Meets(ctx, w.Tx, w.Now, f.Subject.BeneficiaryID, d.Condition)
	}
	return false, nil
}

func (w *work) endWait(f *state.Flow, st *state.Stage, why string) {
	st.Waited = true
	w.Log(f, st.Stage, "wait_ended", why)
	if st.WaitTask != nil && !w.Answering[*st.WaitTask] {
		w.CloseTask(f, KindWait, f.Key(st.Stage, *st.WaitTask), *st.WaitTask, decision.Superseded, why)
	}
}

// AnswerWait is told that stages may go on which waited for somebody, or another system, or that they may not.
func (s *Service) AnswerWait(ctx context.Context, tx *pg.Tx, answered []decision.Answered) ([]error, error) {
	w := s.work(tx)
	items, byTask := []string{}, map[string]string{}
	for _, a := range answered {
		w.Answering[a.Task.ID] = true
		item, _, _ := strings.Cut(a.Task.Key, ":")
		items, byTask[a.Task.ID] = append(items, item), item
	}
	flows, err := w.flowsBy(ctx, items, byTask)
	if err != nil {
		return nil, err
	}
	faults := make([]error, len(answered))
	for i, a := range answered {
		f := flows[a.Task.ID]
		if f == nil || !f.Live() || f.Current() == nil || f.Current().State != state.StageWaiting ||
			f.Current().WaitTask == nil ||
			*f.Current().WaitTask != a.Task.ID {
			faults[i] = fault.Coded(fault.Conflict, "already_decided", "This approval is no longer waiting.").
				Also("allowed", []string{})
			continue
		}
		if faults[i], err = w.takeWait(ctx, f, a.Decision); err != nil {
			return nil, err
		}
	}
	return faults, w.finish(ctx)
}

func (w *work) takeWait(ctx context.Context, f *state.Flow, d decision.Decision) (refusal, err error) {
	st := f.Current()
	switch {
	case w.Tx.Viewer.Home != "":
		return fault.Coded(
			fault.Forbidden,
			"approver_required",
			"Control-plane administrators who act in another tenant cannot decide its requests.",
		), nil
	case !f.Plan.SelfApproval && f.OwnRequest(d.By):
		return fault.Coded(fault.Forbidden, "own_request", "requesters cannot continue their own request"), nil
	case d.Action == state.Reject:
		w.endWait(f, st, d.By.Display+" has rejected it")
		w.reject(f, st, "rejected", d.Comment)
		return nil, nil
	case d.Action != state.GoOn:
		return fault.Coded(
			fault.Invalid,
			"unknown_action",
			"this is answered by continue or reject, and not by %q",
			d.Action,
		), nil
	}
	w.Touch(f)
	w.endWait(f, st, d.By.Display+" has let it go on")
	return nil, w.advance(ctx, f, false)
}
