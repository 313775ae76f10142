package rule

import (
	"fmt"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/approval"
	"github.com/grantwright/grantwright/controlplane/internal/govern/approval/check"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

// stage checks a stage. Times that come after the request has expired are refused, since they would
// never be reached.
func (c *checker) stage(at string, s approval.ApprovalStage) {
	if strings.TrimSpace(s.Name) == "" || len(s.Name) > 200 {
		c.Refuse(at+"/name", "required", "a name of at most 200 characters")
	}
	if len(s.Groups) == 0 || len(s.Groups) > 10 {
		c.Refuse(at+"/groups", "required", "one to ten groups of approvers")
	}
	for i, g := range s.Groups {
		c.group(fmt.Sprintf("%s/groups/%d", at, i), g)
	}
	within := c.Duration(at+"/respond_within", s.RespondWithin, true, check.Year)
	if within > 0 && c.ttl > 0 && within > c.ttl {
		c.Refuse(
			at+"/respond_within",
			check.NeverMet,
			"%s at most, because requests expire after that time",
			span.Format(c.ttl),
		)
	}
	if s.CalendarID != "" {
		c.Mention("work_calendar", s.CalendarID, at+"/calendar_id")
	}
	for i, text := range s.Reminders {
		where := fmt.Sprintf("%s/reminders/%d", at, i)
		if before := c.Duration(where, text, true, check.Year); before > 0 && within > 0 && before >= within {
			c.Refuse(
				where,
				check.NeverMet,
				"a reminder %s before the task is due would come before the task begins; approvers have %s",
				text,
				s.RespondWithin,
			)
		}
	}
	if len(s.Reminders) > 20 || len(s.Escalation) > 20 {
		c.Refuse(at, "too_many", "at most 20 reminders and 20 escalations")
	}
	for i, e := range s.Escalation {
		c.escalation(fmt.Sprintf("%s/escalation/%d", at, i), e)
	}
	c.resolvers(at+"/fallback", s.Fallback)
	c.OneOf(at+"/require_comment", s.RequireComment, "none", "reject", "approve", "both")
	for i, id := range s.ReassignAllowList {
		c.Mention("identity", id, fmt.Sprintf("%s/reassign_allow_list/%d", at, i))
	}
	c.wait(at+"/wait", s.Wait)
	c.window(at+"/decision_window", s.DecisionWindow)
}

// escalation checks one step of the escalation.
func (c *checker) escalation(at string, e approval.EscalationStep) {
	after := c.Duration(at+"/after", e.After, true, check.Year)
	if after > 0 && c.ttl > 0 && after >= c.ttl {
		c.Refuse(
			at+"/after",
			check.NeverMet,
			"a request ends unanswered after %s, before this happens",
			span.Format(c.ttl),
		)
	}
	c.OneOf(at+"/action", e.Action, "add", "replace", "skip", "approve", "reject", UseRule)
	names := e.Action == "add" || e.Action == "replace"
	switch {
	case names && len(e.To) == 0:
		c.Refuse(at+"/to", "required", "set the approvers of this escalation")
	case !names && len(e.To) > 0:
		c.Refuse(at+"/to", "unexpected", "only add and replace name people")
	}
	c.resolvers(at+"/to", e.To)
	if e.Action == UseRule {
		c.Mention("approval_rule", e.RuleID, at+"/rule_id")
	} else if e.RuleID != "" {
		c.Refuse(at+"/rule_id", "unexpected", "only use_rule has one")
	}
}

// AllTime is how long a chain takes at most, if all approvers use the time that they have.
func AllTime(o ApprovalOutcome) (sum time.Duration) {
	for _, s := range o.Stages {
		if d, err := span.Parse(s.RespondWithin); err == nil {
			sum += d
		}
	}
	return sum
}
