package shape

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

var durationForm = regexp.MustCompile(`^P(?:(\d{1,3})W|(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?)$`)

// parseDuration reads an ISO 8601 duration of weeks, or of days, hours, minutes and seconds. Years and months are refused: they
// have no fixed length.
func parseDuration(s string) (time.Duration, error) {
	parts := durationForm.FindStringSubmatch(s)
	if parts == nil {
		return 0, fmt.Errorf("%q is no ISO 8601 duration such as PT24H or P3D", s)
	}
	var sum time.Duration
	given := false
	for i, unit := range []time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute, time.Second} {
		if parts[i+1] == "" {
			continue
		}
		n, err := strconv.Atoi(parts[i+1])
		if err != nil {
			return 0, fmt.Errorf("%q: %w", s, err)
		}
		given = true
		sum += time.Duration(n) * unit
	}
	if !given {
		return 0, fmt.Errorf("%q names no length", s)
	}
	return sum, nil
}

// Bounds of a breaker's window.
const (
	shortestWindow = time.Minute
	longestWindow  = 7 * 24 * time.Hour
)
