package state

import (
	"slices"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// SlotsFor are the open slots that an answer to a task fills: those of whoever answers, or for whom they act;
// otherwise those of a role; otherwise, since the inbox let them decide, the first. And with them whatever else of the
// stage asks the same person, in other groups: who is asked under several hats answers once, and is counted once in
// each group.
func SlotsFor(st *Stage, taskID string, by decision.Actor) []*Slot {
	var mine []*Slot
	for _, s := range st.Open() {
		if s.TaskID != nil && *s.TaskID == taskID {
			mine = append(mine, s)
		}
	}
	if len(mine) == 0 {
		return nil
	}
	pick := func(fits func(*Slot) bool) []*Slot {
		var list []*Slot
		for _, s := range mine {
			if fits(s) && !slices.ContainsFunc(list, func(o *Slot) bool { return o.Group == s.Group }) {
				list = append(list, s)
			}
		}
		return list
	}
	is := func(id string) func(*Slot) bool {
		return func(s *Slot) bool { return id != "" && s.IdentityID != nil && *s.IdentityID == id }
	}
	found := pick(is(by.IdentityID))
	if len(found) == 0 && by.ActingFor != nil {
		found = pick(is(*by.ActingFor))
	}
	if len(found) == 0 {
		found = pick(func(s *Slot) bool { return s.IdentityID == nil })
	}
	if len(found) == 0 {
		found = pick(func(*Slot) bool { return true })
	}
	for _, s := range st.Open() {
		if is(by.IdentityID)(s) && !slices.ContainsFunc(found, func(o *Slot) bool { return o.Group == s.Group }) {
			found = append(found, s)
		}
	}
	return found
}

// Slot is somebody who is asked.
type Slot struct {
	ID         string          `db:"id"`
	ItemID     string          `db:"item_id"`
	Stage      int             `db:"stage"`
	Group      int             `db:"group_index"`
	IdentityID *string         `db:"identity_id"`
	Role       string          `db:"role"`
	Display    string          `db:"display"`
	Via        string          `db:"via"`
	ActingFor  *string         `db:"acting_for"`
	Because    string          `db:"because"`
	TaskID     *string         `db:"task_id"`
	State      string          `db:"state"`
	DecidedAt  *time.Time      `db:"decided_at"`
	DecidedBy  *decision.Actor `db:"decided_by"`
	Comment    string          `db:"comment"`

	Was *Slot `db:"-"` // as it was read; nil: it is new
}

// Changed says whether a slot has to be written.
func (s *Slot) Changed() bool {
	now := *s
	now.Was = nil
	return s.Was == nil || now != *s.Was
}

// NewSlot makes a slot of what was resolved.
func (f *Flow) NewSlot(stage, group int, p approval.PlanSlot) *Slot {
	s := &Slot{
		ID:      NewID(),
		ItemID:  f.ItemID,
		Stage:   stage,
		Group:   group,
		Role:    p.Role,
		Display: p.Display,
		Via:     p.Via,
		Because: p.Because,
		State:   SlotOpen,
	}
	if p.IdentityID != "" {
		s.IdentityID = &p.IdentityID
	}
	if p.ActingFor != "" {
		s.ActingFor = &p.ActingFor
	}
	if s.Via == "" {
		s.Via = decision.Direct
	}
	return s
}

// ByRequesting reports whether the request was the answer: no task ever asked for it.
func (s *Slot) ByRequesting() bool { return s.State == SlotApproved && s.TaskID == nil }

// Key is the same for two slots that ask the same person, or the same role.
func (s *Slot) Key() string {
	if s.IdentityID != nil {
		return *s.IdentityID
	}
	return "role:" + s.Role
}

// SamePerson reports whether two decisions were made by one person. For whom they acted does not matter here.
func SamePerson(a, b decision.Actor) bool {
	a.ActingFor, b.ActingFor = nil, nil
	return viewer.SamePerson(a.Parties(), b.Parties())
}

// Is says whether a slot asks whom a plan names, or was answered by them.
func (s *Slot) Is(p approval.PlanSlot) bool {
	if s.IdentityID == nil || p.IdentityID == "" {
		return s.IdentityID == nil && p.IdentityID == "" && s.Role == p.Role
	}
	return *s.IdentityID == p.IdentityID || s.DecidedBy != nil && s.DecidedBy.IdentityID == p.IdentityID
}

// StandsFor says whether the slot and a resolved one ask the same person's decision: one acts for the other, or both
// act for the same person.
func (s *Slot) StandsFor(p approval.PlanSlot) bool {
	if s.IdentityID == nil || p.IdentityID == "" {
		return false
	}
	return p.ActingFor == *s.IdentityID ||
		s.ActingFor != nil && (*s.ActingFor == p.IdentityID || *s.ActingFor == p.ActingFor)
}

// Added says whether a person was added beside what the rule names: by an escalation, or by hand.
func (s *Slot) Added() bool {
	return s.Via == decision.Escalation || s.Via == decision.Reassigned
}
