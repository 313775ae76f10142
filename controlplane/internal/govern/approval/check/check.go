package check

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/worktime"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// Checker collects what is wrong with a resource, and what it references.
type Checker struct {
	// Problems are for the response; References are looked up together at the end.
	Problems   []fault.Field
	References []Reference
}

// Reference is something that a resource names by its id.
type Reference struct {
	Table string // identity, role, entitlement, connector, work_calendar, on_call_schedule or approval_rule
	ID    string
	At    string // JSON pointer
}

// mostWrong are told of one rule.
const mostWrong = 50

// Refuse adds a problem at a JSON pointer. Of many problems the first 50 are kept.
func (c *Checker) Refuse(at, code, format string, args ...any) {
	if len(c.Problems) < mostWrong {
		c.Problems = append(c.Problems, fault.Field{Pointer: at, Code: code, Detail: fmt.Sprintf(format, args...)})
	}
}

// Mention adds a reference for FindReferences, or a problem if id is none. table is as in Reference.
func (c *Checker) Mention(table, id, at string) {
	switch {
	case id == "":
		c.Refuse(at, "required", "an id is needed here")
	case !listing.IsID(id):
		c.Refuse(at, "invalid", "%q is no id", id)
	default:
		c.References = append(c.References, Reference{Table: table, ID: id, At: at})
	}
}

// OneOf refuses a value that is not among the values, and says whether it is.
func (c *Checker) OneOf(at, value string, values ...string) bool {
	if slices.Contains(values, value) {
		return true
	}
	c.Refuse(at, "invalid", "one of %s", strings.Join(values, ", "))
	return false
}

// Duration reads an ISO 8601 duration; 0 if it was refused or is empty. needed refuses an empty one.
func (c *Checker) Duration(at, text string, needed bool, most time.Duration) time.Duration {
	if text == "" {
		if needed {
			c.Refuse(at, "required", "an ISO 8601 duration such as P2D or PT4H is needed here")
		}
		return 0
	}
	d, err := span.Parse(text)
	switch {
	case err != nil:
		c.Refuse(at, "invalid_duration", "%s", err)
		return 0
	case d <= 0 || d > most:
		c.Refuse(at, "invalid_duration", "more than nothing, and at most %s", span.Format(most))
		return 0
	}
	return d
}

// Longest lengths of time.
const (
	Year     = 365 * span.Day
	TenYears = 10 * Year
	NeverMet = "never_met"
)

// Hours reads a part of a day in minutes, and refuses one that does not begin before it ends.
func (c *Checker) Hours(at, from, to string) (begins, ends int) {
	begins, err := worktime.ParseTimeOfDay(from)
	if err != nil {
		c.Refuse(at+"/from", "invalid", "%s", err)
		return 0, 0
	}
	if ends, err = worktime.ParseTimeOfDay(to); err != nil {
		c.Refuse(at+"/to", "invalid", "%s", err)
		return 0, 0
	}
	if begins >= ends {
		c.Refuse(at+"/to", NeverMet, "it must be after from; a part over midnight is two, each on its day")
	}
	return begins, ends
}
