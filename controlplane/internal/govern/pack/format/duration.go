package format

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var spanForm = regexp.MustCompile(`^P(?:(\d{1,3})W|(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?)$`)

// Span reads an ISO 8601 duration of weeks, or of days, hours, minutes and seconds. Years and months have no fixed length.
func Span(s string) (sum time.Duration, ok bool) {
	parts := spanForm.FindStringSubmatch(s)
	for i, unit := range []time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute, time.Second} {
		if parts == nil || parts[i+1] == "" {
			continue
		}
		n, err := strconv.Atoi(parts[i+1])
		if err != nil {
			return 0, false
		}
		sum, ok = sum+time.Duration(n)*unit, true
	}
	return sum, ok
}

// isNothing reports whether a duration is zero.
func isNothing(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= '1' && r <= '9' }) < 0
}
