package chain

import (
	"fmt"
	"slices"
	"strings"
	"time"

	// Windows and times of day name zones, which a slim container image does not carry.
	_ "time/tzdata"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
)

var dayNames = []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// opensAt says when a stage may be decided: now, when it is inside the window or there is none, or at its next beginning. A window whose
// end is before its beginning goes over midnight and belongs to the day on which it begins. One that cannot be read, or has no day,
// keeps nobody out: rules are checked when they are saved.
func opensAt(w *approval.DecisionWindow, now time.Time) time.Time {
	if w == nil {
		return now
	}
	from, err1 := clock(w.From)
	to, err2 := clock(w.To)
	zone, err3 := time.LoadLocation(w.Timezone)
	if err1 != nil || err2 != nil || err3 != nil || from == to {
		return now
	}
	local := now.In(zone)
	for day := -1; day <= 7; day++ {
		midnight := time.Date(local.Year(), local.Month(), local.Day()+day, 0, 0, 0, 0, zone)
		if !onDay(w.Days, midnight.Weekday()) {
			continue
		}
		begin, end := at(midnight, from), at(midnight, to)
		if to < from {
			end = at(midnight.AddDate(0, 0, 1), to)
		}
		switch {
		case !now.Before(end):
			continue
		case now.Before(begin):
			return begin.UTC()
		}
		return now
	}
	return now
}

// onDay says whether a day is among some, of which the first three letters count. None means every day.
func onDay(days []string, d time.Weekday) bool {
	return len(days) == 0 || slices.ContainsFunc(days, func(s string) bool {
		return len(s) >= 3 && strings.ToLower(s[:3]) == dayNames[d]
	})
}

// at is a time of day of a date, as clocks show it there.
func at(midnight time.Time, sinceMidnight time.Duration) time.Time {
	h, m := int(sinceMidnight/time.Hour), int(sinceMidnight%time.Hour/time.Minute)
	return time.Date(midnight.Year(), midnight.Month(), midnight.Day(), h, m, 0, 0, midnight.Location())
}

// clock reads a time of day such as 08:30. 24:00 is the end of a day.
func clock(s string) (time.Duration, error) {
	if s == "24:00" {
		return 24 * time.Hour, nil
	}
	t, err := time.Parse("15:04", s)
	if err != nil {
		if t, err = time.Parse("15:04:05", s); err != nil {
			return 0, fmt.Errorf("a time of day such as 08:30, and not %q", s)
		}
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, nil
}

// nextTime is the next instant at which clocks in a zone show a time of day.
func nextTime(clockTime, zone string, now time.Time) (time.Time, error) {
	since, err := clock(clockTime)
	if err != nil {
		return time.Time{}, err
	}
	place, err := time.LoadLocation(zone)
	if err != nil {
		return time.Time{}, fmt.Errorf("a time zone such as Europe/Berlin, and not %q", zone)
	}
	local := now.In(place)
	for day := range 3 {
		t := at(time.Date(local.Year(), local.Month(), local.Day()+day, 0, 0, 0, 0, place), since)
		if !t.Before(now) {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("clocks in %s never show %s", zone, clockTime)
}
