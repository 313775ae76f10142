// Package worktime counts time in which people work. It knows no database and no clock of its own.
//
// A length of time is whole days of 24 hours and a rest: each of the days is a working day, whatever its hours, and the
// rest is hours of work. What somebody is given on Friday at three with a day to answer is due on Monday at three.
package worktime

import (
	"time"
)

// Hours are a part of a day, in minutes from midnight by the clock on the wall. To may be 1440.
type Hours struct{ From, To int }

// Calendar says when people work.
type Calendar struct {
	Zone     *time.Location
	Week     [7][]Hours      // by time.Weekday, in order and apart from each other
	Holidays map[string]bool // dates, YYYY-MM-DD
}

// horizon is how far ahead is looked for time to work in; beyond it there is none.
const horizon = 20 * 366

// stretch is time in which people work, without a break, within a date and within one offset from UTC.
type stretch struct {
	from, to time.Time
	clock    time.Duration // on the wall, at from
	date     time.Time     // its midnight, as if it were in UTC
}

// each calls fn with the stretches that end after t, in their order, until fn says that it is enough.
func (c Calendar) each(t time.Time, fn func(s stretch) (enough bool)) {
	first := t
	for {
		_, seconds := t.In(c.Zone).Zone()
		_, until := t.In(c.Zone).ZoneBounds()
		if !until.IsZero() && !until.After(t) {
			until = t.Add(time.Hour) // on the last day of leap years beyond the zone's table, the bounds do not move on
		}
		offset := time.Duration(seconds) * time.Second
		// The clock on the wall, read as if it stood in UTC, goes as fast as time until the offset changes.
		wall := t.UTC().Add(offset)
		for day := wall.Truncate(24 * time.Hour); until.IsZero() ||
			day.Before(until.UTC().Add(offset)); day = day.Add(24 * time.Hour) {
			if day.Sub(first) > horizon*24*time.Hour {
				return
			}
			for _, h := range c.of(day) {
				s := stretch{from: later(day.Add(minutes(h.From)), wall), to: day.Add(minutes(h.To)), date: day}
				if !until.IsZero() {
					s.to = earlier(s.to, until.UTC().Add(offset))
				}
				if !s.from.Before(s.to) {
					continue
				}
				s.clock = s.from.Sub(day)
				s.from, s.to = s.from.Add(-offset), s.to.Add(-offset)
				if fn(s) {
					return
				}
			}
		}
		t = until
	}
}

// of are the hours of a date.
func (c Calendar) of(day time.Time) []Hours {
	if c.Holidays[day.Format(time.DateOnly)] {
		return nil
	}
	return c.Week[day.Weekday()]
}

// minutes is n minutes.
func minutes(n int) time.Duration { return time.Duration(n) * time.Minute }

// later is the later of two instants.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// earlier is the earlier of two instants.
func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// Next is the first moment from t on in which people work. found is false where there is none for twenty years.
func (c Calendar) Next(t time.Time) (at time.Time, found bool) {
	c.each(t, func(s stretch) bool {
		at, found = later(s.from, t.UTC()), true
		return true
	})
	return at, found
}

// Ends is when the time to work ends that t is in, or the next that comes.
func (c Calendar) Ends(t time.Time) (at time.Time, found bool) {
	c.each(t, func(s stretch) bool {
		if found && !s.from.Equal(at) {
			return true
		}
		at, found = s.to, true
		return false
	})
	return at, found
}

// Works says whether people work at t.
func (c Calendar) Works(t time.Time) bool {
	at, found := c.Next(t)
	return found && at.Equal(t)
}

// Add is when so much working time has passed since t. Where nobody ever works it is as if everybody always did.
func (c Calendar) Add(t time.Time, d time.Duration) time.Time {
	if d <= 0 {
		return t.UTC()
	}
	const day = 24 * time.Hour
	at, ok := t.UTC(), true
	if d >= day {
		at, ok = c.addDays(at, int(d/day))
	}
	if rest := d % day; ok && rest > 0 {
		at, ok = c.addHours(at, rest)
	}
	if !ok {
		return t.UTC().Add(d)
	}
	return at
}

// addDays goes to the same time of the n-th working day that follows, or to the nearest time in it.
func (c Calendar) addDays(t time.Time, n int) (at time.Time, found bool) {
	var clock time.Duration
	var last time.Time
	passed := -1
	c.each(t, func(s stretch) bool {
		if passed < 0 {
			clock = s.clock // of the first moment in which somebody could have begun
		}
		if !s.date.Equal(last) {
			if passed++; passed > n {
				return true
			}
			last = s.date
		}
		if passed < n {
			return false
		}
		found = true
		switch length := s.to.Sub(s.from); {
		case clock < s.clock:
			at = s.from
			return true
		case clock <= s.clock+length:
			at = s.from.Add(clock - s.clock)
			return true
		}
		at = s.to
		return false
	})
	return at, found
}

// addHours is the instant when d of working time has passed since t. found is false for a calendar
// without working time in the years that are looked at.
func (c Calendar) addHours(t time.Time, d time.Duration) (at time.Time, found bool) {
	c.each(t, func(s stretch) bool {
		if length := s.to.Sub(s.from); length < d {
			d -= length
			return false
		}
		at, found = s.from.Add(d), true
		return true
	})
	return at, found
}
