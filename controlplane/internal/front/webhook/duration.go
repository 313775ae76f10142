package webhook

import (
	"regexp"
	"strconv"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
)

var durationForm = regexp.MustCompile(`^P(?:(\d{1,2})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:(\d{1,6})S)?)?$`)

// maxOverlap bounds how long two secrets sign.
const maxOverlap = 7 * 24 * time.Hour

// overlapOf reads an ISO 8601 duration of days, hours, minutes and seconds; a day when it is empty.
func overlapOf(text string) (sum time.Duration, err error) {
	if text == "" {
		return 24 * time.Hour, nil
	}
	parts := durationForm.FindStringSubmatch(text)
	given := false
	for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second} {
		if parts == nil || parts[i+1] == "" {
			continue
		}
		n, _ := strconv.Atoi(parts[i+1]) // digits, by the form
		sum, given = sum+time.Duration(n)*unit, true
	}
	if !given || sum > maxOverlap {
		return 0, fault.New(fault.Invalid, "overlap must be an ISO 8601 duration of at most seven days, such as PT24H or PT0S").
			With(fault.Field{Pointer: "#/overlap", Code: "invalid", Detail: "give a duration such as PT24H"})
	}
	return sum, nil
}
