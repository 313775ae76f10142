package approval

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/worktime"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle"
)

// Clock counts working time in the tenant's calendars.
type Clock struct {
	usual worktime.Calendar
	byID  map[string]worktime.Calendar
}

// Calendars reads the tenant's calendars, for whoever counts more than once.
func Calendars(ctx context.Context, tx *pg.Tx) (Clock, error) {
	const sql = `select c.id::text, c.timezone, c.week, c.holidays, c.usual from work_calendar c`
	lifecycle, err := lifecycle.Find(ctx, tx)
	if err != nil {
		return Clock{}, err
	}
	clock := Clock{usual: nineToFive(lifecycle.Zone()), byID: map[string]worktime.Calendar{}}
	rows, err := tx.Query(ctx, sql)
	if err != nil {
		return clock, fmt.Errorf("read calendars: %w", err)
	}
	var id, zone string
	var week ApprovalWeek
	var holidays []ApprovalHoliday
	var usual bool
	_, err = pgx.ForEachRow(rows, []any{&id, &zone, &week, &holidays, &usual}, func() error {
		c, err := calendarOf(zone, week, holidays)
		if err != nil {
			return fmt.Errorf("calendar %s: %w", id, err)
		}
		if clock.byID[id] = c; usual {
			clock.usual = c
		}
		week, holidays = ApprovalWeek{}, nil
		return nil
	})
	if err != nil {
		return clock, fmt.Errorf("read calendars: %w", err)
	}
	return clock, nil
}

func nineToFive(zone *time.Location) worktime.Calendar {
	c := worktime.Calendar{Zone: zone}
	for day := time.Monday; day <= time.Friday; day++ {
		c.Week[day] = []worktime.Hours{{From: 9 * 60, To: 17 * 60}}
	}
	return c
}

func (c Clock) calendar(id string) worktime.Calendar {
	if found, ok := c.byID[id]; ok {
		return found
	}
	if c.usual.Zone == nil {
		return nineToFive(time.UTC)
	}
	return c.usual
}

// Due counts working time from an instant in a calendar; with an empty id, or one that is not there any more, in the
// usual one. Each 24 hours are a working day, and the rest is hours of work.
func (c Clock) Due(from time.Time, within time.Duration, calendarID string) time.Time {
	return c.calendar(calendarID).Add(from, within)
}

// due is when a stage is due that is opened at an instant. Where it can be decided at certain times alone, at least one
// of them is before that.
func (c Clock) due(s ApprovalStage, opened time.Time) time.Time {
	within, err := span.Parse(s.RespondWithin)
	if err != nil {
		within = respondWithin
	}
	due := c.Due(opened, within, s.CalendarID)
	if s.DecisionWindow == nil {
		return due
	}
	window, err := s.DecisionWindow.calendar()
	if err != nil {
		return due
	}
	if ends, found := window.Ends(opened); found && ends.After(due) {
		return ends
	}
	return due
}

// opens is when people are asked, when what the stage waits for takes all its time.
func (c Clock) opens(s ApprovalStage, from time.Time) time.Time {
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

// Next is the first time from an instant on that the clock shows what is waited for.
func (w StageWait) Next(from time.Time) (time.Time, error) {
	zone, err := zoneNamed(w.Timezone)
	if err != nil {
		return time.Time{}, err
	}
	minute, err := minuteOf(w.At)
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

// calendar is the window as time to work in.
func (w DecisionWindow) calendar() (worktime.Calendar, error) {
	week, hours := ApprovalWeek{}, []ApprovalHours{{From: w.From, To: w.To}}
	for _, d := range w.Days {
		if into := week.day(d); into != nil {
			*into = hours
		}
	}
	return calendarOf(w.Timezone, week, nil)
}

// Opens says when a stage may be decided, at an instant or later; the zero time where it may be at any time.
func (w *DecisionWindow) Opens(at time.Time) time.Time {
	if w == nil {
		return time.Time{}
	}
	c, err := w.calendar()
	if err != nil {
		return time.Time{}
	}
	next, _ := c.Next(at)
	return next
}
