package duration

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// mostJitter is the longest a run may begin late.
const mostJitter = 12 * time.Hour

var durationForm = regexp.MustCompile(`^PT(?:(\d{1,2})H)?(?:(\d{1,3})M)?(?:(\d{1,5})S)?$`)

// Parse reads an ISO 8601 duration of hours, minutes and seconds.
func Parse(s string) (sum time.Duration, err error) {
	wrong := fmt.Errorf("an ISO 8601 duration from PT0S to PT12H, of hours, minutes and seconds, such as PT5M")
	parts := durationForm.FindStringSubmatch(s)
	if parts == nil || s == "PT" {
		return 0, wrong
	}
	for i, unit := range []time.Duration{time.Hour, time.Minute, time.Second} {
		if parts[i+1] == "" {
			continue
		}
		n, err := strconv.Atoi(parts[i+1])
		if err != nil {
			return 0, wrong
		}
		sum += time.Duration(n) * unit
	}
	if sum > mostJitter {
		return 0, wrong
	}
	return sum, nil
}

// Format writes a length of whole minutes up to the most that is taken.
func Format(d time.Duration) string {
	d = min(d, mostJitter)
	h, m := int(d/time.Hour), int(d%time.Hour/time.Minute)
	switch {
	case d < time.Minute:
		return "PT0S"
	case h == 0:
		return fmt.Sprintf("PT%dM", m)
	case m == 0:
		return fmt.Sprintf("PT%dH", h)
	}
	return fmt.Sprintf("PT%dH%dM", h, m)
}

// Words writes a distance for people.
func Words(d time.Duration) string {
	if d == time.Minute {
		return "one minute"
	}
	return fmt.Sprintf("%d minutes", int(d/time.Minute))
}
