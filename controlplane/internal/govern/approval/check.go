package approval

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/grantwright/grantwright/controlplane/internal/govern/condition"
	"github.com/grantwright/grantwright/controlplane/internal/ground/fault"
	"github.com/grantwright/grantwright/controlplane/internal/ground/span"
	"github.com/grantwright/grantwright/controlplane/internal/record/directory/listing"
)

// checker collects what is wrong with a rule, and what it names.
type checker struct {
	wrong []fault.Field
	names []mention
	ttl   time.Duration // of requests; 0: it cannot be read
}

// mention is something that a rule names by its id.
type mention struct{ table, id, at string }

// mostWrong are told of one rule.
const mostWrong = 50

func (c *checker) refuse(at, code, format string, args ...any) {
	if len(c.wrong) < mostWrong {
		c.wrong = append(c.wrong, fault.Field{Pointer: at, Code: code, Detail: fmt.Sprintf(format, args...)})
	}
}

func (c *checker) mention(table, id, at string) {
	switch {
	case id == "":
		c.refuse(at, "required", "an id is needed here")
	case !listing.IsID(id):
		c.refuse(at, "invalid", "%q is no id", id)
	default:
		c.names = append(c.names, mention{table, id, at})
	}
}

// oneOf refuses what is none of the values that there are.
func (c *checker) oneOf(at, value string, values ...string) bool {
	if slices.Contains(values, value) {
		return true
	}
	c.refuse(at, "invalid", "one of %s", strings.Join(values, ", "))
	return false
}

// length reads a length of time; 0 when it was refused or is none.
func (c *checker) length(at, text string, needed bool, most time.Duration) time.Duration {
	if text == "" {
		if needed {
			c.refuse(at, "required", "an ISO 8601 duration such as P2D or PT4H is needed here")
		}
		return 0
	}
	d, err := span.Parse(text)
	switch {
	case err != nil:
		c.refuse(at, "invalid_duration", "%s", err)
		return 0
	case d <= 0 || d > most:
		c.refuse(at, "invalid_duration", "more than nothing, and at most %s", span.Format(most))
		return 0
	}
	return d
}

// Longest lengths of time.
const (
	aYear    = 365 * span.Day
	tenYears = 10 * aYear
	tooLate  = "never_met"
)

// check fills in what was left out and finds what is wrong without looking at the tenant.
func (f *ApprovalRuleFields) check() *checker {
	f.fill()
	c := &checker{}
	if strings.TrimSpace(f.Name) == "" {
		c.refuse("#/name", "required", "describe its purpose")
	}
	if f.Priority < 1 || f.Priority > 1000 {
		c.refuse("#/priority", "invalid", "1 to 1000")
	}
	c.scope(f.AppliesTo)
	c.terms(f.ApprovalTerms)
	c.branches(f.Branches)
	return c
}

func (c *checker) scope(a ApprovalScope) {
	for _, of := range []struct {
		table, member string
		ids           []string
	}{{"role", "role_ids", a.RoleIDs}, {"entitlement", "entitlement_ids", a.EntitlementIDs},
		{"connector", "connector_ids", a.ConnectorIDs}} {
		for i, id := range of.ids {
			c.mention(of.table, id, fmt.Sprintf("#/applies_to/%s/%d", of.member, i))
		}
	}
	for i, level := range a.RiskLevels {
		c.oneOf(fmt.Sprintf("#/applies_to/risk_levels/%d", i), level, levels...)
	}
	for i, kind := range a.RequestKinds {
		c.oneOf(fmt.Sprintf("#/applies_to/request_kinds/%d", i), kind, "grant", "extend", "revoke", "return")
	}
	if a.Default && a.targets() > 0 {
		c.refuse(
			"#/applies_to/default",
			"contradiction",
			"a default is for whatever has no rule of its own; leave the other members out, or default",
		)
	}
}

