package worktime

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

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

// FindZone finds a time zone by its IANA name. Local would be another one on each machine, and the trees right and
// posix are no IANA names.
func FindZone(name string) (*time.Location, error) {
	unknown := fmt.Errorf(
		"there is no time zone of this name; IANA names look like Europe/Berlin, America/New_York or UTC",
	)
	if name == "" || name == "Local" || strings.HasPrefix(name, "right/") || strings.HasPrefix(name, "posix/") {
		return nil, unknown
	}
	z, err := time.LoadLocation(name)
	if err != nil {
		return nil, unknown
	}
	return z, nil
}
