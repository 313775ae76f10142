package clock

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// StageDue is when a stage that is opened at an instant is due. If it can only be decided at certain times, at least
// one of them is before that.
func (c Clock) StageDue(s approval.ApprovalStage, opened time.Time) time.Time {
	within, err := span.Parse(s.RespondWithin)
	if err != nil {
		within = respondWithin
	}
	due := c.Due(opened, within, s.CalendarID)
	if s.DecisionWindow == nil {
		return due
	}
	window, err := s.DecisionWindow.Calendar()
	if err != nil {
		return due
	}
	if ends, found := window.Ends(opened); found && ends.After(due) {
		return ends
	}
	return due
}

// StageOpens is when people are asked, if what the stage waits for takes all its time.
func (c Clock) StageOpens(s approval.ApprovalStage, from time.Time) time.Time {
	if s.Wait == nil {
		return from
	}
	switch s.Wait.Kind {
	case "duration":
		if d, err := span.Parse(s.Wait.Duration); err == nil {
			return from.Add(d)
		}
	case "time_of_day":
		if at, err := s.Wait.Next(from); err == nil {
			return at
		}
	}
	if d, err := span.Parse(s.Wait.Timeout); err == nil {
		return from.Add(d)
	}
	return from
}