func (c *checker) terms(t ApprovalTerms) {
	c.ttl = c.length("#/request_ttl", t.RequestTTL, true, aYear)
	longest := c.length("#/grant/max_duration", t.Grant.MaxDuration, false, tenYears)
	usual := c.length("#/grant/default_duration", t.Grant.DefaultDuration, false, tenYears)
	if longest > 0 && usual > longest {
		c.refuse("#/grant/default_duration", "contradiction", "it is longer than max_duration")
	}
	if longest > 0 && yes(t.Grant.AllowPermanent) {
		c.refuse(
			"#/grant/allow_permanent",
			"contradiction",
			"access that lasts at most %s is not permanent",
			t.Grant.MaxDuration,
		)
	}
	c.length("#/grant/extension/max", t.Grant.Extension.Max, false, tenYears)
	if t.Grant.Extension.Max != "" && !yes(t.Grant.Extension.Allowed) {
		c.refuse("#/grant/extension/max", "contradiction", "extensions are not allowed")
	}
	c.length("#/emergency/max_duration", t.Emergency.MaxDuration, t.Emergency.Allowed, tenYears)
	c.length("#/emergency/post_review_within", t.Emergency.PostReviewWithin, t.Emergency.Allowed, aYear)
	if t.Emergency.RuleID != "" {
		c.mention("approval_rule", t.Emergency.RuleID, "#/emergency/rule_id")
	}
}

func (c *checker) branches(branches []ApprovalBranch) {
	if len(branches) == 0 {
		c.refuse("#/branches", "required", "a rule needs at least one branch")
		return
	}
	for i := range branches {
		b, at, last := &branches[i], fmt.Sprintf("#/branches/%d", i), i == len(branches)-1
		switch {
		case b.When == nil && !last:
			c.refuse(
				at+"/when",
				"unreachable_branches",
				"a branch without a condition is for all, so that those after it are never reached; only the last "+
					"has none",
			)
		case b.When != nil && last:
			c.refuse(
				at+"/when",
				"baseline_missing",
				"the last branch is for the rest and has no condition; add one after it",
			)
		case b.When != nil:
			c.condition(at+"/when", *b.When)
			b.When = b.When.normal()
		}
		c.outcome(at+"/outcome", b.Outcome)
	}
}

// condition reads one, and says at which place it is wrong.
func (c *checker) condition(at string, when ApprovalCondition) {
	_, problems := when.parse()
	c.problems(at, problems)
}

func (c *checker) problems(at string, problems []condition.Problem) {
	for _, p := range problems {
		detail := p.Detail
		if len(p.Suggestions) > 0 {
			detail += "; did you mean " + strings.Join(p.Suggestions, ", ") + "?"
		}
		c.refuse(at+strings.TrimPrefix(p.Pointer, "#"), p.Code, "%s", detail)
	}
}

func (c *checker) outcome(at string, o ApprovalOutcome) {
	if !c.oneOf(at+"/kind", o.Kind, Chain, AutoApprove, AutoReject, useRule) {
		return
	}
	if (o.Kind == AutoApprove || o.Kind == AutoReject) && strings.TrimSpace(o.Reason) == "" {
		c.refuse(at+"/reason", "required", "a reason is required; requesters see it")
	}
	if o.Kind == useRule {
		c.mention("approval_rule", o.RuleID, at+"/rule_id")
	} else if o.RuleID != "" {
		c.refuse(at+"/rule_id", "unexpected", "only use_rule has one")
	}
	if o.Kind != Chain {
		if len(o.Stages) > 0 {
			c.refuse(at+"/stages", "unexpected", "only a chain has stages")
		}
		return
	}
	if len(o.Stages) == 0 {
		c.refuse(
			at+"/stages",
			"required",
			"an approval chain needs at least one stage; to approve without approvers, use auto_approve",
		)
	}
	for i, s := range o.Stages {
		c.stage(fmt.Sprintf("%s/stages/%d", at, i), s)
	}
}
