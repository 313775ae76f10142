package apitoken

import (
	"fmt"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

const day = span.Day

// durationOf reads a length of time within bounds; an empty text is the usual one.
func durationOf(member, text string, usual, least, most time.Duration) (time.Duration, error) {
	if text == "" {
		return usual, nil
	}
	if length, err := span.Parse(text); err == nil && length >= least && length <= most {
		return length, nil
	}
	words := fmt.Sprintf("an ISO 8601 duration from %s to %s", span.Format(least), span.Format(most))
	return 0, fault.New(fault.Invalid, "%s must be %s", member, words).
		With(fault.Field{Pointer: "#/" + member, Code: "invalid", Detail: words})
}
