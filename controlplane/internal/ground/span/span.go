// Package span reads and writes lengths of time as ISO 8601 has them, and finds time zones by name.
package span

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Day is 24 hours. Where a length is counted from an instant, Add counts whole days by the calendar.
const Day = 24 * time.Hour

// Add is the instant that lies a length after t, or before it where the length is negative. Whole days are days of the
// calendar in the zone: the time of day stays, also when clocks change in between. Any other length is counted in
// elapsed time.
func Add(t time.Time, d time.Duration, zone *time.Location) time.Time {
	if d%Day != 0 {
		return t.Add(d)
	}
	return t.In(zone).AddDate(0, 0, int(d/Day))
}

var form = regexp.MustCompile(`^P(?:(\d{1,3})W|(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?)$`)

var errForm = errors.New(
	"an ISO 8601 duration such as P14D or PT36H; years and months have no fixed length, a year is P365D",
)

// Parse reads a length of weeks, or of days, hours, minutes and seconds. The error says what would have been right.
func Parse(s string) (sum time.Duration, err error) {
	parts, given := form.FindStringSubmatch(s), false
	for i, unit := range []time.Duration{7 * Day, Day, time.Hour, time.Minute, time.Second} {
		if parts == nil || parts[i+1] == "" {
			continue
		}
		n, err := strconv.Atoi(parts[i+1])
		if err != nil {
			return 0, errForm
		}
		sum, given = sum+time.Duration(n)*unit, true
	}
	if !given || strings.HasSuffix(s, "T") {
		return 0, errForm
	}
	return sum, nil
}

// Format writes whole days as days, whole hours as hours, and anything else in seconds. Parse reads it back.
func Format(d time.Duration) string {
	switch {
	case d > 0 && d%Day == 0:
		return fmt.Sprintf("P%dD", d/Day)
	case d > 0 && d%time.Hour == 0:
		return fmt.Sprintf("PT%dH", d/time.Hour)
	}
	return fmt.Sprintf("PT%dS", d/time.Second)
}
