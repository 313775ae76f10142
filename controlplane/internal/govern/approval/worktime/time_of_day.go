package worktime

import (
	"fmt"
	"regexp"
	"strconv"
)

// clockForm matches a time of day from 00:00 to 24:00; 24:59 is refused where it is read.
var clockForm = regexp.MustCompile(`^([01]\d|2[0-4]):([0-5]\d)$`)

// ParseTimeOfDay reads a time of the day in minutes from midnight: 09:30, or 24:00 for its end.
func ParseTimeOfDay(s string) (int, error) {
	m := clockForm.FindStringSubmatch(s)
	if m == nil || s > "24:00" {
		return 0, fmt.Errorf("%q is no time of the day; one looks like 09:30, and 24:00 is the end of the day", s)
	}
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi(m[2])
	return 60*hour + minute, nil
}
