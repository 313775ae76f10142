package chain

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// Kinds of wait.
const (
	waitCondition = "condition"
	waitDuration  = "duration"
	waitTimeOfDay = "time_of_day"
	waitExternal  = "external"
)

// lookAgain is how often a condition is looked at that a stage waits for.
const lookAgain = time.Minute

// wait begins to wait, or looks whether it is over. It says whether the chain goes on.
func (w *work) wait(ctx context.Context, f *flow, st *step, d approval.StageWait) (bool, error) {
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
	case st.WaitUntil == nil || w.now.Before(*st.WaitUntil):
		return false, nil
	case d.OnTimeout == "continue":
		w.endWait(f, st, "what it waited for has not come in time; the rule goes on then")
		return true, nil
	}
	w.endWait(f, st, "what it waited for has not come in time; the rule rejects then")
	w.audit(f, didTimeOut, "", map[string]any{"waited_for": waitsFor(d)})
	w.reject(f, st, "rejected_by_rule", "it waited for "+waitsFor(d)+", which has not come in time")
	return false, nil
}

func (w *work) beginWait(f *flow, st *step, d approval.StageWait) {
	st.WaitSince = &w.now
	switch d.Kind {
	case waitDuration:
		lasts, _ := span.Parse(
			d.Duration,
		) // a length that cannot be read is none: rules are checked when they are saved
		st.WaitUntil = pointer(w.now.Add(lasts))
	case waitTimeOfDay:
		at, err := d.Next(w.now)
		if err != nil {
			at = w.now
		}
		st.WaitUntil = &at
	default:
		if timeout, err := span.Parse(d.Timeout); err == nil {
			st.WaitUntil = pointer(w.now.Add(timeout))
		}
	}
	if d.Kind == waitExternal {
		id := newID()
		st.WaitTask = &id
		w.asks = append(w.asks, &question{f: f, st: st, taskID: id, kind: KindWait})
	}
	w.log(f, st.Stage, "waits", "for %s", waitsFor(d))
}

// waitOver says whether what a stage waits for has come.
func (w *work) waitOver(ctx context.Context, f *flow, st *step, d approval.StageWait) (bool, error) {
	switch d.Kind {
	case waitDuration, waitTimeOfDay:
		return st.WaitUntil == nil || !w.now.Before(*st.WaitUntil), nil
	case waitCondition:
		return w.met(ctx, f.Subject.BeneficiaryID, d.Condition)
	}
	return false, nil
}

func (w *work) endWait(f *flow, st *step, why string) {
	st.Waited = true
	w.log(f, st.Stage, "wait_ended", why)
	if st.WaitTask != nil && !w.answering[*st.WaitTask] {
		e := ending{decision.Superseded, why}
		w.closes[e] = append(w.closes[e], closing{f, KindWait, f.key(st.Stage, *st.WaitTask), *st.WaitTask})
	}
}

// waitsFor says in words what a stage waits for.
func waitsFor(d approval.StageWait) string {
	switch d.Kind {
	case waitDuration:
		return "the time of " + d.Duration + " to pass"
	case waitTimeOfDay:
		return "clocks in " + d.Timezone + " to show " + d.At
	case waitExternal:
		return "a person or another system to continue it"
	}
	raw, err := json.Marshal(d.Condition)
	if err == nil {
		if c, problems := condition.Parse(raw); len(problems) == 0 {
			return "this to be true of the person: " + c.Sentence()
		}
	}
	return "a condition that cannot be read"
}

// waitsUntil is when a waiting stage has to be looked at.
func (f *flow) waitsUntil(st *step, now time.Time) time.Time {
	d := f.definition(st.Stage).Wait
	if d == nil || st.Waited || st.WaitSince == nil {
		return now
	}
	at := f.ExpiresAt
	if st.WaitUntil != nil {
		at = *st.WaitUntil
	}
	if again := now.Add(lookAgain); d.Kind == waitCondition && again.Before(at) {
		at = again
	}
	return at
}

// AnswerWait is told that stages may go on which waited for somebody, or another system, or that they may not.
func (s *Service) AnswerWait(ctx context.Context, tx *pg.Tx, answered []decision.Answered) ([]error, error) {
	w := s.work(tx)
	items, byTask := []string{}, map[string]string{}
	for _, a := range answered {
		w.answering[a.Task.ID] = true
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
		if f == nil || !f.live() || f.now() == nil || f.now().State != stageWaiting || f.now().WaitTask == nil ||
			*f.now().WaitTask != a.Task.ID {
			faults[i] = fault.Coded(fault.Conflict, "already_decided", "nothing waits for this any more").
				Also("allowed", []string{})
			continue
		}
		if faults[i], err = w.takeWait(ctx, f, a.Decision); err != nil {
			return nil, err
		}
	}
	return faults, w.finish(ctx)
}

func (w *work) takeWait(ctx context.Context, f *flow, d decision.Decision) (refusal, err error) {
	st := f.now()
	switch {
	case w.tx.Viewer.Home != "":
		return fault.Coded(
			fault.Forbidden,
			"approver_required",
			"who works in this tenant from outside decides nothing about its requests",
		), nil
	case !f.Plan.SelfApproval && f.own(d.By):
		return fault.Coded(fault.Forbidden, "own_request", "requesters cannot continue their own request"), nil
	case d.Action == reject:
		w.endWait(f, st, d.By.Display+" has rejected it")
		w.reject(f, st, "rejected", d.Comment)
		return nil, nil
	case d.Action != goOn:
		return fault.Coded(
			fault.Invalid,
			"unknown_action",
			"this is answered by continue or reject, and not by %q",
			d.Action,
		), nil
	}
	w.touch(f)
	w.endWait(f, st, d.By.Display+" has let it go on")
	return nil, w.advance(ctx, f, false)
}
