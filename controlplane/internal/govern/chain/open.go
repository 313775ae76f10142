package chain

import (
	"context"
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/people"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/question"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// advance goes on from the stage that a flow has come to: it waits, passes over what nobody need be asked about, or
// asks. Past the last stage the item is approved. fresh says that the plan was resolved in this very transaction.
func (w *work) advance(ctx context.Context, f *state.Flow, fresh bool) error {
	w.Touch(f)
	for {
		st := f.Current()
		if st == nil {
			w.conclude(f, Approved, "", "")
			return nil
		}
		if st.State != state.StageWaiting {
			return nil
		}
		if wait := f.Definition(st.Stage).Wait; wait != nil && !st.Waited {
			going, err := w.wait(ctx, f, st, *wait)
			if err != nil || !going {
				return err
			}
		}
		ps := f.Plan.Stages[st.Stage]
		if !fresh {
			if w.resolved++; w.resolved > resolveAtOnce {
				return nil // the worker opens it: next says that it is due
			}
			var err error
			if ps, err = w.s.approvers().
				Stage(ctx, w.Tx, f.Subject, f.Plan, st.Stage, f.Approvers(st.Stage), w.Now); err != nil {
				return err
			}
			w.resolution(f, st, ps)
		}
		if ps.Satisfied == "" {
			return w.open(ctx, f, st, ps)
		}
		st.State, st.ClosedAt = state.StageSkipped, &w.Now
		w.Log(f, st.Stage, "satisfied", ps.Satisfied)
		f.Stage++
	}
}

// resolution notes how it was found who is asked.
func (w *work) resolution(f *state.Flow, st *state.Stage, ps approval.PlanStage) {
	for _, l := range ps.Log {
		w.Log(f, st.Stage, l.Step, l.Detail)
	}
}

// conclude ends a flow.
func (w *work) conclude(f *state.Flow, result, code, reason string) {
	w.Touch(f)
	if f.State == state.StateBlocked {
		w.unask(f)
	}
	f.State, f.ClosedAt = result, &w.Now
	w.report(f, result, code, reason)
}

// open asks the people of a stage.
func (w *work) open(ctx context.Context, f *state.Flow, st *state.Stage, ps approval.PlanStage) error {
	st.State, st.OpenedAt = state.StageOpen, &w.Now
	st.Needed = make([]int32, len(ps.Groups))
	barred := f.Barred(st.Stage)
	for g, group := range ps.Groups {
		st.Needed[g] = int32(max(1, group.Needed))
		for _, p := range group.Slots {
			if !p.Agreed && p.IdentityID != "" && slices.Contains(barred, p.IdentityID) {
				w.Log(f, st.Stage, "passed_over", "%s may not decide about this", p.Display)
				continue
			}
			st.Slots = append(st.Slots, w.slotOf(f, st.Stage, g, p))
		}
	}
	if err := w.dropRoles(ctx, f, st); err != nil {
		return err
	}
	groups := f.Tallies(st)
	if state.Together(groups) == state.Agreed {
		return w.settle(ctx, f, "agreed by requesting")
	}
	for _, s := range st.Open() {
		if groups[s.Group].Verdict() == state.Agreed {
			s.State = state.SlotSuperseded
		}
	}
	if err := w.setClocks(ctx, f, st, ps.DueAt); err != nil {
		return err
	}
	w.Log(f, st.Stage, "opened", "asked: %s", state.AskedNames(st.Slots))
	w.askSlots(f, st)
	if f.Short(st) {
		w.block(f, st)
	}
	return nil
}

// dropRoles takes slots of roles away that nobody has who may decide.
func (w *work) dropRoles(ctx context.Context, f *state.Flow, st *state.Stage) error {
	var kept []*state.Slot
	for _, s := range st.Slots {
		if s.State != state.SlotOpen || s.IdentityID != nil {
			kept = append(kept, s)
			continue
		}
		holders, err := w.holdersOf(ctx, s.Role)
		if err != nil {
			return err
		}
		barred := append(f.Barred(st.Stage), f.NotFor()...)
		if slices.ContainsFunc(holders, func(id string) bool { return !slices.Contains(barred, id) }) {
			kept = append(kept, s)
			continue
		}
		if s.TaskID != nil { // it was asked until now
			s.State = state.SlotSuperseded
			kept = append(kept, s)
		}
		w.Log(f, st.Stage, "passed_over", "no user with the role %s may decide about this", s.Role)
	}
	st.Slots = kept
	return nil
}

// holdersOf are the people who have a role of the tenant: identities, or users who are none.
func (w *work) holdersOf(ctx context.Context, role string) ([]string, error) {
	if known, ok := w.holders[role]; ok {
		return known, nil
	}
	found, err := people.Holders(ctx, w.Tx, role)
	if err != nil {
		return nil, err
	}
	if w.holders == nil {
		w.holders = map[string][]string{}
	}
	w.holders[role] = found
	return found, nil
}

// usualAnswer is how long people have to answer where a stage does not say: three working days.
const usualAnswer = 3 * span.Day

// setClocks counts when a stage that opens is due, reminds and escalates, in working time.
func (w *work) setClocks(ctx context.Context, f *state.Flow, st *state.Stage, due *time.Time) (err error) {
	d := f.Definition(st.Stage)
	st.RemindAt, st.Reminded, st.EscalateAt, st.Escalated = nil, 0, nil, 0
	within, err := span.Parse(d.RespondWithin)
	if err != nil {
		within = usualAnswer
	}
	working := func(within time.Duration) (at time.Time) {
		if err == nil {
			at, err = w.working(ctx, within, d.CalendarID)
		}
		return at
	}
	if err = nil; due == nil {
		due = state.Pointer(working(within))
	}
	st.DueAt = due
	for _, r := range d.Reminders {
		if before, unread := span.Parse(r); unread == nil && before < within {
			st.RemindAt = append(st.RemindAt, working(within-before))
		}
	}
	slices.SortFunc(st.RemindAt, time.Time.Compare)
	for _, e := range d.Escalation {
		after, unread := span.Parse(e.After)
		if unread != nil {
			after = within
		}
		st.EscalateAt = append(st.EscalateAt, working(after))
	}
	return err
}

// askSlots has the slots of a stage asked that nobody has asked yet: all by one task where the first answer decides,
// and otherwise each person, and each role, by a task of their own.
func (w *work) askSlots(f *state.Flow, st *state.Stage) {
	together := f.Shared(st)
	byWho := map[string]*question.Question{}
	for _, s := range st.Open() {
		if s.TaskID != nil {
			continue
		}
		who := s.Key()
		if together {
			who = ""
		}
		q := byWho[who]
		if q == nil {
			q = &question.Question{F: f, St: st, TaskID: state.NewID(), Kind: Kind}
			byWho[who] = q
			w.AddTask(q)
		}
		s.TaskID = &q.TaskID
		q.Slots = append(q.Slots, s)
	}
}
