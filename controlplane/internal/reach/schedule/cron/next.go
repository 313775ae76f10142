package cron

import (
	"math/bits"
	"time"
)

// horizon is how many days ahead the next occurrence is looked for: a 29th of February on some day of the week may be
// 40 years off.
const horizon = 41 * 366

// Next is the first occurrence after a moment, in the zone; the zero time when there is none within forty years.
func (e Expression) Next(after time.Time, zone *time.Location) time.Time {
	year, month, day := after.In(zone).Date()
	// A clock that is put back at midnight shows the evening of the day before again, so the search begins there.
	for d := -1; d < horizon; d++ {
		date := time.Date(year, month, day+d, 0, 0, 0, 0, time.UTC)
		if !e.on(date) {
			continue
		}
		for hours := e.hours; hours != 0; hours &= hours - 1 {
			for minutes := e.minutes; minutes != 0; minutes &= minutes - 1 {
				shown := date.Add(
					time.Duration(bits.TrailingZeros64(hours))*time.Hour + time.Duration(
						bits.TrailingZeros64(minutes),
					)*time.Minute,
				)
				if at := moment(shown, zone); at.After(after) {
					return at
				}
			}
		}
	}
	return time.Time{}
}

// on reports whether a date is one of the expression's days.
func (e Expression) on(date time.Time) bool {
	if e.months&(1<<date.Month()) == 0 {
		return false
	}
	day, weekday := e.days&(1<<date.Day()) != 0, e.weekdays&(1<<date.Weekday()) != 0
	if e.either {
		return day || weekday
	}
	return day && weekday
}

// reach is more than any zone is, or was, away from UTC.
const reach = 26 * time.Hour

// moment is when the clocks of a zone show a time, which is given as if it were UTC: the first time if they do so
// twice, and when they are put forward over it if they never do.
func moment(shown time.Time, zone *time.Location) time.Time {
	for at := shown.Add(-reach).In(zone); at.Before(shown.Add(reach)); {
		_, offset := at.Zone()
		start, end := at.ZoneBounds()
		candidate := shown.Add(-time.Duration(offset) * time.Second)
		if !candidate.Before(start) && (end.IsZero() || candidate.Before(end)) {
			return candidate.In(zone)
		}
		if end.IsZero() {
			break
		}
		_, next := end.Zone()
		if !candidate.Before(end) && shown.Add(-time.Duration(next)*time.Second).Before(end) {
			return end.In(zone)
		}
		at = end
	}
	return shown.In(zone)
}

// Shortest is the least time between two occurrences by a clock that is never changed; a day where there is one a day
// at most.
func (e Expression) Shortest() time.Duration {
	const day = 24 * time.Hour
	shortest, first, last := day, time.Duration(-1), time.Duration(-1)
	for hours := e.hours; hours != 0; hours &= hours - 1 {
		for minutes := e.minutes; minutes != 0; minutes &= minutes - 1 {
			at := time.Duration(bits.TrailingZeros64(hours))*time.Hour + time.Duration(
				bits.TrailingZeros64(minutes),
			)*time.Minute
			if last >= 0 {
				shortest = min(shortest, at-last)
			} else {
				first = at
			}
			last = at
		}
	}
	if overnight := day - last + first; overnight < shortest && e.runsOn() {
		shortest = overnight
	}
	return shortest
}

// runsOn reports whether a day of the expression is ever followed by another.
func (e Expression) runsOn() bool {
	before := false
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for d := range horizon {
		on := e.on(start.AddDate(0, 0, d))
		if on && before {
			return true
		}
		before = on
	}
	return false
}
