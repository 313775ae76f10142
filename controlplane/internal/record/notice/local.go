package notice

import (
	"fmt"
	"time"
	_ "time/tzdata" // a host may know no time zones
)

// Zone is the location of an IANA name, and UTC for a name that is unknown.
func Zone(name string) *time.Location {
	if loc, err := time.LoadLocation(name); err == nil && name != "Local" {
		return loc
	}
	return time.UTC
}

// at is the first moment of a local date at which the clock shows that hour and minute, or has skipped it.
func at(day time.Time, hour, minute int) time.Time {
	y, m, d := day.Date()
	loc := day.Location()
	t := time.Date(y, m, d, hour, minute, 0, 0, loc)
	if h, min, _ := t.Clock(); h != hour || min != minute {
		// The clock skips the time. Go gives a moment on either side of the change.
		start, end := t.ZoneBounds()
		if !start.IsZero() && t.Sub(start) < 24*time.Hour {
			return start
		}
		return end
	}
	// A clock that is set back shows the time twice. The first one is an hour, or less, before.
	if start, _ := t.ZoneBounds(); !start.IsZero() {
		_, after := t.Zone()
		_, before := start.Add(-time.Second).Zone()
		if earlier := t.Add(-time.Duration(before-after) * time.Second); before > after && earlier.Before(start) {
			return earlier
		}
	}
	return t
}

// NextDigest is when the next digest is due: at that hour of the zone, after now, and not on the local date of the last
// one. A zero last is that of a person without a digest so far.
func NextDigest(hour int, loc *time.Location, last, now time.Time) time.Time {
	day := now.In(loc)
	for range 3 {
		t := at(day, hour, 0)
		if t.After(now) && (last.IsZero() || date(t) != date(last.In(loc))) {
			return t
		}
		y, m, d := day.Date()
		day = time.Date(y, m, d+1, 12, 0, 0, 0, loc)
	}
	return at(day, hour, 0)
}

// date is a local date, such as 2026-10-25.
func date(t time.Time) string { return t.Format(time.DateOnly) }

// SameDay reports whether a moment is on today's local date, or before it.
func SameDay(t, now time.Time, loc *time.Location) bool { return date(t.In(loc)) <= date(now.In(loc)) }

// Quiet are hours in which nothing is sent that is not urgent. The zero value has none.
type Quiet struct {
	// Start of the quiet hours, in local time. Empty if there are none.
	From string `json:"from" example:"20:00"`
	// End of the quiet hours, in local time. It may be earlier than the start: then it is on the next day.
	To string `json:"to" example:"07:00"`
	// True if Saturdays and Sundays are quiet as a whole.
	Weekends bool `json:"weekends"`
}

// Check says what is wrong with quiet hours; empty if nothing is.
func (q Quiet) Check() string {
	if q.From == "" && q.To == "" {
		return ""
	}
	for _, s := range []string{q.From, q.To} {
		if _, _, err := clock(s); err != nil {
			return "must be two times such as 20:00 and 07:00, or both empty"
		}
	}
	if q.From == q.To {
		return "must be two different times"
	}
	return ""
}

func clock(s string) (hour, minute int, err error) {
	t, err := time.Parse("15:04", s)
	if err != nil {
		return 0, 0, fmt.Errorf("read time of day: %w", err)
	}
	return t.Hour(), t.Minute(), nil
}

// Until is when the quiet hours end that now lies in; now itself if it lies in none.
func (q Quiet) Until(loc *time.Location, now time.Time) time.Time {
	t := now
	for range 5 { // a night, two days of a weekend, and another night
		end := q.end(t.In(loc))
		if !end.After(t) {
			return t
		}
		t = end
	}
	return t
}

// end is the end of the quiet period that a local time lies in; the time itself if it lies in none.
func (q Quiet) end(t time.Time) time.Time {
	y, m, d := t.Date()
	if day := t.Weekday(); q.Weekends && (day == time.Saturday || day == time.Sunday) {
		return at(time.Date(y, m, d+1, 12, 0, 0, 0, t.Location()), 0, 0)
	}
	fh, fm, err := clock(q.From)
	if err != nil {
		return t
	}
	th, tm, err := clock(q.To)
	if err != nil {
		return t
	}
	from, to := at(t, fh, fm), at(t, th, tm)
	tomorrow := at(time.Date(y, m, d+1, 12, 0, 0, 0, t.Location()), th, tm)
	switch {
	case from.Before(to) && !t.Before(from) && t.Before(to):
		return to
	case to.Before(from) && t.Before(to):
		return to
	case to.Before(from) && !t.Before(from):
		return tomorrow
	}
	return t
}
