package term

import (
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// Prefixed returns before and text; empty if there is no text.
func Prefixed(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// TTL returns how long a request with this plan may stay unanswered.
func TTL(p approval.Plan) time.Duration {
	if d := Duration(p.RequestTTL); d > 0 {
		return d
	}
	return 14 * span.Day
}

// Duration reads an ISO 8601 duration of a rule or a resource; 0, no limit, if it is empty or cannot be read.
func Duration(text string) time.Duration {
	d, err := span.Parse(text)
	if err != nil {
		return 0
	}
	return d
}

// Within shortens the end that an approver chose to the longest that may be given.
func Within(starts, ends *time.Time, longest string, now time.Time) *time.Time {
	limit := Duration(longest)
	if ends == nil || limit == 0 {
		return ends
	}
	from := now
	if starts != nil && starts.After(now) {
		from = *starts
	}
	if last := from.Add(limit); ends.After(last) {
		return &last
	}
	return ends
}
