package moment

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Moment is a day or an instant, or so and so long from today.
type Moment struct {
	// at is the day or instant, where it is not relative.
	At       time.Time
	Exact    bool // an instant, not a day
	Relative bool
	past     bool // counted back from today
	years    int
	months   int
	days     int
}

// period is an ISO 8601 duration of years, months, weeks and days, with a minus sign for the past.
var period = regexp.MustCompile(`^(-?)P(?:(\d{1,3})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?$`)

// Parse reads 2026-03-01, an RFC 3339 time, today, P30D for 30 days from today or -P30D for 30 days ago.
func Parse(s string) (Moment, bool) {
	if s == "today" {
		return Moment{Relative: true}, true
	}
	if m := period.FindStringSubmatch(s); m != nil && len(s) > len(m[1])+1 {
		number := func(i int) int { n, _ := strconv.Atoi(m[i]); return n }
		w := Moment{
			Relative: true,
			past:     m[1] == "-",
			years:    number(2),
			months:   number(3),
			days:     7*number(4) + number(5),
		}
		return w.zeroed(), true
	}
	if t, err := time.Parse(time.DateOnly, s); err == nil && t.Year() > 0 {
		return Moment{At: t}, true
	}
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil && t.Year() > 0 {
		return Moment{At: t.UTC(), Exact: true}, true
	}
	return Moment{}, false
}

// zeroed is today, where it is no time from today.
func (w Moment) zeroed() Moment {
	if w.years == 0 && w.months == 0 && w.days == 0 {
		w.past = false
	}
	return w
}

// String is the form that is stored.
func (w Moment) String() string {
	switch {
	case !w.Relative && w.Exact:
		return w.At.Format(time.RFC3339Nano)
	case !w.Relative:
		return w.At.Format(time.DateOnly)
	case w.years == 0 && w.months == 0 && w.days == 0:
		return "today"
	}
	sign := ""
	if w.past {
		sign = "-"
	}
	return sign + w.length()
}

// length is the duration in its normal form; weeks became days.
func (w Moment) length() string {
	var b strings.Builder
	b.WriteString("P")
	for _, part := range []struct {
		n    int
		unit string
	}{{w.years, "Y"}, {w.months, "M"}, {w.days, "D"}} {
		if part.n > 0 {
			fmt.Fprintf(&b, "%d%s", part.n, part.unit)
		}
	}
	return b.String()
}

// On is what it is on a day.
func (w Moment) On(today time.Time) time.Time {
	if !w.Relative {
		return w.At
	}
	day := time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, time.UTC)
	if w.past {
		return day.AddDate(-w.years, -w.months, -w.days)
	}
	return day.AddDate(w.years, w.months, w.days)
}

// Instant reads what a fact says; ok is false for what is no time.
func Instant(s string) (t time.Time, exact, ok bool) {
	if len(s) == len(time.DateOnly) {
		t, err := time.Parse(time.DateOnly, s)
		return t, false, err == nil
	}
	t, err := time.Parse(time.RFC3339Nano, s)
	return t.UTC(), true, err == nil
}
