package state

import (
	"slices"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/decision"
)

// Exception is one that the approvers of its stages have allowed.
type Exception struct {
	approval.StageException
	By []decision.Actor
}

// ExceptionsOf are the exceptions that the approvers of a stage allow.
func (f *Flow) ExceptionsOf(stage int) []approval.StageException {
	if stage < len(f.Plan.Stages) {
		return f.Plan.Stages[stage].Exceptions
	}
	return nil
}

// AskedExceptions are the exceptions that stages ask for, decided or not.
func (f *Flow) AskedExceptions() (all []approval.StageException) {
	for _, s := range f.Plan.Stages {
		for _, e := range s.Exceptions {
			if !slices.ContainsFunc(all, e.Of) {
				all = append(all, e)
			}
		}
	}
	return all
}

// AllowedExceptions are the exceptions all of whose stages were approved by people.
func (f *Flow) AllowedExceptions() (all []Exception) {
	for _, e := range f.AskedExceptions() {
		allowed, is := true, Exception{StageException: e}
		for i, s := range f.Plan.Stages {
			if !slices.ContainsFunc(s.Exceptions, e.Of) {
				continue
			}
			by := f.approvedBy(i)
			allowed = allowed && len(by) > 0
			for _, who := range by {
				if !slices.ContainsFunc(is.By, func(o decision.Actor) bool { return SamePerson(o, who) }) {
					is.By = append(is.By, who)
				}
			}
		}
		if allowed {
			all = append(all, is)
		}
	}
	return all
}

// approvedBy are the people who approved a stage. None: it was not approved, or not by people.
func (f *Flow) approvedBy(stage int) (by []decision.Actor) {
	if stage >= len(f.Stages) || f.Stages[stage].State != StageApproved {
		return nil
	}
	for _, s := range f.Stages[stage].Slots {
		if s.State == SlotApproved && s.DecidedBy != nil && !s.ByRequesting() {
			by = append(by, *s.DecidedBy)
		}
	}
	return by
}

// AddStages adds stages that wait, for those of the plan from first on.
func (f *Flow) AddStages(first int) {
	for i := first; i < len(f.Plan.Stages); i++ {
		f.Stages = append(f.Stages, &Stage{ItemID: f.ItemID, Stage: i, State: StageWaiting})
	}
}
