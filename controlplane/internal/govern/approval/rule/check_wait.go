package rule

import (
	"fmt"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/check"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/worktime"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// wait checks what a stage waits for before it begins. nil: nothing.
func (c *checker) wait(at string, w *approval.StageWait) {
	if w == nil {
		return
	}
	if !c.OneOf(at+"/kind", w.Kind, "condition", "duration", "time_of_day", "external") {
		return
	}
	timeout := c.Duration(at+"/timeout", w.Timeout, w.Kind == "condition" || w.Kind == "external", check.Year)
	if timeout > 0 && c.ttl > 0 && timeout > c.ttl {
		c.Refuse(at+"/timeout", check.NeverMet, "a request ends unanswered after %s, before this", span.Format(c.ttl))
	}
	c.OneOf(at+"/on_timeout", w.OnTimeout, "continue", "reject")
	switch w.Kind {
	case "condition":
		if m, ok := w.Condition.(map[string]any); ok {
			c.condition(at+"/condition", m)
		} else {
			c.Refuse(at+"/condition", "required", "set what the step waits for")
		}
	case "duration":
		if d := c.Duration(at+"/duration", w.Duration, true, check.Year); d > 0 && c.ttl > 0 && d >= c.ttl {
			c.Refuse(
				at+"/duration",
				check.NeverMet,
				"%s at most, because requests expire after that time",
				span.Format(c.ttl),
			)
		}
	case "time_of_day":
		if _, err := worktime.ParseTimeOfDay(w.At); err != nil || w.At == "24:00" {
			c.Refuse(at+"/at", "invalid", "a time of the day such as 09:30")
		}
		if _, err := span.FindZone(w.Timezone); err != nil {
			c.Refuse(at+"/tz", "unknown_timezone", "%s", err)
		}
	}
}

// window checks when a stage may be decided. nil: at any time.
func (c *checker) window(at string, w *approval.DecisionWindow) {
	if w == nil {
		return
	}
	if len(w.Days) == 0 {
		c.Refuse(at+"/days", check.NeverMet, "without days it could never be decided")
	}
	for i, d := range w.Days {
		c.OneOf(fmt.Sprintf("%s/days/%d", at, i), d, worktime.Weekdays...)
	}
	c.Hours(at, w.From, w.To)
	if _, err := span.FindZone(w.Timezone); err != nil {
		c.Refuse(at+"/tz", "unknown_timezone", "%s", err)
	}
}
