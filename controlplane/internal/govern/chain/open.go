package chain

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// advance goes on from the stage that a flow has come to: it waits, passes over what nobody need be asked about, or
// asks. Past the last stage the item is approved. fresh says that the plan was resolved in this very transaction.
func (w *work) advance(ctx context.Context, f *flow, fresh bool) error {
	w.touch(f)
	for {
		st := f.now()
		if st == nil {
			w.conclude(f, Approved, "", "")
			return nil
		}
		if st.State != stageWaiting {
			return nil
		}
		if wait := f.definition(st.Stage).Wait; wait != nil && !st.Waited {
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
				Stage(ctx, w.tx, f.Subject, f.Plan, st.Stage, f.approvers(st.Stage), w.now); err != nil {
				return err
			}
			w.resolution(f, st, ps)
		}
		if ps.Satisfied == "" {
			return w.open(ctx, f, st, ps)
		}
		st.State, st.ClosedAt = stageSkipped, &w.now
		w.log(f, st.Stage, "satisfied", ps.Satisfied)
		f.Stage++
	}
}

// resolution notes how it was found who is asked.
func (w *work) resolution(f *flow, st *step, ps approval.PlanStage) {
	for _, l := range ps.Log {
		w.log(f, st.Stage, l.Step, l.Detail)
	}
}

// conclude ends a flow.
func (w *work) conclude(f *flow, result, code, reason string) {
	w.touch(f)
	if f.State == Blocked {
		w.unask(f)
	}
	f.State, f.ClosedAt = result, &w.now
	w.ring(f, result, code, reason)
}

// open asks the people of a stage.
func (w *work) open(ctx context.Context, f *flow, st *step, ps approval.PlanStage) error {
	st.State, st.OpenedAt = stageOpen, &w.now
	st.Needed = make([]int32, len(ps.Groups))
	barred := f.barred(st.Stage)
	for g, group := range ps.Groups {
		st.Needed[g] = int32(max(1, group.Needed))
		for _, p := range group.Slots {
			if !p.Agreed && p.IdentityID != "" && slices.Contains(barred, p.IdentityID) {
				w.log(f, st.Stage, "passed_over", "%s may not decide about this", p.Display)
				continue
			}
			st.slots = append(st.slots, w.seated(f, st.Stage, g, p))
		}
	}
	if err := w.dropRoles(ctx, f, st); err != nil {
		return err
	}
	groups := f.tallies(st)
	if together(groups) == agreed {
		return w.settle(ctx, f, "agreed by requesting")
	}
	for _, s := range st.open() {
		if groups[s.Group].verdict() == agreed {
			s.State = slotSuperseded
		}
	}
	if err := w.setClocks(ctx, f, st, ps.DueAt); err != nil {
		return err
	}
	w.log(f, st.Stage, "opened", "asked: %s", names(st.slots))
	w.pose(f, st)
	if f.short(st) {
		w.block(f, st)
	}
	return nil
}

// barred are those who cannot stand in a stage: nobody decides about their own matter, and where approvers are to be
// distinct, nobody who has agreed before.
func (f *flow) barred(stage int) []string {
	ids := f.excluded()
	if f.Plan.Distinct {
		ids = append(ids, f.approvers(stage)...)
	}
	return ids
}

// dropRoles takes slots of roles away that nobody has who may decide.
func (w *work) dropRoles(ctx context.Context, f *flow, st *step) error {
	var kept []*slot
	for _, s := range st.slots {
		if s.State != slotOpen || s.IdentityID != nil {
			kept = append(kept, s)
			continue
		}
		holders, err := w.holdersOf(ctx, s.Role)
		if err != nil {
			return err
		}
		barred := append(f.barred(st.Stage), f.notFor()...)
		if slices.ContainsFunc(holders, func(id string) bool { return !slices.Contains(barred, id) }) {
			kept = append(kept, s)
			continue
		}
		if s.TaskID != nil { // it was asked until now
			s.State = slotSuperseded
			kept = append(kept, s)
		}
		w.log(f, st.Stage, "passed_over", "no user with the role %s may decide about this", s.Role)
	}
	st.slots = kept
	return nil
}

// holdersOf are the people who have a role of the tenant: identities, or users who are none.
func (w *work) holdersOf(ctx context.Context, role string) ([]string, error) {
	if known, ok := w.holders[role]; ok {
		return known, nil
	}
	const sql = `
		select coalesce(u.identity_id, u.id)::text
		  from app_user u
		 where u.tenant_id = current_tenant()
		   and u.status = 'active'
		   and u.deleted_at is null
		   and (u.identity_id is null or unable_to_decide(u.identity_id) not in ('left', 'unknown'))
		   and @role = any (u.roles)
		 limit 1000`
	rows, err := w.tx.Query(ctx, sql, pgx.NamedArgs{"role": role})
	if err != nil {
		return nil, fmt.Errorf("find who has a role: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find who has a role: %w", err)
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
func (w *work) setClocks(ctx context.Context, f *flow, st *step, due *time.Time) (err error) {
	d := f.definition(st.Stage)
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
		due = pointer(working(within))
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

// pose has the slots of a stage asked that nobody has asked yet: all by one task where the first answer decides, and
// otherwise each person, and each role, by a task of their own.
func (w *work) pose(f *flow, st *step) {
	together := f.shared(st)
	byWho := map[string]*question{}
	for _, s := range st.open() {
		if s.TaskID != nil {
			continue
		}
		who := s.who()
		if together {
			who = ""
		}
		q := byWho[who]
		if q == nil {
			q = &question{f: f, st: st, taskID: newID(), kind: Kind}
			byWho[who] = q
			w.asks = append(w.asks, q)
		}
		s.TaskID = &q.taskID
		q.slots = append(q.slots, s)
	}
}

func names(slots []*slot) string {
	var list []string
	for _, s := range slots {
		if s.State != slotOpen {
			continue
		}
		name := s.Display
		if name == "" {
			name = s.who()
		}
		if s.Via != decision.Direct {
			name += " (" + s.Via + ")"
		}
		list = append(list, name)
	}
	if len(list) == 0 {
		return "nobody"
	}
	return strings.Join(list, ", ")
}

// next is when something comes with time.
func (f *flow) next(now time.Time) time.Time {
	next := f.ExpiresAt
	sooner := func(t time.Time) {
		if t.Before(next) {
			next = t
		}
	}
	if f.Turned {
		sooner(now)
	}
	if len(f.LeftTasks) > 0 {
		sooner(now.Add(time.Second))
	}
	if f.State == Blocked {
		sooner(now.Add(lookForPeople))
	}
	st := f.now()
	switch {
	case !f.live() || st == nil:
	case st.State == stageWaiting:
		sooner(f.waitsUntil(st, now))
	case st.State == stageOpen:
		if st.Reminded < len(st.RemindAt) {
			sooner(st.RemindAt[st.Reminded])
		}
		if st.Escalated < len(st.EscalateAt) {
			sooner(st.EscalateAt[st.Escalated])
		}
	}
	return next
}
