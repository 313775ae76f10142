package apitoken

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

const day = 24 * time.Hour

var durationForm = regexp.MustCompile(`^P(?:(\d{1,3})W|(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?)$`)

// durationOf reads an ISO 8601 duration of weeks, or of days, hours, minutes and seconds, within bounds; an empty text is the
// usual one. Years and months are refused: they have no fixed length.
func durationOf(member, text string, usual, least, most time.Duration) (time.Duration, error) {
	if text == "" {
		return usual, nil
	}
	parts := durationForm.FindStringSubmatch(text)
	if parts != nil {
		sum, given := time.Duration(0), false
		for i, unit := range []time.Duration{7 * day, day, time.Hour, time.Minute, time.Second} {
			if n, err := strconv.Atoi(parts[i+1]); err == nil {
				sum, given = sum+time.Duration(n)*unit, true
			}
		}
		if given && sum >= least && sum <= most {
			return sum, nil
		}
	}
	words := fmt.Sprintf("an ISO 8601 duration from %s to %s", formatDuration(least), formatDuration(most))
	return 0, fault.New(fault.Invalid, "%s must be %s", member, words).With(fault.Field{Pointer: "#/" + member, Code: "invalid", Detail: words})
}

// formatDuration writes whole days as days, whole hours as hours, and anything else in seconds.
func formatDuration(d time.Duration) string {
	switch {
	case d > 0 && d%day == 0:
		return fmt.Sprintf("P%dD", d/day)
	case d > 0 && d%time.Hour == 0:
		return fmt.Sprintf("PT%dH", d/time.Hour)
	}
	return fmt.Sprintf("PT%dS", d/time.Second)
}
