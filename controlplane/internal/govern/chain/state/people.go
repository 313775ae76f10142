package state

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
	"github.com/grantwright/grantwright/controlplane/internal/ground/viewer"
)

// OwnRequest says whether the request is for the decider or was made by them, or by one for whom they act.
func (f *Flow) OwnRequest(by decision.Actor) bool {
	return viewer.SamePerson(f.NotFor(), by.Parties())
}

// Approvers are those who agreed in stages other than one; their identities, where they have any.
func (f *Flow) Approvers(but int) (ids []string) {
	seen := map[string]bool{}
	for _, st := range f.Stages {
		for _, s := range st.Slots {
			if st.Stage == but || s.State != SlotApproved || s.DecidedBy == nil || s.DecidedBy.IdentityID == "" ||
				seen[s.DecidedBy.IdentityID] {
				continue
			}
			seen[s.DecidedBy.IdentityID] = true
			ids = append(ids, s.DecidedBy.IdentityID)
		}
	}
	return ids
}

// Excluded are the people who never decide about the item.
func (f *Flow) Excluded() []string {
	if f.Plan.SelfApproval {
		return nil
	}
	ids := []string{f.Subject.BeneficiaryID}
	if r := f.Subject.RequesterID; r != "" && r != f.Subject.BeneficiaryID {
		ids = append(ids, r)
	}
	return ids
}

// NotFor are those whom the inbox never lets decide: the people who are excluded, and the requester by each of their
// ids.
func (f *Flow) NotFor() []string {
	ids := f.Excluded()
	if len(ids) == 0 {
		return nil
	}
	for _, id := range f.Shown.RequestedBy.Parties() {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Barred are those who cannot stand in a stage: nobody decides about their own request, and where approvers are to be
// distinct, nobody who has agreed before.
func (f *Flow) Barred(stage int) []string {
	ids := f.Excluded()
	if f.Plan.Distinct {
		ids = append(ids, f.Approvers(stage)...)
	}
	return ids
}

// Deciders are all who answered, in the order of the stages.
func (f *Flow) Deciders() []decision.Actor {
	return f.actors(func(s *Slot) bool {
		return (s.State == SlotApproved || s.State == SlotRejected) && !s.ByRequesting()
	})
}

// Requesters are those who agreed by requesting.
func (f *Flow) Requesters() []decision.Actor { return f.actors((*Slot).ByRequesting) }

// actors are the people who decided such slots, each once, in the order of the stages.
func (f *Flow) actors(such func(*Slot) bool) (by []decision.Actor) {
	for _, st := range f.Stages {
		for _, s := range st.Slots {
			known := func(other decision.Actor) bool { return SamePerson(other, *s.DecidedBy) }
			if such(s) && s.DecidedBy != nil && !slices.ContainsFunc(by, known) {
				by = append(by, *s.DecidedBy)
			}
		}
	}
	return by
}
