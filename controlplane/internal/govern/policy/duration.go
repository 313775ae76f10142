package policy

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

const day = 24 * time.Hour

var durationForm = regexp.MustCompile(`^P(?:(\d{1,3})W|(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?)$`)

// parseDuration reads an ISO 8601 duration of weeks, or of days, hours, minutes and seconds. Years and months are refused: they
// have no fixed length.
func parseDuration(s string) (sum time.Duration, err error) {
	parts, given := durationForm.FindStringSubmatch(s), false
	for i, unit := range []time.Duration{7 * day, day, time.Hour, time.Minute, time.Second} {
		if parts == nil || parts[i+1] == "" {
			continue
		}
		n, err := strconv.Atoi(parts[i+1])
		if err != nil {
			return 0, fmt.Errorf("%q: %w", s, err)
		}
		sum, given = sum+time.Duration(n)*unit, true
	}
	if !given {
		return 0, fmt.Errorf("an ISO 8601 duration such as P14D or PT36H; years and months have no fixed length, a year is P365D")
	}
	return sum, nil
}
