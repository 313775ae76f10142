package chain

import (
	"context"
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/batch"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/people"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/question"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// block notes that a stage wants more people than can be found, and tells the administrators.
func (w *work) block(f *state.Flow, st *state.Stage) {
	f.State = Blocked
	w.Log(f, st.Stage, "blocked", "too few approvers, or none")
	w.AddTask(&question.Question{F: f, St: st, TaskID: state.NewID(), Kind: KindBlocked})
	w.Audit(f, batch.DidBlock, "", nil)
	w.report(
		f,
		Blocked,
		"no_approver",
		"no approver was found for the stage "+state.Quoted(f.Definition(st.Stage).Name),
	)
}

// unask ends the administrators' task about a flow.
func (w *work) unask(f *state.Flow) {
	w.CloseTask(f, KindBlocked, f.ItemID, "", decision.Superseded, "it is not needed any more")
}

// unblock notes that an approver was found.
func (w *work) unblock(f *state.Flow) {
	if f.State != Blocked {
		return
	}
	w.unask(f)
	f.State = state.Running
	w.Log(f, f.Stage, "unblocked", "an approver was found")
	w.Audit(f, batch.DidUnblock, "", nil)
	w.report(f, Unblocked, "", "an approver was found")
}

// AnswerBlocked is told of what administrators decided about chains that nobody can be asked about.
func (s *Service) AnswerBlocked(ctx context.Context, tx *pg.Tx, answered []decision.Answered) ([]error, error) {
	w := s.work(tx)
	items, byTask := []string{}, map[string]string{}
	for _, a := range answered {
		w.Answering[a.Task.ID] = true
		items, byTask[a.Task.ID] = append(items, a.Task.Key), a.Task.Key
	}
	flows, err := w.flowsBy(ctx, items, byTask)
	if err != nil {
		return nil, err
	}
	faults := make([]error, len(answered))
	for i, a := range answered {
		f := flows[a.Task.ID]
		if f == nil || f.State != Blocked || f.Current() == nil {
			faults[i] = fault.Coded(fault.Conflict, "already_decided", "the request is not blocked: an approver was "+
				"found, or it is decided").
				Also("allowed", []string{})
			continue
		}
		if faults[i], err = w.takeBlocked(ctx, f, a.Decision); err != nil {
			return nil, err
		}
	}
	return faults, w.finish(ctx)
}

func (w *work) takeBlocked(ctx context.Context, f *state.Flow, d decision.Decision) (refusal, err error) {
	if w.Tx.Viewer.Home != "" {
		return fault.Coded(
			fault.Forbidden,
			"approver_required",
			"Control-plane administrators who act in another tenant cannot decide its requests.",
		), nil
	}
	w.Touch(f)
	st := f.Current()
	switch d.Action {
	case state.Reject:
		w.reject(f, st, "rejected", d.Comment)
		return nil, nil
	case state.Retry:
		if err := w.resolveAgain(ctx, f, st); err != nil {
			return nil, err
		}
		if f.State == Blocked {
			return fault.Coded(
				fault.Conflict,
				"still_blocked",
				"there is still no approver; name one, or reject the request",
			), nil
		}
		return nil, nil
	case state.Reassign:
		return w.nameApprover(ctx, f, st, d)
	}
	return fault.Coded(
		fault.Invalid,
		"unknown_action",
		"this is answered by retry, reassign or reject, and not by %q",
		d.Action,
	), nil
}

// nameApprover puts somebody whom an administrator names where nobody could be found. They answer for all who are
// missing.
func (w *work) nameApprover(
	ctx context.Context,
	f *state.Flow,
	st *state.Stage,
	d decision.Decision,
) (refusal, err error) {
	if f.OwnRequest(d.By) {
		return fault.Coded(
			fault.Forbidden,
			"own_request",
			"You requested this access, or it is for you. Another administrator must name the approver.",
		), nil
	}
	id, _ := d.Inputs["identity_id"].(string)
	display, err := people.ActiveName(ctx, w.Tx, id)
	switch {
	case err != nil:
		return nil, err
	case display == "":
		return state.BadInput("identity_id", "unknown_identity", "no active identity has this id"), nil
	case slices.Contains(f.Excluded(), id):
		return fault.Coded(
			fault.Forbidden,
			"own_request",
			"requesters and recipients cannot decide about this request",
		), nil
	case slices.Contains(f.Barred(st.Stage), id):
		return fault.Coded(
			fault.Conflict,
			"distinct_approvers",
			"they approved this in another stage; the rule requires a different approver in each stage",
		), nil
	}
	if len(st.Needed) == 0 {
		st.Needed = []int32{1}
	}
	for g, t := range f.Tallies(st) {
		if t.Verdict() != state.Pending || !t.Short() {
			continue
		}
		if !st.Asks(g, id) {
			st.Slots = append(
				st.Slots,
				f.NewSlot(
					st.Stage,
					g,
					approval.PlanSlot{
						IdentityID: id,
						Display:    display,
						Via:        decision.Reassigned,
						Because:    "named by " + d.By.Display,
					},
				),
			)
			t.Open++
		}
		st.Needed[g] = int32(max(1, min(t.Needed, t.Approved+t.Open)))
	}
	w.askSlots(f, st)
	w.Log(f, st.Stage, "reassigned", "%s was named by %s", display, d.By.Display)
	w.unblock(f)
	return nil, nil
}
