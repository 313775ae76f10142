package approval

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
)

func (c *checker) stage(at string, s ApprovalStage) {
	if strings.TrimSpace(s.Name) == "" || len(s.Name) > 200 {
		c.refuse(at+"/name", "required", "a name of at most 200 characters")
	}
	if len(s.Groups) == 0 || len(s.Groups) > 10 {
		c.refuse(at+"/groups", "required", "one to ten groups of approvers")
	}
	for i, g := range s.Groups {
		c.group(fmt.Sprintf("%s/groups/%d", at, i), g)
	}
	within := c.length(at+"/respond_within", s.RespondWithin, true, aYear)
	if within > 0 && c.ttl > 0 && within > c.ttl {
		c.refuse(
			at+"/respond_within",
			tooLate,
			"%s at most, because requests expire after that time",
			span.Format(c.ttl),
		)
	}
	if s.CalendarID != "" {
		c.mention("work_calendar", s.CalendarID, at+"/calendar_id")
	}
	for i, text := range s.Reminders {
		where := fmt.Sprintf("%s/reminders/%d", at, i)
		if before := c.length(where, text, true, aYear); before > 0 && within > 0 && before >= within {
			c.refuse(
				where,
				tooLate,
				"a reminder %s before the task is due would come before the task begins; approvers have %s",
				text,
				s.RespondWithin,
			)
		}
	}
	if len(s.Reminders) > 20 || len(s.Escalation) > 20 {
		c.refuse(at, "too_many", "at most 20 reminders and 20 escalations")
	}
	for i, e := range s.Escalation {
		c.escalation(fmt.Sprintf("%s/escalation/%d", at, i), e)
	}
	c.resolvers(at+"/fallback", s.Fallback)
	c.oneOf(at+"/require_comment", s.RequireComment, "none", "reject", "approve", "both")
	for i, id := range s.ReassignAllowList {
		c.mention("identity", id, fmt.Sprintf("%s/reassign_allow_list/%d", at, i))
	}
	c.wait(at+"/wait", s.Wait)
	c.window(at+"/decision_window", s.DecisionWindow)
}

func (c *checker) group(at string, g ApproverGroup) {
	if len(g.Approvers) == 0 || len(g.Approvers) > 50 {
		c.refuse(at+"/approvers", "required", "one to fifty resolvers")
	}
	c.resolvers(at+"/approvers", g.Approvers)
	c.oneOf(at+"/mode", g.Mode, modeAny, modeAll, modeQuorum)
	switch {
	case g.Mode != modeQuorum && g.Quorum != 0:
		c.refuse(at+"/quorum", "unexpected", "only the mode quorum has one")
	case g.Mode == modeQuorum && g.Quorum < 1:
		c.refuse(at+"/quorum", "required", "set the number of approvals")
	case g.Mode == modeQuorum:
		if possible, bounded := g.possible(); bounded && g.Quorum > possible {
			c.refuse(
				at+"/quorum",
				"quorum_impossible",
				"these approvers are %d at most, so that %d can never agree",
				possible,
				g.Quorum,
			)
		}
	}
}

// possible is how many people a group can have at most, when that is known.
func (g ApproverGroup) possible() (n int, bounded bool) {
	seen := map[string]bool{}
	for _, r := range g.Approvers {
		switch r.Kind {
		case byManager, bySponsor, byIdentity, byAppRole, byOnCall:
			seen[fmt.Sprint(r.Kind, max(1, r.Level), r.IdentityID, r.AppRole, r.ScheduleID)] = true
		case byConnectorOwner:
		default:
			return 0, false
		}
	}
	return len(seen), true
}

func (c *checker) resolvers(at string, list []ApproverResolver) {
	for i, r := range list {
		c.resolver(fmt.Sprintf("%s/%d", at, i), r)
	}
}

// kinds are those of resolvers that can be used.
var kinds = []string{
	byManager,
	byRoleOwner,
	byEntitlementOwner,
	byConnectorOwner,
	byResourceOwner,
	bySponsor,
	byIdentity,
	byGroup,
	byAppRole,
	byExpression,
	byChoice,
	byOnCall,
}

func (c *checker) resolver(at string, r ApproverResolver) {
	switch {
	case r.Kind == byWebhook:
		c.refuse(at+"/kind", "unsupported_resolver", "approvers are resolved without calls to other systems; "+
			"keep the result in an attribute of the person, and use it in an expression")
		return
	case !slices.Contains(kinds, r.Kind):
		c.refuse(at+"/kind", "unknown_resolver", "one of %s", strings.Join(kinds, ", "))
		return
	}
	for _, m := range []struct {
		name, of string
		given    bool
	}{{"level", byManager, r.Level != 0}, {"identity_id", byIdentity, r.IdentityID != ""},
		{"role_id", byGroup, r.RoleID != ""},
		{"app_role", byAppRole, r.AppRole != ""}, {"schedule_id", byOnCall, r.ScheduleID != ""},
		{"text", byExpression, r.Text != ""},
		{"from", byChoice, r.From != nil}} {
		if m.given && m.of != r.Kind {
			c.refuse(at+"/"+m.name, "unexpected", "a resolver of the kind %s has no %s", r.Kind, m.name)
		}
	}
	switch r.Kind {
	case byManager:
		if r.Level < 0 || r.Level > maxLevel {
			c.refuse(at+"/level", "invalid", "1 for the manager, up to %d for those above", maxLevel)
		}
	case byIdentity:
		c.mention("identity", r.IdentityID, at+"/identity_id")
	case byGroup:
		c.mention("role", r.RoleID, at+"/role_id")
	case byOnCall:
		c.mention("on_call_schedule", r.ScheduleID, at+"/schedule_id")
	case byAppRole:
		c.oneOf(at+"/app_role", r.AppRole, admin, "auditor", "manager", "resource_owner")
	case byExpression:
		c.expression(at+"/text", r.Text)
	case byChoice:
		if m, ok := r.From.(map[string]any); ok {
			c.condition(at+"/from", m)
		} else if r.From != nil {
			c.refuse(at+"/from", "malformed", "a condition is an object")
		}
	}
}

