package approval

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/worktime"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// Next is the first time from an instant on that the clock shows what is waited for.
func (w StageWait) Next(from time.Time) (time.Time, error) {
	zone, err := span.FindZone(w.Timezone)
	if err != nil {
		return time.Time{}, err
	}
	minute, err := worktime.ParseTimeOfDay(w.At)
	if err != nil {
		return time.Time{}, err
	}
	local := from.In(zone)
	for day := range 3 {
		at := time.Date(local.Year(), local.Month(), local.Day()+day, minute/60, minute%60, 0, 0, zone)
		if !at.Before(from) {
			return at.UTC(), nil
		}
	}
	return from, nil
}

// Calendar is the window as a calendar of working time.
func (w DecisionWindow) Calendar() (worktime.Calendar, error) {
	week, hours := worktime.ApprovalWeek{}, []worktime.ApprovalHours{{From: w.From, To: w.To}}
	for _, d := range w.Days {
		if into := week.Day(d); into != nil {
			*into = hours
		}
	}
	return worktime.CalendarOf(w.Timezone, week, nil)
}

// Opens says when a stage may be decided, at an instant or later; the zero time where it may be at any time.
func (w *DecisionWindow) Opens(at time.Time) time.Time {
	if w == nil {
		return time.Time{}
	}
	c, err := w.Calendar()
	if err != nil {
		return time.Time{}
	}
	next, _ := c.Next(at)
	return next
}
