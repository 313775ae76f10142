package chain

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
)

// lookForPeople is how often it is looked by itself whether an approver was found.
const lookForPeople = 10 * time.Minute

// block notes that a stage wants more people than can be found, and tells the administrators.
func (w *work) block(f *flow, st *step) {
	f.State = Blocked
	w.log(f, st.Stage, "blocked", "too few approvers, or none")
	w.asks = append(w.asks, &question{f: f, st: st, taskID: newID(), kind: KindBlocked})
	w.audit(f, didBlock, "", nil)
	w.ring(f, Blocked, "no_approver", "no approver was found for the stage "+quoted(f.definition(st.Stage).Name))
}

// unask ends the administrators' task about a flow.
func (w *work) unask(f *flow) {
	e := ending{decision.Superseded, "it is not needed any more"}
	w.closes[e] = append(w.closes[e], closing{f: f, kind: KindBlocked, key: f.ItemID})
}

// unblock notes that an approver was found.
func (w *work) unblock(f *flow) {
	if f.State != Blocked {
		return
	}
	w.unask(f)
	f.State = running
	w.log(f, f.Stage, "unblocked", "an approver was found")
	w.audit(f, didUnblock, "", nil)
	w.ring(f, Unblocked, "", "an approver was found")
}

// AnswerBlocked is told of what administrators decided about chains that nobody can be asked about.
func (s *Service) AnswerBlocked(ctx context.Context, tx *pg.Tx, answered []decision.Answered) ([]error, error) {
	w := s.work(tx)
	items, byTask := []string{}, map[string]string{}
	for _, a := range answered {
		w.answering[a.Task.ID] = true
		items, byTask[a.Task.ID] = append(items, a.Task.Key), a.Task.Key
	}
	flows, err := w.flowsBy(ctx, items, byTask)
	if err != nil {
		return nil, err
	}
	faults := make([]error, len(answered))
	for i, a := range answered {
		f := flows[a.Task.ID]
		if f == nil || f.State != Blocked || f.now() == nil {
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

func (w *work) takeBlocked(ctx context.Context, f *flow, d decision.Decision) (refusal, err error) {
	if w.tx.Viewer.Home != "" {
		return fault.Coded(
			fault.Forbidden,
			"approver_required",
			"who works in this tenant from outside decides nothing about its requests",
		), nil
	}
	w.touch(f)
	st := f.now()
	switch d.Action {
	case reject:
		w.reject(f, st, "rejected", d.Comment)
		return nil, nil
	case retry:
		if err := w.again(ctx, f, st); err != nil {
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
	case reassign:
		return w.name(ctx, f, st, d)
	}
	return fault.Coded(
		fault.Invalid,
		"unknown_action",
		"this is answered by retry, reassign or reject, and not by %q",
		d.Action,
	), nil
}

// name puts somebody whom an administrator names where nobody could be found. They answer for all who are missing.
func (w *work) name(ctx context.Context, f *flow, st *step, d decision.Decision) (refusal, err error) {
	if f.own(d.By) {
		return fault.Coded(
			fault.Forbidden,
			"own_request",
			"You requested this access, or it is for you. Another administrator must name the approver.",
		), nil
	}
	id, _ := d.Inputs["identity_id"].(string)
	display, err := w.active(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case display == "":
		return badInput("identity_id", "unknown_identity", "no active identity has this id"), nil
	case slices.Contains(f.excluded(), id):
		return fault.Coded(
			fault.Forbidden,
			"own_request",
			"requesters and recipients cannot decide about this request",
		), nil
	case slices.Contains(f.barred(st.Stage), id):
		return fault.Coded(
			fault.Conflict,
			"distinct_approvers",
			"they approved this in another stage; the rule requires a different approver in each stage",
		), nil
	}
	if len(st.Needed) == 0 {
		st.Needed = []int32{1}
	}
	for g, t := range f.tallies(st) {
		if t.verdict() != pending || !t.short() {
			continue
		}
		if !st.asks(g, id) {
			st.slots = append(
				st.slots,
				f.newSlot(
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
			t.open++
		}
		st.Needed[g] = int32(max(1, min(t.needed, t.approved+t.open)))
	}
	w.pose(f, st)
	w.log(f, st.Stage, "reassigned", "%s was named by %s", display, d.By.Display)
	w.unblock(f)
	return nil, nil
}

// asks says whether somebody is asked in a group already, or has been.
func (s *step) asks(group int, identityID string) bool {
	return slices.ContainsFunc(s.slots, func(o *slot) bool {
		return o.Group == group && o.State != slotSuperseded && o.IdentityID != nil && *o.IdentityID == identityID
	})
}

// active is the name of somebody who is there to be asked; empty: they are not.
func (w *work) active(ctx context.Context, id string) (string, error) {
	const sql = `
		select coalesce(nullif(i.display_name, ''), i.external_id)
		  from identity i
		 where i.tenant_id = current_tenant()
		   and i.id::text = lower(@id)
		   and i.status in ('active', 'notice')`
	rows, err := w.tx.Query(ctx, sql, pgx.NamedArgs{"id": id})
	if err != nil {
		return "", fmt.Errorf("find who is named: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(found) == 0 {
		return "", err
	}
	return found[0], nil
}
