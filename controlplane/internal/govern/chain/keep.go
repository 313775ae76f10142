package chain

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// keep drops the open slots of a group that are wanted no more, and gives who is wanted and not there yet.
func (w *work) keep(st *step, group int, wanted []approval.PlanSlot, at around) []approval.PlanSlot {
	take := func(fits func(approval.PlanSlot) bool) (p approval.PlanSlot, found bool) {
		i := slices.IndexFunc(wanted, fits)
		if i < 0 {
			return p, false
		}
		p = wanted[i]
		wanted = slices.Delete(wanted, i, i+1)
		return p, true
	}
	var rest []*slot
	for _, s := range st.slots {
		if s.Group != group || s.State == slotSuperseded {
			continue
		}
		if _, found := take(s.is); !found {
			rest = append(rest, s)
		}
	}
	for _, s := range rest {
		p, found := take(s.stands)
		switch {
		case s.State != slotOpen && !found:
			// Whoever stands where they stood need not answer again: what was decided stays.
			take(func(p approval.PlanSlot) bool { return p.Because == s.Because })
		case s.State == slotOpen && found:
			w.exchange(s, p, at)
		case s.State == slotOpen && !(s.added() && at.there[s.who()]):
			s.State = slotSuperseded
		}
	}
	return wanted
}

// is says whether a slot asks whom a plan names, or was answered by them.
func (s *slot) is(p approval.PlanSlot) bool {
	if s.IdentityID == nil || p.IdentityID == "" {
		return s.IdentityID == nil && p.IdentityID == "" && s.Role == p.Role
	}
	return *s.IdentityID == p.IdentityID || s.DecidedBy != nil && s.DecidedBy.IdentityID == p.IdentityID
}

// stands says whether the one of the two acts for the other, or both for the same person.
func (s *slot) stands(p approval.PlanSlot) bool {
	if s.IdentityID == nil || p.IdentityID == "" {
		return false
	}
	return p.ActingFor == *s.IdentityID ||
		s.ActingFor != nil && (*s.ActingFor == p.IdentityID || *s.ActingFor == p.ActingFor)
}

// added says whether somebody was put here beside what the rule names: by an escalation, or by hand.
func (s *slot) added() bool {
	return s.Via == decision.Escalation || s.Via == decision.Reassigned
}

// exchange puts somebody into a slot for whom it stands, or who stands for it now. Where a person has only delegated,
// the inbox sees to their open tasks as they wished; of those who are away, whoever stands in for them is asked in any
// case.
func (w *work) exchange(s *slot, p approval.PlanSlot, at around) {
	if s.TaskID == nil {
		return
	}
	before, assigned := *s.IdentityID, at.assigned[*s.TaskID][p.IdentityID]
	delegated := p.ActingFor == before
	if delegated && !assigned && at.there[before] {
		return
	}
	s.IdentityID, s.Display, s.Via, s.ActingFor, s.Because = &p.IdentityID, p.Display, p.Via, nil, p.Because
	if p.ActingFor != "" {
		s.ActingFor = &p.ActingFor
	}
	var drop []string
	if !delegated {
		drop = []string{before}
	}
	if !assigned || len(drop) > 0 {
		w.assign(
			*s.TaskID,
			[]decision.Assignee{{IdentityID: p.IdentityID, Via: s.Via, ActingFor: s.ActingFor}},
			drop...)
	}
}

// assign has it changed who decides an open task.
func (w *work) assign(taskID string, add []decision.Assignee, drop ...string) {
	if len(add)+len(drop) > 0 {
		w.assigns = append(
			w.assigns,
			assignment{
				taskID: taskID,
				add:    add,
				drop:   drop,
				why:    "the approvers changed, by a change of the organization or of on-call times",
			},
		)
	}
}

// around is what is known of those who are asked in a stage.
type around struct {
	there    map[string]bool            // people who can answer; a role can
	assigned map[string]map[string]bool // of tasks: who decides them
}

func (w *work) lookAround(ctx context.Context, st *step) (around, error) {
	at := around{there: map[string]bool{}, assigned: map[string]map[string]bool{}}
	var ids []string
	for _, s := range st.open() {
		if s.IdentityID == nil {
			at.there[s.who()] = true
			continue
		}
		ids = append(ids, *s.IdentityID)
	}
	people, err := lookAtPeople(ctx, w.tx, ids)
	if err != nil {
		return at, err
	}
	for id, p := range people {
		at.there[id] = p.Unable == ""
	}
	const sql = `
		select a.task_id::text, a.identity_id::text
		  from decision_assignee a
		 where a.tenant_id = current_tenant()
		   and a.task_id = any(@tasks::text[]::uuid[])
		   and a.dropped_at is null`
	rows, err := w.tx.Query(ctx, sql, pgx.NamedArgs{"tasks": list(st.openTasks())})
	if err != nil {
		return at, fmt.Errorf("look who decides: %w", err)
	}
	var task, person string
	_, err = pgx.ForEachRow(rows, []any{&task, &person}, func() error {
		if at.assigned[task] == nil {
			at.assigned[task] = map[string]bool{}
		}
		at.assigned[task][person] = true
		return nil
	})
	if err != nil {
		return at, fmt.Errorf("look who decides: %w", err)
	}
	return at, nil
}
