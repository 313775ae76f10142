package clock

import (
	"context"
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/worktime"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/lifecycle/rules"
)

// respondWithin is how long people have to answer where a stage does not say.
const respondWithin = 72 * time.Hour

// Clock counts working time in the tenant's calendars.
type Clock struct {
	Usual worktime.Calendar
	byID  map[string]worktime.Calendar
}

// Load reads the calendars of the tenant, for callers that count more than once.
func Load(ctx context.Context, tx *pg.Tx) (Clock, error) {
	const sql = `select c.id::text, c.timezone, c.week, c.holidays, c.usual from work_calendar c`
	lifecycle, err := rules.Find(ctx, tx)
	if err != nil {
		return Clock{}, err
	}
	clock := Clock{Usual: nineToFive(lifecycle.Zone()), byID: map[string]worktime.Calendar{}}
	var id, zone string
	var week worktime.ApprovalWeek
	var holidays []worktime.ApprovalHoliday
	var usual bool
	if err := pg.Each(ctx, tx, "read calendars", []any{&id, &zone, &week, &holidays, &usual}, func() error {
		c, err := worktime.CalendarOf(zone, week, holidays)
		if err != nil {
			return fmt.Errorf("calendar %s: %w", id, err)
		}
		if clock.byID[id] = c; usual {
			clock.Usual = c
		}
		week, holidays = worktime.ApprovalWeek{}, nil
		return nil
	}, sql); err != nil {
		return clock, err
	}
	return clock, nil
}

// nineToFive is the calendar of a tenant that has none: Monday to Friday, 09:00 to 17:00, without
// holidays.
func nineToFive(zone *time.Location) worktime.Calendar {
	c := worktime.Calendar{Zone: zone}
	for day := time.Monday; day <= time.Friday; day++ {
		c.Week[day] = []worktime.Hours{{From: 9 * 60, To: 17 * 60}}
	}
	return c
}

// calendar is the calendar with an ID. One that does not exist any more is replaced by the usual
// one, so that a request never loses its deadline.
func (c Clock) calendar(id string) worktime.Calendar {
	if found, ok := c.byID[id]; ok {
		return found
	}
	if c.Usual.Zone == nil {
		return nineToFive(time.UTC)
	}
	return c.Usual
}

// Due counts working time from an instant in a calendar; with an empty id, or one that is not there any more, in the
// usual one. Each 24 hours are a working day, and the rest is hours of work.
func (c Clock) Due(from time.Time, within time.Duration, calendarID string) time.Time {
	return c.calendar(calendarID).Add(from, within)
}
