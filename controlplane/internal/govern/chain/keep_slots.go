package chain

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/people"
	"github.com/grantwright/grantwright/controlplane/internal/govern/chain/state"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// keepSlots drops the open slots of a group that are wanted no more, and gives who is wanted and not there yet.
func (w *work) keepSlots(
	st *state.Stage,
	group int,
	wanted []approval.PlanSlot,
	at people.Availability,
) []approval.PlanSlot {
	take := func(fits func(approval.PlanSlot) bool) (p approval.PlanSlot, found bool) {
		i := slices.IndexFunc(wanted, fits)
		if i < 0 {
			return p, false
		}
		p = wanted[i]
		wanted = slices.Delete(wanted, i, i+1)
		return p, true
	}
	var rest []*state.Slot
	for _, s := range st.Slots {
		if s.Group != group || s.State == state.SlotSuperseded {
			continue
		}
		if _, found := take(s.Is); !found {
			rest = append(rest, s)
		}
	}
	for _, s := range rest {
		p, found := take(s.StandsFor)
		switch {
		case s.State != state.SlotOpen && !found:
			// Whoever stands where they stood need not answer again: what was decided stays.
			take(func(p approval.PlanSlot) bool { return p.Because == s.Because })
		case s.State == state.SlotOpen && found:
			w.exchange(s, p, at)
		case s.State == state.SlotOpen && !(s.Added() && at.There[s.Key()]):
			s.State = state.SlotSuperseded
		}
	}
	return wanted
}

// exchange puts somebody into a slot for whom it stands, or who stands for it now. Where a person has only delegated,
// the inbox sees to their open tasks as they wished; of those who are away, whoever stands in for them is asked in any
// case.
func (w *work) exchange(s *state.Slot, p approval.PlanSlot, at people.Availability) {
	if s.TaskID == nil {
		return
	}
	before, assigned := *s.IdentityID, at.Assigned[*s.TaskID][p.IdentityID]
	delegated := p.ActingFor == before
	if delegated && !assigned && at.There[before] {
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
		w.Assign(
			*s.TaskID,
			[]decision.Assignee{{IdentityID: p.IdentityID, Via: s.Via, ActingFor: s.ActingFor}},
			drop...)
	}
}