func (c *checker) expression(at, text string) {
	if strings.TrimSpace(text) == "" || strings.ContainsRune(text, 0) {
		c.refuse(at, "required", "an expression that gives an id, external id or address, or a list of them")
		return
	}
	if _, err := vocabulary.Expression(text); err != nil {
		c.refuse(at, "invalid_expression", "%s", err)
	}
}

func (c *checker) escalation(at string, e EscalationStep) {
	after := c.length(at+"/after", e.After, true, aYear)
	if after > 0 && c.ttl > 0 && after >= c.ttl {
		c.refuse(at+"/after", tooLate, "a request ends unanswered after %s, before this happens", span.Format(c.ttl))
	}
	c.oneOf(at+"/action", e.Action, "add", "replace", "skip", "approve", "reject", useRule)
	names := e.Action == "add" || e.Action == "replace"
	switch {
	case names && len(e.To) == 0:
		c.refuse(at+"/to", "required", "set the approvers of this escalation")
	case !names && len(e.To) > 0:
		c.refuse(at+"/to", "unexpected", "only add and replace name people")
	}
	c.resolvers(at+"/to", e.To)
	if e.Action == useRule {
		c.mention("approval_rule", e.RuleID, at+"/rule_id")
	} else if e.RuleID != "" {
		c.refuse(at+"/rule_id", "unexpected", "only use_rule has one")
	}
}

func (c *checker) wait(at string, w *StageWait) {
	if w == nil {
		return
	}
	if !c.oneOf(at+"/kind", w.Kind, "condition", "duration", "time_of_day", "external") {
		return
	}
	timeout := c.length(at+"/timeout", w.Timeout, w.Kind == "condition" || w.Kind == "external", aYear)
	if timeout > 0 && c.ttl > 0 && timeout > c.ttl {
		c.refuse(at+"/timeout", tooLate, "a request ends unanswered after %s, before this", span.Format(c.ttl))
	}
	c.oneOf(at+"/on_timeout", w.OnTimeout, "continue", "reject")
	switch w.Kind {
	case "condition":
		if m, ok := w.Condition.(map[string]any); ok {
			c.condition(at+"/condition", m)
		} else {
			c.refuse(at+"/condition", "required", "set what the step waits for")
		}
	case "duration":
		if d := c.length(at+"/duration", w.Duration, true, aYear); d > 0 && c.ttl > 0 && d >= c.ttl {
			c.refuse(at+"/duration", tooLate, "%s at most, because requests expire after that time", span.Format(c.ttl))
		}
	case "time_of_day":
		if _, err := minuteOf(w.At); err != nil || w.At == "24:00" {
			c.refuse(at+"/at", "invalid", "a time of the day such as 09:30")
		}
		if _, err := zoneNamed(w.Timezone); err != nil {
			c.refuse(at+"/tz", "unknown_timezone", "%s", err)
		}
	}
}

func (c *checker) window(at string, w *DecisionWindow) {
	if w == nil {
		return
	}
	if len(w.Days) == 0 {
		c.refuse(at+"/days", tooLate, "without days it could never be decided")
	}
	for i, d := range w.Days {
		c.oneOf(fmt.Sprintf("%s/days/%d", at, i), d, weekdays...)
	}
	c.hours(at, w.From, w.To)
	if _, err := zoneNamed(w.Timezone); err != nil {
		c.refuse(at+"/tz", "unknown_timezone", "%s", err)
	}
}

// hours refuses a part of a day that does not begin before it ends.
func (c *checker) hours(at, from, to string) (begins, ends int) {
	begins, err := minuteOf(from)
	if err != nil {
		c.refuse(at+"/from", "invalid", "%s", err)
		return 0, 0
	}
	if ends, err = minuteOf(to); err != nil {
		c.refuse(at+"/to", "invalid", "%s", err)
		return 0, 0
	}
	if begins >= ends {
		c.refuse(at+"/to", tooLate, "it must be after from; a part over midnight is two, each on its day")
	}
	return begins, ends
}

// normal is the form in which a condition is stored; nil where it cannot be read.
func (c *ApprovalCondition) normal() *ApprovalCondition {
	parsed, problems := c.parse()
	if len(problems) > 0 {
		return c
	}
	raw, err := json.Marshal(parsed)
	if err != nil {
		return c
	}
	out := ApprovalCondition{}
	if json.Unmarshal(raw, &out) != nil {
		return c
	}
	return &out
}

// allTime is how long a chain takes at most, when all use the time they have.
func (o ApprovalOutcome) allTime() (sum time.Duration) {
	for _, s := range o.Stages {
		if d, err := span.Parse(s.RespondWithin); err == nil {
			sum += d
		}
	}
	return sum
}
