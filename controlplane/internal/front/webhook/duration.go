package webhook

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// maxOverlap bounds how long two secrets sign.
const maxOverlap = 7 * span.Day

// overlapOf reads a length of time; a day when it is empty.
func overlapOf(text string) (time.Duration, error) {
	if text == "" {
		return span.Day, nil
	}
	length, err := span.Parse(text)
	if err != nil || length > maxOverlap {
		return 0, fault.New(fault.Invalid, "overlap must be an ISO 8601 duration of at most seven days, such as "+
			"PT24H or PT0S").
			With(fault.Field{Pointer: "#/overlap", Code: "invalid", Detail: "give a duration such as PT24H"})
	}
	return length, nil
}
