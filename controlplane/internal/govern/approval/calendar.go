package approval

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/worktime"
)

// ApprovalHours are a part of a day in which people work.
type ApprovalHours struct {
	From string `json:"from" maxLength:"5" example:"09:00"`
	To   string `json:"to" maxLength:"5" doc:"24:00 is the end of the day." example:"17:00"`
}

// ApprovalWeek are the hours of each day of the week.
type ApprovalWeek struct {
	Monday    []ApprovalHours `json:"monday" required:"false" nullable:"false" maxItems:"8"`
	Tuesday   []ApprovalHours `json:"tuesday" required:"false" nullable:"false" maxItems:"8"`
	Wednesday []ApprovalHours `json:"wednesday" required:"false" nullable:"false" maxItems:"8"`
	Thursday  []ApprovalHours `json:"thursday" required:"false" nullable:"false" maxItems:"8"`
	Friday    []ApprovalHours `json:"friday" required:"false" nullable:"false" maxItems:"8"`
	Saturday  []ApprovalHours `json:"saturday" required:"false" nullable:"false" maxItems:"8"`
	Sunday    []ApprovalHours `json:"sunday" required:"false" nullable:"false" maxItems:"8"`
}

// ApprovalHoliday is a day on which nobody works.
type ApprovalHoliday struct {
	Date string `json:"date" format:"date" example:"2026-12-25"`
	Name string `json:"name" maxLength:"200" example:"Christmas Day"`
}

// weekdays are the days as the API names them, in the order of time.Weekday.
var weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// day is where the hours of a day stand; nil for what is no day.
func (w *ApprovalWeek) day(name string) *[]ApprovalHours {
	switch name {
	case "monday":
		return &w.Monday
	case "tuesday":
		return &w.Tuesday
	case "wednesday":
		return &w.Wednesday
	case "thursday":
		return &w.Thursday
	case "friday":
		return &w.Friday
	case "saturday":
		return &w.Saturday
	case "sunday":
		return &w.Sunday
	}
	return nil
}

// calendarOf makes a calendar of what is stored, which was checked.
func calendarOf(zone string, week ApprovalWeek, holidays []ApprovalHoliday) (c worktime.Calendar, err error) {
	if c.Zone, err = zoneNamed(zone); err != nil {
		return c, err
	}
	for i, name := range weekdays {
		for _, h := range *week.day(name) {
			from, err := minuteOf(h.From)
			if err != nil {
				return c, err
			}
			to, err := minuteOf(h.To)
			if err != nil {
				return c, err
			}
			c.Week[i] = append(c.Week[i], worktime.Hours{From: from, To: to})
		}
	}
	c.Holidays = make(map[string]bool, len(holidays))
	for _, h := range holidays {
		c.Holidays[h.Date] = true
	}
	return c, nil
}

var clockForm = regexp.MustCompile(`^([01]\d|2[0-4]):([0-5]\d)$`)

// minuteOf reads a time of the day: 09:30, or 24:00 for its end.
func minuteOf(s string) (int, error) {
	m := clockForm.FindStringSubmatch(s)
	if m == nil || s > "24:00" {
		return 0, fmt.Errorf("%q is no time of the day; one looks like 09:30, and 24:00 is the end of the day", s)
	}
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[2])
	return 60*hour + minute, nil
}

// zoneNamed finds a time zone by its IANA name. Local would be another one on each machine, and the trees right and
// posix are no IANA names.
func zoneNamed(name string) (*time.Location, error) {
	unknown := fmt.Errorf(
		"there is no time zone of this name; IANA names look like Europe/Berlin, America/New_York or UTC",
	)
	if name == "" || name == "Local" || strings.HasPrefix(name, "right/") || strings.HasPrefix(name, "posix/") {
		return nil, unknown
	}
	z, err := time.LoadLocation(name)
	if err != nil {
		return nil, unknown
	}
	return z, nil
}
