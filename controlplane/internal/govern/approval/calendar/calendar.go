package calendar

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/clock"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/worktime"
	"github.com/grantwright/grantwright/controlplane/internal/ground/pg"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// ApprovalCalendarFields are what may be written of a calendar.
type ApprovalCalendarFields struct {
	// Display name of the calendar. It must be unique.
	Name string `json:"name" db:"name" required:"false" minLength:"1" maxLength:"200"`
	// Description of the calendar, for administrators.
	Description string `json:"description" db:"description" required:"false" maxLength:"4000"`
	// An IANA time zone name. The default is the time zone of the tenant.
	Timezone string `json:"timezone" db:"timezone" required:"false" maxLength:"64" example:"Europe/Berlin"`
	// The default is Monday to Friday, nine to five. A day without hours is free.
	Week worktime.ApprovalWeek `json:"week" db:"week" required:"false"`
	// Days without working time. Each date can occur once.
	Holidays []worktime.ApprovalHoliday `json:"holidays" db:"holidays" required:"false" nullable:"false" maxItems:"1000"`
	// Counted in wherever no calendar is named. Another one that was is no more.
	Usual bool `json:"usual" db:"usual" required:"false"`
}

// ApprovalCalendar is a calendar as the API shows it.
type ApprovalCalendar struct {
	// ID of the calendar.
	ID string `json:"id" db:"id"`
	ApprovalCalendarFields
	// Time the calendar was created.
	CreatedAt time.Time `json:"created_at" db:"created_at"`
	// Time of the last change to the calendar.
	UpdatedAt time.Time `json:"updated_at" db:"updated_at"`
	// Version number, for If-Match.
	Version int `json:"version" db:"version"`
}

// check fills in what was left out, and refuses what cannot be counted in.
func (f *ApprovalCalendarFields) check(ctx context.Context, tx *pg.Tx) error {
	c := &check.Checker{}
	if strings.TrimSpace(f.Name) == "" {
		c.Refuse("#/name", "required", "a calendar needs a name")
	}
	if f.Timezone == "" {
		clock, err := clock.Load(ctx, tx)
		if err != nil {
			return err
		}
		f.Timezone = clock.Usual.Zone.String()
	}
	if _, err := span.FindZone(f.Timezone); err != nil {
		c.Refuse("#/timezone", "unknown_timezone", "%s", err)
	}
	if minutes(&f.Week, c) == 0 && len(c.Problems) == 0 {
		c.Refuse("#/week", check.NeverMet, "a calendar needs working time: without it, no task would ever be due")
	}
	f.Holidays = approval.NonNil(f.Holidays)
	slices.SortFunc(f.Holidays, func(a, b worktime.ApprovalHoliday) int { return strings.Compare(a.Date, b.Date) })
	for i, h := range f.Holidays {
		at := fmt.Sprintf("#/holidays/%d", i)
		if _, err := time.Parse(time.DateOnly, h.Date); err != nil {
			c.Refuse(at+"/date", "invalid", "a date such as 2026-12-25")
		}
		if i > 0 && h.Date == f.Holidays[i-1].Date {
			c.Refuse(at+"/date", "duplicate", "the date %s is listed twice", h.Date)
		}
		if strings.TrimSpace(h.Name) == "" {
			c.Refuse(at+"/name", "required", "enter the name of the holiday")
		}
	}
	return c.Verdict("calendar")
}

// minutes are how many people work in a week. Hours are put in order, and what overlaps is refused.
func minutes(w *worktime.ApprovalWeek, c *check.Checker) (sum int) {
	if slices.IndexFunc(worktime.Weekdays, func(d string) bool { return *w.Day(d) != nil }) < 0 {
		for _, d := range worktime.Weekdays[1:6] {
			*w.Day(d) = []worktime.ApprovalHours{{From: "09:00", To: "17:00"}}
		}
	}
	for _, name := range worktime.Weekdays {
		day := w.Day(name)
		*day = approval.NonNil(*day)
		slices.SortFunc(*day, func(a, b worktime.ApprovalHours) int { return strings.Compare(a.From, b.From) })
		last := 0
		for i, h := range *day {
			at := fmt.Sprintf("#/week/%s/%d", name, i)
			from, to := c.Hours(at, h.From, h.To)
			if from < last {
				c.Refuse(at+"/from", "overlap", "it begins before the part before it ends")
			}
			sum, last = sum+max(0, to-from), to
		}
	}
	return sum
}
